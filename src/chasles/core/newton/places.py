"""Where the velocities of a mechanism, and what belongs to them, stand in points and slopes.

Implicit schemes know vectors of one number per velocity.  A point keeps velocity k at
`velocity_at`, an increment or slope has what belongs to its pose at `pose_at` and to the velocity
at `rate_at`; variables that are added up (integrals of the motion) begin at `linear_at`.
"""

from typing import Any

from chasles.compiled import formula


@formula
def freedom_count(mechanism: Any) -> int:
    """How many velocities there are."""
    return mechanism.tree.rate_count


@formula
def velocity_at(mechanism: Any, k: int) -> int:
    return mechanism.tree.stored_count + k


@formula
def pose_at(mechanism: Any, k: int) -> int:
    return k


@formula
def rate_at(mechanism: Any, k: int) -> int:
    return mechanism.tree.rate_count + k


@formula
def linear_at(mechanism: Any) -> int:
    return 2 * mechanism.tree.rate_count


@formula
def is_prescribed(mechanism: Any, k: int) -> bool:
    """Whether a driver says where coordinate k is: it is there, whatever the method."""
    return mechanism.tree.driven[k] >= 0
