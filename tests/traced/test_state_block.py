"""A step goes on from its state block and nothing else: a copy of the block is all of a run."""

import numpy as np
import pytest
from traced_runs import stepper

import chasles as ch
from chasles.core.outcomes import OK
from chasles.many.ensembles.members import records_of
from chasles.many.traced.record import Opened, own_leaves, plain_step
from chasles.scalars.traced import Tape

STEP = 1e-3
#: One of every kind.
METHODS = (
    "rk4", "cg4", "gauss4", "rattlie", "half-explicit", "linearly-implicit", "bliedf2",
    "generalized-alpha", "generalized-alpha index 2",
)  # fmt: skip
#: Redundant rows of which some are chosen; loops of several joints; rolling.
LIBRARY = ("bennett", "A04", "rolling-disc-upright")
NO_ROLLING = ("rattlie", "half-explicit")


def held_ball():
    """A spring, a ball joint with a rotor and contact, none of them along a coordinate."""
    ball = ch.Body.sphere("ball", radius=0.1, mass=1.0, position=(0, 0, 0.099))
    rod = ch.Body.rod("rod", length=1.0, mass=1.0, position=(1.5, 0, 1.0))
    joint = ch.Spherical("joint", ch.GROUND, rod, at=(1.0, 0, 1.0), armature=0.1)
    spring = ch.Spring("spring", ball, rod, (0, 0, 0), (0.5, 0, 0), 400.0, 3.0)
    floor = ch.Contact("floor", ch.GROUND, ball, at=(0, 0, 0), stiffness=1e4)
    return ch.Model([ball, rod], [joint], [spring, floor])


def beside_the_block(model, **options):
    made = stepper(model, step=STEP, **options)
    opened = Opened(records_of(made), Tape())
    block, times = made.first_block().tolist(), (0.0, STEP)
    assert plain_step(opened.records, block, times, STEP)[1] == OK
    return opened.survivors()


@pytest.mark.parametrize("spaces", ["auto", "SE3"])
@pytest.mark.parametrize("method", METHODS)
def test_a_step_reads_nothing_that_an_earlier_one_wrote(method, spaces):
    for name in LIBRARY[: 2 if method in NO_ROLLING else 3]:
        model = ch.library.get(name).model()
        assert beside_the_block(model, method=method, spaces=spaces) == []


@pytest.mark.parametrize("method", METHODS)
def test_neither_does_one_with_forces_between_bodies(method):
    assert beside_the_block(held_ball(), method=method) == []


@pytest.mark.parametrize("stabilise", ["projection", "baumgarte"])
@pytest.mark.parametrize("spaces", ["SE3", "SO3xR3"])
def test_neither_does_one_that_stabilises(spaces, stabilise):
    for name in LIBRARY:
        model = ch.library.get(name).model()
        assert beside_the_block(model, spaces=spaces, stabilise=stabilise) == []


def coupled_arms():
    """Two arms whose angles a coupling ties."""
    arms = [ch.Body.rod(name, length=1.0, mass=1.0, position=(0.5, y, 0))
            for name, y in (("one", 0.0), ("other", 1.0))]  # fmt: skip
    joints = [ch.Revolute(f"{arm.name}'s", ch.GROUND, arm, (0, arm.position[1], 0), (0, 0, 1))
              for arm in arms]  # fmt: skip
    tie = ch.Coupling("tie", [(joints[0], "angle", 1.0), (joints[1], "angle", -2.0)])
    return ch.Model(arms, joints, drivers=[tie], gravity=(0, -9.81, 0))


@pytest.mark.parametrize("stabilise", ["projection", "baumgarte", "ggl"])
def test_neither_does_one_that_feeds_back_what_couplings_miss(stabilise):
    options = {"spaces": "SE3", "rows": "all", "stabilise": stabilise}
    assert beside_the_block(coupled_arms(), **options) == []


@pytest.mark.parametrize("stabilise", ["baumgarte", "ggl"])
def test_coupled_arms_that_start_many_turns_on_move_like_others(stabilise):
    options = {"start": {"one's": 20.0}, "spaces": "SE3", "rows": "all"}
    runs = [ch.simulate(coupled_arms(), 0.2, STEP, stabilise=word, **options)
            for word in (None, stabilise)]  # fmt: skip
    for name in ("one's", "other's"):
        one, other = (run.coordinate(name) for run in runs)
        assert one == pytest.approx(other, abs=1e-12)


def leaving_balls():
    """Two balls that touch and fly apart, one of them on a joint."""
    balls = [ch.Body.sphere(name, radius=0.1, mass=1.0, position=(0, 0, z), velocity=(0, 0, v))
             for name, z, v in (("low", 0.0, 0.0), ("high", 0.199, 2.0))]  # fmt: skip
    joint = ch.Spherical("joint", ch.GROUND, balls[0], at=(0, 0, -0.3))
    touch = ch.Contact("touch", *balls, radius=0.1, stiffness=1e3)
    return ch.Model(balls, [joint], [touch])


def stepped(made, block, first, steps):
    out, spare = block.copy(), np.zeros_like(block)
    grid = (0.0, STEP, first, first + steps, first + steps)
    assert made.advance(out, spare, grid, steps + 1, 1, np.zeros((1, 1)))[1] == OK
    return out


@pytest.mark.parametrize("method", METHODS)
def test_numbers_that_were_not_finite_leave_no_trace(method):
    made, fresh = (stepper(leaving_balls(), "SE3", method, STEP, rows="all") for _ in range(2))
    apart = stepped(made, made.first_block(), 0, 20)
    own, new = (own_leaves(records_of(one)) for one in (made, fresh))
    for path, array in own.items():
        if isinstance(array, np.ndarray) and array.dtype == float:
            array[array != new[path]] = np.nan
    assert stepped(made, apart, 20, 1).tobytes() == stepped(fresh, apart, 20, 1).tobytes()
