"""What the compiler would find out over and over, kept while a kernel is compiled.

The size of a type is asked for at every variable, and each answer parses a module of its own;
which of some thirty definitions `*` of two numbers is, at every product; what Numba's own modules
declare, at every function; which variables an instruction names, several times over; and who waits
for LLVM's lock how long, at each of its functions.  None of it changes what is compiled.  With the
lifetimes that `passes` leaves out this is a quarter of the time.

Nor is every call of a formula asked whether it has failed: most cannot.  Room for variables and for
what calls return is not filled with zeros, unless references are counted in it: a step of a small
model would write several zeros for every routine that it might call.

It leans on methods that Numba does not promise: where they are missing, nothing is kept.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from llvmlite import ir
from llvmlite.binding import ffi
from numba import types
from numba.core import base, cgutils
from numba.core.base import BaseContext
from numba.core.callconv import RETCODE_OK, CPUCallConv
from numba.core.cpu import CPUContext
from numba.core.ir import Inst, Var
from numba.core.postproc import PostProcessor
from numba.core.types.functions import BaseFunction
from numba.core.typing import Context

from chasles.compiled.passes import without_lifetimes

SCALARS = (types.Number, types.Boolean)
REGISTRIES = "load_additional_registries"
#: Functions of LLVM that were made here, and those of them that may return with an error.
MADE: set[str] = set()
FAILING: set[str] = set()
#: Methods are replaced for everybody: one thread at a time, so that each puts back what it found.
_replacing = threading.RLock()


@contextmanager
def shortcuts() -> Iterator[None]:
    """Keep sizes of types and meanings of operators on numbers, and time no locks, for a while."""
    lock = getattr(ffi.lib, "_lock", None)
    with (
        _replacing,
        replaced(BaseContext, "get_abi_sizeof", remembered(lambda context, kind: str(kind))),
        replaced(BaseFunction, "get_call_type", remembered(call_of_numbers)),
        replaced(CPUContext, REGISTRIES, remembered(id)),
        replaced(Context, REGISTRIES, remembered(id)),
        replaced(PostProcessor, "run", without_lifetimes),
        replaced(Inst, "_rec_list_vars", lambda listed: variables_in),
        replaced(cgutils, "alloca_once", unfilled),
        replaced(CPUCallConv, "_return_errcode_raw", noted_codes),
        replaced(base, "user_function", unasked),
        replaced(lock, "_cblist", lambda callbacks: []),  # by these Numba times it
    ):
        yield


@contextmanager
def replaced(owner: Any, name: str, made_from: Callable[[Any], Any]) -> Iterator[None]:
    """Something else for an attribute, where there is one, made from what it is."""
    if not hasattr(owner, name):
        yield
        return
    original = getattr(owner, name)
    setattr(owner, name, made_from(original))
    try:
        yield
    finally:
        setattr(owner, name, original)


def remembered(key_of: Callable[..., Any]) -> Callable[[Any], Any]:
    """What a method answers, kept by a key of its arguments; with None for a key it is asked."""

    def made_from(method: Any) -> Any:
        known: dict[Any, Any] = {}

        def answer(*args: Any) -> Any:
            key = key_of(*args)
            if key is None:
                return method(*args)
            if key not in known:
                known[key] = args, method(*args)  # the arguments keep their ids
            return known[key][1]

        return answer

    return made_from


def call_of_numbers(function: Any, context: Any, args: Any, kws: Any) -> Any:
    """A call of numbers alone, by their types."""
    is_plain = not kws and all(isinstance(kind, SCALARS) for kind in args)
    return (id(function), args) if is_plain else None


def variables_in(self: Any, value: Any) -> list[Any]:
    """The variables in what an instruction of Numba holds, in order."""
    if isinstance(value, Inst):
        return value.list_vars()
    found: list[Any] = []
    for part in value.values() if isinstance(value, dict) else value:
        if type(part) is Var:
            found.append(part)
        elif isinstance(part, list | tuple | dict | Inst):
            found += variables_in(self, part)
    return found


def unfilled(allocate: Any) -> Any:
    """Room on the stack as it is, for what holds no record of Numba's with a pointer in it."""

    def allocated(
        builder: Any, kind: Any, size: Any = None, name: str = "", zfill: Any = False
    ) -> Any:
        if size is not None or zfill or holds_references(kind):
            return allocate(builder, kind, size, name, zfill)
        with builder.goto_entry_block():
            return builder.alloca(kind, name=name)

    return allocated


def holds_references(kind: Any) -> bool:
    """Whether memory that is counted may be behind a value of LLVM's: arrays are structures."""
    parts = getattr(kind, "elements", None) or ()
    return any(isinstance(part, ir.PointerType) or holds_references(part) for part in parts)


def noted_codes(return_code: Any) -> Any:
    """Note which functions return with anything but success."""

    def noted(self: Any, builder: Any, code: Any) -> None:
        (MADE if code is RETCODE_OK else FAILING).add(builder.function.name)
        return_code(self, builder, code)

    return noted


def unasked(calls_of: Any) -> Any:
    """A call of a function that cannot fail is a call, and nothing is asked afterwards."""

    def made(descriptor: Any, libraries: Any) -> Any:
        asking, name = calls_of(descriptor, libraries), descriptor.llvm_func_name

        def called(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            answer = descriptor.restype
            if name in FAILING or name not in MADE or answer != signature.return_type:
                return asking(context, builder, signature, args)
            function, convention = (
                context.declare_function(builder.module, descriptor),
                context.call_conv,
            )
            room = cgutils.alloca_once(
                builder, convention._get_return_argument(function).type.pointee
            )
            nowhere = convention._get_excinfo_argument(function).type(None)
            packed = convention._get_arg_packer(descriptor.argtypes).as_arguments(builder, args)
            builder.call(function, [room, nowhere, *packed])
            return context.get_returned_value(builder, answer, builder.load(room))

        called.signature, called.libs = asking.signature, asking.libs  # type: ignore[attr-defined]
        return called

    return made
