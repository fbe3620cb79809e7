"""Where notices and progress bars go: never at the cost of a run."""

import os
import sys
import warnings
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


def in_notebook() -> bool:
    """Whether cells of a notebook are being run; nothing is imported to find out."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return type(shell).__name__ == "ZMQInteractiveShell"


def is_shown(hidden: bool | None) -> bool:
    """Whether a bar with tqdm's option `disable` would appear: None means where people look."""
    return STDERR.isatty() or in_notebook() if hidden is None else not hidden


def progress_bar(*given: Any, progress: bool | None = True, **options: Any) -> tqdm:
    """A bar that goes away when it is full, on stderr or in the notebook; options are tqdm's.

    progress  whether it is shown; None: on a terminal
    """
    disable = None if progress is None else not progress
    if in_notebook():
        with suppress(Exception), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # without ipywidgets it says so, and writes text
            from tqdm.auto import tqdm as bar  # late: it brings asyncio

            return bar(*given, leave=False, disable=bool(disable), **options)
    return tqdm(*given, file=STDERR, dynamic_ncols=True, leave=False, disable=disable, **options)
