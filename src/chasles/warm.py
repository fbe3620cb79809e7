"""`chasles warm`: everything that a user can reach, compiled ahead with told progress.

The first run on a machine compiles what it needs, unless it came prebuilt.  Where that would be in
the way (a container image, a class room, the nodes of a cluster) all of it is compiled before.
"""

from collections.abc import Callable

from chasles.compiled import compiling_at_once


def warm(say: Callable[[str], None] = print) -> int:
    """Compile every kernel that is not on disk yet; returns how many kernels there are."""
    with compiling_at_once(say) as kernels:
        use_every_kernel()
    say(f"chasles: all {len(kernels)} kernels are ready.")
    return len(kernels)


def use_every_kernel() -> None:
    """A door on two hinges, driven: it needs assembly, the time loop, reactions and every check.

    On one hinge it is a tree, which has a time loop of its own on the subgroups of its joints; on
    two balls it is a loop, which has another, and redundant.
    """
    from chasles import GROUND, Body, Driver, Model, Revolute, Signal, Spherical, assemble, simulate

    door = Body.box("door", size=(0.8, 0.04, 2.0), mass=20.0, position=(0.4, 0.0, 1.0))
    hinges = [
        Revolute(name, GROUND, door, at=(0.0, 0.0, height), axis=(0.0, 0.0, 1.0))
        for name, height in (("lower hinge", 0.2), ("upper hinge", 1.8))
    ]
    model = Model([door], hinges, drivers=[Driver("hand", hinges[0], Signal.linear(0.1))])
    assemble(model)
    simulate(model, until=0.002, step=0.001, progress=False).reaction("lower hinge")
    balls = [
        Spherical(name, GROUND, door, at=(0.0, 0.0, height))
        for name, height in (("lower ball", 0.2), ("upper ball", 1.8))
    ]
    for joints in (hinges[:1], balls):
        simulate(Model([door], joints), until=0.002, step=0.001, progress=False, spaces="subgroups")
