"""Accelerations that damped rows cannot all have are told, however little they are of a motion."""

import warnings

import numpy as np
import pytest

import chasles as ch

#: Rad and rad/s: two motors 1e-10 rad apart, at most 1e-5 rad/s, which no check of speeds minds;
#: their accelerations differ by some rad/s^2.
TREMOR, FREQUENCY = 1e-10, 1e5


def parallelogram(other):
    """A square linkage, whose two cranks are driven."""
    left = ch.Body.box("left", (0.05, 1, 0.05), mass=1.0, position=(0, 0.5, 0))
    top = ch.Body.box("top", (1, 0.05, 0.05), mass=1.0, position=(0.5, 1, 0))
    right = ch.Body.box("right", (0.05, 1, 0.05), mass=1.0, position=(1, 0.5, 0))
    ends = [(ch.GROUND, left, (0, 0, 0)), (left, top, (0, 1, 0)), (top, right, (1, 1, 0)),
            (ch.GROUND, right, (1, 0, 0))]  # fmt: skip
    hinges = [
        ch.Revolute(f"hinge {k}", a, b, at=at, axis=(0, 0, 1)) for k, (a, b, at) in enumerate(ends)
    ]
    drivers = [ch.Driver("one motor", "hinge 0", np.sin), ch.Driver("other", "hinge 3", other)]
    return ch.Model([left, top, right], hinges, drivers=drivers)


def with_pendulum(model):
    """And a pendulum on a spring, which hangs by a cross without mass."""
    top = model.body("top")
    cross = ch.Body.frame("cross", position=top.position)
    low = np.array(top.position) - (0, 0, 0.3)
    rod = ch.Body.rod("rod", length=0.6, mass=1.0, position=low, axis="z")
    joints = [
        ch.Revolute("first", top, cross, at=top.position, axis=(1, 0, 0)),
        ch.Revolute("second", cross, rod, at=top.position, axis=(0, 1, 0)),
    ]
    spring = ch.Spring("spring", ch.GROUND, rod, (1, 1, 1), low, 10.0)
    more = {"joints": (*model.joints, *joints), "forces": [spring]}
    return ch.Model((*model.bodies, cross, rod), drivers=model.drivers, **more)


def run(other, spaces, and_more=None, **options):
    model = parallelogram(other)
    if and_more is not None:
        model = and_more(model)
    return ch.simulate(model, 3e-5, 1e-6, spaces=spaces, singular="pass", **options)


@pytest.mark.parametrize(
    ("spaces", "options"),
    [
        ("SE3", {"rows": "all"}),
        ("SE3", {}),
        ("subgroups", {}),
        ("subgroups", {"and_more": with_pendulum}),
    ],
)
def test_motors_that_tremble_against_each_other_are_told(spaces, options):
    def trembling(t):
        return np.sin(t) + TREMOR * np.sin(FREQUENCY * t) ** 3

    with pytest.warns(ch.ChaslesWarning, match=r"misses .* % of the acceleration it asks for"):
        result = run(trembling, spaces, **options)
    assert any("of the acceleration" in text for text in result.warnings)


@pytest.mark.parametrize(
    ("spaces", "and_more"), [("SE3", None), ("subgroups", None), ("subgroups", with_pendulum)]
)
def test_motors_that_agree_are_not(spaces, and_more):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run(np.sin, spaces, and_more)
