r"""Balls of body b against a plane or a ball of body a: a push along the normal, and friction.

The surface of a has curvature $\kappa$ (0: a plane, $1/R$: a ball, $-1/R$: a hollow one) and, at
its point p, the normal n.  A centre at y from p is, over all three of them,

$$ D = \frac{\kappa\,y\cdot y + 2\,n\cdot y}{1 + |n + \kappa y|} $$

away from it, along $(n + \kappa y)/|n + \kappa y|$: no difference of large numbers, and no branch.
A ball of radius r sinks in by $d = r - D$, and its deepest point slides with $v_t$:

$$ N = (k d + h d^{3/2})\max(0, 1 + c\,\dot d), \qquad
   f_t = -\mu N\,v_t/\sqrt{|v_t|^2 + s^2}, \qquad U = \tfrac12 k d^2 + \tfrac25 h d^{5/2} . $$

A corner is a ball of no radius.
"""

from typing import Any

import numpy as np

from chasles.compiled import formula, once
from chasles.core.arrays import LAW_WIDTH, vec3, vec4
from chasles.core.forces.motion import add_wrench, wrench_of_force
from chasles.core.kinds import Deformation, ForceEntry, ForceKind, Signals
from chasles.core.placed import column, frame_on_a, frame_on_b, point_velocity, pose_of, twist_of
from chasles.groups.vectors import add, axpy, dot, matvec, neg, scale, sub, tmatvec
from chasles.model import Box, Capsule, Contact, Model, Rod, Shape, Sphere
from chasles.model.checks import as_vector
from chasles.scalars.elementary import anywhere, maximum, pick, sqrt
from chasles.spaces.frames import Frames, frame_along

UP = (0.0, 0.0, 1.0)
#: Corners are numbered by the bits of their signs: all of them, two opposite ones, the first alone.
CORNERS, ALL, OPPOSITE, ONE = 8, 1, 7, 8
# Columns of the law: stiffness, hertz, dissipation, friction; slip; the balls; the surface.
SLIP, CURVATURE, RADIUS, HALF, STRIDE = 4, 5, 6, 7, 10


@formula
def corner_of(half: Any, corner: int) -> Any:
    """A corner of the box with these half edges, about its centre."""
    return (
        half[0] * (1 - 2 * (corner // 4)),
        half[1] * (1 - 2 * (corner // 2 % 2)),
        half[2] * (1 - 2 * (corner % 2)),
    )


@formula
def distance_and_normal(offset: Any, normal: Any, curvature: Any) -> Any:
    """Of a centre from the surface; at the centre of a ball there is no normal, and it is zero."""
    lean = axpy(curvature, offset, normal)
    length = sqrt(dot(lean, lean))
    distance = (curvature * dot(offset, offset) + 2.0 * dot(normal, offset)) / (1.0 + length)
    return distance, scale(1.0 / pick(length == 0.0, 1.0, length), lean)


@formula
def contact_push(law: Any, slip: Any, depth: Any, normal: Any, velocity: Any) -> Any:
    """Force on b where it has sunk in, and the power of all but the elastic part."""
    stiffness, hertz, dissipation, friction = law
    leaving = dot(normal, velocity)
    elastic = depth * (stiffness + hertz * sqrt(depth))
    push = elastic * maximum(0.0, 1.0 - dissipation * leaving)
    slide = axpy(-leaving, normal, velocity)
    square = dot(slide, slide)
    grip = friction * push / sqrt(square + slip * slip)
    force = sub(scale(push, normal), scale(grip, slide))
    return force, (push - elastic) * leaving - grip * square


@formula
def touching(
    law: Any, slip: Any, depth: Any, normal: Any, point: Any, motion_a: Any, motion_b: Any
) -> Any:
    """Wrenches on a and b of a ball whose deepest point is there, and what they do not store."""
    (pose_a, twist_a), (pose_b, twist_b) = motion_a, motion_b
    lever_a = tmatvec(pose_a[0], sub(point, pose_a[1]))
    lever_b = tmatvec(pose_b[0], sub(point, pose_b[1]))
    velocity = sub(
        point_velocity(pose_b, twist_b, lever_b), point_velocity(pose_a, twist_a, lever_a)
    )
    force, lost = contact_push(law, slip, depth, normal, velocity)
    on_a = wrench_of_force(pose_a[0], lever_a, neg(force))
    return on_a, wrench_of_force(pose_b[0], lever_b, force), lost


@once
def contact_wrench(system: Any, index: int, workspace: Any) -> float:
    """Returns the power of dissipation and friction."""
    forces, first = system.forces, LAW_WIDTH * index
    a, b = forces.a[index], forces.b[index]
    law, slip = vec4(forces.law, first), forces.law[first + SLIP]
    curvature, radius = forces.law[first + CURVATURE], forces.law[first + RADIUS]
    half, stride = vec3(forces.law, first + HALF), int(forces.law[first + STRIDE])
    axes_a, point_a = frame_on_a(forces, index)
    axes_b, point_b = frame_on_b(forces, index)
    motion_a = pose_of(workspace.absolute, a), twist_of(workspace.absolute, a)
    motion_b = pose_of(workspace.absolute, b), twist_of(workspace.absolute, b)
    (turn_a, place_a), (turn_b, place_b) = motion_a[0], motion_b[0]
    origin, upwards = add(place_a, matvec(turn_a, point_a)), matvec(turn_a, column(axes_a, 2))
    lost = 0.0
    for corner in range(0, CORNERS, stride):
        local = add(point_b, matvec(axes_b, corner_of(half, corner)))
        centre = add(place_b, matvec(turn_b, local))
        distance, normal = distance_and_normal(sub(centre, origin), upwards, curvature)
        depth = radius - distance
        if anywhere(depth > 0.0):
            point = axpy(-radius, normal, centre)
            on_a, on_b, taken = touching(
                law, slip, maximum(0.0, depth), normal, point, motion_a, motion_b
            )
            add_wrench(workspace.rhs, a, on_a)
            add_wrench(workspace.rhs, b, on_b)
            lost = lost + taken
    return lost


def stored_in_contact(deformation: Deformation) -> Any:
    """Over some states; frame A stands on the surface, its z axis along the normal."""
    law, energy = deformation.law, 0.0
    for corner in range(0, CORNERS, int(law[STRIDE])):
        turned = matvec(deformation.turn, corner_of(law[HALF : HALF + 3], corner))
        offset = add(deformation.shift, turned)
        distance, _ = distance_and_normal(offset, UP, law[CURVATURE])
        depth = maximum(0.0, law[RADIUS] - distance)
        energy = energy + depth * depth * (0.5 * law[0] + 0.4 * law[1] * sqrt(depth))
    return energy


def balls_of(shape: Shape) -> tuple[float, tuple[float, float, float], int]:
    """(radius, half edges of the box of their centres, stride through its corners)."""
    if isinstance(shape, Box):
        x, y, z = shape.size
        return 0.0, (0.5 * x, 0.5 * y, 0.5 * z), ALL
    if isinstance(shape, Capsule | Rod):
        x, y, z = (0.5 * shape.length * (shape.axis == name) for name in "xyz")
        return (shape.radius if isinstance(shape, Capsule) else 0.0), (x, y, z), OPPOSITE
    assert isinstance(shape, Sphere)  # Contact takes no other
    return shape.radius, (0.0, 0.0, 0.0), ONE


def contact_entry(force: Contact, model: Model, signals: Signals) -> ForceEntry:
    """Stiffness, hertz, dissipation, friction, slip; curvature; radius, half edges, stride."""
    assert force.shape is not None and force.at is not None  # Model has completed every contact
    radius, half, stride = balls_of(force.shape)
    body, turn = model.body(force.b), np.array(model.body(force.b).rotation)
    middle = np.array(body.position) + turn @ np.array(force.shape.position)
    at, normal, curvature = force.at, force.axis or UP, 0.0
    if force.radius is not None:  # a frame anywhere on the ball
        at, curvature = (at[0], at[1], at[2] + force.radius), 1.0 / force.radius
    frames = Frames(
        force.a, force.b, at, as_vector(middle), frame_along(normal),
        turn @ np.array(force.shape.rotation),
    )  # fmt: skip
    law = (force.stiffness, force.hertz, force.dissipation, force.friction, force.slip)
    return ForceEntry(frames, (*law, curvature, radius, *half, stride))


CONTACT = ForceKind(
    name="contact",
    made_of=(Contact,),
    entry=contact_entry,
    wrench=contact_wrench,
    potential=stored_in_contact,
    one_sided=True,
)
