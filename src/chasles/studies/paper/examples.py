"""The paper's four examples, and one well-known top beside them, as ordinary models.

They are written in `chasles.studies.paper_mechanisms`.  Where the paper leaves data out, the choice
made there is in the example's `note`.
"""

from collections.abc import Callable
from dataclasses import dataclass

from chasles.model import Model, UnknownName
from chasles.studies.library.heavy_top import model as bruls_cardona_top
from chasles.studies.paper_mechanisms import double_pendulum, floating_pair, heavy_top, three_bar


@dataclass(frozen=True)
class Example:
    """A model with what the report says about it.

    key          name on the command line and in file names
    in_paper     whether the paper has it
    energy_name  the energy whose drift is shown, as the paper calls it
    note         data the paper leaves out, and the choice made here
    """

    key: str
    title: str
    model: Model
    in_paper: bool
    energy_name: str
    note: str


def make(key: str, title: str, build: Callable[[], Model], energy: str, note: str) -> Example:
    return Example(key, title, build(), key != "bruls-cardona-top", energy, note)


EXAMPLES: dict[str, Example] = {
    example.key: example
    for example in (
        make(
            "heavy-top",
            "Heavy top",
            heavy_top,
            "kinetic energy",
            "Titled “in gravity field”, but the run has no gravity: the paper's text says so"
            " (M = F = 0).",
        ),
        make(
            "double-pendulum",
            "Spherical double pendulum",
            double_pendulum,
            "total energy",
            "The paper gives no mass: aluminium, 2700 kg/m³, makes each link 2.7 kg. Link 1 starts"
            " with its centre at rest, link 2 with v = (0, 2π, −π) m/s, as the joints demand."
            " g = 9.81 m/s².",
        ),
        make(
            "floating-pair",
            "Two floating bodies",
            floating_pair,
            "kinetic energy",
            "The paper gives no linear velocities: the pair's centre of mass is taken at rest.",
        ),
        make(
            "three-bar",
            "Closed 3-bar linkage",
            three_bar,
            "total energy",
            "The paper gives no data at all: pivots 0.3 m apart, the knee horizontal, swinging at"
            " 10 rad/s about the line of pivots, links spinning at 10π and −20π rad/s about"
            " themselves.",
        ),
        make(
            "bruls-cardona-top",
            "Brüls–Cardona top",
            bruls_cardona_top,
            "total energy",
            "Not in the paper: the well-known benchmark of Brüls and Cardona (2010), which it"
            " builds on. 15 kg, centre of mass 1 m from the pivot, 150 rad/s, in gravity.",
        ),
    )
}


def example(key: str) -> Example:
    """The example of that name."""
    if key not in EXAMPLES:
        raise UnknownName.among("example", key, EXAMPLES)
    return EXAMPLES[key]
