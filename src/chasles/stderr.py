"""Where notices and progress bars go: never at the cost of a run."""

import os
import sys
from contextlib import suppress
from typing import Any

from tqdm import tqdm


class Stderr:
    """The stderr of the moment, if there is one that takes what is written.

    It may be None, closed, a broken pipe, a full disk, or in an encoding without the letters.
    """

    def write(self, text: str) -> None:
        stream: Any = sys.stderr
        original: Any = sys.__stderr__
        with suppress(Exception):
            if stream is original:
                stream.flush()
                # Not through the stream: what it could not write it would keep, and fail at exit.
                os.write(stream.fileno(), text.encode(self.encoding, "backslashreplace"))
            else:
                stream.write(text)
                stream.flush()

    def flush(self) -> None:
        """What was written is out."""

    @property
    def encoding(self) -> str:
        return getattr(sys.stderr, "encoding", None) or "ascii"

    def isatty(self) -> bool:
        with suppress(Exception):
            return bool(sys.stderr.isatty())
        return False

    def fileno(self) -> int:
        return sys.stderr.fileno()


STDERR = Stderr()


class NoBar:
    """What counts and shows nothing: making a bar takes longer than a run of a few steps."""

    def __enter__(self) -> "NoBar":
        return self

    def __exit__(self, *error: Any) -> None:
        """Nothing to clear away."""

    def update(self, steps: int = 1) -> None:
        """Nobody looks."""


def is_shown(hidden: bool | None) -> bool:
    """Whether a bar with tqdm's option `disable` would appear: None means on a terminal only."""
    return STDERR.isatty() if hidden is None else not hidden


def progress_bar(*given: Any, **options: Any) -> tqdm:
    """A bar on stderr that goes away when it is full; options are those of tqdm."""
    return tqdm(*given, file=STDERR, dynamic_ncols=True, leave=False, **options)
