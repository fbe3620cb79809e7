r"""How large an error of a step is, whatever the charts: in absolute twists of the bodies.

An error e of the algebra moves the bodies as a velocity e does in unit time.  So the routines that
turn velocities of charts, or of joints, into absolute body twists turn errors into displacements of
the bodies, and errors of velocities into twists.  Of a body of size l,

$$ |(\omega, v)|^2 = |v|^2 + l^2|\omega|^2 $$

is how far (how fast) its points are off, in metres (per second).  It is judged against
$a + r\,l$ for displacements, and $a + r\,|V|$ for velocities V, a and r being `atol` and `rtol`;
the worst body counts.  Nothing depends on where the origin is, nor on the space of a body.  Work is
judged as well, against

$$ r\,(T + E) + \sum m\,(a\,|V| + \tfrac12 a^2), \qquad T = \sum \tfrac12 m |V|^2 , $$

E being the energy exchanged: a motion may be told exactly by drivers, and their work has to be
found all the same.  The sum is the kinetic energy of speeds that are wrong by a.  Without it the
first work on bodies at rest would be judged against nothing.
"""

from typing import Annotated, Any, NamedTuple

import numpy as np

from chasles.compiled import formula, hot, once, routine
from chasles.core.arrays import ABSOLUTE_WIDTH, Floats, Integers, System, copy, storage
from chasles.core.placed import twist_of
from chasles.core.recursion.kinematics import place_bodies
from chasles.groups.vectors import dot
from chasles.scalars.elementary import maximum, sqrt

#: Parts of a slope or an error: of the poses, of the velocities.
POSES, VELOCITIES = 0, 1
#: Of a body that nothing tells the size of (m).
NO_SIZE = 1.0


class Measure(NamedTuple):
    """Sizes of the bodies, and storage."""

    sizes: Floats  # (n,) m
    speeds: Annotated[Floats, "n"]  # m/s, at the faster end of the step
    worst: Annotated[Integers, 1]  # the body with the largest error
    point: Annotated[Floats, "kept"]
    placed: Annotated[Floats, "n", ABSOLUTE_WIDTH]
    rows: Floats  # (n, ROW) kinematics


def make_measure(mechanism: Any, sizes: Floats) -> Measure:
    """Storage for a mechanism whose bodies have these sizes."""
    return storage(
        Measure, {"n": mechanism.system.body_count, "kept": mechanism.layout.kept},
        sizes=np.array(sizes, float),
        rows=np.zeros_like(mechanism.tree_work.rows),
    )  # fmt: skip


def body_sizes(system: System, gyration: Floats) -> Floats:
    """(n,) The longest lever to a joint of every body, or its radius of gyration if that is longer.

    Of a body that has neither, the size of the largest.
    """
    sizes, joints = gyration.copy(), system.joints
    for points, ends in ((joints.point_a, joints.a), (joints.point_b, joints.b)):
        held = ends >= 0
        np.maximum.at(sizes, ends[held], np.linalg.norm(points[held], axis=1))
    largest = float(sizes.max(initial=0.0)) or NO_SIZE
    return np.where(sizes > 0.0, sizes, largest)


@once
def move_bodies(
    mechanism: Any, measure: Any, point: Any, moves: Any, part: int, is_error: bool
) -> None:
    """Absolute twists into measure.placed of bodies at a point that move by a part of `moves`.

    Driven coordinates are where they are told to be: these are without error.
    """
    tree = mechanism.tree
    copy(point, measure.point, tree.stored_count)
    for k in range(tree.rate_count):
        move = moves[part * tree.rate_count + k]
        if is_error and tree.driven_count > 0 and tree.driven[k] >= 0:
            move = 0.0
        measure.point[tree.stored_count + k] = move
    place_bodies(tree, measure.point, measure.rows, measure.placed)


@formula
def supply_at(mechanism: Any) -> int:
    """Where the power of all forces and drivers, and its size, stand in a slope."""
    return 2 * mechanism.tree.rate_count + mechanism.system.quadrature_count


@hot
def length_of(measure: Any, body: int) -> float:
    """How far, or how fast, the points of a body move."""
    spin, slide = twist_of(measure.placed, body)
    size = measure.sizes[body]
    return sqrt(dot(slide, slide) + size * size * dot(spin, spin))


@routine
def note_speeds(mechanism: Any, measure: Any, point: Any, afresh: bool) -> None:
    """The speeds of the bodies at a point, or the larger ones noted before."""
    place_bodies(mechanism.tree, point, measure.rows, measure.placed)
    for body in range(mechanism.system.body_count):
        speed = length_of(measure, body)
        if not afresh:
            speed = maximum(speed, measure.speeds[body])
        measure.speeds[body] = speed


@routine
def size_of_error(
    mechanism: Any, measure: Any, point: Any, error: Any, rtol: float, atol: float
) -> float:
    """An error of the algebra as a multiple of what is tolerated, at the speeds noted."""
    worst = 0.0
    for part in (POSES, VELOCITIES):
        move_bodies(mechanism, measure, point, error, part, True)
        for body in range(mechanism.system.body_count):
            scale = measure.sizes[body] if part == POSES else measure.speeds[body]
            ratio = length_of(measure, body) / (atol + rtol * scale)
            if not ratio <= worst:
                worst = ratio
                measure.worst[0] = body
            if ratio != ratio:  # not a number: much too large
                return np.inf
    return worst


@routine
def energy_of_speeds(mechanism: Any, measure: Any, more: float) -> float:
    """The bodies at the speeds noted, all of them faster by `more` m/s, J."""
    total = 0.0
    for body in range(mechanism.system.body_count):
        speed = measure.speeds[body] + more
        total += 0.5 * mechanism.system.bodies.mass[body] * speed * speed
    return total


@hot
def largest_size(mechanism: Any, measure: Any) -> float:
    """Of all bodies, m."""
    largest = 0.0
    for body in range(mechanism.system.body_count):
        largest = maximum(largest, measure.sizes[body])
    return largest


@routine
def time_scale(mechanism: Any, measure: Any, point: Any, slope: Any) -> float:
    """The seconds in which a body moves by its size, with its speed or from rest."""
    note_speeds(mechanism, measure, point, True)
    move_bodies(mechanism, measure, point, slope, VELOCITIES, True)
    shortest = np.inf
    for body in range(mechanism.system.body_count):
        size, speed = measure.sizes[body], measure.speeds[body]
        if speed > 0.0:
            shortest = min(shortest, size / speed)
        push = length_of(measure, body)
        if push > 0.0:
            shortest = min(shortest, sqrt(size / push))
    return shortest
