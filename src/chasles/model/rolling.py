"""Rolling without slipping: where b touches the plane of a, both bodies have one velocity.

The plane may move: a is any body, or the ground.  The rows are speeds, not positions: vx and vy in
the plane, vz across it; only the height above the plane is also a position, and can be open.  The
contact never breaks: where a real body would lift off, the reaction pulls.
"""

from typing import Annotated

from chasles.model.body import GROUND, body_that  # noqa: F401  the examples join the ground
from chasles.model.couplings import RowJoint, cosine_between
from chasles.model.fields import Direction, Pin, Place, positive
from chasles.model.joints import End

ROLLS = "Give the body that rolls as b, and the one with the plane as a."
FLAT = 1e-9  # 1 - cosine below which a disc lies on its plane


class Rolling(RowJoint, in_files=False):
    """What rolling bodies share: b rolls on a plane of a.

    Parameters
    ----------
    at
        A point of the plane in world coordinates at the start, m.
    axis
        Normal of the plane in world axes, towards b.
    """

    locked = ("vx", "vy", "vz")

    b: Annotated[End, body_that("does not roll", ROLLS)]
    at: Place
    axis: Direction
    radius: Annotated[float, positive("m")]


class RollingSphere(Rolling):
    """A sphere that rolls on a plane without slipping. Its centre is the centre of mass of b.

    Parameters
    ----------
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
            raise self._wrong(
                f"axis_b is along the normal {self.axis}: the disc lies flat, and"
                " no single point of it touches the plane.",
                "Tilt the disc, or use Planar for one that slides flat on the plane.",
            )
