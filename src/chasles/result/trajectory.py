"""The arrays of a run, and what is computed from them once."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from chasles.build.dynamics.tree_problem import OnPairs, needs_tree, own_readings, read_on_pairs
from chasles.build.problem import Problem
from chasles.core.arrays import Floats
from chasles.model import Body, Joint, Model
from chasles.result.provenance import Checkpoint, Provenance
from chasles.spaces import Designation

#: Arrays with a row for every saved time.
OVER_TIME = ("t", "absolute", "integrals", "coordinates", "multipliers")


@dataclass(frozen=True, repr=False, eq=False)
class Trajectory:
    """The states of a run at the saved times; see `Result`, which reads them by name."""

    problem: Problem = field(repr=False)
    t: Floats
    absolute: Floats = field(repr=False)
    integrals: Floats = field(repr=False)
    provenance: Provenance
    status: str = "finished"
    message: str = ""
    coordinates: Floats | None = field(default=None, repr=False)
    checkpoint: Checkpoint | None = field(default=None, repr=False)
    multipliers: Floats | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        for name in OVER_TIME:
            if getattr(self, name) is None:
                continue
            view = getattr(self, name).view()
            view.flags.writeable = False
            object.__setattr__(self, name, view)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)  # a copy's arrays are its own, and read-only as well
        self.__post_init__()

    @property
    def model(self) -> Model:
        return self.problem.model

    @property
    def designation(self) -> Designation:
        """The space of every body with its reason, and which joints drift."""
        return self.problem.designation

    @cached_property
    def _own(self) -> tuple[Any, OnPairs] | None:
        """What multipliers of the method itself tell, and at which of the saved times."""
        if self.multipliers is None:
            return None
        return own_readings(
            self.problem.setup, self.absolute, self.t, self.integrals, self.coordinates,
            self.multipliers,
        )  # fmt: skip

    @cached_property
    def _on_pairs(self) -> OnPairs:
        """What the pairs tell of couplings, and where bodies have no mass of everything."""
        return read_on_pairs(
            self.problem.setup, self.absolute, self.t, self.integrals, self.coordinates
        )

    @cached_property
    def _multipliers(self) -> Floats:
        """Of all couplings (T, c): those of the method where it has its own, as for joints."""
        return self._with_own("couplings", self._on_pairs.couplings)

    @cached_property
    def _of_motion(self) -> tuple[Floats, Floats]:
        """Wrenches of the joints (T, m, 12) and V' (T, n, 6)."""
        if needs_tree(self.problem.setup):
            return self._on_pairs.wrenches, self._on_pairs.rates
        return self.problem.form.history(self.absolute, self.t, self.integrals)

    @property
    def _wrenches_of_motion(self) -> Floats:
        return self._of_motion[0]

    @cached_property
    def _wrenches(self) -> Floats:
        return self._with_own("wrenches", self._wrenches_of_motion)

    @cached_property
    def _rates(self) -> Floats:
        """V' (T, n, 6)."""
        return self._with_own("rates", self._of_motion[1])

    def _with_own(self, name: str, of_motion: Floats) -> Floats:
        """Values (T, ...) of the equations of motion, with those of the method where it has any."""
        if self._own is None:
            return of_motion
        rows, own = self._own
        found = of_motion.copy()
        found[rows] = getattr(own, name)
        return found

    def _body(self, body: Body | str) -> Floats:
        return self.absolute[:, self.problem.setup.body_index[self.model.body(body).name]]

    def _joint(self, joint: Joint | str) -> str:
        """The name of a joint or driver of the model."""
        name = getattr(joint, "name", joint)
        if isinstance(name, str) and name in self.model.driver_names:
            return name
        return self.model.joint(joint).name
