"""Runs to look at."""

import pytest
from viewed import top_model

import chasles as ch


@pytest.fixture(scope="session")
def top_runs() -> dict[str, ch.Result]:
    """The same top in three spaces."""
    model = top_model()
    return {
        spaces: ch.simulate(model, until=0.5, step=1e-3, spaces=spaces)
        for spaces in ("SE3", "SO3xR3", "auto")
    }


@pytest.fixture(scope="session")
def swing() -> ch.Result:
    """A pendulum on a hinge with a spring, a load and a body without a shape."""
    arm = ch.Body.rod("arm", 1.0, mass=2.0, position=(0.5, 0, 0))
    bob = ch.Body("</script>bob & co", 1.0, (0.01, 0.01, 0.01), position=(1.2, 0, 0))
    model = ch.Model(
        [arm, bob],
        [ch.Revolute("hinge", ch.GROUND, arm, (0, 0, 0), (0, 1, 0)),
         ch.Spherical("ball", arm, bob, (1, 0, 0))],
        forces=[
            ch.Spring("coil", ch.GROUND, arm, at=(0.5, 0, 0.6), at_b=(0.5, 0, 0), stiffness=200.0),
            ch.Load("push", bob, force=(0, 3.0, 0), frame="body"),
        ],
    )  # fmt: skip
    return ch.simulate(model, until=1.0, step=1e-3, save_every=2, spaces="SO3xR3")
