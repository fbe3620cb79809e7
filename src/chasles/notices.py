"""Messages while something takes long: records of `logging.getLogger("chasles")`.

Where nobody has set logging up, notices are lines on stderr. `silence` suppresses them: calls with
`progress=False` run inside of it. Warnings are Python's (`ChaslesWarning`), and no notices.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

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

    from chasles.stderr import STDERR

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

    from chasles.stderr import STDERR

    logger = logging.getLogger(LOGGER)
    if STDERR.isatty() and logger.level == logging.NOTSET and not logger.hasHandlers():
        STDERR.write(f"chasles: {text} ...\r")


def logged(text: str, *values: Any) -> None:
    """A line for logs alone: a run that begins or ends."""
    if SILENT.get():
        return
    import logging

    logging.getLogger(LOGGER).info(text, *values)
