"""Compiled kernels on disk: one file per kernel, signature and kind of processor.

A file is named after the digest of everything its machine code depends on, whatever environment
the package is installed in, and begins with the digest of its content: a file that was cut short,
zeroed or damaged is dropped, and costs a compile rather than the run.  A file that somebody else
could have written is not looked at (`chasles.compiled.ownership`).  Where nothing can be written,
or others may write, kernels are compiled in memory, every time.
"""

import hashlib
import os
import pickle
import platform
import re
import sys
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import llvmlite.binding as llvm
import numba
import numpy as np
from numba.core.caching import CompileResultCacheImpl, _Cache
from numba.core.serialize import dumps

from chasles.compiled.ownership import lock, make_own, open_trusted
from chasles.compiled.preparing import FIRST_COMPILE
from chasles.compiled.reach import Unknown, described_type, digest_of
from chasles.compiled.slots import make_slots, slots_used

#: Changed whenever files of older versions would be misread.
FORMAT = 6
#: Files kept of one kernel: sources, signatures and versions in turn.  The time loop alone has some
#: thirty signatures: eight families of methods on charts, trees, and trees with cut joints.
KEPT = 64
CHECK = 32  # bytes of a digest of the content, ahead of it
FILE = re.compile(r"[A-Za-z_0-9]+-[0-9a-f]{32}\.kernel")
#: Kernels built ahead, for processors of about 2013 and later (x86-64-v3).
PREBUILT = Path(__file__).parent.parent / "prebuilt"
PREBUILT_CPU = "x86-64-v3"
PREBUILT_NEEDS = ("avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "popcnt")
OLDER = ("cx16", "cx8", "fxsr", "mmx", "sahf", "sse", "sse2", "sse3", "sse4.1", "sse4.2", "ssse3")
PREBUILT_FEATURES = ",".join(f"+{name}" for name in (*PREBUILT_NEEDS, *OLDER))


def cache_root() -> Path | None:
    """$CHASLES_CACHE_DIR, or the user's cache folder; None for a user without a home."""
    chosen = os.environ.get("CHASLES_CACHE_DIR")
    if chosen:
        return Path(chosen)
    caches = os.environ.get("XDG_CACHE_HOME")
    try:
        return (Path(caches) if caches else Path.home() / ".cache") / "chasles"
    except RuntimeError:  # no HOME, no entry in passwd
        return None


@cache
def why_not(root: Path) -> str:
    """Why kernels cannot be kept there, or nothing; asked once."""
    try:
        make_own(root)
        tempfile.TemporaryFile(dir=root).close()
    except PermissionError as error:
        return f"cannot write {root}" if error.strerror else str(error)
    except OSError:
        return f"cannot write {root}"
    return ""


def open_folder() -> Path | None:
    """Where kernels are kept, or None: compile in memory, every time."""
    root = cache_root()
    return root if root is not None and not why_not(root) else None


@cache
def runs_v3() -> bool:
    """Whether this processor runs what is built ahead."""
    if platform.machine().lower() not in ("x86_64", "amd64"):
        return False
    with suppress(RuntimeError):
        features = llvm.get_host_cpu_features()
        return all(features.get(name, False) for name in PREBUILT_NEEDS)
    return False


VERSIONS = f"{FORMAT} {sys.version} {numba.__version__} {llvmlite.__version__} {np.__version__}"


class KernelCache(_Cache):
    """What Numba asks for before it compiles, and gives after it has."""

    def __init__(self, function: Any, name: str = "", keep: int = KEPT) -> None:
        self.function, self.name, self.keep = function, name or function.__name__, keep
        self.sources: str | None = None  # digest of what the kernel reaches, when it is known

    @property
    def cache_path(self) -> str:
        return str(open_folder())

    def file_name(self, signature: Any, target: tuple[str, ...]) -> str | None:
        """The name that says all that the machine code depends on; None where that is unknown."""
        if self.sources is None:
            try:
                self.sources = digest_of(self.function)
            except Unknown:
                self.sources = ""
        if not self.sources:
            return None
        arguments = getattr(signature, "args", signature)  # of a C function it is more than types
        types = ", ".join(described_type(kind) for kind in arguments)
        key = f"{VERSIONS}\n{self.sources}\n{types}\n{target}"
        return f"{self.name}-{hashlib.sha256(key.encode()).hexdigest()[:32]}.kernel"

    def places(self, signature: Any, codegen: Any) -> list[Path]:
        """Files in which the machine code may be, the best first."""
        target = codegen.magic_tuple()
        name = self.file_name(signature, target)
        if name is None:
            return []
        folder = open_folder()
        found = [] if folder is None else [folder / name]
        if PREBUILT.is_dir() and runs_v3():
            ahead = self.file_name(signature, (target[0], PREBUILT_CPU, PREBUILT_FEATURES))
            found.append(PREBUILT / str(ahead))
        return found

    def holds(self, signature: Any, target_context: Any) -> bool:
        """Whether machine code for this signature is on disk."""
        for path in self.places(signature, target_context.codegen()):
            with suppress(OSError), open_trusted(path, path.parent == PREBUILT):
                return True
        return False

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        found, folder = self.loaded(sig, target_context), open_folder()
        name = None if found else self.file_name(sig, target_context.codegen().magic_tuple())
        if folder is not None and name is not None and lock(folder / name):
            FIRST_COMPILE.compiles = True
            found = self.loaded(sig, target_context)  # what another process has made meanwhile
        return found

    def loaded(self, sig: Any, target_context: Any) -> Any:
        """What is on disk, or None: it has to be compiled."""
        target_context.refresh()
        for path in self.places(sig, target_context.codegen()):
            try:
                used, payload = pickle.loads(read_whole(path, path.parent == PREBUILT))
                make_slots(used)
                loaded = CompileResultCacheImpl.rebuild(None, target_context, payload)
            except OSError:  # there is none, or none that can be trusted
                continue
            except Exception:  # whatever it is, compiling helps
                with suppress(OSError):
                    path.unlink()
                continue
            with suppress(OSError):
                os.utime(path)
            return loaded
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        folder = open_folder()
        if folder is None or data.library.has_dynamic_globals:
            return
        name = self.file_name(sig, data.codegen.magic_tuple())
        if name is None:
            return
        content = dumps((slots_used(data.library), CompileResultCacheImpl.reduce(None, data)))
        with suppress(OSError):  # a disk that is full costs a compile and not the run
            write_whole(folder / name, content)
            drop_stale(folder, self.name, self.keep)

    def enable(self) -> None:
        pass

    def disable(self) -> None:
        pass

    def flush(self) -> None:
        pass


def read_whole(path: Path, with_package: bool = False) -> bytes:
    """What was written to a file; OSError where it is not to be trusted, ValueError if damaged."""
    with open_trusted(path, with_package) as file:
        content = file.read()
    if hashlib.sha256(content[CHECK:]).digest() != content[:CHECK]:
        raise ValueError("damaged")
    return content[CHECK:]


def write_whole(path: Path, content: bytes) -> None:
    """A file that is there as a whole or not at all, with its digest ahead."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f"{path.stem}.", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(hashlib.sha256(content).digest() + content)
        os.chmod(temporary, 0o644)  # a wheel carries such files to other users
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def drop_stale(folder: Path, name: str, keep: int) -> None:
    """Drop files of a kernel that were not used for long.

    The folder may be one that the user keeps other things in: only files named as ours are dropped.
    """
    ours = [path for path in folder.glob(f"{name}-*.kernel") if FILE.fullmatch(path.name)]
    for stale in sorted(ours, key=lambda path: path.stat().st_mtime)[:-keep]:
        with suppress(OSError):
            stale.unlink()
