"""A trajectory as a NetCDF file that holds all of it or does not exist.

It is written in windows of time, as fast as the disk, whatever the length of the run.
"""

import hashlib
import os
import secrets
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from errno import EACCES
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

from chasles.model import InvalidFile, InvalidOption
from chasles.model.errors import short_repr
from chasles.result.dataset import Table
from chasles.result.hdf5_layout import laid_out

try:
    import fcntl
except ImportError:  # where there is none, a file that is open cannot be removed by others
    fcntl = None  # type: ignore[assignment]

SUFFIX = ".nc"
#: The last line of a file: a digest of all before it, which readers of HDF5 do not look at.
CHECKSUM = b"\nchasles sha256 %s\n"
CHECKSUM_LENGTH = len(CHECKSUM % bytes(64))
#: What a file is called until it is whole.
PART = ".chasles-{}.part"


def write(
    table: Table, path: str | os.PathLike[str], length: int = 0, more: Iterable[Any] = ()
) -> Path:
    """Write a NetCDF file: a table, or its first window (of `length` times) and `more`."""
    target = checked_target(path)
    layout = laid_out(table, length)

    def fill(file: BinaryIO) -> None:
        for place, piece in layout.pieces.items():
            file.seek(place)
            file.write(piece)
        for window in chain([table.coordinates | table.variables], more):
            layout.put(window, file)
        file.seek(0)
        digest = digest_of_rest(file, layout.size)
        file.seek(layout.size)
        file.write(CHECKSUM % digest.hexdigest().encode())

    return write_whole(target, fill)


def digest_of_rest(file: BinaryIO, length: int) -> Any:
    """sha256 of so many bytes from here on, or of as many as there are."""
    digest = hashlib.sha256()
    while length > 0 and (piece := file.read(min(length, 2**20))):
        digest.update(piece)
        length -= len(piece)
    return digest


def write_text(target: Path, text: str) -> Path:
    """The file with this text, or the file as it was: never half of it."""
    return write_whole(target, lambda file: file.write(text.encode()))


def write_whole(target: Path, fill: Callable[[BinaryIO], object]) -> Path:
    """Fill a file under another name beside `target`, then rename it: all or nothing.

    Links and permissions are kept.  A pipe or device is written to directly.
    """
    real = Path(os.path.realpath(target))
    try:
        if real.exists() and not real.is_file():
            whole = BytesIO()
            fill(whole)
            with real.open("wb") as pipe:
                pipe.write(whole.getbuffer())
            return target
        if real.is_file() and not os.access(real, os.W_OK):
            raise PermissionError(EACCES, os.strerror(EACCES))  # renaming would not ask
        remove_orphans(real.parent)
        with replacing(real) as file:
            fill(file)
    except OSError as error:
        raise InvalidFile(
            f"'{target}' cannot be written: {error.strerror or error}.",
            "Save elsewhere, or make room and the folder, and allow writing there.",
        ) from error
    return target


@contextmanager
def replacing(target: Path) -> Iterator[BinaryIO]:
    """A file that takes the place of another when it is whole, or leaves no trace."""
    part, file, lock = new_part(target)
    try:
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())  # on the disk before its name is
        with suppress(FileNotFoundError):
            os.chmod(part, stat.S_IMODE(os.stat(target).st_mode))
        os.replace(part, target)
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        if lock is not None:
            os.close(lock)


def new_part(target: Path) -> tuple[Path, BinaryIO, int | None]:
    """A new file beside another, and its lock, which goes with the process, however it ends.

    Before it is locked, another save may take it for an orphan: then the next one is tried.
    """
    while True:
        part = target.with_name(PART.format(secrets.token_hex(8)))
        file = part.open("x+b")
        if fcntl is None:
            return part, file, None
        lock = os.dup(file.fileno())
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            is_kept = part.exists()
        except BlockingIOError:
            is_kept = False
        except OSError:  # a file system without locks: then nobody takes it for an orphan
            is_kept = True
        if is_kept:
            return part, file, lock
        file.close()
        os.close(lock)


def remove_orphans(folder: Path) -> None:
    """Remove what saves left behind whose process was killed."""
    for part in folder.glob(PART.format("*")):
        with suppress(OSError):  # still being written, or another user's
            if fcntl is None:
                part.unlink()
                continue
            with part.open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                part.unlink()


def open_regular(path: Path, flags: int = os.O_RDONLY) -> int:
    """The descriptor of a regular file.  Links, pipes and (for writing) hard links are refused: in
    a folder of somebody else they could lead to any file of the user.
    """
    for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"):
        flags |= getattr(os, name, 0)
    try:
        descriptor = os.open(path, flags, 0o666)
    except OSError as error:
        if path.is_symlink():
            raise not_regular(path) from None
        raise error
    found = os.fstat(descriptor)
    is_shared = found.st_nlink > 1 and flags & (os.O_WRONLY | os.O_RDWR)
    if not stat.S_ISREG(found.st_mode) or is_shared:
        os.close(descriptor)
        raise not_regular(path)
    return descriptor


def not_regular(path: Path) -> InvalidFile:
    return InvalidFile(
        f"'{path}' is a link or not a file, which is not followed.",
        "Copy what it leads to in its place, or name another folder.",
    )


def is_intact(path: Path) -> bool | None:
    """Whether a file is as it was sealed; None if it never was, or was cut short or written to."""
    with path.open("rb") as file:
        length = file.seek(0, os.SEEK_END) - CHECKSUM_LENGTH
        if length < 0:
            return None
        file.seek(length)
        found = file.read()
        if not found.startswith(CHECKSUM.partition(b"%")[0]):
            return None
        file.seek(0)
        return found == CHECKSUM % digest_of_rest(file, length).hexdigest().encode()


# --- what can be saved, and where ----------------------------------------------------------------


def checked_path(path: Any) -> Path:
    """The name of a file."""
    text = os.fspath(path) if isinstance(path, os.PathLike) else path
    if not isinstance(text, str) or not text or "\0" in text:
        raise InvalidOption(
            f"path must be the name of a file, got {short_repr(path)}.", "Give the name of a file."
        )
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        raise InvalidOption(
            f"path is {text!a}, which this system's file names cannot spell.",
            "Give the name of a file in other letters.",
        ) from None
    return Path(text)


def checked_file(path: str | os.PathLike[str], kinds: Sequence[str], what: str) -> Path:
    """Where to write, in a folder that is there, under a name that ends as one of the kinds."""
    target, where = checked_path(path), what.partition(":")[0]
    if target.suffix.lower() not in kinds:
        raise InvalidOption(
            f"{what}'s name is '{target.name}'.",
            f"It must end in {', '.join(kinds[:-1])} or {kinds[-1]}.",
        )
    if not os.path.isdir(target.parent):
        raise InvalidOption(f"{where}: there is no folder '{target.parent}'.", "Make it first.")
    return target


def checked_target(path: Any, tables: Iterable[str] = ()) -> Path:
    """A name under which a result can be saved; `tables` are endings of other kinds of files."""
    target, others = checked_path(path), tuple(tables)
    if target.suffix.lower() not in (SUFFIX, *others):
        raise InvalidOption(
            f"path is '{target}', but a result is saved as NetCDF, whose files end in '{SUFFIX}'"
            + (f", or as a table: {', '.join(map(repr, others))}." if others else "."),
            f"Save it as '{target.with_suffix(SUFFIX).name if target.name else 'run' + SUFFIX}';"
            " result.to_xarray() has the numbers for other formats, result.animate() makes films.",
        )
    if not os.path.isdir(target.parent):
        raise InvalidFile(
            f"'{target}' cannot be written: there is no folder '{target.parent}'.",
            "Make the folder first, or save elsewhere.",
        )
    return target
