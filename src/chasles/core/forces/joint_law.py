"""A user's law along a joint's angle or displacement."""

from typing import Any

from chasles.compiled import call_address, routine
from chasles.core.forces.along_coordinate import coordinate_motion, pull_along
from chasles.core.forces.kind import ForceEntry, ForceKind, Signals
from chasles.core.frames import coordinate_frames
from chasles.model import JointLaw, Model


@routine
def law_wrench(system: Any, index: int, work: Any) -> float:
    """Returns its power."""
    value, rate, row_a, row_b = coordinate_motion(system, index, work)
    work.exchange[0], work.exchange[1] = value, rate
    call_address(system.forces.address[index], work.signals[0], work.exchange, work.answer)
    effort = work.answer[0]
    pull_along(system, index, work, row_a, row_b, effort)
    return effort * rate


def law_entry(force: JointLaw, model: Model, signals: Signals) -> ForceEntry:
    """The kernel gives the law the time."""
    signals.need_time()
    frames = coordinate_frames(force.joint, model)
    return ForceEntry(frames, counts_turns=force.coordinate == "angle")


JOINT_LAW = ForceKind(
    name="jointlaw",
    made_of=(JointLaw,),
    entry=law_entry,
    wrench=law_wrench,
    calls_user=True,
)
