"""Which classes files know by name: those of the package, and those that ask to be known."""

from chasles.model.docstrings import inherit_parameters
from chasles.model.errors import InvalidModel
from chasles.model.keywords import checked_call

#: Classes of this package register themselves; others say so: class Mine(Joint, in_files=True).
PACKAGE = __name__.split(".")[0]


def register(kinds: dict[str, type], cls: type, in_files: bool | None) -> str:
    """Enter a class under its name in small letters, which is returned; one name, one class.

    A dataclass with slots is made twice under one name: the later one is meant.
    """
    if "__init__" in cls.__dict__:
        cls.__init__ = checked_call(cls.__init__, "")  # type: ignore[misc]
    inherit_parameters(cls)
    kind = cls.__name__.lower()
    wanted = cls.__module__.split(".")[0] == PACKAGE if in_files is None else in_files
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
