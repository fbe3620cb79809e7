"""A closed loop: the slider-crank, against its textbook formula.

The joints are chosen so that none repeats what the others say: ball, cylinder and slider make the
loop move with one degree of freedom.  The joints of the tree hold to rounding; the one at which
the loop is cut drifts with the order of the method, unless a projection closes it.
"""

import numpy as np

import chasles as ch

r, l = 0.2, 0.6  # noqa: E741 (as in every textbook)
crank = ch.Body.rod("crank", r, mass=1, position=(r / 2, 0, 0), angular_velocity=(0, 0, 10))
coupler = ch.Body.rod("coupler", l, mass=2, position=(r + l / 2, 0, 0))
piston = ch.Body.box("piston", (0.1, 0.05, 0.05), mass=1, position=(r + l, 0, 0))
model = ch.Model(
    [crank, coupler, piston],
    [
        ch.Revolute("bearing", ch.GROUND, crank, at=(0, 0, 0), axis=(0, 0, 1)),
        ch.Spherical("crank pin", crank, coupler, at=(r, 0, 0)),
        ch.Cylindrical("piston pin", coupler, piston, at=(r + l, 0, 0), axis=(0, 0, 1)),
        ch.Prismatic("guide", ch.GROUND, piston, axis=(1, 0, 0)),
    ],
)
assert model.degrees_of_freedom == 1

(cut,) = ch.designate(model).cut
print(f"the loop is cut at the {cut}")
result = ch.simulate(model, until=2.0, step=1e-3)
for joint in model.joint_names:
    gap = result.violation(joint).max()
    print(f"{joint:11} open by {gap:.0e} m")
    assert 1e-12 < gap < 1e-7 if joint == cut else gap < 1e-12

closed = ch.simulate(model, until=2.0, step=1e-3, stabilise="projection")
print(f"{cut:11} open by {closed.violation(cut).max():.0e} m after projection")
assert max(closed.violation(joint).max() for joint in model.joint_names) < 1e-12

turn = result.rotation(crank)
angle = np.arctan2(turn[:, 1, 0], turn[:, 0, 0])
by_hand = r * np.cos(angle) + np.sqrt(l**2 - (r * np.sin(angle)) ** 2)
print(f"the crank turned {np.unwrap(angle)[-1] / (2 * np.pi):.2f} times")
assert np.abs(result.position(piston)[:, 0] - by_hand).max() < 1e-7

energy = result.energy()
assert abs(energy - energy[0]).max() < 1e-7 * energy[0]
