"""What commands share: words or numbers as JSON, an exit code, and letters of a terminal."""

import codecs
import json
import unicodedata
from argparse import Namespace
from collections.abc import Callable
from typing import Any

from chasles.model.tables import finite


def show(options: Namespace, words: Any, data: Callable[[], Any], good: bool = True) -> int:
    """Print words, or data as JSON where that was asked for; the exit code."""
    if options.json:
        text = json.dumps(finite(data()), indent=2, ensure_ascii=False, allow_nan=False)
        print(text)
    else:
        print(words)
    return 0 if good else 1


PLAIN_LETTERS = "chasles.plain_letters"


def plain_letters(error: UnicodeError) -> tuple[str, int]:
    """Letters without their accents, for terminals that have none: one for one, so tables fit."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letters = error.object[error.start : error.end]
    bases = (unicodedata.normalize("NFKD", letter)[0] for letter in letters)
    return "".join(base if base.isascii() else "?" for base in bases), error.end


codecs.register_error(PLAIN_LETTERS, plain_letters)
