"""Rolling without slipping: where b touches the plane of a, both bodies have one velocity.

The plane may move: a is any body, or the ground.  The rows are speeds, not positions: vx and vy in
the plane, vz across it; only the height above the plane is also a position, and can be open.  The
contact never breaks: where a real body would lift off, the reaction pulls.
"""

from chasles.model.body import GROUND
from chasles.model.checks import Vector3, checked_direction, checked_positive, fill
from chasles.model.couplings import RowJoint, cosine_between, needed
from chasles.model.errors import InvalidJoint
from chasles.model.joints import Attachment, Z
from chasles.model.words import ArrayLike

FLAT = 1e-9  # 1 - cosine below which a disc lies on its plane


class Rolling(RowJoint, in_files=False):
    """What rolling bodies share: b rolls on the plane of a through `at` with normal `axis`."""

    locked = ("vx", "vy", "vz")

    radius: float = 1.0

    def __init__(
        self, name: str, a: Attachment, b: Attachment, at: ArrayLike, axis: ArrayLike, radius: float
    ) -> None:
        super().__init__(name, a, b, at, axis)
        if self.b == GROUND.name:
            raise InvalidJoint(
                f"joint '{name}': b is the ground, which does not roll.",
                "Give the body that rolls as b, and the one with the plane as a.",
            )
        fill(self, radius=checked_positive(radius, "radius", "m", f"joint '{name}'", InvalidJoint))


class RollingSphere(Rolling):
    """A sphere that rolls on a plane without slipping. Its centre is the centre of mass of b.

    Parameters
    ----------
    at
        A point of the plane in world coordinates at the start, m.
    axis
        Normal of the plane in world axes, towards the sphere.
    radius
        Radius, m. At the start the centre must be at this distance from the plane.

    Examples
    --------
    >>> RollingSphere("table", GROUND, "ball", at=(0, 0, 0), axis=(0, 0, 1), radius=0.1).locked
    ('vx', 'vy', 'vz')
    """


class RollingDisc(Rolling):
    """A thin disc that rolls on its edge without slipping. Its centre is the centre of mass of b.

    Parameters
    ----------
    at
        A point of the plane in world coordinates at the start, m.
    axis
        Normal of the plane in world axes, towards the disc.
    axis_b
        Axis of the disc in world axes.
    radius
        Radius, m. At the start the lowest point must be on the plane.

    Notes
    -----
    The run stops if the disc falls flat.

    Examples
    --------
    >>> RollingDisc("road", GROUND, "coin", (0, 0, 0), (0, 0, 1), axis_b=(0, 1, 0), radius=1).radius
    1.0
    """

    axis_b: Vector3 = Z

    def __init__(
        self,
        name: str,
        a: Attachment,
        b: Attachment,
        at: ArrayLike,
        axis: ArrayLike,
        axis_b: ArrayLike,
        radius: float,
    ) -> None:
        super().__init__(name, a, b, at, axis, radius)
        turned = checked_direction(needed(axis_b, name), "axis_b", f"joint '{name}'", InvalidJoint)
        fill(self, axis_b=turned)
        if 1.0 - abs(cosine_between(self.axis, self.axis_b)) < FLAT:
            raise InvalidJoint(
                f"joint '{name}': axis_b is along the normal {self.axis}: the disc lies flat, and"
                " no single point of it touches the plane.",
                "Tilt the disc, or use Planar for one that slides flat on the plane.",
            )
