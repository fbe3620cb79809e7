"""What a kind of force is: wrenches and power, potential, traits, and how its arrays are made."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from chasles.compiled import routine
from chasles.core.arrays import Floats
from chasles.core.kinds import Kinds
from chasles.model import Model
from chasles.spaces.frames import Frames


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
    """Of a force that does not act on a joint's coordinate."""
    return 0.0, 0.0


@dataclass(frozen=True)
class ForceKind:
    """A kind of force.

    name        in one word
    made_of     the classes of `chasles.model` that become forces of this kind
    entry       entry(force, model, signals) -> ForceEntry
    wrench      routine wrench(system, index, work) -> power: adds its wrenches to workspace.rhs,
    and
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
