"""Methods by name: what `simulate(method=...)` may be."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from chasles.core.retraction import EXP, slope_length
from chasles.integrators.commutator_free import COMMUTATOR_FREE
from chasles.integrators.compositions import composition
from chasles.integrators.crouch_grossman import CROUCH_GROSSMAN
from chasles.integrators.gauss import GAUSS, gauss_nodes, make_gauss
from chasles.integrators.half_explicit import HALF_EXPLICIT, make_half_explicit
from chasles.integrators.pairs import PAIR_TABLEAUX, PAIRS, Pair
from chasles.integrators.products import make_products, tableau_of
from chasles.integrators.rattlie import RATTLIE, make_rattlie
from chasles.integrators.rkmk import make_munthe_kaas
from chasles.integrators.rosenbrock import W_METHODS, make_linearly_implicit
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
    nodes     where its stages are in a step, of a method without a tableau
    spaces    what spaces="auto" means for it
    make_on   (mechanism) -> the record, of a scheme that needs to know what it steps
    additive  whether the change of momentum in a step is the sum of the forces of its stages
    """

    name: str
    order: int
    make: Callable[[int, int], Any]
    adaptive: bool = False
    implicit: bool = False
    tableau: Tableau | None = None
    map: int = EXP
    pair: Callable[[], Pair] | None = None
    nodes: tuple[float, ...] = (0.0,)
    spaces: str = "auto"
    make_on: Callable[[Any], Any] | None = None
    additive: bool = True

    def record(self, mechanism: Any) -> Any:
        """Its scheme for a mechanism, with storage."""
        if self.make_on is not None:
            return self.make_on(mechanism)
        return self.make(mechanism.layout.kept, slope_length(mechanism))


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


@cache
def of_gauss(name: str) -> Method:
    """The Gauss method of that name, centred at mid-step."""
    stages = GAUSS[name]
    nodes = (0.0, *(0.5 + gauss_nodes(stages)).tolist())
    return Method(name, 2 * stages, partial(make_gauss, stages), implicit=True, nodes=nodes)


@cache
def of_rattlie(name: str) -> Method:
    """The variational method of that name."""
    order = RATTLIE[name]
    nodes = (0.0, *composition(order).cumsum().tolist())
    make = partial(make_rattlie, order)
    return Method(name, order, make, implicit=True, nodes=nodes, spaces="SE3", additive=False)


@cache
def of_half_explicit(name: str) -> Method:
    """The half-explicit method of that name."""
    tableau = HALF_EXPLICIT[name]()
    make = partial(make_half_explicit, tableau)
    return Method(name, tableau.order, make, tableau=tableau)


def refuse_to_make(kept: int, length: int) -> Any:
    """A scheme that is made for a mechanism."""
    raise NotImplementedError


@cache
def of_w_method(name: str) -> Method:
    """The linearly implicit method of that name."""
    found = W_METHODS[name]
    make_on, nodes = partial(make_linearly_implicit, found), tuple(found.alpha.sum(axis=1).tolist())
    return Method(
        name, found.order, refuse_to_make, implicit=True, nodes=nodes, make_on=make_on,
        additive=False,
    )  # fmt: skip


def methods() -> dict[str, Method]:
    """All methods by name.

    >>> methods()["rk4"].order
    4
    """
    return {name: find_method(name) for name in known_names()}


def known_names() -> list[str]:
    """What a method may be called."""
    return [
        *METHODS,
        *PAIR_TABLEAUX,
        *PRODUCTS,
        *GAUSS,
        *RATTLIE,
        *HALF_EXPLICIT,
        *W_METHODS,
        *_OTHERS,
    ]


def find_method(method: Any) -> Method:
    """A method by its name, or that of a tableau of one's own."""
    if isinstance(method, Method):
        return method
    if isinstance(method, Tableau):
        return of_tableau(method)
    known = known_names()
    if not isinstance(method, str):
        raise InvalidOption(
            f"method must be a name or a Tableau, got one of type {type(method).__name__}.",
            f"Give a Tableau, or one of: {', '.join(known)}.",
        )
    if method not in known:
        raise UnknownName.among("method", method, known)
    if method in _OTHERS:
        return _OTHERS[method]
    if method in GAUSS:
        return of_gauss(method)
    if method in RATTLIE:
        return of_rattlie(method)
    if method in HALF_EXPLICIT:
        return of_half_explicit(method)
    if method in W_METHODS:
        return of_w_method(method)
    if method in PAIR_TABLEAUX:
        return of_tableau(PAIR_TABLEAUX[method]())
    return of_product(method) if method in PRODUCTS else of_tableau(find_tableau(method))
