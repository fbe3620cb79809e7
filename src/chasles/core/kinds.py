"""Kinds of constraints and of forces: tables of records, and how kernels run what they hold.

A kind is one record with its routines, formulas and traits; its code is its place in a table.
Kernels branch on the code, lower codes first, and the branches are made from the table when the
first kernel is compiled: until then kinds may be added, also from outside of the package.  What is
added is part of what a kernel reaches, so that machine code of other tables never runs.
"""

from collections.abc import Iterable
from typing import Any, Generic, Protocol, TypeVar

from chasles.compiled import HELPER_OPTIONS, hot, overload
from chasles.compiled.reach import CHOICES
from chasles.model import InvalidModel, InvalidOption


class Kind(Protocol):
    """What a table needs to know of a kind."""

    @property
    def name(self) -> str: ...

    @property
    def made_of(self) -> tuple[type, ...]: ...


K = TypeVar("K", bound=Kind)
#: Branches of one routine, see `chain`.
BRANCHES = 4
#: Words of the tables that kernels of this process branch by.
COMPILED: set[str] = set()


class Kinds(Generic[K]):
    """A table of kinds; a part of a model is of the kind of its class, or of the nearest base."""

    def __init__(self, word: str, kinds: Iterable[K]) -> None:
        self.word = word
        self.table: list[K] = []
        self.codes: dict[type, int] = {}
        self.chains: dict[str, Any] = {}  # what kernels run, by field, once one was asked for
        for kind in kinds:
            self.append(kind)

    def add(self, kind: K) -> None:
        """Append a kind, before the first kernel of this process: of this table, or of another."""
        if COMPILED:
            raise InvalidOption(
                f"{self.word} kind '{kind.name}' was added after the first run of this process.",
                "Add kinds before anything is simulated: the kernels are compiled by then.",
            )
        self.append(kind)

    def append(self, kind: K) -> None:
        """Append a kind, which gets the next code."""
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

    def chain(self, field: str) -> Any:
        """The routines `field` of all kinds as branches; kernels exist from now on."""
        COMPILED.add(self.word)
        if field not in self.chains:
            self.chains[field] = chain([getattr(kind, field) for kind in self.table])
        return self.chains[field]

    def dispatcher(self, field: str) -> Any:
        """A routine (code, ...) that runs the routine `field` of the kind with that code."""

        def run(code: int, *arguments: Any) -> Any:
            return getattr(self.table[code], field)(*arguments)

        def branches(code: Any, *arguments: Any) -> Any:
            return self.chain(field)

        overload(run, jit_options={**HELPER_OPTIONS, "forceinline": True}, strict=False)(branches)
        CHOICES[branches] = lambda: self.chain(field)
        return run


def chain(routines: list[Any], first: int = 0) -> Any:
    """if code == 0: the first routine, elif code == 1: the second, ..., else: the last.

    Inlined: a call passes all pointers of a system, and a level of calls more would cost a small
    model a tenth of its step.  By fours: every level has to be compiled, too.
    """
    here, later = routines[:BRANCHES], routines[BRANCHES:]
    here += here[-1:] * (BRANCHES - len(here))
    if not later:
        return last(first, *here)
    a, b, c, d = here
    return branch(first, a, b, c, d, chain(later, first + BRANCHES))


def branch(first: int, a: Any, b: Any, c: Any, d: Any, otherwise: Any) -> Any:
    @hot
    def chosen(code, *arguments):
        if code == first:
            return a(*arguments)
        if code == first + 1:
            return b(*arguments)
        if code == first + 2:
            return c(*arguments)
        if code == first + 3:
            return d(*arguments)
        return otherwise(code, *arguments)

    return chosen


def last(first: int, a: Any, b: Any, c: Any, d: Any) -> Any:
    @hot
    def chosen(code, *arguments):
        if code == first:
            return a(*arguments)
        if code == first + 1:
            return b(*arguments)
        if code == first + 2:
            return c(*arguments)
        return d(*arguments)

    return chosen
