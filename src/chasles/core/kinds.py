"""Kinds of constraints and of forces: what they are, their tables, and how kernels run them.

A kind is one record with its routines, formulas and traits; its code is its place in a table.
Kernels branch on the code, lower codes first, and the branches are made from the table when the
first kernel is compiled: until then kinds may be added, also from outside of the package.  What is
added is part of what a kernel reaches, so that machine code of other tables never runs.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from chasles.compiled import HELPER_OPTIONS, hot, once, overload, routine
from chasles.compiled.reach import CHOICES
from chasles.core.arrays import TWIST_COMPONENTS, Floats
from chasles.model import InvalidModel, InvalidOption, Joint, Model
from chasles.spaces.frames import Frames, joint_frames


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
    a, b, c, d = here
    return branch(first, a, b, c, d, chain(later, first + BRANCHES) if later else unconditional(d))


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


def unconditional(routine: Any) -> Any:
    @hot
    def chosen(code, *arguments):
        return routine(*arguments)

    return chosen


RAD, METRE = "rad", "m"
NOTHING = (0.0, 0.0, 0.0)


class JointEntry(NamedTuple):
    """A joint or driver in words: what its row of `Joints` is made from."""

    frames: Frames
    constant: float = 0.0  # pitch, length, ratio or radius
    locked: int = 0  # bits of the components of the relative twist that it locks


class Opening(NamedTuple):
    """A joint at some states: frame B seen from A, and what that is measured against.

    Entries of the turn (9) and the shift (3) are arrays over the states.
    """

    turn: Any
    shift: Any
    constant: float
    locked: int
    target: Any  # of a driver
    poses: Any  # (R, r) of bodies a and b
    residual: Any  # of a user's formula


#: Rotation (rad) and translation (m) in the frame on body a, zero where the joint is free.
Gap = tuple[tuple[Any, Any, Any], tuple[Any, Any, Any]]


@cache
def locked_bits(names: tuple[str, ...]) -> int:
    """Bits of the names that are components of the relative twist."""
    return sum(1 << TWIST_COMPONENTS.index(name) for name in names if name in TWIST_COMPONENTS)


def joint_entry(joint: Joint, model: Model) -> JointEntry:
    """Of most joints: the pitch, and the components of the relative twist that are locked."""
    return JointEntry(joint_frames(joint), joint.pitch, locked_bits(joint.locked))


@once
def no_rows(
    system: Any, joint: int, absolute: Any, workspace: Any, jacobian: Any, eta: Any
) -> None:
    """For kinds that do not act on the twists of two bodies."""


@once
def no_residual(
    system: Any, joint: int, turn: Any, shift: Any, target: Any, workspace: Any, row: int, out: Any
) -> None:
    """For kinds without a g: out[row], ... stay zero."""


def no_gap(opening: Opening) -> Gap:
    """For such kinds."""
    return NOTHING, NOTHING


@dataclass(frozen=True)
class ConstraintKind:
    r"""A kind of constraint between two bodies.

    name      in one word
    made_of   the classes of `chasles.model` that become constraints of this kind
    entry     entry(part, model) -> JointEntry; see `joint_entry`
    rows      routine rows(system, joint, absolute, work, jacobian, eta): J and eta of its rows,
              from `system.joints.first_row[joint]` on
    residual  routine residual(system, joint, turn, shift, target, work, row, out): -g of its rows
              into out[row], ..., whose rates the rows give
    gap       gap(opening) -> Gap, for people: by how much it is open
              Without rows it acts on coordinates or many bodies; without residual and gap, poses
              do not tell whether it holds
    units     of g, row by row: "rad", "m" or "" (a user's own); None: as the locked components say
    measured  which rows have a g; None: all.  The others restrict speeds only
    rolling   rows that restrict no positions, not even implicitly (nonholonomic)
    balanced  whether its wrenches on both bodies add up to nothing: $J$ times a common motion of
              both bodies is zero.  If not, it pushes against the ground, too
    axes_on_a    whether its axes are carried by body a, not b
    on_coordinates  whether it acts on joint coordinates, or many bodies, and has no rows of J
    calls_user   whether its rows are a user's formula behind an address
    """

    name: str
    made_of: tuple[type, ...]
    entry: Callable[[Any, Model], JointEntry] = joint_entry
    rows: Callable[..., None] = no_rows
    residual: Callable[..., None] = no_residual
    gap: Callable[[Opening], Gap] = no_gap
    units: tuple[str, ...] | None = None
    measured: tuple[int, ...] | None = None
    rolling: tuple[int, ...] = ()
    balanced: bool = True
    axes_on_a: bool = False
    calls_user: bool = False
    on_coordinates: bool = False

    def units_of(self, locked: int, rows: int) -> tuple[str, ...]:
        """The units of the rows of a joint."""
        if self.units is not None:
            return self.units[:rows]
        bits = [k for k in range(len(TWIST_COMPONENTS)) if locked >> k & 1]
        return tuple(RAD if k < 3 else METRE for k in bits)

    def measured_of(self, rows: int) -> tuple[int, ...]:
        """The rows of a joint that have a g, from its first row on."""
        known = range(rows) if self.measured is None else self.measured
        return tuple(row for row in known if row not in self.rolling)


class Signals(Protocol):
    """Functions of time that kernels read by number."""

    def add(self, sampler: Callable[[Floats], Floats], width: int) -> int: ...

    def need_time(self) -> None: ...

    def hold(self, name: str) -> int: ...


class ForceEntry(NamedTuple):
    """A force in words: what its row of `Forces` is made from."""

    frames: Frames
    law: tuple[float, ...] = ()  # constants, at most LAW_WIDTH
    signal: int = -1  # the first of its functions of time, or -1
    counts_turns: bool = False  # whether it acts on an angle whose whole turns count


class Deformation(NamedTuple):
    """A force at some states: frame B seen from A; entries are arrays over the states."""

    turn: Any
    shift: Any
    law: tuple[float, ...]
    counts_turns: bool
    near: Any  # the angle counted so far


@routine
def no_effort(system: Any, index: int, workspace: Any, value: Any, rate: Any) -> Any:
    """For forces that do not act on the coordinate of a joint."""
    return 0.0, 0.0


@dataclass(frozen=True)
class ForceKind:
    """A kind of force.

    name        in one word
    made_of     the classes of `chasles.model` that become forces of this kind
    entry       entry(force, model, signals) -> ForceEntry
    wrench      routine wrench(system, index, work) -> power: adds its wrenches to work.rhs, and
                returns the power of all that the potential does not account for
    potential   potential(deformation) -> energy, J; None: it stores none
    effort      of a force on a joint's coordinate: routine effort(system, index, work, value, rate)
                -> (generalised force, power); its wrench is `along_coordinate.wrench_along`
    one_sided   whether it pushes only while it touches: where it is zero, it stays so nearby
    """

    name: str
    made_of: tuple[type, ...]
    entry: Callable[[Any, Model, Signals], ForceEntry]
    wrench: Callable[..., float]
    potential: Callable[[Deformation], Any] | None = None
    effort: Callable[..., Any] = no_effort
    one_sided: bool = False


#: All kinds, in the order of their codes: see `registry`.
FORCES: Kinds[ForceKind] = Kinds("force", ())
#: add_force_wrench(kind, system, index, work) -> power
add_force_wrench = FORCES.dispatcher("wrench")
#: effort_of(kind, system, index, work, value, rate) -> (generalised force, power)
effort_of = FORCES.dispatcher("effort")
