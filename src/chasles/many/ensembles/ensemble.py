"""Many runs of one model, as one dataset."""

import time
import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from chasles.core.arrays import ABSOLUTE_WIDTH, CHART_WIDTH, Floats
from chasles.integrators.stabilisation import Baumgarte
from chasles.integrators.tableaux import Tableau
from chasles.many.ensembles.finish import Finisher, member_warnings, warn_of_suspects
from chasles.many.ensembles.gpu import GpuRun, find_cupy
from chasles.many.ensembles.lanes import EnsembleState, LaneRun, cores
from chasles.many.ensembles.members import Members, checked_runs, checked_values, make_members
from chasles.many.ensembles.observe import checked_quantities, observing
from chasles.many.ensembles.smooth import is_smooth, make_smooth_members
from chasles.many.traced.loop_ir import ACCUMULATED
from chasles.many.traced.stepping import AUTO, GENERIC, KERNELS, PLAIN_STEPS, generic_at_hand
from chasles.model import InvalidOption, Model, UnknownName
from chasles.model.checks import check_flag, checked_count
from chasles.model.keywords import checked_keywords, explained
from chasles.model.words import Stabiliser
from chasles.result.dataset import described, of_bodies
from chasles.run.stepper import Stepper
from chasles.run.time_grid import Grid
from chasles.spaces.designation import Spaces

if TYPE_CHECKING:
    from xarray import Dataset

#: Trajectories larger than this are refused: keep fewer states, or statistics.
MEMORY_LIMIT = 4 * 2**30
#: Bodies beyond which the generic kernel runs every member: recordings take too long to compile.
MOST_BODIES = 12
#: Steps of all members together for every body from which on a recording pays back, though the
#: generic kernel is at hand.  Measured: to record and compile a top takes as long as 40,000 of its
#: generic steps, a double pendulum 120,000, a chain of four 240,000, a hopper of four 150,000.
STEPS_PER_BODY = 40_000
QUANTILES = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)
BINS = 50
ACCUMULATORS = ("largest", "smallest", "mean", "last")


@checked_keywords
@explained
def ensemble(
    model: Model,
    vary: Mapping[str, Any],
    until: float,
    step: float | None = None,
    *,
    method: str | Tableau = "rk4",
    spaces: Spaces = "auto",
    stabilise: Stabiliser | Baumgarte | None = None,
    save_every: int = 1,
    statistics: Sequence[str] | None = None,
    exact: bool = True,
    threads: int | None = None,
    kernel: Literal["auto", "generic", "traced"] = "auto",
    device: str = "cpu",
) -> "Dataset":
    """Run a model many times with different initial states or parameters.

    Parameters
    ----------
    vary
        {"top.angular_velocity": (members, 3), "spring.stiffness": (members,), "gravity": (3,),
        ...}: "part.field" of bodies, joints, forces and drivers, with one row for every member
        or one value for all.
    until
        End time, s, a whole number of steps.
    save_every
        Save every n-th step, and the last.
    statistics
        Quantities to follow instead of trajectories, at the start, every save_every-th step and
        the last: "pivot.violation", "top.position.z", "top.speed", "kinetic_energy".
    exact
        Whether to have the numbers of `simulate` to the last bit (above 400 members the start
        may differ by round-off, see `set_up` in attrs). False allows fused multiply-add.
    threads
        Number of threads. All cores if left out.
    kernel
        "traced": code compiled for the model, in vector registers. "generic": the code of all
        models. "auto": the first where it pays: for many steps, or where it is already compiled.
    device
        "cpu", or "gpu": one thread for each member, through CuPy (extra gpu). Without a GPU a
        warning is issued and the CPU is used.

    Returns
    -------
    Dataset
        position, rotation, velocity and angular_velocity (member, time, body, ...). With
        statistics: largest, smallest, last and mean value of every quantity (member, quantity),
        and quantiles and a histogram of the largest values over all members. `status` of each
        member is "finished" or the reason why not; results so far are kept, the rest is NaN.
        `warnings` lists what is suspect.

    Examples
    --------
    >>> import chasles as ch
    >>> model = ch.Model([ch.Body.sphere("ball", radius=0.1, mass=1.0)])
    >>> runs = ch.ensemble(model, {"gravity": [(0, 0, -9.81), (0, 0, -1.62)]}, 1.0, 0.1)
    >>> runs.position.isel(time=-1, axis=2).values.ravel().round(3).tolist()
    [-4.905, -0.81]
    """
    runs = checked_runs("ensemble", model, until, step, save_every, method, spaces, stabilise)
    grid = runs.grid
    UnknownName.check("choice", kernel, KERNELS, "kernel")
    UnknownName.check("choice", device, ("cpu", "gpu"), "device")
    check_flag(exact, "exact", "ensemble", InvalidOption)
    workers = cores() if threads is None else threads
    workers = checked_count(workers, "threads", None, "ensemble", InvalidOption)
    values, count = checked_values(model, vary)
    names = None if statistics is None else checked_quantities(model, statistics)
    if names is None:
        check_memory(count, grid.steps // grid.save_every + 1, len(model.bodies))

    def made(member: int) -> Stepper:
        return runs.stepper({path: array[member] for path, array in values.items()})

    began = time.perf_counter()
    members = None
    if is_smooth(values, count):
        members = make_smooth_members(made, values, count)
    if members is None:
        members = make_members(made, count)
    set_up_in = time.perf_counter() - began
    cupy = find_cupy() if device == "gpu" else None
    state, run = make_run(members, made, grid, names, workers, not exact, cupy)
    if not takes_lanes(run, kernel, count * grid.steps):
        run.variants, run.refusal = [], GENERIC
    began = time.perf_counter()
    if members.odd:
        odd = np.array(sorted(members.odd))
        run.finisher.advance(state, odd, np.full(len(odd), grid.steps))
    run.go()
    state.look_at_the_end()
    seconds = time.perf_counter() - began
    attributes = {
        "title": f"chasles: {count} runs of {model!r}",
        "method": str(getattr(method, "name", method)),
        "step": grid.step,
        "set_up": members.note,
        "seconds_setting_up": set_up_in,
        "seconds_in_steps": seconds,
        "steps_in_lanes": state.in_lanes,
        "steps_of_the_generic_kernel": state.otherwise,
        "exact": int(exact),
        "device": run.device,
    }
    found = dataset(model, members, state, values, names, run, attributes)
    warn_of_suspects(found["warnings"].values.tolist(), grid.step)
    return found


def make_run(
    members: Members, made: Any, grid: Grid, names: Any, threads: int, contract: bool,
    cupy: Any = None,
) -> tuple[EnsembleState, LaneRun]:  # fmt: skip
    """Where all members stand before the first step, and who takes them on."""
    stepper, count = members.stepper, len(members.blocks)
    kept, every = stepper.layout.kept, min(grid.save_every, grid.steps)
    rows = 1 if names is not None else grid.steps // every + 1
    first = next(k for k in range(count) if not members.status[k] and k not in members.odd)
    plainly = 0 if generic_at_hand(stepper) else PLAIN_STEPS
    finisher = Finisher(members, lambda: made(first), threads, plainly)
    observe = None
    if names is not None:
        own = finisher.pristine(first)
        observe = observing(own, names, members.blocks[first], members.places)
    for k, odd in members.odd.items():
        members.blocks[k] = odd.first_block()
    points = np.full((count, rows, kept), np.nan)
    points[:, 0] = members.blocks[:, :kept]
    np.add(members.blocks, 0.0, out=members.blocks)  # as after every step: no negative zeros
    state = EnsembleState(members, grid.step, grid.steps, every, points, observe)
    if cupy is not None:
        return state, GpuRun(state, finisher, threads, contract, cupy=cupy)
    return state, LaneRun(state, finisher, threads, contract)


def takes_lanes(run: LaneRun, kernel: str, steps: int) -> bool:
    """Whether steps are recorded: where that is wanted, or takes less time than it saves."""
    stepper = run.state.members.stepper
    bodies = stepper.mechanism.system.body_count
    if kernel == GENERIC or bodies > MOST_BODIES:
        return False
    if kernel == AUTO and run.device == "cpu" and generic_at_hand(stepper):
        run.least_steps = STEPS_PER_BODY * bodies
    return bool(run.variants) or steps >= run.least_steps


def check_memory(count: int, rows: int, bodies: int) -> None:
    """Refuse trajectories that do not fit, before anything is made."""
    size = 8 * count * rows * bodies * (CHART_WIDTH + 2 * ABSOLUTE_WIDTH)
    if size > MEMORY_LIMIT:
        raise InvalidOption(
            f"ensemble: {rows} states of {count} members would take {size / 2**30:.3g} GiB.",
            f"Keep fewer: save_every={2 * max(1, rows // 2)}, say, or follow quantities with"
            " statistics=[...].",
        )


# --- what comes back ---


def dataset(
    model: Model, members: Members, state: EnsembleState, values: Mapping[str, Floats], names: Any,
    run: LaneRun, attributes: dict[str, Any],
) -> "Dataset":  # fmt: skip
    from xarray import Dataset

    count = len(state.at)
    status = [text or "finished" for text in members.status]
    texts = member_warnings(state.blocks, run.finisher)
    variables: dict[str, Any] = {
        "status": (("member",), status, {"long_name": "how the run ended"}),
        "warnings": (("member",), texts, {"long_name": "what is suspect about the run"}),
        "reached": described(("member",), state.step * state.at.astype(float), "s", "time reached"),
    }
    for path, array in values.items():
        dims = tuple(f"{path}.{k}" for k in range(array.ndim - 1))
        variables[f"vary {path}"] = (("member", *dims), np.array(array), {"long_name": path})
    coordinates: dict[str, Any] = {"member": np.arange(count)}
    if names is None:
        times = np.minimum(np.arange(state.points.shape[1]) * state.every, state.steps)
        points = state.points
        if state.steps % state.every:
            times = np.append(times, state.steps)
            points = np.concatenate([points, np.full_like(points[:, :1], np.nan)], axis=1)
            done = state.at == state.steps
            points[done, -1] = state.blocks[done, : points.shape[2]]
        coordinates |= {"time": described(("time",), state.step * times, "s", "time")}
        variables |= of_members(model, members, points, run)
        coordinates |= {"body": list(model.body_names), "axis": list("xyz")}
        coordinates["body_axis"] = list("xyz")
    else:
        variables |= of_quantities(state, names)
        coordinates |= {"quantity": list(names), "quantile": list(QUANTILES)}
    return Dataset(variables, coordinates, attributes)


def of_members(model: Model, members: Members, points: Floats, run: LaneRun) -> dict[str, Any]:
    """Poses and velocities (member, time, body, ...)."""
    stepper, (count, rows, _) = members.stepper, points.shape
    setup, width = stepper.solver.setup, stepper.layout.integrals
    bodies = stepper.mechanism.system.body_count
    absolute = np.zeros((count, rows, bodies, ABSOLUTE_WIDTH))
    if members.poses_alike():
        places = np.ascontiguousarray(points[:, :, :width]).reshape(count * rows, width)
        absolute[:] = stepper.absolute(places).reshape(absolute.shape)
    else:

        def work(member: int, own: Stepper) -> None:
            absolute[member] = own.absolute(np.ascontiguousarray(points[member, :, :width]))

        run.finisher.each(np.arange(count), work)
    found = of_bodies(setup, absolute.reshape(count * rows, bodies, ABSOLUTE_WIDTH))
    return {
        name: (("member", *dims), array.reshape(count, rows, *array.shape[1:]), words)
        for name, (dims, array, words) in found.items()
        if name != "body_velocity"
    }


def of_quantities(state: EnsembleState, names: Sequence[str]) -> dict[str, Any]:
    """Statistics of every member, and over all of them."""
    table = state.observed.copy()
    assert table.shape[2] == ACCUMULATED == len(ACCUMULATORS)
    last = (state.at == state.steps) & (state.steps % state.every > 0)
    table[:, :, 2] /= (1 + state.at // state.every + last)[:, None]
    table[state.at < state.every] = np.nan
    found: dict[str, Any] = {
        word: (("member", "quantity"), table[:, :, k], {"long_name": f"{word} value of a quantity"})
        for k, word in enumerate(ACCUMULATORS)
    }
    largest = table[:, :, 0]
    words = {"long_name": "quantiles of the largest values over all members"}
    with warnings.catch_warnings(), np.errstate(invalid="ignore"):
        warnings.filterwarnings("ignore", "All-NaN slice")  # nobody came as far: `status` says why
        quantiles = np.nanquantile(largest, QUANTILES, axis=0)
    found["quantiles"] = (("quantile", "quantity"), quantiles, words)
    pairs = [np.histogram(column[np.isfinite(column)], BINS) for column in largest.T]
    counts, edges = (np.array(part) for part in zip(*pairs, strict=True))
    words = {"long_name": "members by their largest value"}
    found["histogram"] = (("quantity", "bin"), counts, words)
    found["bin_edges"] = (("quantity", "edge"), edges, {"long_name": "edges of the bins"})
    return found
