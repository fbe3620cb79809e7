"""Arrays as bare pointers, and calls by address, inside kernels.

An array that crosses a compiled call is reference counted, and on a small model that costs four
times the physics.  A borrowed array is a pointer without a count, indexed flat; the caller of the
kernel keeps the array alive.
"""

import ctypes
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

from chasles.compiled import lending
from chasles.compiled.lending import LentType
from chasles.compiled.reach import overload


def lend(record: Any) -> Any:
    """A record packed for kernels, to be kept beside it by those who call them often."""
    return record if numba.config.DISABLE_JIT else lending.lend(record)


def borrow(record: Any) -> Any:
    """An array as a flat pointer; a named tuple with all its arrays as such, however nested."""
    if isinstance(record, np.ndarray):
        return record.reshape(-1)
    if hasattr(record, "_fields"):
        return type(record)(*(borrow(part) for part in record))
    return record


def borrowed_type(kind: Any) -> Any:
    """The compiled type of a borrowed record."""
    if isinstance(kind, types.Array):
        return types.CPointer(kind.dtype)
    if isinstance(kind, types.BaseNamedTuple):
        parts = [borrowed_type(part) for part in kind.types]
        return types.BaseTuple.from_types(parts, kind.instance_class)
    return kind


def lower_borrowed(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """The value of a borrowed record in LLVM."""
    if isinstance(kind, types.Array):
        return make_array(kind)(context, builder, value).data
    if isinstance(kind, types.BaseNamedTuple):
        parts = [
            lower_borrowed(context, builder, part, builder.extract_value(value, k))
            for k, part in enumerate(kind.types)
        ]
        return context.make_tuple(builder, borrowed_type(kind), parts)
    return value


@intrinsic
def _borrowed(typing_context: Any, record: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return lower_borrowed(context, builder, signature.args[0], args[0])

    return borrowed_type(record)(record), codegen


@overload(borrow)
def _borrow_compiled(record):
    if isinstance(record, LentType):
        return lambda record: record
    return lambda record: _borrowed(record)


#: What stands behind an address, in Python, while steps that call it are recorded.
RECORDED: dict[int, Callable[[Any, Any, Any], None]] = {}


def call_address(address: int, t: float, inputs: Any, outputs: Any) -> None:
    """Call the C function void f(double t, double *inputs, double *outputs) at an address."""
    if address in RECORDED and not isinstance(inputs, np.ndarray):
        RECORDED[address](t, inputs, outputs)
        return
    pointer = ctypes.POINTER(ctypes.c_double)
    function = ctypes.CFUNCTYPE(None, ctypes.c_double, pointer, pointer)(int(address))
    function(t, inputs.ctypes.data_as(pointer), outputs.ctypes.data_as(pointer))


@intrinsic
def _call_pointer(typing_context: Any, address: Any, t: Any, inputs: Any, outputs: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kinds = [context.get_value_type(kind) for kind in signature.args[1:]]
        function = ir.FunctionType(ir.VoidType(), kinds)
        builder.call(builder.inttoptr(args[0], function.as_pointer()), args[1:])
        return context.get_dummy_value()

    return types.void(types.int64, types.float64, inputs, outputs), codegen


@overload(call_address)
def _call_address_compiled(address, t, inputs, outputs):
    return lambda address, t, inputs, outputs: _call_pointer(address, t, inputs, outputs)


def beyond(array: Any, count: int) -> Any:
    """A borrowed array from its entry `count` on."""
    return array[count:] if isinstance(array, np.ndarray) else Beyond(array, count)


class Beyond:
    """A list from one of its entries on, where it is read and written."""

    __slots__ = ("first", "numbers")

    def __init__(self, numbers: Any, first: int) -> None:
        self.numbers, self.first = numbers, first

    def __getitem__(self, k: int) -> Any:
        return self.numbers[self.first + k]

    def __setitem__(self, k: int, value: Any) -> None:
        self.numbers[self.first + k] = value


@intrinsic
def _beyond_pointer(typing_context: Any, pointer: Any, count: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.gep(args[0], [args[1]])

    return pointer(pointer, types.intp), codegen


@overload(beyond)
def _beyond_compiled(array, count):
    return lambda array, count: _beyond_pointer(array, count)


def fetch(array: Any, at: int) -> None:
    """Ask for the cache line of an entry of a borrowed array, which is needed soon.

    Long models are larger than caches: memory takes longer to answer than a body takes to compute.
    """


@intrinsic
def _fetched(typing_context: Any, pointer: Any, at: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        byte, word = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, word, word, word])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        place = builder.bitcast(builder.gep(args[0], [args[1]]), byte)
        builder.call(function, [place, word(0), word(3), word(1)])  # to read, and again, data
        return context.get_dummy_value()

    return types.void(pointer, types.intp), codegen


@overload(fetch)
def _fetch_compiled(array, at):
    return lambda array, at: _fetched(array, at)
