"""Poses and velocities of bodies from a state block, differentiated."""

from typing import Any

import numpy as np

from chasles.core.arrays import ABSOLUTE_WIDTH, Floats
from chasles.core.recursion.kinematics import kinematics, place
from chasles.many.ensembles.members import records_of
from chasles.many.gradients.back import Course
from chasles.many.traced.adjoint import adjoint
from chasles.many.traced.record import record_reading
from chasles.scalars.nodes import Program


def placed(mechanism: Any, scratch: Any, state: Any) -> Any:
    """The absolute state (n * 18,) of records that hold lists, for scalars of any kind."""
    kinematics(mechanism.tree, state, mechanism.memory.rows)
    place(mechanism.tree, state, mechanism.memory.rows, scratch.absolute)
    return scratch.absolute[: mechanism.system.body_count * ABSOLUTE_WIDTH]


def placing(course: Course, block: Floats) -> Program:
    """(block, time, parameters) -> absolute state."""

    def read(mechanism: Any, scratch: Any, state: Any, t: Any) -> Any:
        return placed(mechanism, scratch, state)

    return record_reading(records_of(course.stepper), read, block, 0.0, course.places)


def seeds_of(course: Course, table: Floats, t: Floats, weights: Floats) -> Floats:
    """Weights of blocks (T, width) from those of poses (T, n, 18); those of parameters add up."""
    program, width, count = placing(course, table[0]), course.width, len(course.parameters)
    chosen = np.flatnonzero(weights.any(axis=(1, 2)))
    constant = np.broadcast_to(course.parameters, (len(chosen), count))
    inputs = np.concatenate([table[chosen], t[chosen, None], constant], axis=1)
    given = weights[chosen].reshape(len(chosen), weights[0].size)
    rows = adjoint(program).on_arrays(np.concatenate([inputs, given], axis=1).T).T
    course.totals[:count] += rows[:, width + 1 :].sum(axis=0)
    found = np.zeros(table.shape)
    found[chosen] = rows[:, :width]
    return found
