"""A step goes on from its state block and nothing else: a copy of the block is all of a run."""

import pytest
from traced_runs import stepper

import chasles as ch
from chasles.core.outcomes import OK
from chasles.many.ensembles.members import records_of
from chasles.many.traced.record import Opened, plain_step
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
