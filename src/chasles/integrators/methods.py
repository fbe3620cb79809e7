"""Methods of time integration by name, and what each of them does not admit."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from typing import Any

from chasles.build.system.build import Setup
from chasles.core.constraints.registry import CONSTRAINTS
from chasles.core.mechanism import Mechanism
from chasles.core.recursion.tree import EXP
from chasles.core.stabilisation import FED_BACK
from chasles.core.state_block import slope_length
from chasles.integrators.advance import register_scheme
from chasles.integrators.compositions import composition
from chasles.integrators.gauss import GAUSS, gauss_nodes, make_gauss
from chasles.integrators.half_explicit import HALF_EXPLICIT, make_half_explicit
from chasles.integrators.pairs import PAIR_TABLEAUX, PAIRS, Pair
from chasles.integrators.products import PRODUCTS, make_products, tableau_of
from chasles.integrators.rattlie import RATTLIE, make_rattlie
from chasles.integrators.rattlie_multipliers import length_of_history
from chasles.integrators.rkmk import MuntheKaas, MuntheKaasWithRows, make_munthe_kaas
from chasles.integrators.rosenbrock import W_METHODS, make_linearly_implicit
from chasles.integrators.scipy_methods import FAR, PREFIX, SCIPY_NAMES, scipy_fields
from chasles.integrators.tableaux import METHODS, Tableau
from chasles.model import InvalidOption, UnknownName
from chasles.model.keywords import checked_keywords


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
    foreign   of SciPy's methods: its name there, and the angle after which a chart is left
    nodes     where its stages are in a step, of a method without a tableau
    spaces    what spaces="auto" means for it
    additive  whether the change of momentum in a step is the sum of the forces of its stages, so
              that floating systems are put back to it after the step
    fit       (solver, mechanism) -> the record in the place of `make`, where two lengths do not
              tell all that it needs
    history   (rows, velocities, integrals) -> how many numbers it keeps from step to step
    index     3: it solves for joints that are closed; 2: and do not slip; 0: it follows from
              accelerations.  Where it is not 0 the multipliers are its own
    past      how many points before the last it looks at
    """

    name: str
    order: int
    make: Callable[[int, int], Any] | None = None
    adaptive: bool = False
    implicit: bool = False
    tableau: Tableau | None = None
    map: int = EXP
    pair: Callable[[], Pair] | None = None
    foreign: tuple[str, float] | None = None
    nodes: tuple[float, ...] = (0.0,)
    spaces: str = "auto"
    additive: bool = True
    fit: Callable[[Any, Any], Any] | None = None
    history: Callable[[int, int, int], int] | None = None
    index: int = 0
    past: int = 0

    def __repr__(self) -> str:
        return f"Method('{self.name}', order {self.order})"


def scheme_of(method: Method, solver: Any, mechanism: Any) -> Any:
    """The record with which a method steps a mechanism."""
    if method.fit is not None:
        return method.fit(solver, mechanism)
    assert method.make is not None  # a method has one of the two
    record = method.make(mechanism.layout.kept, slope_length(mechanism))
    if isinstance(record, MuntheKaas) and mechanism.loops.row_count > 0:
        return MuntheKaasWithRows(*record)
    return record


def kept_beside(method: Method, rows: int, velocities: int, integrals: int) -> dict[str, int]:
    """Numbers that a state block has for a method: its multipliers and its history."""
    history = 0 if method.history is None else method.history(rows, velocities, integrals)
    return {"multipliers": rows if method.index else 0, "history": history}


#: Tableaux of Munthe-Kaas methods, by name.
TABLEAUX = {**METHODS, **PAIR_TABLEAUX}
#: Methods registered by others, by name.
_OTHERS: dict[str, Method] = {}


def register_method(method: Method, record: type, attempt: Callable[..., Any]) -> None:
    """Make a method known by its name: `method.make` makes a `record`, `attempt` steps with it.

    `attempt(mechanism, workspace, record, state, t, step, out) -> outcome` combines calls of
    `chasles.core.stage.stage`; see `chasles.integrators.rkmk` for one.
    """
    if method.make is None and method.fit is None:
        raise InvalidOption(
            f"method '{method.name}' has neither make nor fit: nothing makes its record.",
            "Give make, or fit if the record depends on the model.",
        )
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


@checked_keywords
def scipy_method(name: str, recentre: float = FAR) -> Method:
    """One of SciPy's `solve_ivp` methods in local coordinates, for `simulate(rtol=, atol=)`.

    Parameters
    ----------
    name
        "RK23", "RK45", "DOP853", "Radau", "BDF" or "LSODA".
    recentre
        Rotation angle, rad, after which the local coordinates are centred at the current state. 0:
        after every step. Multistep methods restart there; provenance["restarts"] counts this.

    Returns
    -------
    Method
        The method.

    Examples
    --------
    >>> scipy_method("LSODA").name
    'scipy LSODA'
    """
    return Method(**scipy_fields(name, recentre))


@cache
def own_methods() -> dict[str, Method]:
    """All methods of this package that are not made of a tableau alone, by name."""
    found = []
    for name, product in PRODUCTS.items():
        tableau = tableau_of(name, product)
        make: Callable[..., Any] = partial(make_products, tableau, product)
        found.append(Method(name, product.order, make, tableau=tableau))
    for name, stages in GAUSS.items():
        nodes = (0.0, *(0.5 + gauss_nodes(stages)).tolist())
        make = partial(make_gauss, stages)
        # Putting momenta back after a step, and not before it, would end its symmetry.
        found.append(Method(name, 2 * stages, make, implicit=True, nodes=nodes, additive=False))
    for name, order in RATTLIE.items():
        nodes = (0.0, *composition(order).cumsum().tolist())
        found.append(Method(
            name, order, implicit=True, nodes=nodes, spaces="SE3", additive=False,
            fit=partial(make_rattlie, order), history=length_of_history, index=2,
        ))  # fmt: skip
    for name, tableau_named in HALF_EXPLICIT.items():
        tableau = tableau_named()
        make = partial(make_half_explicit, tableau)
        found.append(Method(name, tableau.order, make, tableau=tableau))
    for name, method in W_METHODS.items():
        found.append(Method(
            name, method.order, implicit=True, nodes=tuple(method.alpha.sum(axis=1).tolist()),
            additive=False, fit=partial(make_linearly_implicit, method),
        ))  # fmt: skip
    return {method.name: method for method in found}


def methods() -> dict[str, Method]:
    """All methods by name.

    Returns
    -------
    dict
        Name -> Method.

    Examples
    --------
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
    return [*TABLEAUX, *own_methods(), *_OTHERS, *SCIPY_NAMES]


def find_method(method: Any) -> Method:
    """A method by its name, or that of a tableau of one's own."""
    if isinstance(method, Method):
        return method
    if isinstance(method, Tableau):
        return of_tableau(method)
    if isinstance(method, str):
        if method in _OTHERS:
            return _OTHERS[method]
        if method in TABLEAUX:
            return of_tableau(TABLEAUX[method]())
        if method in SCIPY_NAMES:
            return scipy_method(method.removeprefix(PREFIX))
        if method in own_methods():
            return own_methods()[method]
    known = known_names()
    if not isinstance(method, str):
        raise InvalidOption(
            f"method must be a name or a Tableau, got one of type {type(method).__name__}.",
            f"Give a Tableau, or one of: {', '.join(known)}.",
        )
    return _OTHERS[UnknownName.check("method", method, known)]


def check_admitted(method: Method, mechanism: Mechanism, setup: Setup) -> None:
    """Refuse a mechanism that a method cannot step; `setup` knows the names."""
    if method.name in HALF_EXPLICIT:
        check_feedback(method.name, mechanism)
    if method.name in RATTLIE:
        check_positions(method.name, mechanism, list(setup.joint_index))


def check_positions(method: str, mechanism: Mechanism, names: list[str]) -> None:
    """Every row is the rate of a position."""
    joints = mechanism.system.joints
    for k, name in enumerate(names):
        kind = CONSTRAINTS[int(joints.kind[k])]
        if kind.rolling or len(kind.measured_of(int(joints.rows[k]))) < int(joints.rows[k]):
            raise InvalidOption(
                f"simulate: '{method}' keeps positions, but joint '{name}' restricts speeds that"
                " are not the rates of any.",
                "Take a Munthe-Kaas method, 'rk4' say, or 'half-explicit'.",
            )


def check_feedback(method: str, mechanism: Mechanism) -> None:
    """Joints are not fed back: velocities fit them as it is."""
    if mechanism.loops.row_count > 0 and mechanism.stabiliser.kind == FED_BACK:
        raise InvalidOption(
            f"simulate: '{method}' finds velocities that fit the joints, and leaves nothing to feed"
            " back.",
            "Leave stabilise out, or close the poses: stabilise='projection'.",
        )
