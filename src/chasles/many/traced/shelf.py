"""Recordings of the last calls: to record a step and to compile it takes longer than many runs."""

import hashlib
from collections import OrderedDict
from typing import Any

#: Models of which recordings are kept.
MOST = 16


class Shelf:
    """Lists of recordings by a digest of all that they depend on; the last used ones stay."""

    def __init__(self) -> None:
        self.lists: OrderedDict[str, list[Any]] = OrderedDict()

    def of(self, *parts: Any) -> list[Any]:
        """The list of what is told by its bytes, or by its repr."""
        told = (part if isinstance(part, bytes) else repr(part).encode() for part in parts)
        key = hashlib.sha256(b"|".join(told)).hexdigest()
        found = self.lists.setdefault(key, [])
        self.lists.move_to_end(key)
        while len(self.lists) > MOST:
            self.lists.popitem(last=False)
        return found
