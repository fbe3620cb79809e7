"""Formulas of the paper that are misprinted or numerically dangerous, with what is right.

Each erratum computes, now, figures that tell the printed formula from the right one.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from math import factorial

import numpy as np
from scipy.linalg import expm

from chasles.core.arrays import Floats
from chasles.many.quiet import simulate_quietly
from chasles.model import Model
from chasles.spaces.subalgebras import hat
from chasles.studies.paper.printed_top import (
    TIGHT_TOLERANCES,
    Equations,
    integrate,
    quaternion_reference,
)
from chasles.studies.paper.study import Measure, Study
from chasles.studies.paper_mechanisms import double_pendulum, heavy_top, link
from chasles.studies.words import words

Pairs = Sequence[tuple[Measure, Measure]]  # (with the printed formula, with the right one)


@dataclass(frozen=True)
class Erratum:
    """printed, right: TeX in matplotlib's dialect, under `heads`."""

    key: str
    place: str
    kind: str
    printed: str
    right: str
    comment: str
    measures: Pairs
    heads: Sequence[str] = ("Printed", "Right")


# --- formulas in two versions: as printed, and right ----------------------------------------------


def exp_so3(omega: Floats, printed: bool) -> Floats:
    """exp on SO(3); the printed last term divides by |w| instead of |w|^2."""
    angle = float(np.linalg.norm(omega))
    last = (1 - np.cos(angle)) / (angle if printed else angle**2)
    return np.eye(3) + np.sin(angle) / angle * hat(omega) + last * hat(omega) @ hat(omega)


def ad4_factor_printed(angle: float) -> float:
    """The factor of ad^4 in dexp^-1 on SE(3) as printed, in doubles."""
    return 1 / angle**4 + (angle + np.sin(angle)) / (4 * angle**3 * (np.cos(angle) - 1))


def ad4_factor_series(angle: float) -> float:
    """The same factor as a series: exact to rounding below about 0.5 rad."""
    s = angle * angle
    terms = (-1 / 720, -1 / 15120, -1 / 403200, -1 / 11975040, -691 / 261534873600)
    return sum(term * s**k for k, term in enumerate(terms))


def ad4_factor_exact(angle: float) -> float:
    """The printed expression with 60 digits."""
    with localcontext() as context:
        context.prec = 60
        x = Decimal(angle)
        terms = [(-1) ** (k // 2) * x**k / factorial(k) for k in range(60)]
        sine, cosine = sum(terms[1::2]), sum(terms[::2])
        return float(1 / x**4 + (x + sine) / (4 * x**3 * (cosine - 1)))


# --- the errata -----------------------------------------------------------------------------------


def beside(
    label: str, printed: float, right: float, unit: str = "", source: str = ""
) -> tuple[Measure, Measure]:
    """A number with the printed formula and with the right one."""
    numbers = (Measure(label, float(value), unit, source=source) for value in (printed, right))
    return next(numbers), next(numbers)


def exp_denominator(study: Study) -> Pairs:
    def defect(size: float, printed: bool) -> float:
        omega = size * np.array([1, 2, 2]) / 3
        return float(np.abs(exp_so3(omega, printed) - expm(hat(omega))).max())

    return [
        beside(f"error of R at {size:g} rad", defect(size, True), defect(size, False),
               source="scipy.linalg.expm")
        for size in (0.1, 1.0, 2.0)
    ]  # fmt: skip


def dexp_inverse_cancels(study: Study) -> Pairs:
    found = []
    for angle in (0.1, 0.01, 0.001):
        exact = ad4_factor_exact(angle)
        printed, right = (
            abs(f(angle) / exact - 1) for f in (ad4_factor_printed, ad4_factor_series)
        )
        label, source = f"relative error at {angle:g} rad", "60 digits beside doubles"
        found.append(beside(label, printed, right, source=source))
    return found


def dexp_on_state_space(study: Study) -> Pairs:
    first, second = np.array([1.0, 2.0, 3.0]), np.array([-0.5, 0.25, 2.0])
    small = 1e-6
    rate = ((first + small * second) - (first - small * second)) / (2 * small)  # exp is the sum
    printed, right = (np.abs(rate - claimed).max() for claimed in (first, second))
    label = "velocity part, against a difference quotient"
    return [beside(label, printed, right, source="quotient")]


def gravity_without_mass(study: Study) -> Pairs:
    body = link("link")
    run = simulate_quietly(Model([body]), until=0.1, step=1e-3, progress=False)
    fall = -run.velocity("link")[-1, 2] / run.t[-1]
    source = "g/m, and free fall for 0.1 s"
    return [beside("acceleration of a falling link", 9.81 / body.mass, fall, "m/s²", source)]


def hybrid_velocities(study: Study) -> Pairs:
    state = simulate_quietly(double_pendulum(), until=0.1, step=1e-3, spaces="auto", progress=False)
    turn, spin, speed = (
        [part(name)[-1] for name in ("link 1", "link 2")]
        for part in (state.rotation, state.angular_velocity, state.velocity)
    )
    levers = np.array([0.1, 0, 0]), np.array([-0.1, 0, 0])

    def residual(velocity: Sequence[Floats]) -> float:
        ends = [turn[k] @ hat(levers[k]) @ spin[k] - velocity[k] for k in range(2)]
        return float(np.linalg.norm(ends[0] - ends[1]))

    body_fixed = [r.T @ s for r, s in zip(turn, speed)]
    return [
        beside("|JV| at joint 2 after 0.1 s", residual(body_fixed), residual(speed), "m/s",
               "auto spaces, rk4")
    ]  # fmt: skip


def unstable_acceleration(study: Study) -> Pairs:
    printed, right = (
        study.printed(Equations("SE3", jacobian=lever, eta="body r0")) for lever in ("R^T r", "r0")
    )
    source = f"printed_top on SE(3), rk4, step {study.options.step:g} s"
    parts = {study.options.until: study.first, printed.t[-1]: slice(None)}
    return [
        beside(
            f"gap within {until:g} s", printed.gap[part].max(), right.gap[part].max(), "m", source
        )
        for until, part in parts.items()
    ]


def two_meanings_of_r0(study: Study) -> Pairs:
    r0 = np.array(heavy_top().bodies[0].position)
    printed, right = (float(np.linalg.norm(lever - r0)) for lever in (-r0, r0))
    return [beside("|g| of the closed pivot at t = 0", printed, right, "m", "g = r0 - R^T r")]


def no_gravity(study: Study) -> Pairs:
    def swing(model: str) -> Measure:
        outcome = study.run(model, "SE3")
        kinetic = outcome.result.kinetic_energy()
        value = float(np.abs(kinetic / kinetic[0] - 1).max())
        return Measure("largest change of T, relative", value, "", (outcome.label,))

    return [(swing("heavy top in gravity"), swing("heavy-top"))]


def sign_in_dexp_inverse(study: Study) -> Pairs:
    """Right in the paper, and easily lost: kept here for its figures."""
    model, until, counts = heavy_top(), 0.1, (25, 50, 100)
    end = quaternion_reference(model, np.array([0.0, until]), TIGHT_TOLERANCES).position[-1]

    def order(which: str) -> Measure:
        equations = Equations("SE3", dexp_inv=which)
        runs = [integrate(model, equations, until, until / count) for count in counts]
        errors = [np.linalg.norm(np.array(run.position) - end) for run in runs]
        label, source = f"order of RK4, dexp⁻¹ {which}", f"top, {counts} steps in 0.1 s"
        return Measure(label, float(np.log2(errors[-2] / errors[-1])), source=source)

    right = order("at -Psi")
    return [(order("at +Psi"), right), (order("left out"), right)]


#: By their keys in words.toml; one without figures is a matter of words.
FIGURES: dict[str, Callable[[Study], Pairs]] = {
    "exp-so3": exp_denominator,
    "dexp-inverse-se3": dexp_inverse_cancels,
    "dexp-inverse-sign": sign_in_dexp_inverse,
    "dexp-state-space": dexp_on_state_space,
    "acceleration-constraint": unstable_acceleration,
    "gravity": gravity_without_mass,
    "hybrid-velocity": hybrid_velocities,
    "lever-r0": two_meanings_of_r0,
    "no-gravity": no_gravity,
}


def all_errata(study: Study) -> list[Erratum]:
    """The errata whose figures this report can compute."""
    found = []
    for key, entry in words()["errata"].items():
        text_of = {name: text for name, text in entry.items() if name != "needs"}
        if "needs" not in entry or study.has(entry["needs"]):
            measures = FIGURES[key](study) if key in FIGURES else []
            found.append(Erratum(key=key, measures=measures, **text_of))
    return found
