"""Which classes files know by name: those of the package, and those that ask to be known."""

from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields
from types import MappingProxyType
from typing import Any, ClassVar, dataclass_transform

from chasles.model.checks import Invalid, checked_name, fill
from chasles.model.errors import ChaslesError, InvalidModel
from chasles.model.fields import Check, check_of, given, given_as, unset
from chasles.model.keywords import checked_call, inherit_parameters

#: Classes of this package register themselves; others say so: class Mine(Joint, in_files=True).
PACKAGE = __name__.split(".")[0]


@dataclass_transform(field_specifiers=(given, unset, field))
class Part:
    """A body, joint, force, driver, sensor or shape: its kind, its fields, and how messages begin.

    Those of the package are frozen dataclasses without being told. Every field says how it is
    checked (`chasles.model.fields`); `_check` says what is to hold of several together.
    """

    #: what it is called in messages
    word: ClassVar[str] = ""
    #: what is raised where it is wrong
    invalid: ClassVar[Invalid]
    #: the classes that files may hold, by kind; every class is entered when it is made
    kinds: ClassVar[dict[str, type[Any]]]
    kind: ClassVar[str]
    #: how fields are checked, by name
    _checks: ClassVar[Mapping[str, Check]] = MappingProxyType({})
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    name: str

    def __post_init__(self) -> None:
        values = vars(self)
        if "name" in values:
            checked_name(self.name, self.word, self.invalid)
        known = ((name, check) for name, check in self._checks.items() if name in values)
        where, invalid = self.where, self.invalid
        fill(self, **{name: check(values[name], name, where, invalid) for name, check in known})
        self._check()

    def _check(self) -> None:
        """Refuse fields that do not go together, and complete those that follow from others."""

    def completed(self, bodies: Mapping[str, Any]) -> Any:
        """The same, with what it leaves open taken from the bodies of its model."""
        return self

    def __repr__(self) -> str:
        return f"{type(self).__qualname__}({self._arguments()})"

    def _arguments(self) -> str:
        """What it takes to make it again; some fields only where they are not as usual."""
        values = {f: getattr(self, f.name) for f in fields(self) if f.init}
        return ", ".join(f"{f.name}={v!r}" for f, v in values.items() if f.repr or v != f.default)

    def _wrong(self, what: str, remedy: str) -> ChaslesError:
        """The error that refuses it."""
        return self.invalid(f"{self.where}: {what}", remedy)

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
        inherit_parameters(cls)
        if "kinds" not in cls.__dict__:  # as those have that all others derive from
            cls.kind = register(cls.kinds, cls, in_files)


def is_of_package(cls: type) -> bool:
    return cls.__module__.split(".")[0] == PACKAGE


def make_record(cls: type[Part]) -> None:
    """Make a class a frozen dataclass, whose constructor shows the types that it takes."""
    for name in set(cls.__annotations__) - set(cls.__dict__):
        setattr(cls, name, field())  # the default of a class that it derives from does not count
    is_made = "__init__" not in cls.__dict__
    dataclass(frozen=True, repr=False, init=is_made)(cls)
    found = {f.name: check_of(f.type) for f in fields(cls)}
    cls._checks = MappingProxyType({name: check for name, check in found.items() if check})
    if is_made:
        taken = {f.name: given_as(f.type) for f in fields(cls) if f.init}
        cls.__init__.__annotations__ = {**taken, "return": None}


def register(kinds: dict[str, type], cls: Any, in_files: bool | None) -> str:
    """Enter a class under its name in small letters, which is returned; one name, one class.

    A dataclass with slots is made twice under one name: the later one is meant.
    """
    if "__init__" in cls.__dict__:
        cls.__init__ = checked_call(cls.__init__, "")
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
