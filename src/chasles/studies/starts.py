"""Runs of one model from several starts, with every method, space and setting."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from chasles.many.quiet import simulate_quietly
from chasles.model import ChaslesError, Model, SimulationStopped
from chasles.result.result import Result
from chasles.run.motion_error import MotionError, error_at_end


@dataclass(frozen=True)
class Cases:
    """What is run with every method, space and step."""

    model: Model
    until: float
    starts: tuple[Any, ...]
    reactions: bool = False

    def run(self, **options: Any) -> list[Result]:
        return [simulate_quietly(self.model, self.until, start=s, **options) for s in self.starts]

    def tried(
        self, settings: Mapping[float, Mapping[str, Any]], **options: Any
    ) -> tuple[dict[float, list[Result]], str]:
        """The runs of every setting at which none stops; or why a method is refused."""
        found = {}
        for setting, chosen in settings.items():
            try:
                found[setting] = self.run(**options, **chosen)
            except SimulationStopped:
                continue  # unstable at so coarse a setting
            except ChaslesError as refused:
                return {}, refused.what
        return found, ""

    def error(self, runs: list[Result], exact: list[Result]) -> MotionError:
        """The root mean square over the starts."""
        errors = [error_at_end(run, other, self.reactions) for run, other in zip(runs, exact)]
        reactions = [e.reaction for e in errors if e.reaction is not None]
        return MotionError(
            root_mean_square([e.pose for e in errors]),
            root_mean_square([e.velocity for e in errors]),
            root_mean_square(reactions) if reactions else None,
        )


def root_mean_square(values: list[float]) -> float:
    return float(np.sqrt(np.mean(np.square(values))))
