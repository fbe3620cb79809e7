"""A problem: a model, the space of every body, and the arrays and the plan that follow from them.

Nothing in it changes, and it holds no scratch that anyone reads: ask from any thread.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from chasles.build.dynamics.branching import check_branches
from chasles.build.dynamics.solver import Solver, make_solver, never_depend
from chasles.build.start.free_bodies import MaximalForm
from chasles.build.start.redundancy import Redundancy
from chasles.build.system.build import Setup
from chasles.build.system.state import State
from chasles.build.system.tree_setup import build_counted
from chasles.core.arrays import ABSOLUTE_WIDTH, CHART_WIDTH, Floats
from chasles.core.state_block import SUPPLY_WIDTH
from chasles.model import Model
from chasles.spaces import Designation, Space, designate, resolve_spaces
from chasles.spaces.designate import overrides
from chasles.spaces.exactness import drifting_joints
from chasles.spaces.on_subgroups import check_subgroups, on_subgroups

#: What "auto" means where another form of the constraints than the screw form is asked for.
CHARTED = "auto, charts"
CHARTED_NOTE = (
    "acceleration='space' is a form of constraint rows, which joints on subgroups do not have:"
    " spaces='auto' took charts framed on the joints."
)


@dataclass(frozen=True, eq=False)
class SpaceChoice:
    """A space for every body, and who chose it.

    by_hand  bodies whose space a user chose; those of the others were chosen to fit
    cut      joints at which loops were to be cut
    given    the designation that it is, where one was given
    word     the name that it has, where one was given: "auto", say
    note     what the designation says beside that
    """

    model: Model
    spaces: dict[str, Space]
    by_hand: tuple[str, ...] = ()
    cut: tuple[str, ...] = ()
    given: Designation | None = None
    word: str | None = None
    note: str = ""

    @cached_property
    def designation(self) -> Designation:
        """The spaces with their reasons; made when it is first asked for, unless it was given."""
        if self.given is not None:
            return self.given
        chosen = {body: self.spaces[body] for body in self.by_hand}
        found = designate(self.model, chosen, self.cut)
        return replace(found, notes=(*found.notes, self.note)) if self.note else found

    @cached_property
    def words(self) -> dict[str, str]:
        """The space of every body in words."""
        return {name: str(space) for name, space in self.spaces.items()}

    @cached_property
    def drifting(self) -> tuple[str, ...]:
        """The joints that open with the error of the method."""
        if self.given is None and not self.cut:
            return drifting_joints(self.model, self.spaces)
        return self.designation.drifting


def choose_spaces(model: Model, spaces: Any, acceleration: str = "screw") -> SpaceChoice:
    """From what `simulate` takes as spaces: a name, a Space, a dict of them, or a Designation.

    Another form of the acceleration constraints than the screw form asks for constraints: charts.
    What a name means depends on the model alone, and is kept with it.
    """
    if not isinstance(spaces, str):
        return new_choice(model, spaces)
    charted = spaces == "auto" and isinstance(acceleration, str) and acceleration != "screw"
    word = CHARTED if charted else spaces
    key = ("spaces", word)
    if key not in model._kept:
        choice = new_choice(model, "framed" if charted else spaces)
        model._kept[key] = replace(choice, word=word, note=CHARTED_NOTE if charted else "")
    kept: SpaceChoice = model._kept[key]
    return kept


def new_choice(model: Model, spaces: Any) -> SpaceChoice:
    """The same without a look at what is kept."""
    chosen = resolve_spaces(model, spaces)
    if not (isinstance(spaces, str) and on_subgroups(chosen)):  # a rule names the joints itself
        check_subgroups(model, chosen)
    if isinstance(spaces, Designation):
        if spaces.model == model:
            return SpaceChoice(model, chosen, spaces.by_hand, spaces.wanted, spaces)
        cut = tuple(name for name in spaces.wanted if name in model.joint_names)
        return SpaceChoice(model, chosen, model.body_names, cut)
    if isinstance(spaces, Mapping):
        return SpaceChoice(model, chosen, tuple(overrides(model, spaces)))
    by_hand = () if isinstance(spaces, str) and spaces == "auto" else model.body_names
    return SpaceChoice(model, chosen, by_hand)


@dataclass(frozen=True, eq=False)
class Problem:
    """What is integrated.

    choice  the space of every body
    setup   the model's arrays, and what their rows mean
    damp    whether the factor is damped, so that singular poses are passed
    refuse  whether joints that repeat each other are refused
    """

    choice: SpaceChoice
    setup: Setup
    damp: bool = False
    refuse: bool = False

    @property
    def model(self) -> Model:
        return self.setup.model

    @property
    def spaces(self) -> dict[str, Space]:
        return self.setup.spaces

    @property
    def designation(self) -> Designation:
        """The spaces with their reasons, and what becomes of every joint."""
        return self.choice.designation

    @cached_property
    def solver(self) -> Solver:
        """What runs step with, each in a workspace of its own: made when it is first asked for."""
        solver = make_solver(self.setup, damp=self.damp, refuse=self.refuse)
        if not self.damp and not never_depend(self.model):
            check_branches(solver)
        return solver

    @property
    def form(self) -> MaximalForm:
        """The equations of all joints, as rows."""
        return self.solver.form

    @property
    def start(self) -> Floats:
        """(n, 18) the absolute state at t = 0, its velocities complete."""
        return self.solver.start

    @property
    def redundancy(self) -> Redundancy | None:
        return self.solver.redundancy


def make_problem(
    choice: SpaceChoice,
    acceleration: str = "screw",
    start: State | None = None,
    damp: bool = False,
    refuse: bool = False,
    fit: bool = True,
) -> Problem:
    """The problem of a model in chosen spaces.

    `fit` lets bodies on charts that fit a joint move in its subgroup.

    Where it depends on nothing but the model and on names it is kept with the model: a second run
    of the same model finds its arrays, order of elimination and start.  Users' functions may answer
    otherwise the next time they are asked.
    """
    named = start is None and choice.word is not None and isinstance(acceleration, str)
    key = ("problem", choice.word, acceleration, damp, refuse, fit)
    if named and key in choice.model._kept:
        kept: Problem = choice.model._kept[key]
        return kept
    setup = build_counted(choice.model, choice.spaces, acceleration, start, fit)
    problem = Problem(choice, setup, damp, refuse)
    if named and not setup.asks_users:
        choice.model._kept[key] = problem
    return problem


def bytes_stored(bodies: int, quadratures: int, states: int) -> int:
    """Memory that a trajectory takes: points as they come, their charts, what a Result holds."""
    points, integrals = CHART_WIDTH * bodies + quadratures + SUPPLY_WIDTH, quadratures
    charts, absolute = CHART_WIDTH * bodies, ABSOLUTE_WIDTH * bodies
    return 8 * states * (points + charts + absolute + integrals + 1)
