"""Mutants: one formula of the package, found by its name, replaced by a wrong one.

Without the compiler formulas run as they are, so a mutant is a Python function put in the place of
another wherever it is known.  In a process of its own: `CHASLES_MUTANT="a mass" python -m pytest
-p mutants ...`, or `import mutants` ahead of anything else.
"""

import importlib
import os
import sys
from collections.abc import Callable
from typing import Any

from chasles.groups.vectors import neg, scale


def turned(pair):
    return neg(pair[0]), neg(pair[1])


#: What is wrong: module, name, and the wrong formula made from the right one.
MUTANTS: dict[str, tuple[str, str, Callable[[Any], Any]]] = {
    "the sign of dexp^-1": (
        "chasles.core.recursion.motion", "turn_rate",
        lambda right: lambda tau, x, omega: right(tau, neg(x), omega),
    ),
    "no dexp^-1": (
        "chasles.core.recursion.motion", "turn_rate",
        lambda right: lambda tau, x, omega: omega,
    ),
    "a mass": (
        "chasles.model", "Body.box",
        lambda right: lambda *given, mass=None, **more: right(
            *given, mass=mass + 0.1 if mass else None, **more
        ),
    ),
    "a sign of the acceleration constraint": (
        "chasles.core.placed", "space_eta_point", lambda right: lambda *given: neg(right(*given)),
    ),
    "a sign of the gyroscopic terms": (
        "chasles.core.recursion.inertia", "gyroscopic",
        lambda right: lambda *given: neg(right(*given)),
    ),
    "the dexp^-1 term on SO(3)": (
        "chasles.groups.so3", "so3_dexp_inv", lambda right: lambda x, y: right(neg(x), y),
    ),
    "the dexp^-1 term on SE(3)": (
        "chasles.groups.se3", "se3_dexp_inv", lambda right: lambda at, z: z,
    ),
    "the half turn to an opposite axis": (
        "chasles.spaces.frames", "turned",
        lambda right: lambda axes, axis: right(axes, axis)
        * (1.0, -1.0 if axes[:, 2] @ axis < -0.9999999 else 1.0, 1.0),
    ),
    "the turn to another axis": (
        "chasles.spaces.frames", "turned",
        lambda right: lambda axes, axis: right(right(axes, axis), tuple(axes[:, 2])),
    ),
    "the bracket in eta of the screw form": (
        "chasles.core.placed", "screw_eta", lambda right: lambda a, b: right(b, a),
    ),
    "the lever of a row": (
        "chasles.core.placed", "translation_row",
        lambda right: lambda axis, point, pitch: right(axis, neg(point), pitch),
    ),
    "the pitch of a screw": (
        "chasles.core.placed", "translation_row",
        lambda right: lambda axis, point, pitch: right(axis, point, -pitch),
    ),
    "eta of a rotation in the space form": (
        "chasles.core.placed", "space_eta_rotation", lambda right: lambda *given: -right(*given),
    ),
    "eta of a sliding direction in the space form": (
        "chasles.core.placed", "space_eta_along", lambda right: lambda *given: 2.0 * right(*given),
    ),
    "the rate of a product of axes": (
        "chasles.core.placed", "axis_product",
        lambda right: lambda *given: (right(*given)[0], scale(0.5, right(*given)[1])),
    ),
    "the bracket of se(3)": (
        "chasles.groups.se3", "se3_bracket", lambda right: lambda x, y: right(y, x),
    ),
    "the exponential of SO(3)": (
        "chasles.groups.so3", "so3_exp", lambda right: lambda x: right(scale(1.0 + 1e-6, x)),
    ),
}  # fmt: skip


def put_in_place(mutant: str) -> None:
    """Replace a formula wherever a module of the package knows it."""
    module, path, make = MUTANTS[mutant]
    owner: Any = importlib.import_module(module)
    *outer, name = path.split(".")
    for part in outer:
        owner = getattr(owner, part)
    right = getattr(owner, name)
    wrong = make(right)
    if outer:  # a method
        setattr(owner, name, staticmethod(wrong))
        return
    importlib.import_module("chasles.studies.paper.examples")  # and with it everything that steps
    for known in [m for key, m in sys.modules.items() if key.split(".")[0] == "chasles"]:
        for own_name, value in list(vars(known).items()):
            if value is right:
                setattr(known, own_name, wrong)


if "CHASLES_MUTANT" in os.environ:
    assert os.environ.get("NUMBA_DISABLE_JIT") == "1", "compiled formulas are not replaced"
    put_in_place(os.environ["CHASLES_MUTANT"])
