"""Ensembles on a GPU: the recorded step as CUDA C, one thread for a member, through CuPy.

Members go there in chunks of any size, smaller ones where its memory does not hold them.  Those
whose guards fail stop, and are finished on the CPU as those of lanes are; so are those that not
even small chunks can take there.  A step is also exported as source text that compiles by itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from chasles.core.arrays import Floats, Integers
from chasles.integrators.tableaux import Tableau
from chasles.many.ensembles.finish import warn_of_members
from chasles.many.ensembles.lanes import LaneRun
from chasles.many.ensembles.members import (
    equal_steps,
    make_stepper,
    not_recorded,
    records_of,
)
from chasles.many.traced.cuda import KERNEL, cuda_source
from chasles.many.traced.machine import Variant
from chasles.many.traced.record import NotTraceable, Recording, record
from chasles.model import Model
from chasles.model.model import checked_model
from chasles.run.time_grid import checked_step

#: Threads in a block: registers allow no more of long kernels at once.
BLOCK = 128
#: Members on the device at once, and bytes that they may take there.
CHUNK, MOST_BYTES = 2**20, 2**33
#: Members of a chunk below which a device is not worth the way there.
SMALLEST_CHUNK = 2**10


def find_cupy() -> Any | None:
    """CuPy with a device, or None, and a word about what is missing."""
    why = "there is no GPU that CuPy can use"
    remedy = ""
    try:
        import cupy

        if cupy.cuda.runtime.getDeviceCount():
            return cupy
    except ImportError:
        why = "device='gpu' needs CuPy, which is not installed"
        remedy = " Install it: pip install cupy-cuda12x."
    except Exception as error:  # CuPy has one for every way in which a driver is missing
        why += f": {error}"
    warn_of_members(f"{why}: the members run on the CPU.{remedy}", 5)
    return None


@dataclass
class GpuRun(LaneRun):
    """The runs of all members on a device."""

    cupy: Any = None
    is_full: bool = False  # whether its memory held not even small chunks

    @property
    def device(self) -> str:
        return "gpu, whose memory was full, and cpu" if self.is_full else "gpu"

    def machine_code(self, recording: Recording) -> Any:
        kept = self.state.points.shape[2]
        text = cuda_source(recording, kept, not self.contract, self.state.observe)
        module = self.cupy.RawModule(code=text, options=("-std=c++14",))
        return module.get_function(KERNEL)  # which keeps the module alive

    def take(self, variant: Variant, group: Integers, first: int) -> None:
        state = self.state
        rows, kept = self.rows_from(first), state.points.shape[2]
        own = 8 * (state.blocks.shape[1] + state.members.parameters.shape[1] + rows * kept)
        chunk, done = max(1, min(CHUNK, MOST_BYTES // own)), 0
        while done < len(group) and not self.is_full:
            try:
                self.piece(variant, group[done : done + chunk], first)
                done += chunk
            except self.cupy.cuda.memory.OutOfMemoryError as error:
                self.cupy.get_default_memory_pool().free_all_blocks()
                self.is_full = chunk <= SMALLEST_CHUNK
                chunk = max(1, chunk // 2)
                if self.is_full:
                    warn_of_members(
                        f"the memory of the GPU does not hold {SMALLEST_CHUNK} members ({error}):"
                        " those that are left run on the CPU. Free memory there, or keep less: a"
                        " larger save_every, or statistics=[...].", 6,
                    )  # fmt: skip
        if done < len(group):
            self.take_on_cpu(variant, group[done:], first)

    def take_on_cpu(self, variant: Variant, group: Integers, first: int) -> None:
        """Members for which the device has no memory."""
        lanes = LaneRun(self.state, self.finisher, self.threads, self.contract)
        code = lanes.machine_code(variant.recording)
        lanes.take(Variant(variant.recording, code), group, first)

    def advanced(
        self, variant: Variant, tables: Sequence[Floats], rows: int, first: int
    ) -> tuple[Floats, Floats, Any, Integers]:
        cupy, state, count = self.cupy, self.state, len(tables[0])

        # (members, numbers) here, (numbers, members) there: turned over on the device.
        def sent(table: Floats) -> Any:
            return cupy.ascontiguousarray(cupy.asarray(np.ascontiguousarray(table)).T)

        def fetched(table: Any) -> Floats:
            back: Floats = cupy.asnumpy(cupy.ascontiguousarray(table.T))
            return back

        states, parameters, observed = map(sent, tables)
        saved = cupy.zeros((max(1, rows), state.points.shape[2], count if rows else 1))
        reached, whole = cupy.zeros(count, np.int64), np.int64
        variant.code(
            (-(-count // BLOCK),), (BLOCK,),
            (
                states, parameters, saved if rows else np.intp(0), observed, reached, whole(count),
                np.float64(0.0), np.float64(state.step), whole(first), whole(state.steps),
                whole(state.steps), whole(state.every), whole(first // state.every + 1),
            ),
        )  # fmt: skip
        history = cupy.asnumpy(cupy.ascontiguousarray(cupy.moveaxis(saved, 2, 0)))
        return fetched(states), fetched(observed), history, cupy.asnumpy(reached)


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
    stepper = make_stepper(model, options, step, step)
    try:
        recording = record(records_of(stepper), stepper.first_block() + 0.0, (0.0, step), step)
    except NotTraceable as error:
        raise not_recorded("export", error, "") from error
    title = f"{model!r}, steps of {step!r} s"
    return cuda_source(recording, stepper.layout.kept, exact, title=title)
