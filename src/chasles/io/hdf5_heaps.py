"""A saved result is looked at before HDF5 reads it, which never ends with some forged files.

HDF5 keeps texts in heaps, each a chain of pieces that tell their lengths.  Its reader goes on by
that length, and stays where it is for ever if the length is none.
"""

import struct
from collections.abc import Iterator
from pathlib import Path

from chasles.model import InvalidFile

SIGNATURE = b"\x89HDF\r\n\x1a\n"
#: Bytes of an address and of a length, in every file that was not forged.
SIZES = b"\x08\x08"
#: How a heap begins, before its length; no number of a result and no text looks like this.
HEAP = b"GCOL\x01\0\0\0"
#: The part of it that is searched for: among zeros, more takes longer.
RARE = HEAP.rstrip(b"\0")
HEAD = len(HEAP) + 8
#: Of a piece: its number (0 is free room), how often it is used, nothing, and its length.
PIECE = struct.Struct("<HHIQ")
WINDOW = 2**20


def check_heaps(source: Path) -> None:
    """Refuse a file with a heap that no reader gets to the end of."""
    with source.open("rb") as file:
        begin, version, rest = file.read(len(SIGNATURE)), file.read(1), file.read(6)
        sizes = rest[4:] if version < b"\x02" else rest[:2]
        if begin != SIGNATURE or sizes != SIZES:
            raise forged(source, "it does not begin as a NetCDF file of chasles does")
    last = 0
    for at in places_of_heaps(source):
        if at < last:
            raise forged(source, f"a heap begins at byte {at}, in another")
        last = at + length_of_heap(source, at)


def places_of_heaps(source: Path) -> Iterator[int]:
    """Where anything that looks like a heap begins, also among the numbers."""
    kept, begin = b"", 0
    with source.open("rb") as file:
        while window := file.read(WINDOW):
            text = kept + window
            found = text.find(RARE)
            while found >= 0:
                if text.startswith(HEAP, found):
                    yield begin + found
                found = text.find(RARE, found + 1)
            kept = text[-len(HEAP) + 1 :]  # too short for one: none is found twice
            begin += len(text) - len(kept)


def length_of_heap(source: Path, at: int) -> int:
    """Bytes of a heap, of which the pieces lead to its end."""
    with source.open("rb") as file:
        file.seek(at)
        length = int.from_bytes(file.read(HEAD)[-8:], "little")
        if not HEAD <= length <= source.stat().st_size - at:
            raise forged(source, f"the heap at byte {at} has {length} bytes")
        pieces = file.read(length - HEAD)
    place = 0
    while place + PIECE.size <= len(pieces):
        number, _, _, room = PIECE.unpack_from(pieces, place)
        step = PIECE.size + (room + 7) // 8 * 8 if number else room
        if not PIECE.size <= step <= len(pieces) - place:
            raise forged(source, f"a piece of the heap at byte {at} has {room} bytes")
        place += step
    return length


def forged(source: Path, what: str) -> InvalidFile:
    return InvalidFile(
        f"'{source}' cannot be read: {what}.", "Take a copy that is whole, or simulate again."
    )
