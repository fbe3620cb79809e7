"""What forces answer to motions within a step, as loads of the equations."""

from typing import Any

from chasles.compiled import formula, routine
from chasles.core.arrays import ABSOLUTE_WIDTH, ROW_WIDTH, TWIST, clear, get6, put_twist, twist6
from chasles.core.blocks.small import dot6
from chasles.core.forces.motion import add_wrench
from chasles.core.placed import pose_of, twist_of
from chasles.core.recursion.load_cases import twist_in_column
from chasles.core.tangent_stiffness.links import SIZE
from chasles.groups.vectors import add, cross, matvec, neg, sub, tmatvec


@formula
def carried_twist(absolute: Any, a: int, b: int, twist: Any) -> Any:
    """A twist of body a as body b would have it, were it fixed to a."""
    (turn_a, place_a), (turn_b, place_b) = pose_of(absolute, a), pose_of(absolute, b)
    spin, arm = matvec(turn_a, twist[0]), sub(place_b, place_a)
    speed = add(matvec(turn_a, twist[1]), cross(spin, arm))
    return tmatvec(turn_b, spin), tmatvec(turn_b, speed)


@formula
def opposite_wrench(absolute: Any, a: int, b: int, wrench: Any) -> Any:
    """What body a feels where b feels a wrench: the opposite, about its own centre of mass."""
    (turn_a, place_a), (turn_b, place_b) = pose_of(absolute, a), pose_of(absolute, b)
    force = matvec(turn_b, wrench[1])
    torque = add(matvec(turn_b, wrench[0]), cross(sub(place_b, place_a), force))
    return neg(tmatvec(turn_a, torque)), neg(tmatvec(turn_a, force))


@formula
def relative_to_base(absolute: Any, placed: Any, a: int, b: int) -> Any:
    """w of bodies that stand as in `absolute` and move as in `placed`."""
    own = twist_of(placed, b)
    if a < 0:
        return own
    other = carried_twist(absolute, a, b, twist_of(placed, a))
    return sub(own[0], other[0]), sub(own[1], other[1])


@routine
def clear_loads(tangent: Any) -> None:
    """Wrenches and efforts in tangent.tree_work, and what rows of links are asked for."""
    clear(tangent.loop_work.wanted, tangent.loops.row_count)
    clear(tangent.tree_work.wrenches, 6 * tangent.tree.body_count)
    clear(tangent.tree_work.efforts, tangent.tree.rate_count)


@routine
def put_ways(tangent: Any, placed: Any, out: Any) -> None:
    """w of all links whose bodies move as in `placed`."""
    for link in range(tangent.count):
        if tangent.touched[link] != 0:
            a, b = tangent.base[link], tangent.moved[link]
            put_twist(out, 6 * link, relative_to_base(tangent.workspace.absolute, placed, a, b))


@routine
def add_resistance(tangent: Any, matrices: Any, sign: float, ways: Any) -> None:
    """sign * K w (or D w) of all links on both bodies, to the loads."""
    for link in range(tangent.count):
        if tangent.touched[link] != 0:
            add_resistance_of(tangent, matrices, sign, ways, link)


@routine
def add_resistance_of(tangent: Any, matrices: Any, sign: float, ways: Any, link: int) -> None:
    """The same for one link."""
    a, b, out = tangent.base[link], tangent.moved[link], tangent.tree_work.wrenches
    six = get6(ways, 6 * link)
    for c in range(6):
        tangent.wrench[c] = sign * dot6(get6(matrices, SIZE * link + 6 * c), six)
        out[6 * b + c] += tangent.wrench[c]
    if a >= 0:
        add_wrench(
            out, a, opposite_wrench(tangent.workspace.absolute, a, b, twist6(tangent.wrench, 0))
        )


@routine
def load_factored(tangent: Any, placed: Any) -> None:
    r"""Add -S w of bodies that move as in `placed`, and w as in tangent.speeds: far larger, maybe,
    than what is left of it.

    Where it is rows l that give way, $-l\,l\cdot w$ is what they are asked for, $-l\cdot w$: their
    multipliers are the small difference then.
    """
    for row in range(tangent.loops.row_count):
        source = tangent.loops.source[row]
        link = (source - tangent.first) // 6
        if link >= 0 and tangent.touched[link] != 0:
            six = get6(tangent.workspace.jacobian, source * ROW_WIDTH)
            twist = twist_of(placed, tangent.base[link])
            total = dot6(six, twist[0] + twist[1])
            six = get6(tangent.workspace.jacobian, source * ROW_WIDTH + 6)
            twist = twist_of(placed, tangent.moved[link])
            tangent.loop_work.wanted[row] = -total - dot6(six, twist[0] + twist[1])
    for link in range(tangent.count):
        if tangent.base[link] < 0 and tangent.touched[link] != 0:
            add_resistance_of(tangent, tangent.positive, -1.0, tangent.speeds, link)


@routine
def is_touched(tangent: Any) -> bool:
    """Whether forces act between bodies at all."""
    found = 0
    for link in range(tangent.count):
        found += tangent.touched[link]
    return found > 0


@routine
def put_rest(tangent: Any, delta: Any, placed: Any) -> None:
    """What is not factored of the answer to `delta`, the last solution, into the loads."""
    clear_loads(tangent)
    rates, absolute = tangent.tree.rate_count, tangent.workspace.absolute
    for k in range(rates):
        tangent.tree_work.efforts[k] = tangent.left[k] * delta[rates + k]
    if is_touched(tangent):
        for body in range(tangent.tree.body_count):
            found = twist_in_column(
                tangent.tree, tangent.tree_work.rows, absolute, tangent.loop_work.solution, body
            )
            put_twist(placed, body * ABSOLUTE_WIDTH + TWIST, found)
        put_ways(tangent, placed, tangent.speeds)
        add_resistance(tangent, tangent.rest, 1.0, tangent.speeds)
