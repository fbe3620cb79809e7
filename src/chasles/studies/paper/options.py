"""What a report is made of, checked before anything runs."""

from dataclasses import dataclass
from math import isfinite
from pathlib import Path

from chasles.integrators.tableaux import method as find_method
from chasles.model import InvalidOption
from chasles.studies.paper.examples import EXAMPLES, example

#: Some of the paper's equations are integrated in plain Python, five times as long as the others.
MOST_STEPS = 50_000


@dataclass(frozen=True)
class Options:
    """The paper's own values are the defaults."""

    examples: tuple[str, ...] | None = None
    step: float = 1e-3
    method: str = "rk4"
    until: float = 1.0
    out: Path = Path("out/paper")
    quick: bool = False

    def __post_init__(self) -> None:
        for key in self.examples or ():
            example(key)
        find_method(self.method)
        for name, value in (("--step", self.step), ("--until", self.until)):
            if not (isfinite(value) and value > 0):
                raise InvalidOption(f"{name} must be a positive time in seconds, got {value:g}.")
        steps = self.until / self.step
        if not 10 <= steps <= MOST_STEPS:
            raise InvalidOption(
                f"--until {self.until:g} s at --step {self.step:g} s is {steps:.3g} steps,"
                f" but a report takes between 10 and {MOST_STEPS}."
            )

    @property
    def chosen(self) -> tuple[str, ...]:
        """The examples, in the paper's order."""
        return tuple(key for key in EXAMPLES if self.examples is None or key in self.examples)

    @property
    def as_in_paper(self) -> bool:
        return (self.step, self.method, self.until) == (1e-3, "rk4", 1.0)
