"""The step of a model as source text that compiles by itself."""

from typing import Any

import numpy as np

from chasles.integrators.tableaux import Tableau
from chasles.many.ensembles.members import equal_steps, make_stepper, records_of
from chasles.many.traced.cuda import cuda_source
from chasles.many.traced.record import NotTraceable, record
from chasles.model import InvalidOption, Model
from chasles.model.model import checked_model
from chasles.run.time_grid import checked_step

#: Steps before one is recorded, so that what is watched has been seen.
FIRST_STEPS = 3


def export_cuda(
    model: Model, step: float, method: str | Tableau = "rk4", spaces: Any = "auto",
    stabilise: Any = None, exact: bool = True,
) -> str:  # fmt: skip
    """CUDA C of one step, and of the loop around it; `chasles.many.traced.cuda` has its arguments.

    exact   sums, products, quotients and square roots have the bits of the CPU, whatever the
            options of the compiler; False lets it round a product and a sum once
    """
    checked_model(model)
    step = checked_step(step, "export")
    options = equal_steps("export", method, spaces, stabilise)
    stepper = make_stepper(model, options, step, step * (FIRST_STEPS + 1))
    block = stepper.first_block()
    grid = (0.0, step, 0, FIRST_STEPS, 2**62)
    stepper.advance_generic(block, np.zeros_like(block), grid, 2**62, 1, np.zeros((1, 1)))
    times = step * FIRST_STEPS, step * (FIRST_STEPS + 1)
    try:
        recording = record(records_of(stepper), block, times, step)
    except NotTraceable as error:
        raise InvalidOption(
            f"export: a step of this model cannot be recorded: {error}",
            "Leave out functions that are called by address, or give them as a Signal.",
        ) from error
    title = f"{model!r}, steps of {step!r} s"
    return cuda_source(recording, stepper.layout.kept, exact, title=title)
