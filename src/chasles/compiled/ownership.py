"""Whose files are trusted with code: this user's own, and those that came with the package.

Machine code is kept as pickles, and loading a pickle runs it.  So the owner and the permissions of
the open file are asked before its contents are looked at: a file that somebody else could have
written is as good as none.

One process at a time compiles a kernel: the others wait for its file instead.  A lock is a file
beside the kernel's, gone when it is released; the system releases those of a process that dies.
Where files cannot be locked, or the other takes very long, both compile.
"""

import os
import stat
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH
#: A link is not followed: what it leads to may be exchanged.
READ = os.O_RDONLY
for _flag in ("O_NOFOLLOW", "O_CLOEXEC", "O_NONBLOCK"):  # a pipe is not waited for
    READ |= getattr(os, _flag, 0)


def user() -> int | None:
    """The number of this user; None where files have no owners that can be asked for."""
    return os.geteuid() if hasattr(os, "geteuid") else None


def is_own(status: os.stat_result) -> bool:
    """Whether this user alone could have written it."""
    return user() is None or (status.st_uid == user() and not status.st_mode & BY_OTHERS)


def came_along(status: os.stat_result) -> bool:
    """Whether who could have written it could have written the package itself."""
    own = os.stat(__file__)
    return user() is None or (
        status.st_uid == own.st_uid and not status.st_mode & BY_OTHERS & ~own.st_mode
    )


def open_trusted(path: Path, with_package: bool = False) -> BinaryIO:
    """A regular file that can be trusted, to be read; OSError where there is none."""
    file = os.fdopen(os.open(path, READ), "rb")
    status = os.fstat(file.fileno())
    trusted = came_along(status) if with_package else is_own(status)
    if not trusted or not stat.S_ISREG(status.st_mode):
        file.close()
        raise PermissionError(f"{path} may have been written by somebody else")
    return file


def make_own(folder: Path) -> None:
    """A folder in which nobody else writes, made if it is not there; OSError where that fails."""
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
    if not is_own(folder.stat()):
        raise PermissionError(
            f"others may write in {folder}, or it is not yours: chmod go-w, or set"
            " CHASLES_CACHE_DIR to a folder of your own"
        )


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
