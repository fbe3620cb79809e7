"""Rolling without slipping: where b touches the plane of a, both bodies have one velocity.

The plane may move: a is any body, or the ground.  The rows are speeds, not positions: vx and vy in
the plane, vz across it; only the height above the plane is also a position, and can be open.  The
contact never breaks: where a real body would lift off, the reaction pulls.
"""

from typing import Annotated

from chasles.model.body import GROUND
from chasles.model.couplings import RowJoint, cosine_between
from chasles.model.errors import InvalidJoint
from chasles.model.fields import Direction, Pin, Place, positive

FLAT = 1e-9  # 1 - cosine below which a disc lies on its plane


class Rolling(RowJoint, in_files=False):
    """What rolling bodies share: b rolls on the plane of a through `at` with normal `axis`."""

    locked = ("vx", "vy", "vz")

    at: Place
    axis: Direction
    radius: Annotated[float, positive("m")]

    def _check(self) -> None:
        super()._check()
        if self.b == GROUND.name:
            raise InvalidJoint(
                f"{self.where}: b is the ground, which does not roll.",
                "Give the body that rolls as b, and the one with the plane as a.",
            )


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

    axis_b: Pin

    def _check(self) -> None:
        super()._check()
        if 1.0 - abs(cosine_between(self.axis, self.axis_b)) < FLAT:
            raise InvalidJoint(
                f"{self.where}: axis_b is along the normal {self.axis}: the disc lies flat, and"
                " no single point of it touches the plane.",
                "Tilt the disc, or use Planar for one that slides flat on the plane.",
            )
