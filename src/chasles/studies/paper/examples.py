"""The paper's four examples, and one well-known top beside them, as ordinary models.

They are written in `chasles.studies.paper_mechanisms`; words.toml says what they are called, and
which choice is made where the paper leaves data out.
"""

from dataclasses import dataclass

from chasles.model import Model, UnknownName
from chasles.studies.library.heavy_top import model as bruls_cardona_top
from chasles.studies.paper.words import words
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


MODELS = {
    "heavy-top": heavy_top,
    "double-pendulum": double_pendulum,
    "floating-pair": floating_pair,
    "three-bar": three_bar,
    "bruls-cardona-top": bruls_cardona_top,
}
EXAMPLES: dict[str, Example] = {
    key: Example(key, model=MODELS[key](), **text_of)
    for key, text_of in words()["examples"].items()
}


def example(key: str) -> Example:
    return EXAMPLES[UnknownName.check("example", key, EXAMPLES)]
