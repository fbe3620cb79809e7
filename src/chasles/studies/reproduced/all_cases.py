"""All cases by name."""

from chasles.model import UnknownName
from chasles.studies.reproduced.alpha import ALPHA_ORDERS, ALPHA_REACTIONS
from chasles.studies.reproduced.case import Case, Reproduced, reproduced
from chasles.studies.reproduced.others import DISC, PENDULUMS
from chasles.studies.reproduced.tops import TOP, TWO_TOPS

ALL = (TOP, TWO_TOPS, ALPHA_ORDERS, ALPHA_REACTIONS, PENDULUMS, DISC)
CASES: dict[str, Case] = {case.name: case for case in ALL}


def reproduce(name: str) -> Reproduced:
    if name not in CASES:
        raise UnknownName.among("published result", name, CASES)
    return reproduced(CASES[name])
