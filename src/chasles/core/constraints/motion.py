"""What the rows of all kinds are made of: the motion of a joint's frames, and how to write one."""

from typing import Any

from chasles.compiled import formula
from chasles.core.arrays import ROW_WIDTH, SCREW_FORM, mat9, put3, put_twist, vec3
from chasles.core.assemble import point_velocity, pose_of, twist_of
from chasles.core.rows import space_eta_rotation, space_row_of_body
from chasles.groups.vectors import ZERO, matmul, matvec, neg, tmatvec


@formula
def put_row(jacobian: Any, eta: Any, row: int, row_a: Any, row_b: Any, value: Any) -> int:
    """Write one row: columns 0..5 for body a, 6..11 for body b; returns the next row."""
    put_twist(jacobian, row * ROW_WIDTH, row_a)
    put_twist(jacobian, row * ROW_WIDTH + 6, row_b)
    eta[row] = value
    return row + 1


@formula
def negated(row: Any) -> Any:
    return neg(row[0]), neg(row[1])


@formula
def put_space_row(
    jacobian: Any, eta: Any, row: int, alpha: Any, beta: Any, poses: Any, levers: Any, value: Any
) -> int:
    r"""A row $\alpha\cdot(\omega_b - \omega_a) + \beta\cdot(\dot x_b - \dot x_a)$; the next row."""
    on_a = negated(space_row_of_body(alpha, beta, poses[0][0], levers[0]))
    on_b = space_row_of_body(alpha, beta, poses[1][0], levers[1])
    return put_row(jacobian, eta, row, on_a, on_b, value)


@formula
def joint_motion(system: Any, joint: int, absolute: Any) -> Any:
    """What rows are made of: poses, joint axes in the world, angular and point velocities."""
    a, b = system.joints.a[joint], system.joints.b[joint]
    poses = (pose_of(absolute, a), pose_of(absolute, b))
    twists = (twist_of(absolute, a), twist_of(absolute, b))
    axes = (
        matmul(poses[0][0], mat9(system.joints.axes_a, 9 * joint)),
        matmul(poses[1][0], mat9(system.joints.axes_b, 9 * joint)),
    )
    omegas = (matvec(poses[0][0], twists[0][0]), matvec(poses[1][0], twists[1][0]))
    points = (vec3(system.joints.point_a, 3 * joint), vec3(system.joints.point_b, 3 * joint))
    velocities = (
        point_velocity(poses[0], twists[0], points[0]),
        point_velocity(poses[1], twists[1], points[1]),
    )
    return poses, twists, axes, omegas, points, velocities


@formula
def put_turning_row(
    jacobian: Any, eta: Any, row: int, poses: Any, omegas: Any, product: Any
) -> int:
    r"""A row $\alpha\cdot(\omega_b - \omega_a) = 0$.

    `product` is alpha and its rate, of a g that is made of products of axes (see `axis_product`).
    """
    alpha, rate = product
    value = space_eta_rotation(rate, omegas[0], omegas[1])
    return put_space_row(jacobian, eta, row, alpha, ZERO, poses, (ZERO, ZERO), value)


@formula
def put_point_residual(system: Any, joint: int, turn: Any, shift: Any, row: int, out: Any) -> None:
    """-g of a common point, into three rows, along the axes the form resolves it in."""
    open_by = tmatvec(turn, shift)
    if system.form != SCREW_FORM:
        open_by = matvec(mat9(system.joints.axes_b, 9 * joint), open_by)
    put3(out, row, neg(open_by))
