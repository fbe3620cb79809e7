"""A planar four-bar linkage with four hinges: three of its 20 constraint rows say nothing new.

It simply runs.  The motion is unique and is found; of the reactions, which are not unique, the
shortest multipliers are taken, and the result says which rows repeat others.
"""

import numpy as np

import chasles as ch

A, B, C, D = (0, 0, 0), (0, 0, 0.2), (0.5, 0, 0.4), (0.5, 0, 0)


def bar(name, p, q, **start):
    """A rod from p to q, its x axis along them."""
    x = np.subtract(q, p) / np.linalg.norm(np.subtract(q, p))
    frame = np.column_stack((x, (0, 1, 0), np.cross(x, (0, 1, 0))))
    length = float(np.linalg.norm(np.subtract(q, p)))
    return ch.Body.rod(
        name, length, mass=2 * length, position=np.add(p, q) / 2, rotation=frame, **start
    )


crank = bar("crank", A, B, angular_velocity=(0, 8, 0))
model = ch.Model(
    [crank, bar("coupler", B, C), bar("rocker", C, D)],
    [
        ch.Revolute("A", ch.GROUND, "crank", at=A, axis=(0, 1, 0)),
        ch.Revolute("B", "crank", "coupler", at=B, axis=(0, 1, 0)),
        ch.Revolute("C", "coupler", "rocker", at=C, axis=(0, 1, 0)),
        ch.Revolute("D", ch.GROUND, "rocker", at=D, axis=(0, 1, 0)),
    ],
)
result = ch.simulate(model, until=2.0, step=1e-3, stabilise="projection")
print(result.redundancy)
assert result.redundancy.rows - result.redundancy.rank == 3

gap = max(result.violation(joint).max() for joint in model.joint_names)
aside = max(abs(result.position(body)[:, 1]).max() for body in model.body_names)
balance = abs(result.energy_balance()).max() / result.kinetic_energy()[0]
print(f"joints open by {gap:.0e} m, {aside:.0e} m out of the plane, energy off by {balance:.0e}")
assert gap < 1e-9 and aside < 1e-12 and balance < 1e-6

# The same linkage without redundancy moves the same.
crank_hinge, *_, rocker_hinge = model.joints
lean = ch.Model(
    model.bodies,
    [
        crank_hinge,
        ch.Cylindrical("B", "crank", "coupler", at=B, axis=(0, 1, 0)),
        ch.Spherical("C", "coupler", "rocker", at=C),
        rocker_hinge,
    ],
)
other = ch.simulate(lean, until=2.0, step=1e-3, stabilise="projection")
assert other.redundancy is None
apart = abs(result.position("rocker") - other.position("rocker")).max()
print(f"the two linkages are at most {apart:.0e} m apart")
assert apart < 1e-8

try:
    ch.simulate(model, until=2.0, step=1e-3, redundant="refuse")
except ch.RedundantConstraints as error:
    print(error)
else:
    raise AssertionError("redundant joints were not refused")
