"""A coupling and a force that the package does not know, in every space, form and stabiliser.

To be run in a process of its own (see test_added_kinds.py): kernels are compiled with the kinds
that are known by then.  Without the compiler, steps take a millisecond, and runs are shorter.
"""

import numba
import numpy as np
import pytest
from attraction import Attraction
from combinations import pairwise
from point_on_cylinder import PointOnCylinder
from scipy.optimize import brentq
from scipy.special import ellipj, ellipk

import chasles as ch
from chasles.compiled.reach import digest_of
from chasles.core.constraints.registry import CONSTRAINTS, add_constraint
from chasles.core.forces.registry import FORCES, add_force
from chasles.core.kinds import chain
from chasles.model.plain import from_plain, to_plain

SPACES = ("SE3", "SO3xR3", "SE3 relative", "SO3xR3 on joints", "auto")
FORMS = ("screw", "space")
STABILISERS = (
    None,
    *(
        f"{word}{extent}"
        for word in ("projection", "baumgarte", "ggl")
        for extent in ("", " of all joints")
    ),
)
RADIUS, SWING, GLIDE, G = 0.8, 1.1, 0.7, 9.81
STRENGTH, PERIAPSIS, ECCENTRICITY = 2.0, 0.5, 0.4
#: Seconds of most runs.
UNTIL = 0.02 if numba.config.DISABLE_JIT else 1.0


def bead_in_pipe(axis=(0, 1, 0), **options):
    """A ball, at rest at an angle but for a glide along a level pipe, that tumbles as it likes."""
    down, along = np.array((0, 0, -1.0)), np.array(axis, float)
    side = np.cross(along, down)
    at = RADIUS * (np.cos(SWING) * down + np.sin(SWING) * side)
    ball = ch.Body.box(
        "ball", (0.1, 0.2, 0.3), mass=1.3, position=at, velocity=GLIDE * along,
        angular_velocity=(1.0, -2.0, 0.5),
    )  # fmt: skip
    pipe = PointOnCylinder("pipe", ch.GROUND, ball, at=(0, 0, 0), axis=axis, at_b=at)
    return ch.Model([ball], [pipe], gravity=(0, 0, -G), **options)


def pendulum_angle(t):
    r"""Released at rest: $\sin(\theta/2) = k\,\mathrm{sn}(K-\omega t)$, $k = \sin(\theta_0/2)$."""
    k = np.sin(SWING / 2)
    return 2 * np.arcsin(k * ellipj(ellipk(k * k) - np.sqrt(G / RADIUS) * t, k * k)[0])


@pytest.mark.parametrize("space, stabilise, form", pairwise(SPACES, STABILISERS, FORMS))
def test_a_bead_in_a_level_pipe_is_a_pendulum_that_glides(space, stabilise, form):
    run = ch.simulate(
        bead_in_pipe(), UNTIL, step=1e-3, spaces=space, stabilise=stabilise, acceleration=form
    )
    theta = pendulum_angle(run.t)
    wanted = np.column_stack((np.sin(theta) * -RADIUS, GLIDE * run.t, -RADIUS * np.cos(theta)))
    assert np.abs(run.position("ball") - wanted).max() < 1e-9
    assert run.violation("pipe").max() < (1e-9 if stabilise is None else 1e-11)
    assert np.ptp(run.energy()) < 1e-9 * np.abs(run.energy()).max()


@pytest.mark.parametrize("space", SPACES)
def test_a_pipe_that_floats_keeps_momentum_and_energy(space):
    pipe = ch.Body.cylinder("tube", radius=RADIUS, length=2.0, mass=5.0, axis="z")
    ball = ch.Body.sphere("ball", 0.1, mass=1.3, position=(RADIUS, 0, 0.2), velocity=(0, 2.0, 1.0))
    joint = PointOnCylinder("wall", pipe, ball, at=(0, 0, 0), axis=(0, 0, 1), at_b=(RADIUS, 0, 0.2))
    run = ch.simulate(
        ch.Model([pipe, ball], [joint], gravity=(0, 0, 0)), UNTIL, step=1e-3, spaces=space
    )
    for history in (run.momentum(), run.angular_momentum(), run.energy()[:, None]):
        assert np.abs(history - history[0]).max() < 1e-9 * np.abs(history).max()
    assert run.violation("wall").max() < 1e-9


def test_an_added_coupling_is_closed_measured_predicted_and_saved():
    model = bead_in_pipe()
    assert to_plain(from_plain(to_plain(model))) == to_plain(model)
    assert "pointoncylinder" in str(ch.designate(model))
    away = ch.State.from_absolute(
        0.0, model, np.concatenate((np.eye(3).ravel(), (0.2, 0, -0.5), np.zeros(6)))[None]
    )
    with pytest.raises(ch.InconsistentStart, match=r"joint 'pipe' is open by 0\.26"):
        ch.simulate(model, 0.1, step=1e-3, start=away)
    run = ch.simulate(model, 0.01, step=1e-3, start=away, close=True)
    assert run.violation("pipe")[0] < 1e-14
    at = run.position("ball")[0]
    assert at[0] * -0.5 - at[2] * 0.2 == pytest.approx(0.0, abs=1e-12)  # the nearest point


def kepler(t):
    """In the plane of the orbit, from the periapsis: Kepler's equation, for a mass of one."""
    axis = PERIAPSIS / (1 - ECCENTRICITY)
    mean = np.sqrt(STRENGTH / axis**3) * t
    e = brentq(lambda e: e - ECCENTRICITY * np.sin(e) - mean, mean - 1, mean + 1, xtol=1e-15)
    return axis * np.array((np.cos(e) - ECCENTRICITY, np.sqrt(1 - ECCENTRICITY**2) * np.sin(e), 0))


def planet(joints=True):
    speed = np.sqrt(STRENGTH * (1 + ECCENTRICITY) / PERIAPSIS)
    body = ch.Body.sphere(
        "planet", 0.01, mass=1.0, position=(PERIAPSIS, 0, 0), velocity=(0, speed, 0)
    )
    held = [ch.Planar("plane", ch.GROUND, body, axis=(0, 0, 1))] if joints else []
    sun = Attraction("sun", ch.GROUND, body, (0, 0, 0), (PERIAPSIS, 0, 0), STRENGTH)
    return ch.Model([body], held, [sun], gravity=(0, 0, 0))


@pytest.mark.parametrize("space, stabilise, form", pairwise(SPACES, STABILISERS, FORMS))
def test_a_planet_moves_as_kepler_says(space, stabilise, form):
    run = ch.simulate(
        planet(), 2.0 * UNTIL, step=1e-3, spaces=space, stabilise=stabilise, acceleration=form
    )
    wanted = np.array([kepler(t) for t in run.t[::40]])
    assert np.abs(run.position("planet")[::40] - wanted).max() < 1e-8
    assert np.ptp(run.energy()) < 1e-9 * np.abs(run.energy()).max()


@pytest.mark.parametrize("space", SPACES)
def test_two_bodies_that_attract_each_other_keep_what_newton_says(space):
    at = ((-0.5, 0, 0), (1.0, 0.2, 0))
    bodies = [
        ch.Body.box("a", (0.1, 0.2, 0.3), mass=2.0, position=at[0], velocity=(0, -0.4, 0.1)),
        ch.Body.box("b", (0.3, 0.1, 0.2), mass=1.0, position=at[1], velocity=(0, 0.8, 0)),
    ]
    arm = (1.0, 0.3, 0.1)  # off the centre of mass of b, so that it turns
    model = ch.Model(bodies, [], [Attraction("pull", *bodies, at[0], arm, 1.5)], gravity=(0, 0, 0))
    assert to_plain(from_plain(to_plain(model))) == to_plain(model)
    run = ch.simulate(model, UNTIL, step=1e-3, spaces=space)
    for history in (run.momentum(), run.angular_momentum(), run.energy()[:, None]):
        assert np.abs(history - history[0]).max() < 1e-9 * np.abs(history).max()


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="no kernel exists without the compiler")
def test_kinds_cannot_be_added_after_a_run():
    ch.simulate(bead_in_pipe(), 10.0, step=1e-3, save_every=1000)
    with pytest.raises(ch.ChaslesError, match="after the first run"):
        add_constraint(CONSTRAINTS[0])
    with pytest.raises(ch.ChaslesError, match="after the first run"):
        add_force(FORCES[0])


def test_machine_code_of_other_kinds_never_runs():
    for table, field in ((CONSTRAINTS, "rows"), (CONSTRAINTS, "residual"), (FORCES, "wrench")):
        known = [getattr(kind, field) for kind in table.table]
        assert digest_of(chain(known)) == digest_of(table.chain(field))
        assert digest_of(chain(known[:-1])) != digest_of(table.chain(field))
