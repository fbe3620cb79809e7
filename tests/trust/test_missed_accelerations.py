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


def run(other, spaces, **options):
    return ch.simulate(parallelogram(other), 3e-5, 1e-6, spaces=spaces, singular="pass", **options)


@pytest.mark.parametrize(
    ("spaces", "options"), [("SE3", {"rows": "all"}), ("SE3", {}), ("subgroups", {})]
)
def test_motors_that_tremble_against_each_other_are_told(spaces, options):
    def trembling(t):
        return np.sin(t) + TREMOR * np.sin(FREQUENCY * t) ** 3

    with pytest.warns(ch.ChaslesWarning, match=r"misses .* % of the acceleration it asks for"):
        result = run(trembling, spaces, **options)
    assert any("of the acceleration" in text for text in result.warnings)


@pytest.mark.parametrize("spaces", ["SE3", "subgroups"])
def test_motors_that_agree_are_not(spaces):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run(np.sin, spaces)
