"""Spaces that mix subgroups and charts, with charts on which a method makes the very same steps."""

from mechanisms import apart
from random_loops import charts_alike

import chasles as ch
from chasles.spaces import Space
from chasles.spaces.designate import on_subgroup
from chasles.spaces.tree import pair_tree

CHARTS = ("SE3", "SO3xR3", "SO3xR3 on its joint", "SE3 relative", "SO3xR3 relative",
          "SO3xR3 relative on its joint")  # fmt: skip


def chart_of(kind: str, model: ch.Model, name: str) -> Space:
    """A chart of six dimensions for a body, by its place in the tree of lower pairs."""
    carried = pair_tree(model).parents[name]
    parent = carried[0] if carried and carried[0] != "ground" else None
    return Space(
        kind[:6].strip() if kind.startswith("SO") else "SE3",
        carried[1] if carried and "joint" in kind else None,
        parent if "relative" in kind else None,
    )


def mixture(model: ch.Model, charts: dict[str, str]) -> tuple[dict[str, Space], dict[str, Space]]:
    """Some bodies on charts, the others on their subgroups; and all on charts, those framed."""
    tree, alike = pair_tree(model), charts_alike(model)
    mixed = {name: on_subgroup(tree, name) for name in model.body_names}
    for name, kind in charts.items():
        mixed[name] = alike[name] = chart_of(kind, model, name)
    return mixed, alike


def random_mixture(model: ch.Model, rng) -> tuple[dict[str, Space], dict[str, Space]]:
    """Every other body on some chart, at least one on a chart and one on a subgroup."""
    names = rng.permutation(model.body_names).tolist()
    charted = names[: int(rng.integers(1, len(names)))]
    return mixture(model, {name: str(rng.choice(CHARTS)) for name in charted})


def disagreement(model: ch.Model, mixed, alike, until, step, **options) -> float:
    """Between a mixture and charts alike, all of whose joints have rows."""
    ours = ch.simulate(model, until, step=step, spaces=mixed, **options)
    theirs = ch.simulate(model, until, step=step, spaces=alike, rows="all", **options)
    return apart(ours, theirs)
