"""Where the velocities of a mechanism, and what belongs to them, stand in points and slopes.

Implicit schemes know vectors of one number per velocity.  A point keeps velocity k at
`velocity_at`, an increment or slope has what belongs to its pose at `pose_at` and to the velocity
at `rate_at`; variables that are added up (integrals of the motion) begin at `linear_at`.
"""

from typing import Any

from chasles.compiled import formula
from chasles.core.arrays import CHART_WIDTH, VELOCITY
from chasles.core.recursion.loop_mechanism import LoopMechanism
from chasles.core.recursion.mechanism import TreeMechanism
from chasles.core.retraction import SLOPE_WIDTH
from chasles.core.seam import on, seam


@seam
@formula
def freedom_count(mechanism: Any) -> int:
    """How many velocities there are."""
    return 6 * mechanism.system.body_count


@seam
@formula
def velocity_at(mechanism: Any, k: int) -> int:
    return CHART_WIDTH * (k // 6) + VELOCITY + k % 6


@seam
@formula
def pose_at(mechanism: Any, k: int) -> int:
    return SLOPE_WIDTH * (k // 6) + k % 6


@seam
@formula
def rate_at(mechanism: Any, k: int) -> int:
    return SLOPE_WIDTH * (k // 6) + 6 + k % 6


@seam
@formula
def linear_at(mechanism: Any) -> int:
    return SLOPE_WIDTH * mechanism.system.body_count


@seam
@formula
def is_told(mechanism: Any, k: int) -> bool:
    """Whether a driver says where coordinate k is: that of a tree is there, whatever the method."""
    return False


@formula
def tree_is_told(mechanism: Any, k: int) -> bool:
    return mechanism.tree.driven[k] >= 0


@formula
def tree_freedom_count(mechanism: Any) -> int:
    return mechanism.tree.rate_count


@formula
def tree_velocity_at(mechanism: Any, k: int) -> int:
    return mechanism.tree.stored_count + k


@formula
def tree_pose_at(mechanism: Any, k: int) -> int:
    return k


@formula
def tree_rate_at(mechanism: Any, k: int) -> int:
    return mechanism.tree.rate_count + k


@formula
def tree_linear_at(mechanism: Any) -> int:
    return 2 * mechanism.tree.rate_count


for kind in (TreeMechanism, LoopMechanism):
    on(freedom_count, kind)(tree_freedom_count)
    on(velocity_at, kind)(tree_velocity_at)
    on(pose_at, kind)(tree_pose_at)
    on(rate_at, kind)(tree_rate_at)
    on(linear_at, kind)(tree_linear_at)
    on(is_told, kind)(tree_is_told)
