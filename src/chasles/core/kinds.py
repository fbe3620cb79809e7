"""Kinds of constraints and of forces: tables of records, and how kernels run what they hold.

A kind is one record with its routines, formulas and traits; its code is its place in a table.
Kernels branch on the code, lower codes first, and the branches are made from the table when the
first kernel is compiled: until then kinds may be added, also from outside of the package.
"""

from collections.abc import Callable, Iterable
from typing import Any, Generic, Protocol, TypeVar

from chasles.compiled import HELPER_OPTIONS, hot, overload
from chasles.model import InvalidModel, InvalidOption


class Kind(Protocol):
    """What a table needs to know of a kind."""

    @property
    def name(self) -> str: ...

    @property
    def made_of(self) -> tuple[type, ...]: ...

    @property
    def routines(self) -> tuple[Callable[..., Any], ...]: ...


K = TypeVar("K", bound=Kind)


class Kinds(Generic[K]):
    """A table of kinds; a part of a model is of the kind of its class, or of the nearest base."""

    def __init__(self, word: str, kinds: Iterable[K]) -> None:
        self.word = word
        self.table: list[K] = []
        self.codes: dict[type, int] = {}
        self.is_compiled = False
        for kind in kinds:
            self.add(kind)

    def add(self, kind: K) -> None:
        """Append a kind, which gets the next code."""
        if self.is_compiled:
            raise InvalidOption(
                f"{self.word} kind '{kind.name}' was added after the first run of this process.",
                "Add kinds before anything is simulated: the kernels are compiled by then.",
            )
        if any(known.name == kind.name for known in self.table):
            raise InvalidOption(
                f"there is a {self.word} kind '{kind.name}' already.", "Give it another name."
            )
        self.codes |= dict.fromkeys(kind.made_of, len(self.table))
        self.table.append(kind)

    def __getitem__(self, code: Any) -> K:
        return self.table[int(code)]

    def code(self, kind: K) -> int:
        """The code of a kind."""
        return self.table.index(kind)

    def code_of(self, part: Any, where: str) -> int:
        """The code of a joint, driver or force."""
        code = self.codes.get(type(part))
        if code is None:
            bases = [base for base in type(part).__mro__ if base in self.codes]
            if not bases:
                raise InvalidModel(
                    f"{where} is a {type(part).__name__}, which no {self.word} kind is made of.",
                    f"Add its kind before the first run: chasles.core.{self.word}s.registry.",
                )
            code = self.codes[type(part)] = self.codes[bases[0]]
        return code

    def reached(self) -> list[Callable[..., Any]]:
        """All that kernels may run; once that is asked for, kernels exist."""
        self.is_compiled = True
        return [function for kind in self.table for function in kind.routines]

    def dispatcher(self, field: str) -> Any:
        """A routine (code, ...) that runs the routine `field` of the kind with that code."""

        def run(code: int, *arguments: Any) -> Any:
            return getattr(self.table[code], field)(*arguments)

        def branches(code: Any, *arguments: Any) -> Any:
            self.is_compiled = True
            return chain([getattr(kind, field) for kind in self.table])

        overload(run, jit_options={**HELPER_OPTIONS, "forceinline": True}, strict=False)(branches)
        return run


def chain(routines: list[Any]) -> Any:
    """if code == 0: the first routine, elif code == 1: the second, ..., else: the last.

    Inlined: a call passes all pointers of a system, and a level of calls more would cost a small
    model a tenth of its step.
    """
    chosen = last(routines[-1])
    for code in reversed(range(len(routines) - 1)):
        chosen = branch(code, routines[code], chosen)
    return chosen


def last(run: Any) -> Any:
    @hot
    def chosen(code, *arguments):
        return run(*arguments)

    return chosen


def branch(own: int, run: Any, otherwise: Any) -> Any:
    @hot
    def chosen(code, *arguments):
        if code == own:
            return run(*arguments)
        return otherwise(code, *arguments)

    return chosen
