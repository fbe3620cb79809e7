"""Formulas of the paper that are misprinted or numerically dangerous, with what is right.

Each erratum computes, now, figures that tell the printed formula from the right one.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import expm

from chasles.core.arrays import Floats
from chasles.many.quiet import simulate_quietly
from chasles.model import Model
from chasles.studies.paper.claims.rules import Measure
from chasles.studies.paper.printed_formulas import (
    ad4_factor_exact,
    ad4_factor_printed,
    ad4_factor_series,
    exp_so3,
    hat,
)
from chasles.studies.paper.printed_top import Equations, integrate
from chasles.studies.paper.reference import TIGHT_TOLERANCES, quaternion_reference
from chasles.studies.paper.runs import CaseResult
from chasles.studies.paper.study import Study
from chasles.studies.paper_mechanisms import double_pendulum, heavy_top, link

MISPRINT, DANGEROUS, UNCLEAR = "misprint", "dangerous", "unclear"


@dataclass(frozen=True)
class Erratum:
    """printed, right: TeX in matplotlib's dialect, under `heads`."""

    key: str
    place: str
    kind: str
    printed: str
    right: str
    comment: str
    measures: tuple[tuple[Measure, Measure], ...]  # (with the printed formula, with the right one)
    heads: tuple[str, str] = ("Printed", "Right")


# --- the errata -----------------------------------------------------------------------------------


def exp_denominator(study: Study) -> Erratum:
    def defect(size: float, printed: bool) -> Measure:
        omega = size * np.array([1, 2, 2]) / 3
        error = float(np.abs(exp_so3(omega, printed) - expm(hat(omega))).max())
        return Measure(f"error of R at {size:g} rad", error, source="scipy.linalg.expm")

    return Erratum(
        "exp-so3",
        "exp on SO(3), last term",
        MISPRINT,
        r"\dfrac{1-\cos\|\omega\|}{\|\omega\|}\,\widehat{\omega}^2",
        r"\dfrac{1-\cos\|\omega\|}{\|\omega\|^2}\,\widehat{\omega}^2",
        "Right at 1 rad only, where a careless test would pass; elsewhere not even a rotation,"
        " except near 1.4 rad, where it is a wrong one.",
        tuple((defect(size, True), defect(size, False)) for size in (0.1, 1.0, 2.0)),
    )


def dexp_inverse_cancels(study: Study) -> Erratum:
    def error(angle: float, formula: Callable[[float], float]) -> Measure:
        exact = ad4_factor_exact(angle)
        value = abs(formula(angle) / exact - 1)
        return Measure(f"relative error at {angle:g} rad", value, source="60 digits beside doubles")

    return Erratum(
        "dexp-inverse-se3",
        "dexp⁻¹ on SE(3), factors of ad² and ad⁴",
        DANGEROUS,
        r"\dfrac{1}{\|\omega\|^4}+\dfrac{\|\omega\|+\sin\|\omega\|}"
        r"{4\|\omega\|^3(\cos\|\omega\|-1)}",
        r"-\dfrac{1}{720}-\dfrac{\|\omega\|^2}{15120}-\dfrac{\|\omega\|^4}{403200}-\ldots",
        "Right on paper, but two large numbers cancel, the more the smaller the turn of a step:"
        " harmless at 0.1 rad, meaningless at 0.001 rad. chasles uses series for small angles.",
        tuple(
            (error(angle, ad4_factor_printed), error(angle, ad4_factor_series))
            for angle in (0.1, 0.01, 0.001)
        ),
    )


def dexp_on_state_space(study: Study) -> Erratum:
    first, second = np.array([1.0, 2.0, 3.0]), np.array([-0.5, 0.25, 2.0])
    small = 1e-6
    rate = ((first + small * second) - (first - small * second)) / (2 * small)  # exp is the sum

    def error(claimed: Floats) -> Measure:
        value = float(np.abs(rate - claimed).max())
        return Measure("velocity part, against a difference quotient", value, "", source="quotient")

    return Erratum(
        "dexp-state-space",
        "dexp on the state space S×, last components",
        MISPRINT,
        r"\mathrm{dexp}_{x'}x''=(\ldots,\mathbf{A}_1,\ldots,\mathbf{A}_n)",
        r"\mathrm{dexp}_{x'}x''=(\ldots,\mathbf{A}''_1,\ldots,\mathbf{A}''_n)",
        "As on S⋉, the result is linear in x″. Read as A′, velocities would never change.",
        ((error(first), error(second)),),
    )


def gravity_without_mass(study: Study) -> Erratum:
    body = link("link")
    run = simulate_quietly(Model([body]), until=0.1, step=1e-3, progress=False)
    fall = float(-run.velocity("link")[-1, 2] / run.t[-1])
    source = "free fall for 0.1 s"
    return Erratum(
        "gravity",
        "Gravity in the pendulum's equations, body-fixed and hybrid",
        MISPRINT,
        r"\mathbf{F}_i=\mathbf{R}_i^T\mathbf{g}^s,\quad\mathbf{F}_i^s=\mathbf{g}^s",
        r"\mathbf{F}_i=m_i\mathbf{R}_i^T\mathbf{g}^s,\quad\mathbf{F}_i^s=m_i\mathbf{g}^s",
        "As printed, a link of 2.7 kg would fall with g/2.7.",
        (
            (
                Measure("acceleration of a falling link", 9.81 / body.mass, "m/s²", source="g/m"),
                Measure("acceleration of a falling link", fall, "m/s²", source=source),
            ),
        ),
    )


def hybrid_velocities(study: Study) -> Erratum:
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

    return Erratum(
        "hybrid-velocity",
        "Velocity constraint of the pendulum, hybrid representation",
        MISPRINT,
        r"\mathbf{J}\,(\omega_1,\mathbf{v}_1,\omega_2,\mathbf{v}_2)^T=\mathbf{0}",
        r"\mathbf{J}\,(\omega_1,\mathbf{v}^s_1,\omega_2,\mathbf{v}^s_2)^T=\mathbf{0}",
        "The velocities are spatial ones. With body-fixed ones a closed joint violates the"
        " equation.",
        ((residual(True), residual(False)),),
    )


def unstable_acceleration(study: Study) -> Erratum:
    printed = study.printed(Equations("SE3", jacobian="R^T r", eta="body r0"))
    right = study.printed(Equations("SE3", jacobian="r0", eta="body r0"))

    def gaps(label: str, part: slice) -> tuple[Measure, Measure]:
        source = f"printed_top on SE(3), rk4, step {study.options.step:g} s"
        a, b = (
            Measure(label, float(t.gap[part].max()), "m", source=source) for t in (printed, right)
        )
        return a, b

    return Erratum(
        "acceleration-constraint",
        "Acceleration constraint of the top (accConstrTop)",
        DANGEROUS,
        r"(\widehat{\mathbf{R}^T\mathbf{r}^s}\ \ \mathbf{I})\,\dot{\mathbf{V}}="
        r"-\widehat{\omega}\widehat{\omega}\mathbf{r}_0+\widehat{\omega}\mathbf{v}",
        r"(\widehat{\mathbf{r}}_0\ \ \mathbf{I})\,\dot{\mathbf{V}}="
        r"-\widehat{\omega}\widehat{\omega}\mathbf{r}_0+\widehat{\omega}\mathbf{v}",
        "One lever on the left, another on the right: the gap then obeys g″ = ω̂ω̂g and rounding"
        " grows without bound, on SE(3) too. The same lever on both sides, either of them, is"
        " stable.",
        (
            gaps(f"gap within {study.options.until:g} s", study.first(printed)),
            gaps(f"gap within {printed.t[-1]:g} s", slice(None)),
        ),
    )


def two_meanings_of_r0(study: Study) -> Erratum:
    r0 = np.array(heavy_top().bodies[0].position)

    def gap(lever: Floats) -> Measure:
        value = float(np.linalg.norm(lever - r0))
        return Measure("|g| of the closed pivot at t = 0", value, "m", source="g = r0 - R^T r")

    return Erratum(
        "lever-r0",
        "r₀ in the top and in the pendulum",
        UNCLEAR,
        r"\mathbf{r}_0:\ \mathrm{COM}\rightarrow\mathrm{joint}\ (\mathrm{pendulum})",
        r"\mathbf{r}_0:\ \mathrm{pivot}\rightarrow\mathrm{COM}\ (\mathrm{top})",
        "One symbol, two opposite vectors. With the pendulum's meaning the top's constraint is"
        " violated by twice the lever.",
        ((gap(-r0), gap(r0)),),
        heads=("In the pendulum", "In the top"),
    )


def meaning_of_lambda(study: Study) -> Erratum:
    return Erratum(
        "multiplier",
        "λ “is the reaction force”",
        UNCLEAR,
        r"\mathbf{f}=\lambda\quad\mathrm{if}\quad"
        r"\mathbf{J}=(\widehat{\mathbf{r}}_0\ \ -\mathbf{I})",
        r"\mathbf{f}=-\mathbf{J}^T\lambda",
        "So it is in the pendulum's section, where J makes it m v̇ − λ = F. The sign and the frame"
        " of λ depend on how the constraint is written: λ₁ is in body axes, λ₂ in space axes. The"
        " force on a body is −Jᵀλ in general.",
        (),
        heads=("In the pendulum", "In general"),
    )


def no_gravity(study: Study) -> Erratum:
    with_gravity = study.run("heavy top in gravity", "SE3")
    without = study.run("heavy-top", "SE3")

    def swing(outcome: CaseResult) -> Measure:
        kinetic = outcome.result.kinetic_energy()
        value = float(np.abs(kinetic / kinetic[0] - 1).max())
        return Measure("largest change of T, relative", value, "", (outcome.case,))

    return Erratum(
        "no-gravity",
        "Title “Heavy Top in Gravity Field”",
        UNCLEAR,
        r"\mathrm{heavy\ top\ in\ gravity\ field}\ (g=9.81\ \mathrm{m/s^2}?)",
        r"g=0\quad(\mathbf{M}=\mathbf{F}=\mathbf{0})",
        "The text of the results says that no gravity is present; only then is the kinetic energy"
        " constant and its drift an error.",
        ((swing(with_gravity), swing(without)),),
    )


def sign_in_dexp_inverse(study: Study) -> Erratum:
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
    return Erratum(
        "dexp-inverse-sign",
        "The sign in dexp⁻¹ at −Ψ",
        DANGEROUS,
        r"k_j=\mathrm{dexp}^{-1}_{+\Psi_j}F\quad\mathrm{or}\quad k_j=F",
        r"k_j=\mathrm{dexp}^{-1}_{-\Psi_j}F",
        "Printed right. The plus sign of right-invariant texts, or leaving the term out, costs two"
        " orders, and shows only where rotations do not commute.",
        ((order("at +Psi"), right), (order("left out"), right)),
        heads=("Easily written", "Right"),
    )


ERRATA: tuple[tuple[str | None, Callable[[Study], Erratum]], ...] = (
    (None, exp_denominator),
    (None, dexp_inverse_cancels),
    ("heavy-top", sign_in_dexp_inverse),
    (None, dexp_on_state_space),
    ("heavy-top", unstable_acceleration),
    (None, gravity_without_mass),
    ("double-pendulum", hybrid_velocities),
    (None, two_meanings_of_r0),
    (None, meaning_of_lambda),
    ("heavy-top", no_gravity),
)

RIGHT_AS_PRINTED = (
    "exp on SE(3), the pitch, the bracket and ad, dexp⁻¹ on both groups as real functions, and the"
    " sign in dexp⁻¹ at −Ψ are right as printed."
)


def all_errata(study: Study) -> list[Erratum]:
    """The errata whose figures this report can compute."""
    return [make(study) for example, make in ERRATA if example is None or study.has(example)]
