"""Where everything goes in a NetCDF file, without its numbers.

HDF5 writes names, units and shapes, and keeps room for the arrays; the numbers are put there
afterwards, window by window.  So a long run is never in memory as a whole, and a disk that fills up
is Python's error: HDF5 may crash on one.

The file formats are imported when they are used: they take longer than a small run.
"""

from dataclasses import dataclass, field
from io import SEEK_CUR, SEEK_END, SEEK_SET, RawIOBase
from typing import Any, BinaryIO

import numpy as np

from chasles.result.dataset import Table

TIME = "time"


class Pieces(RawIOBase):
    """A file in memory that has only the pieces that were written to it."""

    def __init__(self) -> None:
        self.pieces: dict[int, bytes] = {}
        self.size = self.at = 0

    def seek(self, offset: int, whence: int = SEEK_SET) -> int:
        self.at = offset + {SEEK_SET: 0, SEEK_CUR: self.at, SEEK_END: self.size}[whence]
        return self.at

    def tell(self) -> int:
        return self.at

    def write(self, data: Any) -> int:
        """Keep a piece; what it covers of others is theirs no more."""
        piece = bytes(data)
        for place, old in list(self.pieces.items()):
            if place < self.at + len(piece) and self.at < place + len(old):
                del self.pieces[place]
                if place < self.at:
                    self.pieces[place] = old[: self.at - place]
                if self.at + len(piece) < place + len(old):
                    end = self.at + len(piece)
                    self.pieces[end] = old[end - place :]
        self.pieces[self.at] = piece
        self.at += len(piece)
        self.size = max(self.size, self.at)
        return len(piece)

    def readinto(self, buffer: Any) -> int:
        """What was written, and zeros between."""
        count = max(0, min(len(buffer), self.size - self.at))
        view = memoryview(buffer)[:count]
        view[:] = bytes(count)
        for place, piece in self.pieces.items():
            first, last = max(place, self.at), min(place + len(piece), self.at + count)
            if first < last:
                view[first - self.at : last - self.at] = piece[first - place : last - place]
        self.at += count
        return count

    def truncate(self, size: int | None = None) -> int:
        self.size = self.at if size is None else size
        return self.size


@dataclass
class FileLayout:
    """The bytes of a file but for its numbers, and where those go."""

    pieces: dict[int, bytes]
    size: int
    places: dict[str, int]
    done: dict[str, int] = field(default_factory=dict)  # bytes of an array that are written

    def put(self, window: dict[str, Any], file: BinaryIO) -> None:
        """Write the numbers of a window behind those of the windows before."""
        for name, (_, values, _) in window.items():
            if name in self.places:
                numbers = np.ascontiguousarray(values, "<f8").reshape(-1).view(np.uint8).data
                file.seek(self.places[name] + self.done.get(name, 0))
                file.write(numbers)
                self.done[name] = self.done.get(name, 0) + len(numbers)


def laid_out(table: Table, length: int = 0) -> FileLayout:
    """The file of a table, or of one with so many times that begins with it."""
    import h5netcdf
    import h5py

    room = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    room.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
    room.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
    buffer, places = Pieces(), {}
    with h5netcdf.File(buffer, "w") as file:
        file.attrs.update(table.attributes)
        file.dimensions = {
            name: length if name == TIME and length else len(values)
            for name, (_, values, _) in table.coordinates.items()
        }
        for name, (dims, values, attributes) in (table.coordinates | table.variables).items():
            if isinstance(values, list):
                variable = file.create_variable(name, dims, h5py.string_dtype())
                variable[...] = np.array(values, object)
            else:
                variable = file.create_variable(name, dims, np.dtype("<f8"), dcpl=room.copy())
            variable.attrs.update(attributes)
        for name in table.coordinates | table.variables:
            place = file._h5file[name].id.get_offset()
            if place is not None and file._h5file[name].dtype == np.dtype("<f8"):
                places[name] = place
    return FileLayout(buffer.pieces, buffer.size, places)
