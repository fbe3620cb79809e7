"""One process at a time compiles a kernel: the others wait for its file instead.

A lock is a file beside the kernel's, gone when it is released; the system releases those of a
process that dies.  Where files cannot be locked, or the other takes very long, both compile.
"""

import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

#: Seconds between two looks, and after which nobody is waited for.
PAUSE, PATIENCE = 0.05, 120.0
#: Locks that this process holds: a file descriptor and its path.
_held: list[tuple[int, Path]] = []


def lock(path: Path) -> bool:
    """Hold the lock of a kernel's file; whether another process had it until now."""
    if fcntl is None:
        return False
    own = path.with_suffix(".lock")
    flags = os.O_CREAT | os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
    with suppress(OSError):
        handle = os.open(own, flags, 0o600)
        _held.append((handle, own))
        return waited_for(handle)
    return False


def waited_for(handle: int) -> bool:
    """Whether another process held it; it is ours then, or patience has ended."""
    end = time.monotonic() + PATIENCE
    waited: Any = False
    while time.monotonic() < end:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except BlockingIOError:
            waited = True
            time.sleep(PAUSE)
    return bool(waited)


def unlock() -> None:
    """Release all that this process holds."""
    while _held:
        handle, path = _held.pop()
        with suppress(OSError):
            path.unlink()
        os.close(handle)
