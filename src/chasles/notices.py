"""Notices, log records and progress bars: where they go, and never at the cost of a run.

Notices are records of `logging.getLogger("chasles")`.  Where nobody has set logging up, they are
lines on stderr.  `silence` suppresses them: calls with `progress=False` run inside of it.  Warnings
are Python's (`ChaslesWarning`), and no notices.
"""

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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


def progress_bar(*given: Any, progress: bool | None = True, **options: Any) -> "tqdm":
    """A bar that goes away when it is full, on stderr or in the notebook; options are tqdm's.

    progress  whether it is shown; None: on a terminal
    """
    disable = None if progress is None else not progress
    if in_notebook():
        with suppress(Exception), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # without ipywidgets it says so, and writes text
            from tqdm.auto import tqdm as bar  # late: it brings asyncio

            return bar(*given, leave=False, disable=bool(disable), **options)
    from tqdm import tqdm  # late, too

    return tqdm(*given, file=STDERR, dynamic_ncols=True, leave=False, disable=disable, **options)


LOGGER = "chasles"
SILENT: ContextVar[bool] = ContextVar("SILENT", default=False)


@contextmanager
def silence() -> Iterator[None]:
    """No notices from here, in this thread."""
    before = SILENT.set(True)
    try:
        yield
    finally:
        SILENT.reset(before)


def notice(text: str) -> None:
    """A line that people should see: compiling takes a while."""
    if SILENT.get():
        return
    import logging  # late: whoever only builds a model does without

    logger = logging.getLogger(LOGGER)
    if logger.isEnabledFor(logging.INFO):
        logger.info(text)
    elif logger.level == logging.NOTSET and not logger.hasHandlers():  # nobody has set it up
        STDERR.write(f"chasles: {text}\n")


def while_waiting(text: str) -> None:
    """What is being waited for, on a terminal: the next line takes its place."""
    if SILENT.get():
        return
    import logging

    logger = logging.getLogger(LOGGER)
    if STDERR.isatty() and logger.level == logging.NOTSET and not logger.hasHandlers():
        STDERR.write(f"chasles: {text} ...\r")


def logged(text: str, *values: Any) -> None:
    """A line for logs alone: a run that begins or ends."""
    if SILENT.get():
        return
    import logging

    logging.getLogger(LOGGER).info(text, *values)
