"""How a number of a run changes with the model, by differences of whole runs."""

import numpy as np

import chasles as ch
from chasles.model.parameters import with_parameters

#: Weights of central differences of eighth order.
WEIGHTS = (4 / 5, -1 / 5, 4 / 105, -1 / 280)


def slope_by_differences(model, function, path, until, step, **options):
    """(slope, change, h): along one change of a field, none of whose entries is small.

    The slope is that of function(run), and the fields differ by up to 4 h times the change.
    """
    value = value_at(model, path)
    rng = np.random.default_rng(5)
    change = rng.uniform(0.5, 1.0, value.shape) * rng.choice((-1.0, 1.0), value.shape)
    h = 5e-3 * (np.abs(value).max() or (9.81 if path == "gravity" else 0.1))
    total = 0.0
    for k, weight in enumerate(WEIGHTS, 1):
        for sign in (1, -1):
            varied = with_parameters(model, {path: value + sign * k * h * change})
            total += sign * weight * function(ch.simulate(varied, until, step, **options)) / h
    return total, change, h


def value_at(model, path):
    """A field of a part, or gravity."""
    if path == "gravity":
        return np.array(model.gravity, float)
    name, _, field = path.rpartition(".")
    parts = (*model.bodies, *model.joints, *model.forces)
    return np.array(getattr(next(part for part in parts if part.name == name), field), float)
