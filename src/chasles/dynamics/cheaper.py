"""Which solver a model is for, counted from its structure before anything is computed."""

from typing import NamedTuple

from chasles.core.ordering import make_plan
from chasles.core.recursion.count import block_flops, recursion_flops
from chasles.core.recursion.tables import make_loops
from chasles.model import Model
from chasles.spaces import resolve_spaces
from chasles.system.build import build
from chasles.system.tree_setup import tree_setup


class Operations(NamedTuple):
    """Multiplications of one stage on subgroups by recursion, and on charts by the block solver.

    blocks is None where there is nothing to choose: a tree without rows is for the recursion.
    """

    recursion: int
    blocks: int | None

    def __str__(self) -> str:
        if self.blocks is None:
            return (
                f"{self.recursion} multiplications a stage by recursion, and no rows to solve for"
            )
        return (
            f"{self.recursion} multiplications a stage by recursion, {self.blocks} by the block"
            " solver"
        )


def recursion_pays(model: Model) -> tuple[bool, Operations]:
    """Whether joint subgroups are the cheaper space of a model, and the operations counted.

    All rows of cut joints are counted, also those that will be found to vanish: wide nets, in which
    many rows ride through the same bodies, are for the block solver.

    >>> from chasles.model import GROUND, Body, Spherical
    >>> arm = Body.rod("arm", length=1.0, mass=2.0, position=(0.5, 0, 0))
    >>> recursion_pays(Model([arm], [Spherical("pivot", GROUND, arm, at=(0, 0, 0))]))
    (True, Operations(recursion=280, blocks=None))
    """
    setup = build(model, resolve_spaces(model, "subgroups"))
    found = tree_setup(setup)
    ours = recursion_flops(found.tree, make_loops(found.tree, found.cuts))
    if not found.cuts:
        return True, Operations(ours, None)
    system = setup.system
    blocks = block_flops(make_plan(system), system.body_count, system.row_count)
    return ours <= blocks, Operations(ours, blocks)
