r"""A configuration space is a chart: how stored pose and velocity relate to the absolute ones.

A space is (group, frame point p, reference body).  The chart holds the pose of the body's frame
point relative to the reference body, $(Q, \rho)$ with

$$ R = R_{ref} Q, \qquad r + R\,p = r_{ref} + R_{ref}\,\rho, $$

and the left-trivialised velocity $U = (w, u)$ of that pose in the chosen group:
$w = (Q^T\dot Q)^\vee$ on both, $u = Q^T\dot\rho$ on SE(3), $u = \dot\rho$ on SO(3)xR3.
For SE(3) the frame point does not matter and is the centre of mass, p = 0.
Absolute twists V = (omega, v) are body-fixed at the centre of mass.
"""

from typing import Any

from chasles.compiled import formula
from chasles.core.arrays import SE3_CODE
from chasles.groups.vectors import add, cross, matmul, matvec, sub, tmatvec


@formula
def chart_pose(relative: Any, rho: Any, point: Any, reference: Any) -> Any:
    r"""$R = R_{ref} Q$ and $r = r_{ref} + R_{ref}\rho - R p$; `reference` is (R_ref, r_ref)."""
    reference_rotation, reference_position = reference
    rotation = matmul(reference_rotation, relative)
    frame_point = add(reference_position, matvec(reference_rotation, rho))
    return rotation, sub(frame_point, matvec(rotation, point))


@formula
def grounded_pose(relative: Any, rho: Any, point: Any) -> Any:
    """The pose of a body whose reference is the ground."""
    return relative, sub(rho, matvec(relative, point))


@formula
def chart_twist(
    group: int, velocity: Any, relative: Any, rho: Any, point: Any, reference_twist: Any
) -> Any:
    r"""The body twist at the centre of mass from the chart's velocity U = (w, u).

    $$\omega = w + Q^T\omega_{ref}, \qquad
      v + \omega\times p = Q^T\dot\rho + Q^T(v_{ref} + \omega_{ref}\times\rho)$$
    """
    w, u = velocity
    reference_omega, reference_v = reference_twist
    carried = add(reference_v, cross(reference_omega, rho))
    omega = add(w, tmatvec(relative, reference_omega))
    if group == SE3_CODE:
        point_velocity = add(u, tmatvec(relative, carried))
    else:
        point_velocity = tmatvec(relative, add(u, carried))
    return omega, sub(point_velocity, cross(omega, point))


@formula
def grounded_twist(group: int, velocity: Any, relative: Any, point: Any) -> Any:
    """`chart_twist` for a body whose reference is the ground."""
    w, u = velocity
    if group == SE3_CODE:
        return velocity
    return w, sub(tmatvec(relative, u), cross(w, point))


@formula
def chart_velocity(
    group: int, twist: Any, relative: Any, rho: Any, point: Any, reference_twist: Any
) -> Any:
    """The chart's velocity U from the body twist: the inverse of `chart_twist`."""
    omega, v = twist
    reference_omega, reference_v = reference_twist
    w = sub(omega, tmatvec(relative, reference_omega))
    point_velocity = add(v, cross(omega, point))
    carried = add(reference_v, cross(reference_omega, rho))
    if group == SE3_CODE:
        return w, sub(point_velocity, tmatvec(relative, carried))
    return w, sub(matvec(relative, point_velocity), carried)


@formula
def chart_acceleration(
    group: int,
    velocity: Any,
    twist: Any,
    twist_rate: Any,
    relative: Any,
    rho: Any,
    point: Any,
    reference_twist: Any,
    reference_rate: Any,
) -> Any:
    r"""$\dot U$ from the body accelerations: the time derivative of `chart_velocity`.

    With $y = v + \omega\times p$, $c = v_{ref} + \omega_{ref}\times\rho$ and
    $\dot Q^T = -\hat w Q^T$:
    $\dot w = \dot\omega - Q^T\dot\omega_{ref} + w\times Q^T\omega_{ref}$;
    SE(3): $\dot u = \dot y - Q^T\dot c + w\times Q^T c$;
    SO(3)xR3: $\dot u = Q(\dot y + w\times y) - \dot c$.
    """
    w, u = velocity
    omega, v = twist
    omega_rate, v_rate = twist_rate
    reference_omega, reference_v = reference_twist
    reference_omega_rate, reference_v_rate = reference_rate
    w_rate = add(
        sub(omega_rate, tmatvec(relative, reference_omega_rate)),
        cross(w, tmatvec(relative, reference_omega)),
    )
    y_rate = add(v_rate, cross(omega_rate, point))
    rho_rate = matvec(relative, u) if group == SE3_CODE else u
    carried = add(reference_v, cross(reference_omega, rho))
    carried_rate = add(
        reference_v_rate, add(cross(reference_omega_rate, rho), cross(reference_omega, rho_rate))
    )
    if group == SE3_CODE:
        u_rate = add(
            sub(y_rate, tmatvec(relative, carried_rate)), cross(w, tmatvec(relative, carried))
        )
    else:
        y = add(v, cross(omega, point))
        u_rate = sub(matvec(relative, add(y_rate, cross(w, y))), carried_rate)
    return w_rate, u_rate


@formula
def grounded_acceleration(
    group: int, twist: Any, twist_rate: Any, relative: Any, point: Any
) -> Any:
    r"""`chart_acceleration` for the ground: $\dot V$ on SE(3), else $Q(\dot y+\omega\times y)$."""
    omega, v = twist
    omega_rate, v_rate = twist_rate
    if group == SE3_CODE:
        return twist_rate
    y = add(v, cross(omega, point))
    y_rate = add(v_rate, cross(omega_rate, point))
    return omega_rate, matvec(relative, add(y_rate, cross(omega, y)))
