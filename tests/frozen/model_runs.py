"""Runs of whole models on charts: spaces, methods, stabilisers, and mixtures of spaces."""

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import product
from typing import Any

from frozen import Run
from frozen_models import CHAINS, LOOPS, PAPER, SCRIPTS, Builder, mounted, net, scripted

import chasles as ch

SPACES = ("SE3", "SO3xR3", "framed", "SE3 relative", "SO3xR3 relative")
METHODS = (
    "heun", "dopri5", "cf4", "gauss4", "half-explicit", "generalized-alpha",
    "generalized-alpha index 2", "bliedf2", "rattlie", "linearly-implicit",
)  # fmt: skip


def relative(model: ch.Model) -> dict[str, ch.Space]:
    """SO(3)xR3 at the centre of mass, relative to the body that "SE3 relative" refers to."""
    spaces = ch.designate(model, "SE3 relative").spaces
    return {name: ch.SO3xR3(relative_to=space.relative_to) for name, space in spaces.items()}


def run(
    group: str, name: str, build: Builder, until: float, step: float, spaces: Any, **options: Any
) -> Run:
    words = (name, spaces if isinstance(spaces, str) else "", *options.values())
    chosen = relative if spaces == "SO3xR3 relative" else spaces
    return Run(
        group, ", ".join(filter(None, words)), build, until, step, {"spaces": chosen, **options}
    )


def paper() -> Iterator[Run]:
    for (name, build), spaces in product(PAPER.items(), SPACES):
        yield run("paper", name, build, 0.2, 1e-3, spaces)
    for name, spaces, stabilise in product(
        ("double pendulum", "three-bar"), ("SE3", "SO3xR3"), ("projection", "baumgarte")
    ):
        yield run("paper", name, PAPER[name], 0.2, 1e-3, spaces, stabilise=stabilise)
    for name, build in PAPER.items():
        yield run("paper", name, build, 0.2, 1e-3, "SO3xR3", acceleration="space")


def methods() -> Iterator[Run]:
    for method, spaces in product(METHODS, ("SE3", "SO3xR3", "framed")):
        if (method, spaces) == ("rattlie", "framed"):
            continue  # refused: it needs a constant mass matrix
        yield run(
            "methods", "double pendulum", PAPER["double pendulum"], 0.1, 1e-3, spaces, method=method
        )
    for method in METHODS:
        yield run("methods", "three-bar", PAPER["three-bar"], 0.1, 1e-3, "SE3", method=method)
        yield run("methods", "cart on springs", mounted, 0.2, 2e-3, "SO3xR3", method=method)


def library() -> Iterator[Run]:
    for benchmark in ch.library:
        for spaces in ("SE3", "framed"):
            until = min(0.1, 50 * benchmark.step)
            yield run(
                "library", benchmark.name, benchmark.model, until, benchmark.step, spaces,
                **{name: v for name, v in benchmark.options.items() if name != "save_every"},
            )  # fmt: skip


def scripts() -> Iterator[Run]:
    for path in sorted(SCRIPTS.glob("*.py")):
        if path.stem != "checks":
            build = partial(scripted, path.stem)
            yield run("gallery", path.stem, build, 0.1, 1e-3, "SO3xR3", stabilise="projection")


def large() -> Iterator[Run]:
    for (name, build), spaces in product(CHAINS.items(), ("SE3", "framed")):
        yield run("chains and trees", name, build, 0.1, 1e-3, spaces)
    for (name, build), (spaces, stabilise) in product(
        LOOPS.items(), (("SO3xR3", None), ("framed", "projection"))
    ):
        yield run("loops, towers and nets", name, build, 0.1, 1e-3, spaces, stabilise=stabilise)
    for spaces in ("SE3", "SO3xR3"):
        flat = partial(net, 3, flat=True)
        yield run("loops, towers and nets", "flat net of 3 x 3", flat, 0.1, 1e-3, spaces)


def mixtures() -> Iterator[Run]:
    """Some bodies on charts, some on the subgroups of their joints."""
    chosen: dict[tuple[str, Builder], Mapping[str, Any]] = {
        ("double pendulum, SE3 on a subgroup", PAPER["double pendulum"]): {
            "link 1": "subgroups", "link 2": "SE3",
        },
        ("double pendulum, subgroup on SO3xR3", PAPER["double pendulum"]): {
            "link 1": "SO3xR3", "link 2": "subgroups",
        },
        ("three-bar, one on SE3", PAPER["three-bar"]): {"link 1": "subgroups", "link 2": "SE3"},
        ("slider-crank, coupler on SO3xR3", LOOPS["slider-crank"]): {
            "crank": "subgroups", "coupler": "SO3xR3", "piston": "subgroups",
        },
        ("tree 1, two on charts", CHAINS["tree 1"]): {"body 2": "SE3", "body 5": "SO3xR3"},
        ("chain of 4 balls, SE3 and SO3xR3", CHAINS["chain of 4 balls"]): {
            "link 1": "SE3", "link 2": "SO3xR3", "link 3": ch.SE3(relative_to="link 2"),
            "link 4": ch.SO3xR3(at="joint 4", relative_to="link 3"),
        },
    }  # fmt: skip
    for (name, build), spaces in chosen.items():
        yield run("mixtures", name, build, 0.1, 1e-3, spaces)


def runs() -> list[Run]:
    return [*paper(), *methods(), *library(), *scripts(), *large(), *mixtures()]
