"""Stiff springs beside couplings and bodies without mass: Newton's whole matrix knows both.

A spring of 1e9 N/m and more is as good as a rigid connection: what it holds together moves as one
body, which has a closed form, or a run of a model without the spring.
"""

import numpy as np
import pytest

import chasles as ch

METHODS = ("generalized-alpha", "generalized-alpha index 2", "bliedf2", "bliedf3")
STIFF = 1e10


def formula(near, far):
    return near[1][0] - 0.5 * far[1][0]


def sliders_and_a_load(tie):
    """A slider, a second one at twice its speed, and a load on a stiff spring on the first."""
    near, far, load = (
        ch.Body.box(name, (0.2, 0.2, 0.2), mass=1.0 + k, position=(0, k, 0))
        for k, name in enumerate(("near", "far", "load"))
    )
    rails = [
        ch.Prismatic(f"{body.name} rail", ch.GROUND, body, axis="x") for body in (near, far, load)
    ]
    spring = ch.Spring("spring", near, load, (0, 0, 0), (0, 2, 0), STIFF)
    bushing = ch.Bushing("pad", near, load, (0, 0, 0), (STIFF, 0, 0, 0, 0, 0))
    return ch.Model(
        [near, far, load], [*rails, tie],
        [spring, bushing, ch.Load("pull", "load", force=(6.0, 0, 0))],
    )  # fmt: skip


TIES = {
    "coordinates": ch.Coupling("tie", {"near rail": 1, "far rail": -0.5}),
    "a formula": ch.CustomCoupling("tie", ["near", "far"], formula),
}


@pytest.mark.parametrize("tie", TIES)
@pytest.mark.parametrize("method", METHODS)
def test_a_coupling_carries_what_a_stiff_spring_pulls(method, tie):
    """6 N move 1 + 3 kg by 0.5 m/s^2, and 2 kg by twice as much, which takes half of the effort.

    Methods of order two are off by less than the square of the step.
    """
    run = ch.simulate(sliders_and_a_load(TIES[tie]), 1.0, 0.01, method=method)
    assert run.status == "finished"
    assert run.position("far")[-1, 0] == pytest.approx(0.5, abs=0.01**2)
    assert abs(run.effort("tie")[-1]) == pytest.approx(4.0, rel=1e-6)


def cross(load):
    """A rod on a cross without mass, with a load that slides along it, or is welded to it."""
    frame = ch.Body("cross", mass=0.0, inertia=(0, 0, 0))
    rod = ch.Body.rod("rod", length=1.0, mass=1.0, position=(0.5, 0, 0))
    bob = ch.Body.sphere("bob", 0.05, mass=0.5, position=(0.9, 0, 0))
    joints = [
        ch.Revolute("yaw", ch.GROUND, frame, (0, 0, 0), "z"),
        ch.Revolute("pitch", frame, rod, (0, 0, 0), "y"),
    ]
    if load == "welded":
        return ch.Model([frame, rod, bob], [*joints, ch.Fixed("weld", rod, bob)])
    joints.append(ch.Prismatic("slide", rod, bob, (0.9, 0, 0), "x"))
    if load == "joint spring":
        force = ch.JointSpring("spring", "slide", STIFF, 0.0)
    else:
        force = ch.Bushing("spring", rod, bob, (0.9, 0, 0), (STIFF, STIFF, STIFF, 0, 0, 0))
    return ch.Model([frame, rod, bob], joints, [force])


SPUN = {"yaw": (0.0, 2.0), "pitch": (0.3, 1.0)}


@pytest.mark.parametrize("load", ["joint spring", "bushing"])
@pytest.mark.parametrize("method", METHODS)
def test_a_frame_without_mass_carries_what_a_stiff_spring_holds(method, load):
    exact = ch.simulate(cross("welded"), 1.0, 1e-3, method="dop853", start=SPUN)
    wrong = []
    for step in (5e-3, 2.5e-3):
        run = ch.simulate(cross(load), 1.0, step, method=method, start=SPUN)
        assert run.status == "finished"
        wrong.append(np.abs(run.position("bob")[-1] - exact.position("bob")[-1]).max())
    assert wrong[1] < 3e-4
    assert wrong[1] < 0.4 * wrong[0]


@pytest.mark.parametrize("method", ["generalized-alpha", "bliedf2"])
def test_stiff_springs_beside_rows_that_repeat_others(method):
    """The same with a second coupling, and a second rail, which say nothing new."""
    model = sliders_and_a_load(TIES["coordinates"])
    near = model.bodies[0]
    again = [
        ch.Coupling("tie again", {"near rail": 2, "far rail": -1}),
        ch.Prismatic("rail again", ch.GROUND, near, axis="x"),
    ]
    model = ch.Model(model.bodies, [*model.joints, *model.couplings, *again], model.forces)
    run = ch.simulate(model, 1.0, 0.01, method=method)
    assert run.status == "finished"
    assert run.position("far")[-1, 0] == pytest.approx(0.5, abs=0.01**2)


@pytest.mark.parametrize("kind", ["spring", "bushing"])
@pytest.mark.parametrize("rho", [0.9, 0.8, 0.0])
def test_a_stretched_spring_that_no_step_resolves(rho, kind):
    """omega h = 1e5, and 1 m to go: the first iterate of Newton's method is 5e9 m away.

    The same force on the coordinate of the rail, whose matrix is exact, gives the same steps.
    """
    step, size = 1e-3, (1e5 / 1e-3) ** 2
    bob = ch.Body.box("bob", (0.2, 0.2, 0.2), mass=1.0)
    rail = ch.Prismatic("rail", ch.GROUND, bob, axis="x")
    if kind == "spring":
        at = ((-20, 0, 0), (0, 0, 0))
        force = [ch.Spring("spring", ch.GROUND, bob, *at, size, rest_length=19.0)]
    else:
        force = [ch.Bushing("spring", ch.GROUND, bob, (0, 0, 0), (size, 0, 0, 0, 0, 0))]
        force.append(ch.Load("pull", bob, force=(-size, 0, 0)))
    model = ch.Model([bob], [rail], force, gravity=(0, 0, 0))
    same = ch.Model([bob], [rail], [ch.JointSpring("spring", "rail", size, 0.0, rest=-1.0)])
    method = ch.generalized_alpha(rho)
    run = ch.simulate(model, 0.05, step, method=method)
    exact = ch.simulate(same, 0.05, step, method=method)
    assert run.status == "finished"
    found, wanted = run.coordinate("rail"), exact.coordinate("rail")
    if kind == "spring":  # the equations of a step have a root on the other side of its end, too
        found, wanted = np.abs(np.abs(found + 20.0) - 19.0), np.abs(wanted + 1.0)
    np.testing.assert_allclose(found, wanted, atol=1e-4)
