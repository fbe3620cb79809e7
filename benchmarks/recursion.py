"""Joint subgroups with recursive dynamics beside the block solver on six-dimensional charts.

    python benchmarks/recursion.py            trees, loops and nets: us per RK4 step, and ratios
    python benchmarks/recursion.py --long     hinge chains up to 16384 bodies

CPU time of one process, the best of some rounds in which both take turns.  The last columns are
the operations that were counted, and the solver they speak for.
"""

import sys
import time
from collections.abc import Callable

import models
import numpy as np
from chasles.tree_stepper import make_tree_stepper
from loops import net, tower

import chasles as ch
from chasles.core.recursion.groups import make_loop_room
from chasles.core.recursion.run import make_tree_stages, tree_run
from chasles.core.recursion.tables import make_loops
from chasles.core.recursion.tree import make_recursion
from chasles.dynamics.cheaper import recursion_pays
from chasles.dynamics.solver import make_solver, watch_of
from chasles.dynamics.tree_problem import TreeProblem
from chasles.integrators.methods import find_method
from chasles.integrators.tableaux import method
from chasles.run.promises import make_promises
from chasles.run.stepper import Stepper, make_stepper
from chasles.spaces import resolve_spaces
from chasles.spaces.exactness import drifting_joints
from chasles.spaces.tree import pair_tree
from chasles.stabilisation.stabiliser import chosen_stabiliser, make_stabiliser
from chasles.studies.library import bennett, n_four_bar
from chasles.system.build import build
from chasles.system.build_tree import Link, build_tree

STEP, NEVER, ROUNDS = 1e-4, 2**62, 9
RK4 = method("rk4")
Clock = Callable[[], float]


def clocked(stepper: Stepper, steps: int) -> Clock:
    """Microseconds a step, as `simulate` makes them."""
    grid = (0.0, STEP, 0, steps, steps)

    def clock() -> float:
        block = stepper.first_block()
        spare = block.copy()
        began = time.process_time()
        stepper.advance(block, spare, grid, NEVER, 1, np.zeros((1, 1)))
        return 1e6 * (time.process_time() - began) / steps

    return clock


def on_subgroups(model: ch.Model, steps: int, stabilise: str | None = None) -> Clock:
    setup = build(model, resolve_spaces(model, "subgroups"))
    solver = make_solver(setup)
    held = model.joint_names if stabilise else ()
    stabiliser = make_stabiliser(setup, chosen_stabiliser(stabilise), held, STEP)
    promises = make_promises(setup, model.joint_names, STEP)
    return clocked(make_tree_stepper(solver, find_method("rk4"), stabiliser, promises), steps)


def on_charts(model: ch.Model, steps: int, stabilise: str | None = None) -> Clock:
    """The same by the block solver."""
    spaces = resolve_spaces(model, charts_under(model))
    setup = build(model, spaces)
    solver = make_solver(setup)
    held = drifting_joints(model, spaces) if stabilise else ()
    stabiliser = make_stabiliser(setup, chosen_stabiliser(stabilise), held, STEP)
    watch, promises = watch_of(solver, stop=False), make_promises(setup, model.joint_names, STEP)
    return clocked(make_stepper(solver, find_method("rk4"), stabiliser, watch, promises), steps)


def charts_under(model: ch.Model) -> dict[str, ch.Space]:
    """SO(3)xR3 framed on the joints that carry the bodies, relative to what they hang on."""
    spaces = {}
    for name, carried in pair_tree(model).parents.items():
        if carried is None:
            spaces[name] = ch.Space("SO3xR3")
            continue
        at = None if model.joint(carried[1]).any_frame_point else carried[1]
        spaces[name] = ch.Space("SO3xR3", at, None if carried[0] == "ground" else carried[0])
    return spaces


def cases() -> dict[str, tuple[ch.Model, int]]:
    sys.path.append(str(models.__file__).rsplit("/", 2)[0] + "/tests")
    from mechanisms import three_bar

    return {
        "heavy top": (models.heavy_top(), 20_000),
        "double pendulum": (models.double_pendulum(), 20_000),
        "balls 64": (models.spherical_chain(64), 500),
        "hinges 64": (models.revolute_chain(64), 500),
        "star 64": (models.star(64), 500),
        "3-bar": (three_bar(), 10_000),
        "Bennett": (bennett.model(), 5_000),
        "tower of 50 loops": (tower(50), 200),
        "ladder of 200 four-bars": (n_four_bar.model(200), 60),
        "net 8 x 8": (net(8), 60),
    }


def compare() -> None:
    print(f"{'model':36}{'subgroup':>10}{'charts':>10}{'ratio':>8}   operations   cheaper")
    for name, (model, steps) in cases().items():
        for stabilise in (None, "projection") if ch.designate(model).cut else (None,):
            row(f"{name}{', projected' if stabilise else ''}", model, steps, stabilise)


def row(name: str, model: ch.Model, steps: int, stabilise: str | None) -> None:
    ours, theirs = on_subgroups(model, steps, stabilise), on_charts(model, steps, stabilise)
    ours(), theirs()
    times = np.array([(ours(), theirs()) for _ in range(ROUNDS)]).min(axis=0)
    pays, counted = recursion_pays(model)
    share = counted.recursion / counted.blocks if counted.blocks else 0.0
    print(
        f"{name:36}{times[0]:10.3f}{times[1]:10.3f}{times[0] / times[1]:8.3f}"
        f"{share:12.3f}   {'recursion' if pays else 'blocks'}",
        flush=True,
    )


def bare(problem: TreeProblem, steps: int) -> Clock:
    """Steps without forces, books and looks."""
    stages = make_tree_stages(problem.tree, RK4.a, RK4.b, RK4.c)
    state = problem.start.copy()

    def clock() -> float:
        state[:], stages.carry[:] = problem.start, 0.0
        began = time.process_time()
        tree_run(
            problem.tree, problem.memory, problem.setup.system, problem.work, problem.loops,
            problem.room, stages, state, STEP, 0, steps, NEVER, state,
        )  # fmt: skip
        return 1e6 * (time.process_time() - began) / steps

    return clock


def long_chains() -> None:
    """Hinges in series, built without a model: us per step and per 64 bodies."""
    small = TreeProblem.from_model(models.revolute_chain(2))
    before = None
    for count in (64, 256, 1024, 4096, 16384):
        tree = build_tree([hinge(k) for k in range(count)], (0.0, 0.0, -9.81))
        loops = make_loops(tree, [])
        memory = make_recursion(tree, np.zeros(1), wrenches=False, efforts=False)
        start = np.zeros(tree.stored_count + tree.rate_count)
        start[1 : tree.stored_count : 3] = 1.0
        room = make_loop_room(loops, count, count)
        problem = TreeProblem(small.setup, tree, loops, memory, small.work, room, start)
        clock = bare(problem, max(3, 32_000 // count))
        clock()
        best = min(clock() for _ in range(ROUNDS))
        slope = "" if before is None else f"   N^{np.log(best / before) / np.log(4):.3f}"
        print(
            f"hinges {count:6}{best:12.2f} us{64 * best / count:10.2f} us per 64{slope}", flush=True
        )
        before = best


def hinge(k: int) -> Link:
    inertia = np.diag([1.0, 3.5, 4.2]) * 1e-3
    axes = np.array([[1.0, 0, 0], [0, 0, 1.0], [0, -1.0, 0]]) if k % 2 else np.eye(3)
    end = np.array([0.1, 0.0, 0.0])
    return Link(
        f"link {k}", k - 1, "revolute", 1.0, inertia, axes, end if k else 0 * end, axes, -end,
        joint=f"hinge {k}",
    )  # fmt: skip


if __name__ == "__main__":
    long_chains() if "--long" in sys.argv else compare()
