r"""A coupling added from outside: a point of b stays on a circular cylinder of a.

With s the point in the frame of a, z along the axis of the cylinder, and R its radius,

$$ g = (s_x^2 + s_y^2 - R^2)/2R, \qquad \beta = (s_x, s_y, 0)/R, \qquad
   \ddot g = \beta\cdot\ddot s + (\dot s_x^2 + \dot s_y^2)/R . $$
"""

from dataclasses import dataclass
from math import hypot

import numpy as np

from chasles.compiled import formula, routine
from chasles.core.arrays import mat9
from chasles.core.constraints.registry import add_constraint
from chasles.core.constraints.rows import ZERO, joint_motion, negated, put_row
from chasles.core.kinds import METRE, NOTHING, ConstraintKind, JointEntry
from chasles.core.placed import (
    frame_seen_from_a,
    point_velocity,
    space_eta_along,
    space_row_of_body,
)
from chasles.groups.vectors import add, matvec, scale, sub, tmatvec
from chasles.model import RowJoint
from chasles.spaces.frames import joint_axes, joint_frames


@dataclass(frozen=True, init=False)
class PointOnCylinder(RowJoint, in_files=True):
    """Point `at_b` of b stays at its distance from the line of a through `at` along `axis`."""

    locked = ("radius",)

    at_b: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def __init__(self, name, a, b, at, axis, at_b):
        super().__init__(name, a, b, at, axis, at_b=at_b)

    @property
    def radius(self):
        x, y, _ = joint_axes(self).T @ np.subtract(self.at_b, self.at)
        return hypot(x, y)


@formula
def across(vector):
    """What of a vector is normal to the axis of the cylinder."""
    return vector[0], vector[1], 0.0 * vector[2]


@formula
def beyond_cylinder(radius, shift):
    return 0.5 * ((shift[0] * shift[0] + shift[1] * shift[1]) / radius - radius)


@routine
def cylinder_rows(system, joint, absolute, workspace, jacobian, eta):
    poses, twists, axes, omegas, points, velocities = joint_motion(system, joint, absolute)
    radius = system.joints.constant[joint]
    axes_b = mat9(system.joints.axes_b, 9 * joint)
    seen = frame_seen_from_a(poses[0], poses[1], axes_b, points[1])[1]
    carried = point_velocity(poses[0], twists[0], seen)
    span = sub(
        add(poses[1][1], matvec(poses[1][0], points[1])),
        add(poses[0][1], matvec(poses[0][0], points[0])),
    )
    beta = matvec(axes[0], scale(1.0 / radius, across(tmatvec(axes[0], span))))
    rate = across(tmatvec(axes[0], sub(velocities[1], carried)))
    bend = (rate[0] * rate[0] + rate[1] * rate[1]) / radius
    put_row(
        jacobian,
        eta,
        system.joints.first_row[joint],
        negated(space_row_of_body(ZERO, beta, poses[0][0], seen)),
        space_row_of_body(ZERO, beta, poses[1][0], points[1]),
        space_eta_along(beta, omegas[0], omegas[1], velocities[1], carried) - bend,
    )


@routine
def cylinder_residual(system, joint, turn, shift, target, workspace, row, out):
    out[row] = -beyond_cylinder(system.joints.constant[joint], shift)


def cylinder_gap(opening):
    x, y, _ = opening.shift
    return NOTHING, (np.sqrt(x * x + y * y) - opening.constant, 0.0, 0.0)


def cylinder_entry(joint, model):
    return JointEntry(joint_frames(joint), joint.radius)


KIND = ConstraintKind(
    name="pointoncylinder",
    made_of=(PointOnCylinder,),
    entry=cylinder_entry,
    rows=cylinder_rows,
    residual=cylinder_residual,
    gap=cylinder_gap,
    units=(METRE,),
    axes_on_a=True,
)
add_constraint(KIND)

__all__ = ["KIND", "PointOnCylinder"]
