r"""What a step costs in operations: counted, so that it is the same wherever and whenever it is.

The step of a method with s stages takes about $s A + P$ operations: A for the equations of motion
at a stage and its part of the update, P for what closes the joints.  Of a small model both are
counted by recording steps of `heun` and `rk4` as they run (`chasles.many.traced`): every sum,
product and function once,

$$ A = \tfrac12 (n_4 - n_2), \qquad P = n_4' - n_4, $$

$n_2$, $n_4$ without, $n_4'$ with a stabiliser.  Of larger ones, and of those with functions of the
user's own, they follow from the structure, as `core.recursion.count` has it.  The time of a step
goes with its operations: see `benchmarks/advice.py` for how closely.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from chasles.core.outcomes import OK
from chasles.core.recursion.count import recursion_flops
from chasles.integrators.advance import UNSEEN
from chasles.integrators.methods import find_method
from chasles.many.traced.record import plain_step
from chasles.model import Model
from chasles.result.result import Result
from chasles.run.implicit_choice import work_of
from chasles.run.one_run import prepared
from chasles.run.options import Options
from chasles.scalars.traced import Tape, Unboxing

#: Bodies up to which steps are recorded: 10 ms for every one of them.
MOST_RECORDED = 8
#: Operations of a stage for every multiplication that the structure counts; those of a force, and
#: of closing the joints for every one of a stage.  Recorded: trees and loops of 2 to 8 bodies take
#: 1.5 to 1.9, charts 0.8 to 1.7, closing 0.9 to 2.6.
BY_RECURSION, OF_A_FORCE, CLOSING = 1.75, 150.0, 1.4


class StepCost(NamedTuple):
    """Operations of an evaluation, and of what closes the joints after a step."""

    evaluation: float
    closing: float

    def of(self, result: Result) -> float:
        """Operations of a step of a run, with all the evaluations that it counted."""
        steps = max(1, result.provenance.steps)
        return self.evaluation * work_of(result) / steps + self.closing


@dataclass
class Counting:
    """Counts of a model, kept: several methods share them."""

    model: Model
    step: float  # with which steps are recorded
    acceleration: Any = "screw"
    known: dict[tuple[str, str], float] = field(default_factory=dict)

    def cost_of(self, options: Mapping[str, Any]) -> StepCost:
        """What steps with these options of `simulate` cost."""
        spaces, method = options["spaces"], find_method(options["method"])
        spaces = method.spaces if isinstance(spaces, str) and spaces == "auto" else spaces
        return self.cost(spaces, options["stabilise"])

    def cost(self, spaces: Any, stabilise: Any) -> StepCost:
        """What steps in these spaces cost."""
        evaluation = self.kept(spaces, None, self.evaluation)
        closing = 0.0 if not stabilise else self.kept(spaces, stabilise, self.closing)
        return StepCost(evaluation, closing)

    def kept(self, spaces: Any, stabilise: Any, count: Any) -> float:
        key = repr(spaces), str(stabilise)
        if key not in self.known:
            self.known[key] = count(spaces, stabilise)
        return self.known[key]

    def evaluation(self, spaces: Any, stabilise: Any) -> float:
        two, four = (self.recorded(spaces, None, method) for method in ("heun", "rk4"))
        if two is None or four is None:
            return self.structural(spaces)
        return 0.5 * (four - two)

    def closing(self, spaces: Any, stabilise: Any) -> float:
        without, closed = (self.recorded(spaces, word, "rk4") for word in (None, stabilise))
        if without is None or closed is None:
            mechanism = self.run_of(spaces, None, "rk4").stepper.mechanism
            if mechanism.loops.row_count == 0:  # there is nothing to close
                return 0.0
            return CLOSING * self.kept(spaces, None, self.evaluation)
        return float(closed - without)

    def run_of(self, spaces: Any, stabilise: Any, method: str) -> Any:
        asked = Options(
            self.model, 2.0 * self.step, self.step, method=method, spaces=spaces,
            stabilise=stabilise, acceleration=self.acceleration, kernel="generic", progress=False,
        )  # fmt: skip
        return prepared(asked).run

    def recorded(self, spaces: Any, stabilise: Any, method: str) -> int | None:
        """Operations of the first step, recorded; None where that takes too long or fails."""
        if len(self.model.bodies) > MOST_RECORDED:
            return None
        run = self.run_of(spaces, stabilise, method)
        stepper, tape = run.stepper, Tape()
        state = [tape.input(x) for x in run.block.tolist()]
        times = tape.input(0.0), tape.input(self.step)
        opened = Unboxing().of((stepper.mechanism, stepper.workspace, stepper.scheme))
        try:
            _, outcome = plain_step(opened, state, times, self.step, UNSEEN)
        except Exception:  # a function of the user's own that takes numbers only, say
            return None
        return len(tape.nodes) if outcome == OK else None

    def structural(self, spaces: Any) -> float:
        """Operations of a stage by the structure of the model."""
        mechanism = self.run_of(spaces, None, "rk4").stepper.mechanism
        forces = OF_A_FORCE * mechanism.system.force_count
        return BY_RECURSION * recursion_flops(mechanism.tree, mechanism.loops) + forces
