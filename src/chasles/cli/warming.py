"""`chasles warm`: everything that a user can reach, compiled ahead with told progress.

The first run on a machine compiles what it needs, unless it came prebuilt.  Where that would be in
the way (a container image, a class room, the nodes of a cluster) all of it is compiled before.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from chasles.compiled import compiling_at_once, fill_slots

#: A method of every kind: each has a time loop of its own.
METHODS = ("rk4", "cf4", "gauss4", "rattlie", "half-explicit", "linearly-implicit", "bliedf3",
           "generalized-alpha")  # fmt: skip
#: Of a chain that is large: its equilibrium is found with matrices of blocks.
LINKS = 60


def warm(say: Callable[[str], None] = print) -> int:
    """Compile every kernel that a user reaches and that is not on disk; how many these are."""
    with compiling_at_once(say) as kernels:
        use_every_kernel()
        take_steps_of_every_kind(say)
        say("chasles: routines that kernels share")
        routines = fill_slots()
    ready = sum(kernel.ready for kernel in kernels)
    say(f"chasles: all {ready} kernels and {routines} routines are ready.")
    return ready


def use_every_kernel() -> None:
    """A run, an assembly and an equilibrium, which use every kernel once.

    Those of redundant loops are met by Bennett's linkage.
    """
    import chasles as ch
    from chasles.studies.gallery import chain
    from chasles.studies.library import bennett

    door, hinges = door_on_hinges()
    hand = ch.Driver("hand", hinges[0], ch.Signal.linear(0.1))
    model = ch.Model([door], hinges, drivers=[hand])
    open_joint = ch.Spherical("open", ch.GROUND, door, at=(0, 0, 0), at_b=(0.01, 0, 0))
    ch.assemble(ch.Model([door], [open_joint]))
    result = ch.simulate(model, until=0.002, step=0.001, progress=False, spaces="framed")
    result.reaction("lower hinge")
    event = ch.Event(lambda t, state: t - 0.001, name="a millisecond")
    by_tolerance: dict[str, Any] = {"rtol": 1e-3, "method": "dopri5", "events": [event]}
    ch.simulate(model, until=0.002, progress=False, spaces="framed", **by_tolerance)
    ch.joint_dynamics(ch.Model([door], hinges[:1]))
    ch.simulate(bennett.model(), until=0.002, step=0.001, progress=False, spaces="subgroups")
    ch.equilibrium(replace(chain(LINKS), gravity=(9.81, 0.0, 0.0)))  # it lies along x


def take_steps_of_every_kind(say: Callable[[str], None]) -> None:
    """Every kind of method has a time loop of its own; all models share it."""
    import chasles as ch
    from chasles.studies.paper_mechanisms import three_bar

    door, hinges = door_on_hinges()
    model = ch.Model([door], hinges[:1])
    options: dict[str, Any] = {"progress": False, "until": 0.002}
    for method in METHODS:
        say(f"chasles: steps of {method}")
        ch.simulate(model, step=0.001, method=method, **options)
    ch.simulate(three_bar(), step=0.001, spaces="subgroups", **options)
    options["method"] = ch.scipy_method("RK45")
    ch.simulate(model, rtol=1e-3, **options)


def door_on_hinges() -> tuple[Any, list[Any]]:
    """A loop: the second hinge repeats the first."""
    import chasles as ch

    door = ch.Body.box("door", size=(0.8, 0.04, 2.0), mass=20.0, position=(0.4, 0.0, 1.0))
    hinges = [
        ch.Revolute(name, ch.GROUND, door, at=(0.0, 0.0, height), axis=(0.0, 0.0, 1.0))
        for name, height in (("lower hinge", 0.2), ("upper hinge", 1.8))
    ]
    return door, hinges
