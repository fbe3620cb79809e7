"""Which classes files know by name: those of the package, and those that ask to be known."""

from copy import copy
from dataclasses import Field, dataclass, fields
from inspect import signature
from typing import Any, ClassVar

from chasles.model.docstrings import inherit_parameters
from chasles.model.errors import InvalidModel
from chasles.model.keywords import checked_call

#: Classes of this package register themselves; others say so: class Mine(Joint, in_files=True).
PACKAGE = __name__.split(".")[0]


class Part:
    """A joint, force, driver or sensor: its kind, and how messages about it begin.

    Those of the package are frozen dataclasses without being told.
    """

    #: what it is called in messages
    word: ClassVar[str] = ""
    #: the classes that files may hold, by kind; every class is entered when it is made
    kinds: ClassVar[dict[str, type[Any]]]
    kind: ClassVar[str]
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    name: str

    def __repr__(self) -> str:
        shown = (f"{f.name}={getattr(self, f.name)!r}" for f in fields(self) if f.repr)
        return f"{type(self).__qualname__}({', '.join(shown)})"

    @property
    def where(self) -> str:
        """How messages about it begin."""
        return f"{self.word} '{self.name}'"

    def __init_subclass__(cls, in_files: bool | None = None) -> None:
        """`in_files` is False for a base of kinds, and for what holds code.

        Classes from outside of the package are in files if they ask for it: in_files=True.
        """
        if is_of_package(cls):
            make_record(cls)
        if "kinds" not in cls.__dict__:  # as those have that all others derive from
            cls.kind = register(cls.kinds, cls, in_files)


def is_of_package(cls: type) -> bool:
    return cls.__module__.split(".")[0] == PACKAGE


def make_record(cls: type[Part]) -> None:
    """Make a class a frozen dataclass; of the fields that it inherits, its own maker takes some."""
    dataclass(frozen=True, init=False, repr=False)(cls)
    if "__init__" in cls.__dict__:
        taken = signature(cls).parameters
        for name, field in cls.__dataclass_fields__.items():
            if name not in cls.__annotations__ and field.init != (name in taken):
                own = cls.__dataclass_fields__[name] = copy(field)
                own.init = name in taken
                own.repr = field.repr and own.init


def register(kinds: dict[str, type], cls: Any, in_files: bool | None) -> str:
    """Enter a class under its name in small letters, which is returned; one name, one class.

    A dataclass with slots is made twice under one name: the later one is meant.
    """
    if "__init__" in cls.__dict__:
        cls.__init__ = checked_call(cls.__init__, "")
    inherit_parameters(cls)
    kind: str = cls.__name__.lower()
    wanted = is_of_package(cls) if in_files is None else in_files
    if wanted:
        known = kinds.get(kind, cls)
        if (known.__module__, known.__qualname__) != (cls.__module__, cls.__qualname__):
            raise InvalidModel(
                f"class '{cls.__name__}' has the name of another kind, {known.__module__}."
                f"{known.__qualname__}, so that files could not tell them apart.",
                "Give it another name, or leave it out of files: in_files=False.",
            )
        kinds[kind] = cls
    return kind
