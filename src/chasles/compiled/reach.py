"""What a kernel can reach: a digest of the code and the constants that its machine code is made of.

Followed from function to function through the names that their bytecode uses, into formulas,
overloads and intrinsics.  A comment, a docstring, a message or a file elsewhere in the package is
not part of it, so changing one recompiles nothing; a formula three files away is, so stale machine
code never runs.
"""

import hashlib
import types
from collections.abc import Callable, Iterator
from typing import Any

import numba.extending
import numpy as np
from numba import types as numba_types
from numba.core.dispatcher import Dispatcher
from numba.core.typing.templates import builtin_registry
from numba.extending import _Intrinsic

#: How Python functions are said to kernels: the functions registered by `overload`.
MEANINGS: dict[Any, list[Any]] = {}
#: Options that helpers are compiled with.
OPTIONS: dict[Any, dict[str, Any]] = {}
#: Functions that an overload chooses from a table, asked for when a kernel is looked up.
CHOICES: dict[Any, Callable[[], Any]] = {}
#: Routines that are compiled apart, and what they return: callers know no more of them.
ONCE: dict[Any, str] = {}
#: Packages whose versions stand beside the digest.
COVERED = ("numba", "numpy", "llvmlite", "ctypes")
ATOMS = (int, float, complex, str, bytes, type(None), type(Ellipsis), np.generic, np.dtype)


class WhoeverAsks(dict):
    """Compiled forms of an overload by (context, types of arguments, of keywords), whoever calls.

    Numba keeps them by the options of the caller, too: a formula called from a kernel, from a
    routine and from an inlined routine would be compiled three times.  The options of our helpers
    do not depend on their callers.
    """

    def __getitem__(self, key: Any) -> Any:
        return super().__getitem__(key[:3])

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(key[:3], value)


def overload(function: Any, **options: Any) -> Callable[[Any], Any]:
    """Numba's `overload`, compiled once whatever the options of the callers."""
    decorate = numba.extending.overload(function, **options)

    def decorated(typed: Any) -> Any:
        decorate(typed)
        MEANINGS.setdefault(function, []).append(typed)
        newest = builtin_registry.functions[-1]
        if getattr(newest, "key", None) is function and hasattr(newest, "_impl_cache"):
            newest._impl_cache = WhoeverAsks()
        return typed

    return decorated


class Unknown(Exception):
    """A value that machine code may depend on, and that cannot be told from others."""


def digest_of(function: Callable[..., Any]) -> str:
    """Digest of everything that machine code made from a function depends on."""
    digest = hashlib.sha256()
    for part in reached_by(function):
        digest.update(part.encode() + b"\0")
    return digest.hexdigest()


def reached_by(function: Any) -> Iterator[str]:
    """Descriptions of a function and of all that it reaches, each once, in a fixed order."""
    seen: set[int] = set()
    waiting: list[Any] = [function]
    while waiting:
        reached = plain(waiting.pop())
        if id(reached) in seen:
            continue
        seen.add(id(reached))
        if reached in ONCE and reached is not function:
            yield f"{reached.__module__}.{reached.__qualname__} -> {ONCE[reached]}"
            continue
        yield f"{reached.__qualname__} {sorted(OPTIONS.get(reached, {}).items())}"
        if reached in MEANINGS and reached not in OPTIONS:  # what it says to Python is no matter
            waiting.extend(MEANINGS[reached])
            continue
        if reached in CHOICES:
            waiting.append(CHOICES[reached]())
            continue
        if str(reached.__module__).split(".")[0] in COVERED:
            continue
        yield from code_parts(reached.__code__)
        for name, value in values_used(reached):
            if is_function(value):
                waiting.append(value)
                yield name
            else:
                yield f"{name} = {described(value, waiting)}"


def plain(function: Any) -> Any:
    """The Python function behind a compiled one, or behind an intrinsic."""
    if isinstance(function, Dispatcher):
        return function.py_func
    return function._defn if isinstance(function, _Intrinsic) else function


def is_function(value: Any) -> bool:
    return isinstance(value, types.FunctionType | Dispatcher | _Intrinsic)


def values_used(function: Any) -> list[tuple[str, Any]]:
    """Globals, closure and defaults of a function, by name."""
    used = [(name, function.__globals__[name]) for name in names_in(function.__code__)
            if name in function.__globals__]  # fmt: skip
    cells = zip(function.__code__.co_freevars, function.__closure__ or ())
    used += [(name, cell.cell_contents) for name, cell in cells]
    used += [(f"default {k}", value) for k, value in enumerate(function.__defaults__ or ())]
    return used


def names_in(code: types.CodeType) -> list[str]:
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names.update(names_in(constant))
    return sorted(names)


def code_parts(code: types.CodeType) -> Iterator[str]:
    """Bytecode, names and constants; the docstring left out."""
    yield code.co_code.hex()
    yield f"{code.co_names} {code.co_varnames} {code.co_freevars} {code.co_argcount}"
    constants = code.co_consts
    if constants and isinstance(constants[0], str) and code.co_flags & 2:  # a function's docstring
        constants = constants[1:]
    for constant in constants:
        if isinstance(constant, types.CodeType):
            yield from code_parts(constant)
        else:
            yield described(constant, [])


def described(value: Any, waiting: list[Any]) -> str:
    """A value in words that are equal if and only if machine code made with it is."""
    if isinstance(value, ATOMS):
        return f"{type(value).__name__} {value!r}"
    if isinstance(value, tuple):
        return f"({', '.join(described(part, waiting) for part in value)})"
    if isinstance(value, dict):  # a registry
        pairs = (f"{described(k, waiting)}: {described(v, waiting)}" for k, v in value.items())
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, frozenset):
        return f"{{{', '.join(sorted(described(part, waiting) for part in value))}}}"
    if isinstance(value, np.ndarray):
        return f"array {value.dtype.str} {value.shape} {value.tobytes().hex()}"
    if isinstance(value, types.ModuleType):
        return f"module {value.__name__} {getattr(value, '__version__', '')}"
    if isinstance(value, type | types.BuiltinFunctionType | np.ufunc):
        fields = getattr(value, "_fields", "")
        return f"{getattr(value, '__module__', '')}.{value.__name__} {fields}"
    if is_function(value):
        waiting.append(value)
        return str(plain(value).__qualname__)
    if isinstance(value, numba_types.Type):
        return described_type(value)
    if type(value).__module__.startswith(("typing", "numba", "functools", "types")):
        return f"{type(value).__module__}.{type(value).__name__}"
    raise Unknown(f"{type(value).__name__}")


def described_type(kind: Any) -> str:
    """A compiled type; the names of a tuple's fields are part of it, which Numba's own say not."""
    if hasattr(kind, "record"):  # one that is lent
        return f"{kind}: {described_type(kind.record)}"
    if isinstance(kind, numba_types.BaseNamedTuple):
        parts = zip(kind.fields, kind.types)
        listed = ", ".join(f"{name}: {described_type(part)}" for name, part in parts)
        return f"{kind.instance_class.__name__}({listed})"
    if isinstance(kind, numba_types.Tuple):
        return f"({', '.join(described_type(part) for part in kind.types)})"
    return str(kind)
