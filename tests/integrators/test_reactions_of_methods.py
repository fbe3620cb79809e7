"""Reactions that follow from positions and velocities have the order of these with every method;
RATTLie's own multipliers have order 2.
"""

from functools import cache

import numpy as np
import pytest
from combinations import pairwise
from mechanisms import double_pendulum, heavy_top, three_bar
from runs import driven_chain, slope

import chasles as ch

#: Method, and numbers of steps at which the error is that of the leading term.
METHODS = {
    "gauss2": (181, 256, 362),
    "gauss4": (91, 128, 181),
    "rattlie": (181, 256, 362),
    "rattlie4": (91, 128, 181),
    "half-explicit": (181, 256, 362),
    "linearly-implicit": (362, 512, 724),
}
MECHANISMS = {
    "pendulum": (double_pendulum, "elbow", 0.06),
    "three-bar": (three_bar, "middle", 0.12),
}


def reaction(make, joint, until, steps, **options):
    """Force and torque of a joint at the end."""
    run = ch.simulate(make(), until, step=until / steps, save_every=steps, **options)
    felt = run.reaction(joint, by="motion")
    return np.append(felt.force[-1], felt.torque[-1])


@cache
def exact_reaction(mechanism):
    return reaction(*MECHANISMS[mechanism], 1000, method="dop853", spaces="subgroups")


@pytest.mark.parametrize(
    "method, space, mechanism", pairwise(METHODS, ["SE3", "SO3xR3"], MECHANISMS)
)
def test_reactions_have_the_order_of_the_method(method, space, mechanism):
    errors = [
        np.linalg.norm(
            reaction(*MECHANISMS[mechanism], n, method=method, spaces=space)
            - exact_reaction(mechanism)
        )
        for n in METHODS[method]
    ]
    assert slope(METHODS[method], errors) == pytest.approx(ch.methods()[method].order, abs=0.1)


#: Model, joint, seconds, and numbers of steps.
OWN = {
    "top": (heavy_top, "pivot", 0.06, (96, 128, 192)),
    "pendulum": (double_pendulum, "elbow", 0.06, (128, 192, 256)),
    "three-bar": (three_bar, "middle", 0.12, (96, 128, 192)),
    "driven": (driven_chain, "joint 0", 0.4, (256, 384, 512)),
}


def own_reactions(make, joint, until, steps, **options):
    """Force and torque of a joint at the first step, and at eight times."""
    found = []
    for end, every in ((until / steps, 1), (until, steps // 8)):
        run = ch.simulate(make(), end, step=until / steps, save_every=every, **options)
        felt = run.reaction(joint)
        found.append(np.hstack([felt.force, felt.torque])[1:])
    return found


@cache
def exact_reactions(mechanism, steps):
    make, joint, until, _ = OWN[mechanism]
    return own_reactions(make, joint, until, steps, method="dop853", spaces="subgroups")


@pytest.mark.parametrize(
    "method, space, mechanism",
    pairwise(["rattlie", "rattlie4"], ["SE3", "SO3xR3", "subgroups"], OWN),
)
def test_the_multipliers_of_rattlie_have_order_two_from_the_first_step_on(method, space, mechanism):
    make, joint, until, counts = OWN[mechanism]
    errors = []
    for n in counts:
        ours = own_reactions(make, joint, until, n, method=method, spaces=space)
        pairs = zip(ours, exact_reactions(mechanism, n))
        errors.append([np.linalg.norm(a - b) for a, b in pairs])
    at_first, later = np.transpose(errors)
    assert slope(counts, at_first) > 1.9
    assert slope(counts, later) > 1.9  # more where a joint is a pair: it has no multipliers


def test_a_resting_rod_is_held_by_half_its_weight_at_either_end():
    """The multipliers of RATTLie are forces: N, with signs, as long as nothing moves."""
    rod = ch.Body.rod("rod", mass=4.0, between=((0, 0, 0), (1, 0, 0)))
    joints = [
        ch.Spherical("left", ch.GROUND, rod, at=(0, 0, 0)),
        ch.Spherical("right", ch.GROUND, rod, at=(1, 0, 0)),
    ]
    run = ch.simulate(ch.Model([rod], joints), 0.05, step=1e-3, method="rattlie")
    for joint in ("left", "right"):
        np.testing.assert_allclose(run.reaction(joint).force[:, 2], 2.0 * 9.81, rtol=1e-9)
    assert run.warnings == ()


@pytest.mark.parametrize("method", ["rattlie", "rattlie4"])
@pytest.mark.parametrize("space", ["SE3", "SO3xR3"])
def test_redundant_loops_that_move_well_are_not_warned_of(space, method):
    """A planar four-bar of hinges (20 rows of rank 17): rows repeat, and do not contradict."""
    points = [(0, 0, 0), (0, 0.4, 0), (1.0, 0.8, 0), (1.2, 0, 0)]
    links = [
        ch.Body.rod(f"l{k}", mass=1.0 + k, radius=0.02, between=points[k : k + 2]) for k in range(3)
    ]
    ends = [ch.GROUND, *links, ch.GROUND]
    joints = [ch.Revolute(f"h{k}", ends[k], ends[k + 1], points[k], (0, 0, 1)) for k in range(4)]
    model = ch.Model(links, joints, gravity=(0, -9.81, 0))
    run = ch.simulate(model, 0.3, step=1e-3, method=method, spaces=space)
    assert run.warnings == ()
    exact = ch.simulate(model, 0.3, step=1e-3, spaces="subgroups")
    np.testing.assert_allclose(run.position("l1")[-1], exact.position("l1")[-1], atol=1e-5)
