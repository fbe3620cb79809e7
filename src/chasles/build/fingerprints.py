"""What models and functions are and do, in a few digits: so that one is not taken for another.

Followed through the names that code uses: helpers, classes and values of the user's own modules
count, down to the last; what is installed counts by its name.
"""

import dis
import functools
import hashlib
import pickle
import site
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from itertools import chain
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from chasles.compiled.reach import Unknown, code_parts
from chasles.model import Model
from chasles.model.waves import Derivative, Wave

__all__ = ["DIGEST", "Reached", "Unknown", "model_fingerprint"]
#: The name of a model's digest where a run is kept whose model has functions; runs that older
#: versions kept have none.
DIGEST = "model_digest"


def model_fingerprint(model: Model) -> str:
    """The same for equal models, in every process: functions by what they do, not by address."""
    parts = model.bodies, model.joints, model.forces, model.drivers, model.gravity
    return Reached(strict=False).digest(parts + ((model.sensors,) if model.sensors else ()))


class Reached:
    """Goes from a function to all that it uses, each thing once.

    Unless it is `strict`, what has no digest counts by its name.
    """

    def __init__(self, strict: bool = True) -> None:
        self.strict = strict
        self.names: list[str] = []
        self.seen: dict[int, int] = {}
        self.kept: list[Any] = []  # so that no number is given twice

    def digest(self, thing: Any) -> str:
        digest = hashlib.sha256()
        for part in self.parts(thing, "itself"):
            digest.update(part.encode("utf-8", "surrogatepass") + b"\0")
        return digest.hexdigest()[:16]

    def parts(self, thing: Any, name: str) -> Iterator[str]:
        """Texts that describe a thing, which code knows by a name."""
        if isinstance(thing, int | float | complex | str | bytes | type(None) | type(Ellipsis)):
            yield f"{type(thing).__name__} {thing!r}"
            return
        if isinstance(thing, tuple):  # equal ones may be one or several
            yield f"tuple of {len(thing)}"
            for entry in thing:
                yield from self.parts(entry, name)
            return
        if is_dataclass(thing) and not isinstance(thing, type) and is_frozen(thing):
            yield from self.record(thing, name)
            return
        if id(thing) in self.seen:
            yield f"again {self.seen[id(thing)]}"
            return
        self.seen[id(thing)] = len(self.seen)
        self.kept.append(thing)
        if isinstance(thing, FunctionType):
            yield from self.function(thing)
        elif isinstance(thing, MethodType):
            yield from self.parts(thing.__func__, name)
            yield from self.parts(thing.__self__, name)
        elif isinstance(thing, functools.partial):
            yield from self.parts((thing.func, thing.args, thing.keywords), name)
        elif isinstance(thing, type):
            yield from self.class_(thing)
        elif isinstance(thing, ModuleType):
            yield from self.module(thing)
        elif isinstance(thing, BuiltinFunctionType | np.ufunc):
            yield f"built in {getattr(thing, '__module__', '')}.{thing.__name__}"
        elif isinstance(thing, list | dict):
            yield f"{'list' if isinstance(thing, list) else 'dict'} of {len(thing)}"
            pairs = thing.items() if isinstance(thing, dict) else ([entry] for entry in thing)
            for entry in chain.from_iterable(pairs):
                yield from self.parts(entry, name)
        elif isinstance(thing, set | frozenset):
            yield f"set of {sorted(map(repr, thing))}"
        else:
            yield from self.value(thing, name)

    def function(self, function: FunctionType) -> Iterator[str]:
        yield f"function {function.__module__}.{function.__qualname__}"
        if is_installed(function.__module__):
            return
        self.names.append(function.__qualname__)
        yield from code_parts(function.__code__)
        for cell in function.__closure__ or ():
            try:
                yield from self.parts(cell.cell_contents, function.__name__)
            except ValueError:  # not given a value yet
                yield "empty"
        yield from self.parts(function.__defaults__ or (), function.__name__)
        yield from self.parts(function.__kwdefaults__ or {}, function.__name__)
        for name in globals_in(function.__code__):
            if name in function.__globals__:
                found = function.__globals__[name]
                if not callable(found) and not isinstance(found, ModuleType):
                    self.names.append(name)
                yield f"name {name}"
                yield from self.parts(found, name)

    def class_(self, kind: type) -> Iterator[str]:
        yield f"class {kind.__module__}.{kind.__qualname__}"
        if is_installed(kind.__module__):
            return
        self.names.append(kind.__qualname__)
        for base in kind.__bases__:
            yield from self.parts(base, base.__name__)
        for name, entry in sorted(vars(kind).items()):
            if isinstance(entry, staticmethod | classmethod):
                entry = entry.__func__
            if isinstance(entry, property):
                entry = tuple(f for f in (entry.fget, entry.fset) if f is not None)
            if isinstance(entry, functools.cached_property):
                entry = entry.func
            if not callable(entry) and (is_slot(entry) or name.startswith("__")):
                continue  # what Python keeps there for itself
            yield f"entry {name}"
            yield from self.parts(entry, f"{kind.__qualname__}.{name}")

    def module(self, module: ModuleType) -> Iterator[str]:
        """One of the user's own counts with all of its text."""
        yield f"module {module.__name__}"
        file = getattr(module, "__file__", None)
        if file is None or is_installed(module.__name__):
            return
        self.names.append(module.__name__)
        try:
            yield hashlib.sha256(Path(file).read_bytes()).hexdigest()
        except OSError:
            self.without_digest(f"the module {module.__name__}")

    def record(self, record: Any, name: str) -> Iterator[str]:
        """Every field that is given, whatever a short representation leaves out.

        Waves as in runs that were kept when each had the order of its derivative as a field.
        """
        order, made = 0, record
        if isinstance(record, Derivative):
            order, made = record.order, record.wave
        is_wave = isinstance(made, Wave)
        yield from self.parts(type(made), name)
        for field in fields(made):
            value = getattr(made, field.name)
            if field.init and (field.repr or is_wave or repr(value) != repr(field.default)):
                yield field.name
                yield from self.parts(value, field.name)
        if is_wave:
            yield "order"
            yield from self.parts(order, "order")

    def value(self, value: Any, name: str) -> Iterator[str]:
        """An object: its class, and what a copy is made of."""
        yield from self.parts(type(value), name)
        wrapped = getattr(value, "__wrapped__", None)  # what a decorator holds
        if wrapped is not None:
            yield from self.parts(wrapped, name)
            return
        try:
            yield hashlib.sha256(pickle.dumps(value)).hexdigest()
        except Exception:  # open files, locks, whatever it is made of
            self.without_digest(f"'{name}', a {type(value).__qualname__}")

    def without_digest(self, what: str) -> None:
        if self.strict:
            raise Unknown(what) from None


#: Names of a module in functions, and in classes that these define.
LOOKS_UP = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS")


def globals_in(code: CodeType) -> list[str]:
    """Names that code looks up in its module; `run.t` has no global `t`."""
    found = {one.argval for one in dis.get_instructions(code) if one.opname in LOOKS_UP}
    found.discard("__name__")  # every class asks for it
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            found.update(globals_in(constant))
    return sorted(found)


def is_frozen(record: Any) -> bool:
    """Whether the fields of a dataclass do not change: then it does not contain itself."""
    return bool(record.__dataclass_params__.frozen)


def is_slot(entry: Any) -> bool:
    """A descriptor that Python makes of a declaration."""
    return type(entry).__name__ in ("member_descriptor", "getset_descriptor")


@cache
def is_installed(name: str | None) -> bool:
    """Whether a module is Python's, this package's, or in a folder of installed ones."""
    root = str(name).partition(".")[0]
    if root in sys.stdlib_module_names or root in sys.builtin_module_names or root == "chasles":
        return True
    file = getattr(sys.modules.get(str(name)), "__file__", None)
    if file is None:
        return root not in ("__main__", "__mp_main__")
    places = {sysconfig.get_path(key) for key in ("stdlib", "platstdlib", "purelib", "platlib")}
    places |= {*site.getsitepackages(), site.getusersitepackages()}
    return any(Path(file).is_relative_to(place) for place in places if place)
