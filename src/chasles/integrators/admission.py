"""What a method does not admit is refused by name, with what to do instead."""

from chasles.build.system.build import Setup
from chasles.core.constraints.registry import CONSTRAINTS
from chasles.core.mechanism import Mechanism
from chasles.core.stabilisation import FED_BACK
from chasles.integrators.half_explicit import HALF_EXPLICIT
from chasles.integrators.methods import Method
from chasles.integrators.rattlie import RATTLIE
from chasles.model import InvalidOption


def check_admitted(method: Method, mechanism: Mechanism, setup: Setup) -> None:
    """Refuse a mechanism that a method cannot step; `setup` knows the names."""
    if method.name in HALF_EXPLICIT:
        check_feedback(method.name, mechanism)
    if method.name in RATTLIE:
        check_positions(method.name, mechanism, list(setup.joint_index))


def check_positions(method: str, mechanism: Mechanism, names: list[str]) -> None:
    """Every row is the rate of a position."""
    joints = mechanism.system.joints
    for k, name in enumerate(names):
        kind = CONSTRAINTS[int(joints.kind[k])]
        if kind.rolling or len(kind.measured_of(int(joints.rows[k]))) < int(joints.rows[k]):
            raise InvalidOption(
                f"simulate: '{method}' keeps positions, but joint '{name}' restricts speeds that"
                " are not the rates of any.",
                "Take a Munthe-Kaas method, 'rk4' say, or 'half-explicit'.",
            )


def check_feedback(method: str, mechanism: Mechanism) -> None:
    """Joints are not fed back: velocities fit them as it is."""
    if mechanism.loops.row_count > 0 and mechanism.stabiliser.kind == FED_BACK:
        raise InvalidOption(
            f"simulate: '{method}' finds velocities that fit the joints, and leaves nothing to feed"
            " back.",
            "Leave stabilise out, or close the poses: stabilise='projection'.",
        )
