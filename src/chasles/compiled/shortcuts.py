"""What the compiler would find out over and over, kept while a kernel is compiled.

The size of a type is asked for at every variable, and each answer parses a module of its own;
which of some thirty definitions `*` of two numbers is, at every product; and who waits for LLVM's
lock how long, at each of its functions.  None of it changes what is compiled.  With the lifetimes
that `passes` leaves out this is a fifth of the time.

It leans on methods that Numba does not promise: where they are missing, nothing is kept.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from llvmlite.binding import ffi
from numba import types
from numba.core.base import BaseContext
from numba.core.types.functions import BaseFunction

SCALARS = (types.Number, types.Boolean)
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
