"""Build a wheel that carries its kernels: `python scripts/build_wheel.py [FOLDER]`, `make wheel`.

The kernels are compiled for x86-64-v3, that is for processors from about 2013 on, with the Python,
Numba and NumPy of this environment.  Where one of these is another, a kernel is compiled on first
use as from any source.  On other machines the wheel carries none.
"""

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "src"))


def build(folder: Path) -> Path:
    """Compile the kernels, put them beside the package, and make the wheel; returns its path."""
    from chasles.compiled.cache import PREBUILT, PREBUILT_CPU, PREBUILT_FEATURES

    shutil.rmtree(PREBUILT, ignore_errors=True)
    if platform.machine().lower() in ("x86_64", "amd64"):
        ahead = {
            "NUMBA_CPU_NAME": PREBUILT_CPU,
            "NUMBA_CPU_FEATURES": PREBUILT_FEATURES,
            "CHASLES_CACHE_DIR": str(PREBUILT),
            "PYTHONPATH": str(ROOT / "src"),
        }
        command = [sys.executable, "-m", "chasles.cli", "warm"]
        subprocess.run(command, env={**os.environ, **ahead}, check=True)
    try:
        pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps"]
        subprocess.run([*pip, "--wheel-dir", str(folder), str(ROOT)], check=True)
    finally:
        shutil.rmtree(PREBUILT, ignore_errors=True)
    return max(folder.glob("chasles-*.whl"), key=lambda path: path.stat().st_mtime)


if __name__ == "__main__":
    print(build(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "dist"))
