"""Formulas of the paper that are misprinted or numerically dangerous, with what is right.

Each erratum computes, now, figures that tell the printed formula from the right one.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext

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
from chasles.studies.paper.study import CaseResult, Measure, Study
from chasles.studies.paper_mechanisms import double_pendulum, heavy_top, link
from chasles.studies.words import words

Pairs = tuple[tuple[Measure, Measure], ...]  # (with the printed formula, with the right one)


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
        sine = cosine = Decimal(0)
        term = Decimal(1)
        for k in range(60):
            if k % 2 == 0:
                cosine += term if k % 4 == 0 else -term
            else:
                sine += term if k % 4 == 1 else -term
            term = term * x / (k + 1)
        return float(1 / x**4 + (x + sine) / (4 * x**3 * (cosine - 1)))


# --- the errata -----------------------------------------------------------------------------------


def exp_denominator(study: Study) -> Pairs:
    def defect(size: float, printed: bool) -> Measure:
        omega = size * np.array([1, 2, 2]) / 3
        error = float(np.abs(exp_so3(omega, printed) - expm(hat(omega))).max())
        return Measure(f"error of R at {size:g} rad", error, source="scipy.linalg.expm")

    return tuple((defect(size, True), defect(size, False)) for size in (0.1, 1.0, 2.0))


def dexp_inverse_cancels(study: Study) -> Pairs:
    def error(angle: float, formula: Callable[[float], float]) -> Measure:
        exact = ad4_factor_exact(angle)
        value = abs(formula(angle) / exact - 1)
        return Measure(f"relative error at {angle:g} rad", value, source="60 digits beside doubles")

    return tuple(
        (error(angle, ad4_factor_printed), error(angle, ad4_factor_series))
        for angle in (0.1, 0.01, 0.001)
    )


def dexp_on_state_space(study: Study) -> Pairs:
    first, second = np.array([1.0, 2.0, 3.0]), np.array([-0.5, 0.25, 2.0])
    small = 1e-6
    rate = ((first + small * second) - (first - small * second)) / (2 * small)  # exp is the sum

    def error(claimed: Floats) -> Measure:
        value = float(np.abs(rate - claimed).max())
        return Measure("velocity part, against a difference quotient", value, "", source="quotient")

    return ((error(first), error(second)),)


def gravity_without_mass(study: Study) -> Pairs:
    body = link("link")
    run = simulate_quietly(Model([body]), until=0.1, step=1e-3, progress=False)
    fall = float(-run.velocity("link")[-1, 2] / run.t[-1])
    source = "free fall for 0.1 s"
    return (
        (
            Measure("acceleration of a falling link", 9.81 / body.mass, "m/s²", source="g/m"),
            Measure("acceleration of a falling link", fall, "m/s²", source=source),
        ),
    )


def hybrid_velocities(study: Study) -> Pairs:
    state = simulate_quietly(double_pendulum(), until=0.1, step=1e-3, spaces="auto", progress=False)
    turn, spin, speed = (
        [part(name)[-1] for name in ("link 1", "link 2")]
        for part in (state.rotation, state.angular_velocity, state.velocity)
    )
    levers = np.array([0.1, 0, 0]), np.array([-0.1, 0, 0])

    def residual(body_fixed: bool) -> Measure:
        v = [r.T @ s if body_fixed else s for r, s in zip(turn, speed)]
        ends = [turn[k] @ hat(levers[k]) @ spin[k] - v[k] for k in range(2)]
        value = float(np.linalg.norm(ends[0] - ends[1]))
        return Measure("|JV| at joint 2 after 0.1 s", value, "m/s", source="auto spaces, rk4")

    return ((residual(True), residual(False)),)


def unstable_acceleration(study: Study) -> Pairs:
    printed = study.printed(Equations("SE3", jacobian="R^T r", eta="body r0"))
    right = study.printed(Equations("SE3", jacobian="r0", eta="body r0"))

    def gaps(label: str, part: slice) -> tuple[Measure, Measure]:
        source = f"printed_top on SE(3), rk4, step {study.options.step:g} s"
        a, b = (
            Measure(label, float(t.gap[part].max()), "m", source=source) for t in (printed, right)
        )
        return a, b

    return (
        gaps(f"gap within {study.options.until:g} s", study.first),
        gaps(f"gap within {printed.t[-1]:g} s", slice(None)),
    )


def two_meanings_of_r0(study: Study) -> Pairs:
    r0 = np.array(heavy_top().bodies[0].position)

    def gap(lever: Floats) -> Measure:
        value = float(np.linalg.norm(lever - r0))
        return Measure("|g| of the closed pivot at t = 0", value, "m", source="g = r0 - R^T r")

    return ((gap(-r0), gap(r0)),)


def no_gravity(study: Study) -> Pairs:
    with_gravity = study.run("heavy top in gravity", "SE3")
    without = study.run("heavy-top", "SE3")

    def swing(outcome: CaseResult) -> Measure:
        kinetic = outcome.result.kinetic_energy()
        value = float(np.abs(kinetic / kinetic[0] - 1).max())
        return Measure("largest change of T, relative", value, "", (outcome.case,))

    return ((swing(with_gravity), swing(without)),)


def sign_in_dexp_inverse(study: Study) -> Pairs:
    """Right in the paper, and easily lost: kept here for its figures."""
    model, until, counts = heavy_top(), 0.1, (25, 50, 100)
    end = quaternion_reference(model, np.array([0.0, until]), TIGHT_TOLERANCES).position[-1]

    def order(which: str) -> Measure:
        errors = []
        for count in counts:
            run = integrate(model, Equations("SE3", dexp_inv=which), until, until / count)
            errors.append(float(np.linalg.norm(np.array(run.position) - end)))
        value = float(np.log2(errors[-2] / errors[-1]))
        return Measure(
            f"order of RK4, dexp⁻¹ {which}", value, source=f"top, {counts} steps in 0.1 s"
        )

    right = order("at -Psi")
    return ((order("at +Psi"), right), (order("left out"), right))


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
            measures = FIGURES[key](study) if key in FIGURES else ()
            found.append(Erratum(key=key, measures=measures, **text_of))
    return found
