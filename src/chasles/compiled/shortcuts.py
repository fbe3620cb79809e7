"""What the compiler would find out over and over, kept while a kernel is compiled.

The size of a type is asked for at every variable, and each answer parses a module of its own;
which of some thirty definitions `*` of two numbers is, at every product; what Numba's own modules
declare, at every function; which variables an instruction names, several times over; and who waits
for LLVM's lock how long, at each of its functions.  None of it changes what is compiled.  With the
lifetimes that `passes` leaves out this is a quarter of the time.

Room for variables and for what calls return is not filled with zeros, either, unless references are
counted in it: a step of a small model would write several zeros for every routine that it might
call.

It leans on methods that Numba does not promise: where they are missing, nothing is kept.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from llvmlite import ir
from llvmlite.binding import ffi
from numba import types
from numba.core import cgutils
from numba.core.base import BaseContext
from numba.core.cpu import CPUContext
from numba.core.ir import Inst, Var
from numba.core.types.functions import BaseFunction
from numba.core.typing import Context

SCALARS = (types.Number, types.Boolean)
REGISTRIES = "load_additional_registries"
#: Methods are replaced for everybody: one thread at a time, so that each puts back what it found.
_replacing = threading.RLock()


@contextmanager
def shortcuts() -> Iterator[None]:
    """Keep sizes of types and meanings of operators on numbers, and time no locks, for a while."""
    lock = getattr(ffi.lib, "_lock", None)
    with (
        _replacing,
        replaced(BaseContext, "get_abi_sizeof", remembered_sizes),
        replaced(BaseFunction, "get_call_type", remembered_calls),
        replaced(CPUContext, REGISTRIES, loaded_once),
        replaced(Context, REGISTRIES, loaded_once),
        replaced(Inst, "_rec_list_vars", lambda listed: variables_in),
        replaced(cgutils, "alloca_once", unfilled),
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


def remembered_sizes(size_of: Any) -> Any:
    """The sizes of LLVM's types, by how they are written."""
    sizes: dict[str, int] = {}

    def remembered(self: Any, kind: Any) -> int:
        written = str(kind)
        if written not in sizes:
            sizes[written] = size_of(self, kind)
        return sizes[written]

    return remembered


def remembered_calls(call_type: Any) -> Any:
    """The signatures of functions of numbers alone, by the types of these."""
    signatures: dict[Any, Any] = {}

    def remembered(self: Any, context: Any, args: Any, kws: Any) -> Any:
        if kws or not all(isinstance(kind, SCALARS) for kind in args):
            return call_type(self, context, args, kws)
        key = id(self), args
        if key not in signatures:
            signatures[key] = self, call_type(self, context, args, kws)  # self keeps its id
        return signatures[key][1]

    return remembered


def loaded_once(load: Any) -> Any:
    """What Numba's own modules declare, once for every context; what is new is loaded elsewhere."""
    done: dict[int, Any] = {}

    def loaded(self: Any) -> None:
        if id(self) not in done:
            done[id(self)] = self  # keeps its id
            load(self)

    return loaded


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
