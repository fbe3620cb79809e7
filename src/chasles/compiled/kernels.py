"""A kernel as Python calls it: read as it is written while that is quicker, compiled otherwise.

Compiling the equations of motion takes seconds; reading them takes a fifth of a millisecond per
body.  A kernel with little to do is therefore run as plain Python until what it has done adds up.
Both ways give the same bits: kernels are compiled without any license to change the arithmetic.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numba
import numpy as np

from chasles.compiled.cache import KernelCache, cache_root, why_not
from chasles.compiled.lending import lend, record_of
from chasles.compiled.linking import register_kernel
from chasles.compiled.preparing import FIRST_COMPILE, JIT_OPTIONS, preparing
from chasles.compiled.slots import FAILURES, NotFilled

#: All kernels, as they are defined.
KERNELS: list["Kernel"] = []
#: Where the machine code is on disk, it is loaded after this fraction of what would be read:
#: loading takes some 20 ms where compiling takes seconds.
IF_LOADED = 0.01


class Kernel:
    """An entry from Python into compiled code."""

    def __init__(
        self, function: Callable[..., Any], what: str, seconds: float, plain: tuple[int, int]
    ) -> None:
        self.py_func, self.what, self.seconds = function, what, seconds
        self.__name__, self.__doc__ = function.__name__, function.__doc__
        self.most_at_once, self.most = plain  # entries of arguments that are read as plain Python
        self.read = 0
        self.on_disk: bool | None = None  # not looked at yet
        self.ready = False
        self.cache = KernelCache(function)
        self.compiled: Any = numba.njit(nogil=True, no_cfunc_wrapper=True, **JIT_OPTIONS)(function)
        self.compiled._cache = self.cache  # as enable_caching() does
        self.compiled.compile = preparing()(self.compiled.compile)
        FIRST_COMPILE.kernels[id(self.compiled)] = self
        register_kernel(self.compiled)
        KERNELS.append(self)

    @property
    def times(self) -> str:
        """How often this is compiled."""
        root = cache_root()
        reason = why_not(root) if root else "there is no cache folder"
        return f"every time: {reason}" if reason else "once per machine"

    def __call__(self, *args: Any) -> Any:
        if self.ready:
            return self.run(args)
        if self.reads(args):
            try:
                with np.errstate(all="ignore"):
                    return self.py_func(*map(record_of, args))
            except (ArithmeticError, ValueError):  # Python refuses where machine code answers NaN
                pass
        self.prepare(args)
        return self.run(args)

    def run(self, args: Any) -> Any:
        """Call the machine code; what Python could not hand through it is raised here."""
        try:
            return self.compiled(*map(lend, args))
        except NotFilled:
            raise FAILURES.pop(threading.get_ident()) from None
        finally:
            if FIRST_COMPILE.seconds != FIRST_COMPILE.reported:
                FIRST_COMPILE.tell(self)

    def reads(self, args: Any) -> bool:
        """Whether these arguments are few enough to be worked on in plain Python."""
        if AT_ONCE:
            AT_ONCE[-1](self)
            return False
        entries = sum(arg.size for arg in args if isinstance(arg, np.ndarray))
        if not self.most or entries > self.most_at_once or self.read + entries > self.most:
            return False
        if self.read + entries > IF_LOADED * self.most:
            if self.on_disk is None:
                self.on_disk = self.holds(args)
            if self.on_disk:
                return False
        self.read += entries
        return True

    def signature(self, args: Any) -> Any:
        return tuple(self.compiled.typeof_pyval(lend(arg)) for arg in args)

    def holds(self, args: Any) -> bool:
        """Whether the machine code for these arguments is on disk."""
        return self.cache.holds(self.signature(args), self.compiled.targetctx)

    def at_hand(self, args: Any) -> bool:
        """Whether it need not be compiled for these arguments."""
        return self.signature(args) in self.compiled.overloads or self.holds(args)

    def direct(self, args: Any) -> Callable[..., Any] | None:
        """The machine code for arguments of these types, with records lent; None if not loaded.

        Whoever calls it time and again saves the look at the types of arguments: 5 us of 6.
        """
        found = self.compiled.overloads.get(self.signature(args))
        return None if found is None else found.entry_point

    def prepare(self, args: Any) -> None:
        """Load the machine code for these arguments, or compile it."""
        self.compiled.compile(self.signature(args))
        self.ready = True


#: While not empty, every kernel is compiled when it is first called; what is told of it first.
AT_ONCE: list[Callable[[Kernel], None]] = []


@contextmanager
def compiling_at_once(say: Callable[[str], None]) -> Iterator[list[Kernel]]:
    """Compile every kernel that is called, and say which; yields all of them."""

    def progress(kernel: Kernel) -> None:
        done = sum(other.ready for other in KERNELS)
        say(f"chasles: {kernel.what} ({done + 1} of {len(KERNELS)})")

    AT_ONCE.append(progress)
    FIRST_COMPILE.silent = True
    try:
        yield KERNELS
    finally:
        FIRST_COMPILE.silent = False
        AT_ONCE.pop()
