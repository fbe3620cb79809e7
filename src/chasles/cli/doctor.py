"""`chasles doctor`: check the installation."""

import argparse
import platform
import sys
import tempfile
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from chasles.cli.declared import show

NEEDED = ("numpy", "scipy", "numba", "matplotlib", "tqdm", "xarray", "h5netcdf", "h5py")
#: what the extras of the package bring: package -> extra
EXTRAS = ("mujoco", "distributed", "cupy-cuda12x")
PYTHON = (3, 11)
#: kinetic energy of the top of the paper, J: 1/2 w (I + m r^2) w, which its run keeps
TOP_ENERGY, KEPT = 13972.399, 1e-6


def call(options: argparse.Namespace) -> int:
    checks: dict[str, Callable[[], str]] = {
        "python": python, "packages": packages, "kernels": kernels, "a run": a_run
    }  # fmt: skip
    found: list[dict[str, Any]] = []
    for name, check in checks.items():
        try:
            found.append({"check": name, "good": True, "found": check()})
        except Exception as error:  # whatever it is, it is reported
            words = " ".join(str(error).split()) or type(error).__name__
            found.append({"check": name, "good": False, "found": words})
    good = all(entry["good"] for entry in found)
    lines = [
        *(f"{'good' if e['good'] else 'BAD '}  {e['check']}: {e['found']}" for e in found),
        *(f"      {name}: {what}" for name, what in extras().items()),
        "The installation works." if good else "Something is missing: see BAD above.",
    ]
    data = {"good": good, "checks": found, "extras": extras()}
    return show(options, "\n".join(lines), lambda: data, good)


def python() -> str:
    if sys.version_info < PYTHON:
        raise RuntimeError(f"{platform.python_version()}, but 3.11 or later is needed")
    return f"{platform.python_version()} on {platform.system()} {platform.machine()}"


def packages() -> str:
    listed, missing = [], []
    for name in NEEDED:
        try:
            listed.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            missing.append(name)
    if missing:
        raise RuntimeError(f"not installed: {', '.join(missing)}; pip install {' '.join(missing)}")
    return ", ".join(listed)


def extras() -> dict[str, str]:
    """Optional packages, and how to install those that are missing."""
    found = {}
    for name in EXTRAS:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = f"not installed; install it with pip install {name}"
    return found


def kernels() -> str:
    """The folder for compiled code; without it every process compiles again."""
    from chasles.compiled.cache import cache_root, open_folder, why_not

    folder, root = open_folder(), cache_root()
    if folder is None:
        reason = why_not(root) if root else "there is no cache folder"
        raise RuntimeError(
            f"every process compiles again: {reason}; set CHASLES_CACHE_DIR to a folder of your own"
            " that can be written"
        )
    with tempfile.NamedTemporaryFile(dir=folder):
        pass  # permission is one thing, room another
    sizes = [file.stat().st_size for file in folder.glob("*.kernel")]
    return f"{len(sizes)} in {folder}, {sum(sizes) / 2**20:.0f} MiB"


def a_run() -> str:
    """The top of the paper, whose energy and whose joint are known."""
    import chasles as ch
    from chasles.studies.paper_mechanisms import heavy_top

    result = ch.simulate(heavy_top(), until=0.1, step=1e-3, progress=False)
    energy, gap = float(result.energy()[-1]), float(result.violation("pivot").max())
    if not abs(energy / TOP_ENERGY - 1.0) < KEPT or not gap < 1e-12:
        raise RuntimeError(
            f"a top has {energy:.3f} J, not {TOP_ENERGY} J; its joint is off by {gap:.1e} m"
        )
    return f"a top: energy error {abs(energy / TOP_ENERGY - 1):.1g}, joint violation {gap:.1g} m"
