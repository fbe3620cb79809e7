r"""Static equilibrium: a configuration in which the joints balance all forces.

At rest $M\dot V = Q - J^T\lambda$ with $J\dot V = 0$, so a configuration is an equilibrium where
the reduced force $F = Z^T Q$ vanishes, Z a basis of $\ker J$.  A displacement
$\xi = (\omega, u) = Z p$ to $(R\exp\hat\omega, x + R u)$, followed by the way back
$\delta = -J^+ g$, stays on the constraints.  Along it $F(p) = F - K p + \dots$ with K of
`chasles.analysis.linearise`,

$$ K = -Z^T\bigl(\partial_\xi Q - \partial_\xi(J^T\lambda) + (0, \omega\times f)\bigr)Z,
   \qquad (\tau, f) = Q - J^T\lambda, $$

and the work of the forces is $F\cdot p - \frac12 p\cdot K p$ to second order.  The last term of K
is there because the body twist along that path is $(\omega, \exp(-s\hat\omega)u)$; the one before
it holds the curvature of the constraints, $Q\cdot\delta = -\lambda\cdot g$ with
$g = \frac12(\partial_\xi J)\xi + \dots$.  Bases and ways back are those of a metric in which this
path is a straight one, the mass matrix of bodies that resist rotation about all axes alike: the
equilibrium does not depend on it, and thin rods do not spin about themselves on the way.

**A stable equilibrium** is sought by steps of the most work within a trust region.  What a step
really does is found by integrating $Q\cdot d\xi$ along it: where the forces have a potential that
is its decrease, without the cancellation of a difference, and where they have none it still says
whether the step went with the forces.  Negative stiffness is followed, so an unstable equilibrium
is left.  **The nearest equilibrium**, stable or not, is a root of F, found by Newton's steps with
K, shortened where they do not help; these are also tried where the work leads nowhere, as
circulatory forces can make it.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from chasles.analysis.equilibrium_search import EquilibriumSearch
from chasles.analysis.linear import Unbalance
from chasles.analysis.linearise import Linearisation, linearised
from chasles.analysis.place import Place, first_place
from chasles.analysis.reduced import rounding_of
from chasles.build.system.state import State
from chasles.core.arrays import Floats
from chasles.model import InvalidOption, Joint, Model, UnknownName
from chasles.model.checks import checked_count
from chasles.model.keywords import checked_keywords
from chasles.model.model import checked_model
from chasles.result.reactions import Reaction, reaction

PREFERENCES = ("stable", "nearest")
MOST_STEPS = 300
#: Up to so many bodies, all stiffnesses are found on demand.
MOST_STIFFNESSES = 300


@dataclass(frozen=True, repr=False)
class Equilibrium:
    """A configuration at rest in which all forces are balanced.

    Parameters
    ----------
    model
        The model.
    state
        Poses, and zero velocities.
    residual
        Largest unbalanced force (N) and torque (N m) on a body.
    stability
        "stable", "neutral" or "unstable", by the stiffness against small displacements.
    iterations
        Number of steps of the search.
    place
        Internal.

    Notes
    -----
    `neutral` are (k, n, 6) displacements without stiffness: rotations and translations in body
    axes. `stiffness` are the eigenvalues of the reduced stiffness per mass, 1/s^2, smallest first.

    Examples
    --------
    >>> import chasles as ch
    >>> arm = ch.Body.rod("arm", length=1.0, mass=1.0, position=(0.5, 0, 0))
    >>> hinge = ch.Revolute("hinge", ch.GROUND, arm, at=(0, 0, 0), axis="y")
    >>> model = ch.Model([arm], [hinge])
    >>> rest = ch.equilibrium(model)
    >>> rest.stable, round(float(rest.reaction("hinge").force[0, 2]), 6)
    (True, 9.81)
    """

    model: Model
    state: State
    residual: Unbalance
    stability: str
    iterations: int
    place: Place = field(repr=False)

    @property
    def neutral(self) -> Floats:
        return self._spectrum.neutral

    @property
    def stiffness(self) -> Any:
        return self._spectrum.values

    @cached_property
    def _spectrum(self) -> "Spectrum":
        """In a large model this takes longer than to find the equilibrium."""
        place, bodies = self.place, len(self.model.bodies)
        if bodies > MOST_STIFFNESSES:
            raise InvalidOption(
                f"all stiffnesses of {bodies} bodies take dense matrices, which are made for"
                f" {MOST_STIFFNESSES} bodies at the most.",
                "Ask for the slowest motions: equilibrium(...).linearise(modes=20).",
            )
        return spectrum(place)

    @property
    def stable(self) -> bool:
        """Whether every small displacement is pushed back."""
        return self.stability == "stable"

    def reaction(self, joint: Joint | str) -> Reaction:
        """Force and torque of a joint or driver on its bodies.

        Parameters
        ----------
        joint
            The joint or driver, or its name.

        Returns
        -------
        Reaction
            Its arrays have one row.
        """
        setup = self.place.instant.setup
        name = UnknownName.check("joint", getattr(joint, "name", joint), setup.joint_index)
        return reaction(setup, name, self.place.absolute[None], self._wrenches)

    def linearise(self, modes: int | None = None, near: float = 0.0) -> Linearisation:
        """Small vibrations about the equilibrium, drivers and motors held where they are.

        `modes` and `near` as in `chasles.linearise`.
        """
        place = self.place
        return linearised(place.instant, place.absolute, place.angles, "body", modes, near)

    @cached_property
    def _wrenches(self) -> Floats:
        return self.place.wrenches

    def __repr__(self) -> str:
        count = 0 if self.place.is_large else len(self.neutral)
        words = "direction" if count == 1 else "directions"
        free = f", {count} {words} without stiffness" if count else ""
        return (
            f"Equilibrium({self.stability}{free}, unbalanced {self.residual.force:.2g} N and"
            f" {self.residual.torque:.2g} N m after {self.iterations}"
            f" {'step' if self.iterations == 1 else 'steps'})"
        )


@checked_keywords
def equilibrium(
    model: Model, start: State | None = None, prefer: str = "stable", most_steps: int = MOST_STEPS
) -> Equilibrium:
    """Find a configuration at rest in which all forces are balanced.

    Parameters
    ----------
    model
        The model.
    start
        State to start the search at. The model's start if left out. Velocities are set to zero.
        Functions of time (loads, drivers, motors) keep their values at the time of the start.
    prefer
        "stable": follow the forces, as a heavily damped model would move, to a stable
        equilibrium. "nearest": the nearest equilibrium, stable or not.
    most_steps
        Largest number of steps of the search.

    Returns
    -------
    Equilibrium
        State, stability, reactions and small vibrations.

    Notes
    -----
    Smooth friction holds nothing at rest. Wheels roll during the search.

    Examples
    --------
    >>> import chasles as ch
    >>> rod = ch.Body.rod("rod", length=1.0, mass=2.0, position=(0.5, 0, 0))
    >>> hinge = ch.Revolute("hinge", ch.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0))
    >>> rest = ch.equilibrium(ch.Model([rod], [hinge]))
    >>> rest.stability, (rest.state.position.round(12) + 0.0).tolist()
    ('stable', [[0.0, 0.0, -0.5]])
    """
    UnknownName.check("preference", prefer, PREFERENCES, "prefer")
    most_steps = checked_count(most_steps, "most_steps", 10**6, "equilibrium", InvalidOption)
    place = first_place(checked_model(model), start)
    search = EquilibriumSearch(place, most_steps)
    methods = (search.down, search.root) if prefer == "stable" else (search.root,)
    for method in methods:
        found = method()
        if found is not None:
            return report(model, search.polished(found), search.steps)
    raise search.failure()


def report(model: Model, place: Place, steps: int) -> Equilibrium:
    """What was found, and how stable it is: in a large model the signs of a factor tell."""
    if not place.is_large:
        stability = spectrum(place).stability
    elif not place.is_uphill:
        stability = "unstable"
    else:
        stability = "neutral" if place.is_neutral else "stable"
    return Equilibrium(
        model=model,
        state=place.instant.state(place.absolute, place.angles),
        residual=place.residual,
        stability=stability,
        iterations=steps,
        place=place,
    )


class Spectrum(NamedTuple):
    """Stiffnesses per mass, and what they say."""

    values: Any
    neutral: Floats
    stability: str


def spectrum(place: Place) -> Spectrum:
    """All eigenvalues of the reduced stiffness."""
    parts = place.reduced
    values, vectors = np.linalg.eig(parts.stiffness)
    tolerance = rounding_of(vectors, parts.noise)
    still = np.abs(values) <= tolerance
    flutter = np.abs(values.imag) > np.maximum(tolerance, 1e-9 * np.abs(values))
    unstable = bool(np.any((values.real < 0.0) & ~still) or np.any(flutter & ~still))
    shapes = parts.positions[: place.instant.bodies] @ np.real(vectors[:, still])
    neutral = shapes.T.reshape(-1, len(place.absolute), 6)
    values = np.where(still, 0.0, values)
    return Spectrum(
        np.sort_complex(values) if flutter.any() else np.sort(values.real),
        neutral,
        "unstable" if unstable else "neutral" if still.any() else "stable",
    )
