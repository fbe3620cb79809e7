"""Projection closes what drifts, whatever the joint, and says so where it cannot."""

import numpy as np
import pytest

import chasles as ch

CORNERS = np.array([(0, 0, 0), (0.3, 0.1, 0.9), (1.1, 0.4, 1.0), (1.6, -0.2, 0.3)])


def loop(kind: str, seed: int = 0) -> ch.Model:
    """Ground, three bodies and ground again: spherical, cylindrical, spherical, and `kind`."""
    rng = np.random.default_rng(seed)
    bodies = [
        ch.Body.box(
            f"b{k}", (0.5, 0.2, 0.1), mass=1.0 + k, position=(CORNERS[k] + CORNERS[k + 1]) / 2
        )
        for k in range(3)
    ]
    axes = rng.normal(size=(4, 3))
    last = {
        "spherical": lambda: ch.Spherical("last", bodies[2], ch.GROUND, CORNERS[3]),
        "revolute": lambda: ch.Revolute("last", bodies[2], ch.GROUND, CORNERS[3], axes[3]),
        "prismatic": lambda: ch.Prismatic(
            "last", bodies[2], ch.GROUND, at=CORNERS[3], axis=axes[3]
        ),
        "cylindrical": lambda: ch.Cylindrical("last", bodies[2], ch.GROUND, CORNERS[3], axes[3]),
        "helical": lambda: ch.Helical("last", bodies[2], ch.GROUND, CORNERS[3], axes[3], pitch=0.1),
        "planar": lambda: ch.Planar("last", bodies[2], ch.GROUND, at=CORNERS[3], axis=axes[3]),
    }[kind]()
    joints = [
        ch.Spherical("first", ch.GROUND, bodies[0], CORNERS[0]),
        ch.Cylindrical("second", bodies[0], bodies[1], CORNERS[1], axes[1]),
        ch.Spherical("third", bodies[1], bodies[2], CORNERS[2]),
        last,
    ]
    return ch.Model(bodies, joints)


@pytest.mark.parametrize("form", ["screw", "space"])
@pytest.mark.parametrize(
    "kind", ["spherical", "revolute", "prismatic", "cylindrical", "helical", "planar"]
)
def test_every_pair_is_closed_as_the_cut_joint_of_a_loop(kind, form):
    charts = dict.fromkeys(loop(kind).body_names, "framed") if form == "space" else None
    spaces = ch.designate(loop(kind), charts, cut=("last",)).spaces
    result = ch.simulate(
        loop(kind), until=0.6, step=1e-3, spaces=spaces, acceleration=form, stabilise="projection"
    )
    assert "last" in result.provenance["stabilised"]
    for joint in result.model.joint_names:
        assert result.violation(joint).max() < 1e-12
        assert result.violation(joint, "rotation").max() < 1e-12


@pytest.mark.parametrize("method, step", [("euler", 1e-3), ("midpoint", 5e-3), ("heun", 5e-3)])
def test_rough_steps_are_corrected_until_the_joints_are_closed(method, step):
    model = loop("spherical")
    result = ch.simulate(model, until=0.3, step=step, method=method, stabilise="projection")
    assert max(result.violation(j).max() for j in model.joint_names) < 2e-12


def test_a_step_too_rough_to_close_stops_the_run_and_names_the_joints():
    with pytest.raises(ch.SimulationStopped) as caught:
        ch.simulate(loop("spherical"), until=3.0, step=0.15, method="euler", stabilise="projection")
    assert "joint" in str(caught.value) or "body" in str(caught.value)
    assert caught.value.result.t[-1] < 3.0
