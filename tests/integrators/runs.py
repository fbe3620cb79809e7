"""Mechanisms and measures that the tests of implicit and structure-preserving methods share."""

import numpy as np
from mechanisms import chain, double_pendulum, heavy_top, three_bar

import chasles as ch
from chasles.core.outcomes import OK
from chasles.integrators.advance import UNSEEN
from chasles.run.options import ByHand
from chasles.run.preparation import make_settings, stepper_of


def driven_chain():
    """The first hinge swings as it is told, the others follow."""
    model = chain(np.random.default_rng(3), ["revolute", "spherical", "revolute"])
    motor = ch.Driver("motor", model.joints[0], ch.Signal.sine(0.4, 1.5))
    return ch.Model(model.bodies, model.joints, gravity=model.gravity, drivers=[motor])


def bushed_link(stiffness=4e3, damping=20.0):
    """A link on a stiff bushing, spinning: the fastest mode has a period of a fortieth second."""
    link = ch.Body.box(
        "link", size=(0.6, 0.1, 0.2), mass=3.0, position=(0.3, 0, 0), angular_velocity=(5, 1, 2)
    )
    bush = ch.Bushing(
        "bush", ch.GROUND, link, at=(0, 0, 0), stiffness=(stiffness, stiffness, 2 * stiffness,
        40.0, 40.0, 20.0), damping=(damping, damping, damping, 0.2, 0.2, 0.2),
    )  # fmt: skip
    return ch.Model([link], [], forces=[bush])


#: Model and seconds.
MECHANISMS = {
    "top": (heavy_top, 0.06),
    "pendulum": (double_pendulum, 0.06),
    "three-bar": (three_bar, 0.12),
    "bushing": (bushed_link, 0.1),
    "driven": (driven_chain, 0.4),
}


def last(model, until, steps, **options):
    """Rotations, positions and velocities of all bodies at the end."""
    return ch.simulate(model, until, step=until / steps, save_every=steps, **options).absolute[-1]


def ends_of_mechanisms():
    """Where the mechanisms end: order eight at a small step."""
    return {
        name: last(make(), until, 1000, method="dop853", spaces="subgroups")
        for name, (make, until) in MECHANISMS.items()
    }


def slope(counts, errors):
    """The power of the step with which errors go."""
    return -np.polyfit(np.log(counts), np.log(errors), 1)[0]


def observed_order(model, until, end, counts, **options):
    errors = [np.linalg.norm(last(model, until, steps, **options) - end) for steps in counts]
    return slope(counts, errors)


def there_and_back(model, step, steps, **options):
    """By how much a point is missed after some steps and as many steps back, and how far it was."""
    settings = make_settings(ByHand(model, **options))
    stepper = stepper_of(settings, step, step * steps)
    block = stepper.first_block()
    spare, nowhere, first = np.zeros_like(block), np.zeros((1, 1)), block.copy()
    kept = stepper.layout.integrals
    grids = [(0.0, step, 0, steps, steps), (step * steps, -step, 0, steps, steps)]
    far = 0.0
    for grid in grids:
        _, outcome = stepper.advance(block, spare, grid, steps + 1, UNSEEN, nowhere)
        assert outcome == OK
        far = max(far, float(np.abs(block - first)[:kept].max()))
    return float(np.abs(block - first)[:kept].max()), far


def slipping(result):
    """The largest J V of all rows and saved states."""
    worst = 0.0
    for k in range(0, len(result.t), max(1, len(result.t) // 20)):
        equations = ch.equations(result.model, result.state(k))
        worst = max(worst, float(np.abs(equations.jacobian @ equations.velocity).max()))
    return worst
