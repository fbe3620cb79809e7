"""XML of a robot, looked at before MuJoCo sees it.

Refused: document types and entities (bombs, and files pulled in from elsewhere), files outside the
folder of the model, files that name themselves, elements nested very deep, and sizes that would
take all memory, one by one or together.
"""

import os
from contextlib import suppress
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import Any
from xml.parsers import expat

from chasles.io.limits import text_of
from chasles.model import InvalidFile
from chasles.result.atomic_file import checked_path

#: Elements within each other: a serial chain of bodies nests as deep as it is long.
DEEPEST = 300
#: Elements of all files together, copies and attached models included; the largest published robots
#: have some thousands.
MOST_ELEMENTS = 100_000
#: What is multiplied by replicate, composite and the like, at most.
MOST_COPIES = 1000
#: Pixels of a texture or points of a field of heights, and of all of them together.
LARGEST_GRID, ALL_GRIDS = 2**24, 2**26
#: Numbers that <size> keeps for the user of each part, poses that it keeps, states of an actuator,
#: values that are kept for a delay, fields of a grid of sensors.
LARGEST_SIZE = 10_000
SIZES = ("dim", "actdim", "nsample")
#: Subdivisions of a mesh that MuJoCo makes by a formula.
FINEST = 256
#: Shapes that code of these plugins fills with points, whatever numbers they are given.
FORMULAS = "mujoco.sdf"
#: Bytes of all meshes, textures and fields of heights; the largest published robots have 1e8.
MOST_BYTES = 2**29
MOST_FILES = 64
COPIES = ("count", "cellcount")
GRIDS = (("width", "height"), ("nrow", "ncol"), ("gridsize",))
#: The head of a PNG file, after which its width and height stand.
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"
XML = (".xml", ".mjcf", ".urdf")


@dataclass
class Scope:
    """A model with what it includes; one that is attached has a folder and names of its own."""

    source: Path  # where a link leads
    bases: tuple[Path, ...]  # folders from which its names may lead: that of a link and of its file
    within: tuple[Path, ...] = ()  # files of the models that it is attached to
    folders: dict[str, str] = field(default_factory=dict)
    files: list[tuple[str, str, str, tuple[Path, ...]]] = field(default_factory=list)
    included: set[Path] = field(default_factory=set)
    elements: int = 0
    models: dict[str, int] = field(default_factory=dict)  # those that may be attached: elements
    attached: list[tuple[str, int]] = field(default_factory=list)  # and how often each is


class Checker:
    """Goes through a file, those that it includes, and the models that it attaches."""

    def __init__(
        self, path: str | os.PathLike[str], folder: str | os.PathLike[str] | None = None
    ) -> None:
        self.source, self.text = text_of(path)
        self.base = self.source.resolve().parent
        self.folder = self.base if folder is None else checked_path(folder).resolve()
        self.root = ""
        self.visuals, self.limits = 0, 0  # of a URDF: shapes to look at; limits of effort or speed
        self.links: dict[str, bool] = {}  # of a URDF: whether a joint leads to it
        self.points, self.bytes, self.parsed = 0.0, 0, 0
        self.weighed: set[Path] = set()

    def check(self) -> None:
        """Everything in the file, and in what it includes and attaches."""
        bases = folders_of(self.source.absolute())
        self.check_scope(Scope(self.source.resolve(), bases), self.text)

    def check_scope(self, scope: Scope, text: str) -> int:
        """One model: its text, then that no file which it names is outside the folder.

        Returns its elements, those of attached models counted as often as they are attached.
        """
        self.check_text(scope, scope.source, text, scope.bases)
        for where, name, value, bases in scope.files:
            for base in bases:
                for folder in ("", *scope.folders):
                    self.check_asset(where, name, value, base / folder / value)
        for folder, where in scope.folders.items():
            for base in scope.bases:
                self.check_inside(where, "a folder", folder, base / folder)
        largest = max(scope.models.values(), default=0)
        for name, copies in scope.attached:
            self.count_elements(scope, scope.models.get(name, largest) * copies)
        return scope.elements

    def count_elements(self, scope: Scope, more: int) -> None:
        scope.elements += more
        if scope.elements > MOST_ELEMENTS:
            raise InvalidFile(
                f"'{scope.source}' has more than {MOST_ELEMENTS} elements, copies included.",
                "Split the robot.",
            )

    def check_text(self, scope: Scope, source: Path, text: str, bases: tuple[Path, ...]) -> None:
        """One file; what it names is looked for in the folders `bases`."""
        text = text.lstrip().rstrip("\0")  # what editors leave around it, and MuJoCo does not mind
        if has_entities(text):
            raise InvalidFile(
                f"'{source}' has a document type or entities, which robots do not need.",
                "Remove <!DOCTYPE ...> and write entities out.",
            )
        if "\0" in text:
            raise InvalidFile(f"'{source}' has a byte 0, so it is not XML.", "Take a whole copy.")
        copies: list[int] = []
        parser = expat.ParserCreate("UTF-8")  # as MuJoCo reads it, whatever the file says

        def start(tag: str, attributes: dict[str, str]) -> None:
            if not self.root:
                self.root = tag
            copies.append(self.check_element(scope, source, tag, attributes, prod(copies), bases))
            if len(copies) > DEEPEST:
                raise InvalidFile(
                    f"'{source}' has elements nested more than {DEEPEST} deep.",
                    "Shorten the chain of bodies.",
                )

        parser.StartElementHandler = start
        parser.EndElementHandler = lambda _: copies.pop()
        try:
            parser.Parse(text.encode("utf-8"), True)
        except (expat.ExpatError, ValueError, LookupError) as error:
            raise InvalidFile(f"'{source}' is not XML: {error}.", "Correct it there.") from None

    def check_element(
        self,
        scope: Scope,
        source: Path,
        tag: str,
        attributes: dict[str, str],
        copies: int,
        bases: tuple[Path, ...],
    ) -> int:
        """Limits of one element; returns how often it is copied."""
        self.count_elements(scope, copies)
        self.visuals += tag == "visual"
        self.limits += tag == "limit" and ("effort" in attributes or "velocity" in attributes)
        if tag in ("link", "child"):
            name = attributes.get("name" if tag == "link" else "link", "")
            self.links[name] = self.links.get(name, False) or tag == "child"
        where = f"'{source}', <{tag}>"
        for name, value in attributes.items():
            if "file" in name.lower():
                bare = bare_path(value)
                if tag == "include":
                    self.check_included(scope, where, name, bare, bases)
                elif tag == "model":
                    self.check_model(scope, where, attributes.get("name", ""), bare)
                else:
                    scope.files.append((where, name, bare, bases))
            elif name.lower().endswith("dir") and name != "dir":
                scope.folders.setdefault(value, where)
            elif name in SIZES or (tag == "size" and name.lower().startswith(("nkey", "nuser"))):
                self.check_size(where, name, value)
            elif name == "plugin" and value.startswith(FORMULAS):
                raise InvalidFile(
                    f"{where}: '{value}' gives a shape by a formula, which is not read.",
                    "Give a mesh in its place.",
                )
        self.check_made(where, tag, attributes)
        if tag == "attach":
            scope.attached.append((attributes.get("model", ""), copies))
        for name in COPIES:
            check_whole(where, name, attributes.get(name, ""))
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
            if any(name in attributes for name in names):
                self.count_points(where, size * own * copies)
        return int(own)

    def check_made(self, where: str, tag: str, attributes: dict[str, str]) -> None:
        """What MuJoCo makes of some numbers: points of a mesh, fields of a sensor."""
        if tag == "config" and attributes.get("key") == "size":
            self.check_size(where, "size", attributes.get("value", ""))
        if tag != "mesh" or "builtin" not in attributes:
            return
        finest = max(numbers(attributes.get("params", "")), default=1.0)
        if finest > FINEST:
            raise InvalidFile(
                f"{where} asks for {finest:.3g} subdivisions (params).", f"Give {FINEST} at most."
            )
        self.count_points(where, finest**2)  # of an asset, which is never copied

    def count_points(self, where: str, more: float) -> None:
        self.points += more
        if self.points > ALL_GRIDS:
            raise InvalidFile(
                f"{where}: textures, fields of heights and meshes made by formulas have more than"
                f" {ALL_GRIDS} points together.",
                "Make them smaller, or leave textures out: a model has none.",
            )

    def check_size(self, where: str, name: str, value: str) -> None:
        if prod(numbers(value)) > LARGEST_SIZE:
            raise InvalidFile(
                f"{where}: {name} must be at most {LARGEST_SIZE}, got {value[:40]}.",
                f"Leave {name} out: a model does not need it.",
            )

    def check_asset(self, where: str, name: str, value: str, target: Path) -> None:
        """A mesh, texture or field of heights: where it is, and how large."""
        self.check_inside(where, name, value, target)
        if target in self.weighed or not os.path.exists(target):  # also where its name is too long
            return
        if not target.is_file():  # a pipe would be waited for
            raise InvalidFile(
                f"{where}: {name} is '{value}', which is not a plain file.", "Name a file."
            )
        self.weighed.add(target)
        self.bytes += target.stat().st_size
        if self.bytes > MOST_BYTES:
            raise InvalidFile(
                f"{where}: '{value}' makes {self.bytes:.3g} bytes of files that the robot names.",
                f"A robot may have {MOST_BYTES} at most; make its meshes coarser.",
            )
        with target.open("rb") as file:
            head = file.read(len(PNG) + 8)
        if head.startswith(PNG):  # a few bytes that are unpacked to a picture
            width, height = (int.from_bytes(head[k : k + 4], "big") for k in (16, 20))
            self.count_points(where, width * height)
        elif where.endswith("<hfield>"):
            self.check_field(where, value, head, target.stat().st_size)

    def check_field(self, where: str, value: str, head: bytes, size: int) -> None:
        """Rows and columns of a field, then its heights: MuJoCo counts them modulo 2^32."""
        rows, columns = (int.from_bytes(head[k : k + 4], "little", signed=True) for k in (0, 4))
        if size != 8 + 4 * rows * columns:
            raise InvalidFile(
                f"{where}: '{value}' has {size} bytes, which are not {rows} x {columns} heights.",
                "Take a whole copy, or a picture.",
            )
        self.count_points(where, rows * columns)

    def check_inside(self, where: str, name: str, value: str, target: Path) -> None:
        """A file within the folder, also where a link leads."""
        if "://" in value or "\\" in value or not end_of(where, target).is_relative_to(self.folder):
            raise InvalidFile(
                f"{where}: {name} is '{value}', which is outside the folder of the model.",
                f"Copy it into '{self.folder}', or name a folder that has all of it:"
                " read_model(path, folder=...).",
            )

    def check_included(
        self, scope: Scope, where: str, name: str, value: str, bases: tuple[Path, ...]
    ) -> None:
        """An included file is looked at like the model itself, wherever it may be found."""
        for path, target in self.found_xml(where, name, value, bases):
            if target not in scope.included:
                scope.included.add(target)
                text = self.counted_text(where, target)
                self.check_text(scope, target, text, folders_of(path, *bases))

    def check_model(self, scope: Scope, where: str, name: str, value: str) -> None:
        """A model to be attached: looked at anew wherever it is named, as it is read anew."""
        within = (*scope.within, scope.source)
        for path, target in self.found_xml(where, "file", value, scope.bases):
            if target in within:
                raise InvalidFile(
                    f"{where}: attaches '{value}', which it is part of itself.",
                    "Name another file, or leave it out.",
                )
            text = self.counted_text(where, target)
            elements = self.check_scope(Scope(target, folders_of(path), within), text)
            scope.models[name] = max(elements, scope.models.get(name, 0))

    def found_xml(
        self, where: str, name: str, value: str, bases: tuple[Path, ...]
    ) -> list[tuple[Path, Path]]:
        """Where a file may be found, and where links lead from there."""
        paths = [base / value for base in bases]
        targets = [end_of(where, path) for path in paths]
        for target in targets:
            self.check_inside(where, name, value, target)
            if target.suffix.lower() not in XML:
                raise InvalidFile(
                    f"{where}: includes '{value}', which is not XML by its name.", "Name it .xml."
                )
        return found(paths, targets)

    def counted_text(self, where: str, target: Path) -> str:
        self.parsed += 1
        if self.parsed > MOST_FILES:
            raise InvalidFile(f"{where}: more than {MOST_FILES} files.", "Include fewer.")
        return text_of(target)[1]


def has_entities(text: str) -> bool:
    """Whether a text of XML has a document type or entities, which may be bombs."""
    return "<!DOCTYPE" in text.upper() or "<!ENTITY" in text.upper()


def end_of(where: str, path: Path) -> Path:
    """Where the links of a path lead."""
    try:
        return path.resolve()
    except (OSError, RuntimeError):  # which of them depends on the version of Python
        raise InvalidFile(
            f"{where}: the links of '{path.name}' lead in a circle.", "Name a plain file."
        ) from None


def folders_of(path: Path, *others: Path) -> tuple[Path, ...]:
    """Folders from which the names in a file may lead, each once: of a link, and of its file."""
    return tuple(dict.fromkeys((*others, path.parent, path.resolve().parent)))


def found(paths: list[Path], targets: list[Path]) -> list[tuple[Path, Path]]:
    """Where a file is; where it is nowhere, one place that says so."""
    pairs = list(zip(paths, targets))
    return [pair for pair in pairs if os.path.isfile(pair[1])] or pairs[:1]


def bare_path(name: str) -> str:
    """The path of a file without the scheme that a URDF may put before it."""
    return name.removeprefix("package://").removeprefix("file://")


def check_whole(where: str, name: str, value: str) -> None:
    """Refuse counts below one: on cells that are fewer, MuJoCo fails without telling why."""
    for word in value.split():
        with suppress(ValueError):
            if not float(word) >= 1.0:
                raise InvalidFile(
                    f"{where}: {name} must be at least 1, got {value[:40]}.", "Give 1 or more."
                )


def numbers(text: Any) -> list[float]:
    """The numbers of an attribute, at least 1 each; nothing for what are none."""
    found = []
    for word in str(text).split():
        try:
            found.append(max(float(word), 1.0))  # in this order a NaN stays
        except ValueError:
            return []
    return [value if value < 1e18 else 1e18 for value in found]  # NaN becomes 1e18, too
