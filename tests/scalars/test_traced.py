"""Recorded on one state and replayed on another, a calculation gives the same bits as itself."""

import math

import numpy as np
import pytest
from mechanisms import double_pendulum, floating_pair, heavy_top, three_bar
from numpy.testing import assert_array_equal

import chasles as ch
from chasles.build.problem import choose_spaces, make_problem
from chasles.build.system.tree_state import state_of
from chasles.core.arrays import make_workspace
from chasles.core.outcomes import OK
from chasles.core.recursion.reactions import accelerate_at
from chasles.groups.se3 import se3_dexp_inv, se3_exp
from chasles.groups.so3 import so3_log
from chasles.integrators.advance import take_step
from chasles.integrators.methods import find_method
from chasles.integrators.stabilisation import chosen_stabiliser, make_stabiliser
from chasles.run.checks import make_accuracy_limits
from chasles.run.preparation import stabilised
from chasles.run.stepper import make_stepper
from chasles.scalars import elementary
from chasles.scalars.traced import Tape, Traced, Unboxing, recorded

STEP = 1e-3


# --- the scalar itself ---


def every_operation(x):
    a, b = x
    yield from (a + b, a - b, a * b, a / b, -a, abs(a), +a, 2.0 - a, 3.0 / b, 1.5 * a, b**2)
    for name in ("sqrt", "sin", "cos", "tanh", "floor", "absolute"):
        yield getattr(elementary, name)(b)
    yield elementary.atan2(a, b)
    yield elementary.atan2(2.0, b)
    yield elementary.maximum(a, b)
    for function in (np.sin, np.cos, np.tan, np.tanh, np.exp, np.log, np.arctan, np.sqrt):
        yield function(b)
    yield from elementary.two_sum(a, b)
    yield from elementary.two_product(a, 0.1)
    yield from elementary.compensated(a, 1e-17, b)


def test_every_operation_is_replayed_to_the_last_bit():
    program = recorded(every_operation, (0.3, 2.7))
    for inputs in ((-1.7, 0.123), (1e9, 3e-5), (0.1, 0.1)):
        outputs, failed = program.replay(inputs)
        expected = [float(x) for x in every_operation(np.array(inputs).tolist())]
        np.testing.assert_allclose(outputs, expected, rtol=3e-16)  # np's exp may differ by a bit
        assert failed is None and outputs[:19] == expected[:19]


def test_a_branch_is_guarded():
    def clipped(x):
        return [elementary.choose(x[0] < 1.0, lambda a: a, lambda a: 0.0 * a + 1.0, x[0])]

    program = recorded(clipped, [0.5])
    assert program.replay([0.25]) == ([0.25], None)
    assert program.replay([1.25])[1] == 0
    assert program.guards[0].name == "<" and program.guards[0].outcome


def test_the_larger_of_two_leaves_no_guard():
    program = recorded(lambda x: [elementary.maximum(abs(x[0]), x[1])], [-3.0, 2.0])
    assert program.guards == ()
    assert program.replay([-1.0, 2.0]) == ([2.0], None)


def test_carries_are_opaque():
    """w - ((t + w) - t) is zero to algebra: no node of it is left for anyone to simplify."""
    program = recorded(lambda x: elementary.compensated(*x), [1.0, 0.0, 1e-17])
    assert [node.name for node in program.nodes] == ["compensated", "part", "part"]
    assert program.replay([1.0, 0.0, 1e-17])[0] == [1.0, 1e-17]
    pair = recorded(lambda x: elementary.two_sum(*x), [1.0, 1e-20])
    assert [node.name for node in pair.nodes] == ["two_sum", "part", "part"]


def test_only_exact_identities_are_folded():
    x = Tape().input(0.5)
    assert x * 1.0 is x and x / 1.0 is x and x - 0.0 is x
    for other in (x + 0.0, 0.0 * x, x * 0.0, 0.0 - x):  # signs of zero, infinities
        assert isinstance(other, Traced) and other is not x


def test_a_traced_scalar_does_not_become_a_float():
    x = Tape().input(0.5)
    with pytest.raises(TypeError, match="lost"):
        math.sin(x)
    with pytest.raises(TypeError):
        np.zeros(1)[0] = x  # an array of floats cannot hold it


def test_a_replay_divides_as_machine_code_does():
    program = recorded(lambda x: [x[0] / x[1], elementary.sqrt(x[0])], [1.0, 2.0])
    assert program.replay([1.0, 0.0])[0] == [math.inf, 1.0]
    assert program.replay([-1.0, 0.0])[0][0] == -math.inf
    assert all(map(math.isnan, program.replay([-0.0, 0.0])[0][:1]))
    assert math.isnan(program.replay([-1.0, 1.0])[0][1])


# --- formulas ---


def test_formulas_of_the_groups_are_replayed_to_the_last_bit():
    """Within the branch that was recorded; outside of it a guard says so."""

    def maps(x):
        element = ((x[0], x[1], x[2]), (x[3], x[4], x[5]))
        q, position = se3_exp(element)
        slope = se3_dexp_inv(element, (position, (x[2], x[0], x[1])))
        return (*q, *position, *slope[0], *slope[1], *so3_log(q))

    program = recorded(maps, [0.1, 0.05, -0.02, 1.0, 2.0, 3.0])
    rng = np.random.default_rng(1)
    for inputs in (rng.normal(size=(20, 6)) * [0.05, 0.05, 0.05, 1, 1, 1]).tolist():
        outputs, failed = program.replay(inputs)
        if failed is None:
            assert outputs == list(maps(inputs))
    assert program.replay([2.0, 0, 0, 1, 1, 1])[1] is not None


# --- a stage, and a whole step ---


def prepared(model, stabilise=None):
    """A stepper with rk4, as `simulate` makes it."""
    choice, chosen = chosen_stabiliser(stabilise), choose_spaces(model, "auto")
    problem = make_problem(chosen)
    held = stabilised(chosen, choice, problem.redundancy)
    stabiliser = make_stabiliser(problem.setup, choice, held, STEP)
    accuracy = make_accuracy_limits(problem.setup, (), STEP)
    return make_stepper(problem.solver, find_method("rk4"), stabiliser, accuracy, 1.0)


class PlainStep:
    """One step in plain Python, with all that follows it: from a state block to the next."""

    def __init__(self, model, stabilise=None):
        self.stepper = prepared(model, stabilise)
        self.block = self.stepper.first_block()
        self.mechanism = Unboxing().of(self.stepper.mechanism)

    def inputs(self, number):
        """The block, and the times at which a step begins and ends."""
        return [*self.block.tolist(), number * STEP, (number + 1) * STEP]

    def __call__(self, x):
        workspace, scheme = (
            Unboxing().of(self.stepper.workspace),
            Unboxing().of(self.stepper.scheme),
        )
        state, times, out = list(x[:-2]), (x[-2], x[-1]), [0.0] * (len(x) - 2)
        assert take_step(self.mechanism, workspace, scheme, state, times, STEP, 0, out) == OK
        return out

    def by_machine_code(self, number):
        """The same step, in place."""
        grid, nowhere = (0.0, STEP, number, number + 1, 2**62), np.zeros((1, 1))
        return self.stepper.advance(self.block, self.block.copy(), grid, 2**62, 0, nowhere)


def pushed_pendulum():
    """Hinges, and forces that are formulas: spring, motor, friction, load, drag, contact."""
    upper = ch.Body.rod("upper", 1.0, mass=1.0, position=(0.5, 0, 0))
    lower = ch.Body.rod("lower", 1.0, mass=1.0, position=(1.5, 0, 0))
    shoulder = ch.Revolute("shoulder", ch.GROUND, upper, at=(0, 0, 0), axis=(0, 1, 0))
    elbow = ch.Revolute("elbow", upper, lower, at=(1, 0, 0), axis=(0, 1, 0))
    forces = [
        ch.Spring("spring", ch.GROUND, lower, (0, 0, 1), (2, 0, 0), stiffness=30.0, damping=0.5),
        ch.Motor("motor", shoulder, ch.Signal.sine(0.3, 1.0), stiffness=10.0, damping=0.1),
        ch.JointFriction("friction", elbow, level=0.1, smoothing=0.1),
        ch.Drag("air", lower, linear=0.1, quadratic=0.2, angular=0.01, angular_quadratic=0.02),
        ch.Load("push", upper, force=(0, 0, 1.0), torque=(0, 0.1, 0)),
        ch.Contact("bed", ch.GROUND, lower, (0, 0, 0.9), hertz=3.0, dissipation=0.1, friction=0.3),
    ]
    return ch.Model([upper, lower], [shoulder, elbow], forces=forces)


CASES = {
    "heavy top": (heavy_top, None),
    "double pendulum": (double_pendulum, None),
    "forces": (pushed_pendulum, None),
    "floating": (floating_pair, None),
    "projected loop": (three_bar, "projection of all joints"),
    "loop with feedback": (three_bar, "ggl of all joints"),
}


@pytest.fixture(scope="module", params=CASES)
def case(request):
    model, stabilise = CASES[request.param]
    step = PlainStep(model(), stabilise)
    return step, recorded(step, step.inputs(0)).trimmed()


def test_a_whole_step_recorded_at_the_start_is_that_of_later_states(case):
    """Replayed where its guards hold, it equals plain Python and machine code, bit for bit."""
    step, program = case
    seen, held = step.stepper.layout.seen, 0
    for number in range(60):
        before = step.inputs(number)
        outputs, failed = program.replay(before)
        if number % 20 == 0 and failed is None:
            assert outputs == step(before)
        assert step.by_machine_code(number) == (number + 1, OK)
        if failed is None:
            held += 1
            # What watches a run is no part of its motion.
            assert_array_equal(outputs[:seen], step.block[:seen])
    assert held > 30


def test_a_step_is_all_arithmetic(case):
    """Guards are comparisons of the maps' branches and of pivots, a handful per stage."""
    step, program = case
    assert 0 < len(program.guards) < 100 * step.stepper.scheme.count
    assert "compensated" in {node.name for node in program.nodes}


def test_a_stage_is_replayed_to_the_last_bit():
    """V' and lambda of the double pendulum, all of whose joints are rows."""
    solver = prepared(double_pendulum()).solver
    form = solver.form
    start = state_of(form.tree, solver.start)

    def accelerations(x):
        workspace = make_workspace(solver.setup.system)
        equations, work = Unboxing().of(form.equations(workspace)), Unboxing().of(workspace)
        out = [0.0] * form.tree.rate_count
        assert accelerate_at(equations, work, x, 0, out) == OK
        return [*out, *equations.loop_work.multipliers]

    rng = np.random.default_rng(3)
    program = recorded(accelerations, start.tolist())
    for _ in range(5):
        inputs = (start + 0.1 * rng.normal(size=start.size)).tolist()
        outputs, failed = program.replay(inputs)
        assert failed is None and outputs == accelerations(inputs)
