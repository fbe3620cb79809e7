"""How formulas and kernels become machine code.

A *formula* is a pure function on tuples of scalars, generic in the scalar: called from Python it
runs as written (floats, NumPy arrays, mpmath numbers), called from a kernel it is compiled.
A *routine* loops over borrowed arrays and is called from kernels.
A *kernel* is what Python calls: it borrows the arrays once and runs routines on them.

Borrowing matters.  An array that crosses a compiled call is reference counted, and on a small model
that costs four times the physics.  A borrowed array is a bare pointer, indexed flat.

Numba's own cache looks only at the file in which a function stands, so editing a formula in one
file would keep the stale machine code of a kernel in another.  The cache directory is therefore
named after a digest of every source file that a kernel can reach.
"""

import ctypes
import hashlib
import os
import re
import shutil
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import numba
from llvmlite import ir
from numba import types
from numba.core.caching import FunctionCache
from numba.core.event import Listener, register
from numba.extending import intrinsic, overload, register_jitable
from numba.np.arrayobj import make_array

F = TypeVar("F", bound=Callable[..., Any])
PACKAGE = Path(__file__).parent
#: Floors above the kernels: the layer contract keeps them out of every kernel's reach.
ABOVE_THE_KERNELS = (
    "__main__.py",
    "cli",
    "paper",
    "view",
    "io",
    "studies",
    "library",
    "analysis",
)
KEPT_DIGESTS = 4
#: No exception on division by zero: kernels look at their results instead.
JIT_OPTIONS: dict[str, Any] = {"error_model": "numpy"}


def source_digest(package: Path = PACKAGE) -> str:
    """Digest of every source file a kernel can reach, and of the compiler's versions."""
    digest = hashlib.sha256(f"{sys.version} {numba.__version__}".encode())
    for path in sorted(package.rglob("*.py")):
        relative = path.relative_to(package)
        if relative.parts[0] not in ABOVE_THE_KERNELS:
            digest.update(str(relative).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def cache_root() -> Path:
    """Where compiled kernels are kept: $CHASLES_CACHE_DIR, or the user's cache folder."""
    chosen = os.environ.get("CHASLES_CACHE_DIR")
    if chosen:
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "chasles"


def _open_cache() -> Path:
    """The folder of this source's digest; digests not used for long are dropped."""
    root = cache_root()
    folder = root / source_digest()
    folder.mkdir(parents=True, exist_ok=True)
    folder.touch()
    # The folder may be one that the user keeps other things in: only digests are ours to drop.
    ours = [p for p in root.iterdir() if re.fullmatch("[0-9a-f]{16}", p.name) and p.is_dir()]
    for stale in sorted(ours, key=lambda p: p.stat().st_mtime)[:-KEPT_DIGESTS]:
        shutil.rmtree(stale, ignore_errors=True)
    return folder


try:
    CACHE_FOLDER: Path | None = _open_cache()
except OSError:  # read-only home: compile in memory, every time
    CACHE_FOLDER = None


class KernelCache(FunctionCache):
    """Numba's cache, but a disk that is full costs a compile and not the run."""

    def save_overload(self, sig: Any, data: Any) -> None:
        with suppress(OSError):
            super().save_overload(sig, data)


class FirstCompile(Listener):
    """Says on stderr that a kernel is being compiled, which happens once per machine and source."""

    def __init__(self) -> None:
        self.kernels: dict[int, str] = {}
        self.started: dict[int, float] = {}
        self.seconds = 0.0  # spent so far

    def on_start(self, event: Any) -> None:
        key = id(event.data["dispatcher"])
        if key in self.kernels and not self.started:
            self.started[key] = time.perf_counter()
            how_often = "first use only" if CACHE_FOLDER else f"again: cannot write {cache_root()}"
            sys.stderr.write(f"chasles: compiling {self.kernels[key]} ({how_often}) ...")
            sys.stderr.flush()

    def on_end(self, event: Any) -> None:
        began = self.started.pop(id(event.data["dispatcher"]), None)
        if began is not None:
            took = time.perf_counter() - began
            self.seconds += took
            sys.stderr.write(f" {took:.1f} s\n")


FIRST_COMPILE = FirstCompile()
register("numba:compile", FIRST_COMPILE)


def formula(function: F) -> F:
    """A function on tuples of scalars: plain Python to Python, machine code to kernels."""
    return register_jitable(**JIT_OPTIONS)(function)


def routine(function: F) -> F:
    """A loop over borrowed arrays: plain Python to Python, machine code to kernels."""
    return register_jitable(**JIT_OPTIONS)(function)


def kernel(function: F) -> F:
    """An entry from Python, compiled by Numba and cached under the digest of the source."""
    compiled: Any = numba.njit(nogil=True, **JIT_OPTIONS)(function)
    if numba.config.DISABLE_JIT:
        return compiled
    FIRST_COMPILE.kernels[id(compiled)] = function.__name__
    if CACHE_FOLDER is not None:
        outside = numba.config.CACHE_DIR
        numba.config.CACHE_DIR = str(CACHE_FOLDER)
        try:
            compiled._cache = KernelCache(function)  # as enable_caching() does
        finally:
            numba.config.CACHE_DIR = outside
    return compiled


def borrow(array: Any) -> Any:
    """A contiguous array as a flat pointer without a count; the caller keeps the array alive."""
    return array.reshape(-1)


@intrinsic
def _data_pointer(typing_context: Any, array: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return make_array(signature.args[0])(context, builder, args[0]).data

    return types.CPointer(array.dtype)(array), codegen


@overload(borrow)
def _borrow_compiled(array):
    if isinstance(array, types.Array):
        return lambda array: _data_pointer(array)
    return lambda array: array  # borrowed already


def call_address(address: int, t: float, inputs: Any, outputs: Any) -> None:
    """Call the C function void f(double t, double *inputs, double *outputs) at an address."""
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
