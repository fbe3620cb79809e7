r"""Munthe-Kaas methods with another map, so that its effect can be seen.

A step on a group needs a map tau from the algebra to it, and $d\tau^{-1}$:

exp        the default: a lower pair stays closed in the spaces that keep its subalgebra
cayley     $(1 - X/2)^{-1}(1 + X/2)$, rational and cheaper; of the same order, but on SE(3) it is
           exp of a subgroup for spherical and planar pairs and for one axis of a hinge only
truncate   exp, with $\mathrm{dexp}^{-1} = \sum_k \frac{B_k}{k!}\mathrm{ad}^k$ summed up to q
           brackets: a method of order p keeps its order for q >= p - 2 (Munthe-Kaas 1999).  The
           first bracket left out, k, is one of U with h U + ..., so that the order is k + 1 at the
           most.  Joints hold as well, since brackets stay in a subalgebra
"""

from dataclasses import replace
from typing import Literal

from chasles.core.recursion.motion import BERNOULLI
from chasles.core.recursion.tree import CAYLEY, EXP, TRUNCATED
from chasles.integrators.methods import Method, find_method
from chasles.integrators.rkmk import make_munthe_kaas
from chasles.integrators.tableaux import Tableau
from chasles.model import InvalidOption, UnknownName
from chasles.model.checks import checked_count
from chasles.model.keywords import checked_keywords

MAPS = {"exp": EXP, "cayley": CAYLEY}


@checked_keywords
def munthe_kaas(
    method: str | Tableau | Method = "rk4",
    map: Literal["exp", "cayley"] = "exp",
    truncate: int | None = None,
) -> Method:
    """The Munthe-Kaas method of a tableau with another map, for `simulate(method=...)`.

    Parameters
    ----------
    method
        Name of an explicit Runge-Kutta method, or a Tableau.
    map
        Map from the Lie algebra to the group: "exp" or "cayley".
    truncate
        With "exp": number of brackets, 0 to 6, in the series of dexp^-1. Default: closed form.

    Returns
    -------
    Method
        The method.

    Examples
    --------
    >>> munthe_kaas("rk4", truncate=0).name
    'rk4, dexp^-1 up to 0 brackets'
    """
    found = find_method(method)
    if found.tableau is None or getattr(found.make, "func", None) is not make_munthe_kaas:
        raise InvalidOption(
            f"munthe_kaas: '{found.name}' is not a Munthe-Kaas method: it has no dexp^-1.",
            "Give the name of a tableau, rk4 say, or a Tableau.",
        )
    UnknownName.check("map", map, MAPS, "munthe_kaas")
    if truncate is None:
        name = found.name if map == "exp" else f"{found.name}, {map}"
        return replace(found, name=name, map=MAPS[map])
    most, where = len(BERNOULLI) - 1, "munthe_kaas"
    truncate = checked_count(truncate, "truncate", most, where, InvalidOption, least=0)
    if map != "exp":
        raise InvalidOption(
            f"munthe_kaas: truncate was given with the map '{map}', which is not a series.",
            "Leave truncate out, or take the map 'exp'.",
        )
    left_out = truncate + 1 if truncate < 2 else truncate + 2 - truncate % 2  # B_3, B_5, ... are 0
    order = min(found.order, left_out + 1)
    name = f"{found.name}, dexp^-1 up to {truncate} brackets"
    return replace(found, name=name, order=order, map=TRUNCATED + truncate)
