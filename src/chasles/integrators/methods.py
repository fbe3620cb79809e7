"""Methods by name: what `simulate(method=...)` may be."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from typing import Any

from chasles.core.retraction import EXP, slope_length
from chasles.integrators.commutator_free import COMMUTATOR_FREE
from chasles.integrators.crouch_grossman import CROUCH_GROSSMAN
from chasles.integrators.pairs import PAIR_TABLEAUX, PAIRS, Pair
from chasles.integrators.products import make_products, tableau_of
from chasles.integrators.rkmk import make_munthe_kaas
from chasles.integrators.schemes import register_scheme
from chasles.integrators.tableaux import METHODS, Tableau
from chasles.integrators.tableaux import method as find_tableau
from chasles.model import InvalidOption, UnknownName


@dataclass(frozen=True)
class Method:
    """A way to advance a model in time.

    name      as in `simulate(method=...)`
    order     of positions and velocities
    adaptive  whether it can choose its steps by a tolerance
    implicit  whether its stages are solved for
    make      (length of a point, of a slope) -> the record of a scheme, with storage
    tableau   of a Runge-Kutta method; of a product of exponentials what it is on a vector space
    map       code of the map from the algebra to the group (see `integrators.maps`)
    pair      what makes it adaptive
    fit       (solver, mechanism) -> the record, where two lengths do not tell all that it needs
    history   (velocities, integrals) -> how many numbers it keeps from step to step
    index     3: it solves for joints that are closed; 2: and do not slip; 0: it follows from
              accelerations.  Where it is not 0 the multipliers are its own
    """

    name: str
    order: int
    make: Callable[[int, int], Any]
    adaptive: bool = False
    implicit: bool = False
    tableau: Tableau | None = None
    map: int = EXP
    pair: Callable[[], Pair] | None = None
    fit: Callable[[Any, Any], Any] | None = None
    history: Callable[[int, int], int] | None = None
    index: int = 0


def scheme_of(method: Method, solver: Any, mechanism: Any) -> Any:
    """The record with which a method steps a mechanism."""
    if method.fit is not None:
        return method.fit(solver, mechanism)
    return method.make(mechanism.layout.kept, slope_length(mechanism))


def kept_beside(method: Method, rows: int, velocities: int, integrals: int) -> dict[str, int]:
    """Numbers that a state block has for a method: its multipliers and its history."""
    history = 0 if method.history is None else method.history(velocities, integrals)
    return {"multipliers": rows if method.index else 0, "history": history}


#: Products of exponentials, by name.
PRODUCTS = {**COMMUTATOR_FREE, **CROUCH_GROSSMAN}
#: Methods registered by others, by name.
_OTHERS: dict[str, Method] = {}


def register_method(method: Method, record: type, attempt: Callable[..., Any]) -> None:
    """Make a method known by its name: `method.make` makes a `record`, `attempt` steps with it.

    `attempt(mechanism, scratch, record, state, t, step, out) -> outcome` combines calls of
    `chasles.core.stage.stage`; see `chasles.integrators.rkmk` for one.
    """
    register_scheme(record, attempt)
    _OTHERS[method.name] = method


def of_tableau(tableau: Tableau) -> Method:
    """The Munthe-Kaas method of a tableau."""
    name = tableau.name or "user's tableau"
    make = partial(make_munthe_kaas, tableau)
    pair = PAIRS.get(name)
    if pair is not None and pair().tableau != tableau:  # a user's own of that name
        pair = None
    return Method(name, tableau.order, make, pair is not None, tableau=tableau, pair=pair)


@cache
def of_product(name: str) -> Method:
    """The product of exponentials of that name."""
    product = PRODUCTS[name]
    tableau = tableau_of(name, product)
    return Method(name, product.order, partial(make_products, tableau, product), tableau=tableau)


def methods() -> dict[str, Method]:
    """All methods by name.

    >>> methods()["rk4"].order
    4
    """
    return {name: find_method(name) for name in known_names()}


#: Modules whose methods register themselves when they are first asked for.
IMPLICIT = ("generalized_alpha", "bliedf")


def known_names() -> list[str]:
    """What a method may be called."""
    for module in IMPLICIT:
        import_module(f"chasles.integrators.{module}")
    return [*METHODS, *PAIR_TABLEAUX, *PRODUCTS, *_OTHERS]


def find_method(method: Any) -> Method:
    """A method by its name, or that of a tableau of one's own."""
    if isinstance(method, Method):
        return method
    if isinstance(method, Tableau):
        return of_tableau(method)
    if isinstance(method, str) and method in _OTHERS:
        return _OTHERS[method]
    if isinstance(method, str) and method in PAIR_TABLEAUX:
        return of_tableau(PAIR_TABLEAUX[method]())
    if isinstance(method, str) and method in PRODUCTS:
        return of_product(method)
    if isinstance(method, str) and method in METHODS:
        return of_tableau(find_tableau(method))
    known = known_names()
    if not isinstance(method, str):
        raise InvalidOption(
            f"method must be a name or a Tableau, got one of type {type(method).__name__}.",
            f"Give a Tableau, or one of: {', '.join(known)}.",
        )
    if method not in known:
        raise UnknownName.among("method", method, known)
    return _OTHERS[method]
