"""XML of a robot, looked at before MuJoCo sees it.

Refused: document types and entities (bombs, and files pulled in from elsewhere), files outside the
folder of the model, elements nested very deep, and sizes that would take all memory.
"""

import os
from math import prod
from pathlib import Path
from typing import Any
from xml.parsers import expat

from chasles.io.limits import text_of
from chasles.model import InvalidFile
from chasles.sealed import checked_path

#: Elements within each other: a serial chain of bodies nests as deep as it is long.
DEEPEST = 300
#: Elements of all files together; the largest published robots have some thousands.
MOST_ELEMENTS = 100_000
#: What is multiplied by replicate, composite and the like, at most.
MOST_COPIES = 1000
#: Pixels of a texture, and points of a field of heights.
LARGEST_GRID = 2**24
MOST_FILES = 64
COPIES = ("count",)
GRIDS = (("width", "height"), ("nrow", "ncol"), ("gridsize",))


class Checker:
    """Goes through a file and those that it includes."""

    def __init__(
        self, path: str | os.PathLike[str], folder: str | os.PathLike[str] | None = None
    ) -> None:
        self.source, self.text = text_of(path)
        self.base = self.source.resolve().parent
        self.folder = self.base if folder is None else checked_path(folder).resolve()
        self.folders: dict[str, str] = {}
        self.files: list[tuple[str, str, str]] = []
        self.root = ""
        self.elements = 0
        self.visuals, self.limits = 0, 0  # of a URDF: shapes to look at; limits of effort or speed
        self.seen: set[Path] = set()

    def check(self) -> None:
        """Everything in the file; then that no file which it names is outside the folder."""
        self.check_text(self.source, self.text)
        for where, name, value in self.files:
            self.check_inside(where, name, value, self.base / value)
            for folder in self.folders:
                self.check_inside(where, name, value, self.base / folder / value)
        for folder, where in self.folders.items():
            self.check_inside(where, "a folder", folder, self.base / folder)

    def check_text(self, source: Path, text: str) -> None:
        text = text.lstrip().rstrip("\0")  # what editors leave around it, and MuJoCo does not mind
        if "<!DOCTYPE" in text.upper() or "<!ENTITY" in text.upper():
            raise InvalidFile(
                f"'{source}' has a document type or entities, which robots do not need.",
                "Remove <!DOCTYPE ...> and write entities out.",
            )
        if "\0" in text:
            raise InvalidFile(f"'{source}' has a byte 0, so it is not XML.", "Take a whole copy.")
        copies: list[int] = []
        parser = expat.ParserCreate()

        def start(tag: str, attributes: dict[str, str]) -> None:
            if not self.root:
                self.root = tag
            copies.append(self.check_element(source, tag, attributes, prod(copies)))
            if len(copies) > DEEPEST:
                raise InvalidFile(
                    f"'{source}' has elements nested more than {DEEPEST} deep.",
                    "Shorten the chain of bodies.",
                )

        parser.StartElementHandler = start
        parser.EndElementHandler = lambda _: copies.pop()
        try:
            parser.Parse(text.encode("utf-8"), True)
        except expat.ExpatError as error:
            raise InvalidFile(f"'{source}' is not XML: {error}.", "Correct it there.") from None

    def check_element(self, source: Path, tag: str, attributes: dict[str, str], copies: int) -> int:
        """Limits of one element; returns how often it is copied."""
        self.elements += 1
        if self.elements > MOST_ELEMENTS:
            raise InvalidFile(
                f"'{source}' has more than {MOST_ELEMENTS} elements.", "Split the robot."
            )
        self.visuals += tag == "visual"
        self.limits += tag == "limit" and ("effort" in attributes or "velocity" in attributes)
        where = f"'{source}', <{tag}>"
        for name, value in attributes.items():
            if "file" in name.lower():
                bare = bare_path(value)
                self.files.append((where, name, bare))
                if tag == "include":
                    self.check_included(where, name, bare)
            elif name.lower().endswith("dir") and name != "dir":
                self.folders.setdefault(value, where)
        own = max([1, *(prod(numbers(attributes.get(name, ""))) for name in COPIES)])
        if own * copies > MOST_COPIES:
            raise InvalidFile(
                f"{where} makes {own * copies:.3g} copies.", f"Make {MOST_COPIES} at most."
            )
        for names in GRIDS:
            size = prod(prod(numbers(attributes.get(name, ""))) for name in names)
            if size > LARGEST_GRID:
                raise InvalidFile(
                    f"{where} asks for {size:.3g} points ({' x '.join(names)}).",
                    f"Give {LARGEST_GRID} at most.",
                )
        return int(own)

    def check_inside(self, where: str, name: str, value: str, target: Path) -> None:
        """A file within the folder, also where a link leads."""
        if "://" in value or "\\" in value or not target.resolve().is_relative_to(self.folder):
            raise InvalidFile(
                f"{where}: {name} is '{value}', which is outside the folder of the model.",
                f"Copy it into '{self.folder}', or name a folder that has all of it:"
                " read_model(path, folder=...).",
            )

    def check_included(self, where: str, name: str, value: str) -> None:
        """An included file is looked at like the model itself."""
        target = (self.base / value).resolve()
        self.check_inside(where, name, value, target)
        if target in self.seen:
            return
        self.seen.add(target)
        if len(self.seen) > MOST_FILES:
            raise InvalidFile(f"{where}: more than {MOST_FILES} files.", "Include fewer.")
        if target.suffix.lower() not in (".xml", ".mjcf", ".urdf"):
            raise InvalidFile(
                f"{where}: includes '{value}', which is not XML by its name.", "Name it .xml."
            )
        self.check_text(*text_of(target))


def bare_path(name: str) -> str:
    """The path of a file without the scheme that a URDF may put before it."""
    return name.removeprefix("package://").removeprefix("file://")


def numbers(text: Any) -> list[float]:
    """The numbers of an attribute, at least 1 each; nothing for what are none."""
    found = []
    for word in str(text).split():
        try:
            found.append(max(1.0, float(word)))
        except ValueError:
            return []
    return [value if value < 1e18 else 1e18 for value in found]  # NaN becomes 1e18, too
