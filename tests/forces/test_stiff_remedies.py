"""What a run recommends where stiff forces spoil its energy balance."""

import warnings

import pytest

import chasles as ch

STIFF, LOSS = 1e8, 1e3  # N/m, N s/m: 2 kHz, which steps of 1 ms do not resolve


def pair(together: bool) -> ch.Model:
    """Two balls on rails with a stiff spring between them, as a Spring or as a formula of both."""
    balls = [
        ch.Body.sphere(n, 0.05, mass=m, position=(x, 0, 0))
        for n, m, x in (("a", 1, 0), ("b", 2, 1))
    ]
    rails = [ch.Prismatic(f"rail {b.name}", ch.GROUND, b, axis="x") for b in balls]

    def both(t, one, other):
        pull = STIFF * (other[0][0] - one[0][0] - 1.0) + LOSS * (other[2][0] - one[2][0])
        return [((pull, 0, 0), (0, 0, 0)), ((-pull, 0, 0), (0, 0, 0))]

    force = ch.CustomForce("tie", balls, both)
    spring = ch.Spring("tie", "a", "b", at=(0, 0, 0), at_b=(1, 0, 0), stiffness=STIFF, damping=LOSS)
    return ch.Model(balls, rails, [force if together else spring], gravity=(0, 0, 0))


@pytest.mark.parametrize(
    ("together", "method", "step", "said"),
    [
        (False, "rk4", 2.5e-4, "take method='linearly-implicit'"),
        (True, "rk4", 2.5e-4, "take method='generalized-alpha'"),
        (False, "generalized-alpha", 1e-3, "slow motion may then be right"),
        (True, "bliedf3", 1e-3, "slow motion may then be right"),
    ],
)
def test_the_remedy_is_one_that_the_force_and_the_method_allow(together, method, step, said):
    start = {"rail a": (0.0, 1.0), "rail b": (0.0, 0.0)}
    with warnings.catch_warnings(record=True):
        warnings.simplefilter("always")
        run = ch.simulate(pair(together), until=0.02, step=step, method=method, start=start)
    (text,) = [text for text in run.warnings if "energy balance misses" in text]
    assert said in text and ("linearly-implicit" in text) == ("linearly-implicit" in said)


@pytest.mark.parametrize("together", [False, True])
def test_the_slow_motion_is_right_where_the_vibration_is_damped(together):
    """The balls end with the velocity of their centre of mass, 1/3 m/s."""
    start = {"rail a": (0.0, 1.0), "rail b": (0.0, 0.0)}
    with pytest.warns(UserWarning, match="slow motion may then be right"):
        run = ch.simulate(pair(together), until=0.05, step=1e-3, method="bliedf3", start=start)
    ends = [run.coordinate_rate(f"rail {name}")[-1] for name in "ab"]
    assert ends == pytest.approx([1 / 3, 1 / 3], abs=1e-9)


def test_a_formula_of_several_bodies_is_named_where_linearly_implicit_steps_fail():
    start = {"rail a": (0.0, 1.0), "rail b": (0.0, 0.0)}
    with warnings.catch_warnings(record=True):
        warnings.simplefilter("always")
        run = ch.simulate(
            pair(True), until=0.02, step=1e-3, method="linearly-implicit", start=start
        )
    (text,) = [text for text in run.warnings if "half as long" in text]
    assert "'tie', a formula of several bodies, gives way to 'a' only" in text
    assert "generalized-alpha" in text
