"""Routines compiled apart: once for all kernels, when the first step comes to them.

A kernel links all that it calls; what ten kernels call would be compiled ten times, and branches
that no model of a user takes as well.  A routine *apart* is machine code of its own, with a file
of its own.  Kernels call it by an address that they read from its slot.  A slot is empty at first:
whoever finds it so calls Python back, which loads the routine or compiles it, and fills the slot.

To know what a call returns without compiling it, the routine says so: int, float, bool or None.
"""

import inspect
from collections.abc import Callable
from typing import Any, TypeVar, get_type_hints

import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import lower_builtin, type_callable

from chasles.compiled.cache import KernelCache
from chasles.compiled.linking import register_kernel
from chasles.compiled.preparing import FIRST_COMPILE, JIT_OPTIONS, preparing
from chasles.compiled.reach import ONCE
from chasles.compiled.slots import FILL, ROUTINES, NotFilled, Slot, slot_of

F = TypeVar("F", bound=Callable[..., Any])
RETURNS = {int: types.int64, float: types.float64, bool: types.boolean, type(None): types.none}


class Routine:
    """A routine apart; compiled for every list of types that it is called with."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.key = function.__module__, function.__qualname__
        self.returns = RETURNS[get_type_hints(function)["return"]]
        options = {"no_cfunc_wrapper": True, "no_cpython_wrapper": True, **JIT_OPTIONS}
        self.compiled: Any = numba.njit(**options)(function)
        self.compiled._cache = KernelCache(function)
        register_kernel(self.compiled)
        FIRST_COMPILE.kernels[id(self.compiled)] = None
        ONCE[function] = str(self.returns)
        ROUTINES[self.key] = self

    def prepare(self, kinds: tuple[Any, ...]) -> int:
        """Load the machine code for arguments of these types, or compile it: its address."""
        with preparing():
            self.compiled.compile(self.returns(*kinds))
        made = self.compiled.overloads[kinds]
        address: int = made.library.get_pointer_to_function(made.fndesc.llvm_func_name)
        return address


def once(function: F) -> F:
    """A routine that is compiled by itself: plain Python to Python, an address to kernels."""
    if numba.config.DISABLE_JIT:
        return function
    routine = Routine(function)

    @type_callable(function)
    def _typed(context: Any) -> Any:
        def typer(*kinds: Any) -> Any:
            return routine.returns(*map(types.unliteral, kinds))

        typer.pysig = inspect.signature(function)  # type: ignore[attr-defined]
        return typer

    @lower_builtin(function, types.VarArg(types.Any))
    def _call(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return lower_call(context, builder, slot_of(routine, signature.args), signature, args)

    return function


def lower_call(context: Any, builder: Any, slot: Slot, signature: Any, args: Any) -> Any:
    """Call what is in a slot, out of the way of the caller: most models have no need of most."""
    convention, kind = context.call_conv, signature.return_type
    function = entry(context, builder.module, slot, signature)
    status, answer = convention.call_function(builder, function, kind, signature.args, args)
    with cgutils.if_unlikely(builder, status.is_error):
        convention.return_status_propagate(builder, status)
    return answer


def entry(context: Any, module: Any, slot: Slot, signature: Any) -> Any:
    """The function of a module that calls what is in a slot, and fills the slot if it is empty."""
    name, word, convention = f"{slot.symbol}.entry", ir.IntType(64), context.call_conv
    if name in module.globals:
        return module.globals[name]
    kind = convention.get_function_type(signature.return_type, signature.args)
    made = ir.Function(module, kind, name)
    made.linkage = "linkonce_odr"
    for attribute in ("cold", "noinline", "nounwind"):
        made.attributes.add(attribute)
    builder = ir.IRBuilder(made.append_basic_block("entry"))
    place = module.globals.get(slot.symbol) or ir.GlobalVariable(module, word, slot.symbol)
    address = cgutils.alloca_once_value(builder, builder.load(place))
    with cgutils.if_unlikely(builder, is_zero(builder, address)):
        symbol = context.insert_const_string(module, slot.symbol)
        fill = cgutils.get_or_insert_function(module, ir.FunctionType(word, [symbol.type]), FILL)
        builder.store(builder.call(fill, [symbol]), address)
        with cgutils.if_unlikely(builder, is_zero(builder, address)):
            convention.return_user_exc(builder, NotFilled, ())
    function = builder.inttoptr(builder.load(address), kind.as_pointer())
    builder.ret(builder.call(function, made.args))
    return made


def is_zero(builder: Any, word: Any) -> Any:
    return builder.icmp_unsigned("==", builder.load(word), ir.Constant(ir.IntType(64), 0))
