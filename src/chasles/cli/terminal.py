"""What a terminal can show."""

import codecs
import unicodedata

PLAIN_LETTERS = "chasles.plain_letters"


def plain_letters(error: UnicodeError) -> tuple[str, int]:
    """Letters without their accents, for terminals that have none: one for one, so tables fit."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letters = error.object[error.start : error.end]
    bases = (unicodedata.normalize("NFKD", letter)[0] for letter in letters)
    return "".join(base if base.isascii() else "?" for base in bases), error.end


codecs.register_error(PLAIN_LETTERS, plain_letters)
