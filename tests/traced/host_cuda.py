"""CUDA C on the processor: g++ compiles it, and a loop over threads stands in for the device."""

import ctypes
import hashlib
import shutil
import subprocess
import tempfile
from pathlib import Path
from types import SimpleNamespace

import numpy as np

COMPILER = shutil.which("g++")
SHIM = r"""
#include <cmath>
#include <cstring>
#define __global__
#define __device__
struct Index { long long x; };
static thread_local Index threadIdx, blockIdx, blockDim;
static double __dadd_rn(double a, double b) { return a + b; }
static double __dsub_rn(double a, double b) { return a - b; }
static double __dmul_rn(double a, double b) { return a * b; }
static double __ddiv_rn(double a, double b) { return a / b; }
static double __dsqrt_rn(double a) { return std::sqrt(a); }
static double __longlong_as_double(long long a) { double b; std::memcpy(&b, &a, 8); return b; }
using namespace std;
"""
LAUNCH = r"""
extern "C" void launch(long long blocks, long long threads, double *a, const double *b, double *c,
    double *d, long long *e, long long n, double o, double h, long long first, long long last,
    long long end, long long every, long long row) {
    blockDim.x = threads;
    for (blockIdx.x = 0; blockIdx.x < blocks; ++blockIdx.x)
        for (threadIdx.x = 0; threadIdx.x < threads; ++threadIdx.x)
            chasles_steps(a, b, c, d, e, n, o, h, first, last, end, every, row);
}
"""
FOLDER = Path(tempfile.gettempdir()) / "chasles-host-cuda"


class RawModule:
    """What CuPy's has, as far as it is used."""

    def __init__(self, code, options=()):
        FOLDER.mkdir(exist_ok=True)
        text = SHIM + code + LAUNCH
        path = FOLDER / f"{hashlib.sha256(text.encode()).hexdigest()[:16]}.so"
        if not path.exists():
            source = path.with_suffix(".cpp")
            source.write_text(text)
            options = ["-O1", "-ffp-contract=off", "-shared", "-fPIC"]
            subprocess.run([COMPILER, *options, source, "-o", path], check=True)
        self.library = ctypes.CDLL(str(path))

    def get_function(self, name):
        def call(grid, block, arguments):
            kinds = {"int64": ctypes.c_int64, "float64": ctypes.c_double}
            given = [
                ctypes.c_void_p(x.ctypes.data if isinstance(x, np.ndarray) else int(x))
                if isinstance(x, np.ndarray) or k < 5
                else kinds[x.dtype.name](x.item())
                for k, x in enumerate(arguments)
            ]
            self.library.launch(ctypes.c_int64(grid[0]), ctypes.c_int64(block[0]), *given)

        return call


def cupy() -> SimpleNamespace:
    """A module that looks like CuPy with one device."""
    runtime = SimpleNamespace(getDeviceCount=lambda: 1)
    return SimpleNamespace(
        RawModule=RawModule, asarray=np.array, asnumpy=np.array, zeros=np.zeros,
        ascontiguousarray=np.ascontiguousarray, moveaxis=np.moveaxis,
        cuda=SimpleNamespace(
            runtime=runtime, memory=SimpleNamespace(OutOfMemoryError=MemoryError)
        ),
        get_default_memory_pool=lambda: SimpleNamespace(free_all_blocks=lambda: None),
    )  # fmt: skip
