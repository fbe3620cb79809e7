"""Gaps, reactions and coordinates of joints, by name."""

from typing import Literal

import numpy as np

from chasles.build.system.coordinates import coordinate_keys, coordinate_rate
from chasles.build.system.coupled import coupled_gap
from chasles.core.arrays import POSE_X, Floats
from chasles.model import GROUND, CustomCoupling, InvalidOption, Joint, UnknownName
from chasles.model.coordinates import coordinate_key
from chasles.model.docstrings import documented
from chasles.model.errors import short_repr
from chasles.model.words import Coordinate
from chasles.result.reactions import Reaction, reaction
from chasles.result.trajectory import Trajectory
from chasles.result.violations import coordinate, gap
from chasles.spaces.certificate import BY_CONSTRUCTION, BY_COSET, BY_PROJECTION, Certificate


class OfJoints(Trajectory):
    """Gaps, reactions and coordinates of joints, by name."""

    @documented(
        "(T,), or (T, 3) with vector=True. For a coupling: the error of its sum, (T,)",
        joint="The joint, coupling or driver, or its name.",
        part='"translation" in m, or "rotation" in rad. Free directions count as 0.',
        vector="Whether to return vectors in world axes.",
    )
    def violation(
        self,
        joint: Joint | str,
        part: Literal["translation", "rotation"] = "translation",
        vector: bool = False,
    ) -> Floats:
        """Constraint violation (gap) of a joint."""
        named = {coupling.name: coupling for coupling in self.model.couplings}
        asked = getattr(joint, "name", joint)
        if isinstance(asked, str) and asked in named and isinstance(part, str):
            coupling = named[asked]
            if isinstance(coupling, CustomCoupling):
                return np.abs(coupled_gap(self.problem.setup, coupling, self.absolute))
            return np.abs(coupling.values([self.coordinate(j, w) for j, w, _ in coupling.terms]))
        rotation, translation = gap(self.problem.setup, self._joint(joint), self.absolute, self.t)
        parts = {"translation": translation, "rotation": rotation}
        if not isinstance(part, str) or part not in parts:
            raise InvalidOption(
                f"violation: part must be 'translation' or 'rotation', got {short_repr(part)}.",
                "Use part='translation' (m) or part='rotation' (rad).",
            )
        return parts[part] if vector else np.linalg.norm(parts[part], axis=1)

    @documented("Certificate: With a bound for the effect of round-off, and what this run measured")
    def certificate(self, joint: Joint | str) -> Certificate:
        """Why a joint stays closed, or which bracket of motions makes it drift."""
        return audited(self, self.designation.certificate(joint))

    @documented("Reaction: Forces in N, torques in N m, in world axes")
    def reaction(self, joint: Joint | str, by: Literal["method", "motion"] = "method") -> Reaction:
        """Force and torque of a joint on its bodies at every saved time.

        What accelerates the rotor of a joint with an armature is part of it, along the joint's
        axis.

        Parameters
        ----------
        joint
            The joint or driver, or its name.
        by
            "method": the multipliers of the method, if it has its own (index 2 or 3). "motion":
            always from the equations of motion.
        """
        UnknownName.check("choice", by, ("method", "motion"), "reaction: by")
        name = self._joint(joint)
        couplings = {coupling.name: coupling for coupling in self.model.couplings}
        if name in couplings and isinstance(couplings[name], CustomCoupling):
            raise UnknownName(
                f"coupling '{name}' pushes on several bodies, and has no point of its own.",
                f"result.effort('{name}'), times the derivative of its formula by a motion, is what"
                " it exerts along that.",
            )
        if name in couplings:
            raise UnknownName(
                f"coupling '{name}' pushes along the coordinates of several joints, and has no"
                " point of its own.",
                f"result.effort('{name}') is what it exerts along its first coordinate,"
                " effort(..., on=joint) along another.",
            )
        wrenches = self._wrenches if by == "method" else self._wrenches_of_motion
        return reaction(self.problem.setup, name, self.absolute, wrenches)

    @documented("(T,). 0 at the poses entered, unless the joint has a `zero`")
    def coordinate(self, joint: Joint | str, which: Coordinate = "auto") -> Floats:
        """Coordinate of a joint: angle (rad, without wrap-around) or displacement (m)."""
        name, kind = coordinate_key(self.model, joint, which)
        if self.coordinates is not None:
            found = self.coordinates[:, coordinate_keys(self.model).index((name, kind))]
            if not np.isnan(found).all():
                return found
        return coordinate(self.problem.setup, name, kind, self.absolute, self.t, self.integrals)

    @documented("(T,), rad/s or m/s")
    def coordinate_rate(self, joint: Joint | str, which: Coordinate = "auto") -> Floats:
        """Rate of a joint's coordinate."""
        name, kind = coordinate_key(self.model, joint, which)
        return coordinate_rate(self.problem.setup, name, kind, self.absolute)


EPSILON = float(np.finfo(float).eps)


def reach_of(result: "OfJoints", joint: str) -> float:
    """What the gap of a joint is rounded from, m.

    The levers, how far from the origin it gets, and half a turn of a thread: the angle is known to
    an ulp of pi at the best, which the pitch makes a length of.
    """
    found, setup = result.model.joint(joint), result.problem.setup
    index = setup.joint_index[found.name]
    levers = (setup.system.joints.point_a[index], setup.system.joints.point_b[index])
    bodies = [setup.body_index[n] for n in (found.a, found.b) if n != GROUND.name]
    places = np.linalg.norm(result.absolute[:, bodies, POSE_X : POSE_X + 3], axis=-1)
    thread = np.pi * abs(found.pitch)
    return float(places.max() + sum(np.linalg.norm(lever) for lever in levers) + thread)


def audited(result: "OfJoints", certificate: Certificate) -> Certificate:
    """The certificate with the largest gap of the saved states and, if any, what was removed."""
    joint = certificate.joint
    shift = float(result.violation(joint).max())
    turn = float(result.violation(joint, "rotation").max())
    reach = reach_of(result, joint)
    seen = f"Seen in {len(result.t)} states: {shift:.2g} m, {turn:.2g} rad"
    if reach > 0.0:
        seen += f", {shift / (EPSILON * reach):.3g} ulps of its reach of {reach:.3g} m"
    return certificate.seen(f"{seen}. {removal(result, certificate)}")


def removal(result: "OfJoints", certificate: Certificate) -> str:
    """What a stabiliser or a projector did to keep the joint closed."""
    if certificate.lemma == BY_CONSTRUCTION:
        return "Nothing was projected away: the joint's own coordinates are all that moves."
    provenance = result.provenance
    if certificate.joint in provenance.stabilised:
        return f"The run held it by {provenance.stabilise}."
    found = provenance.removed.get(certificate.joint)
    if certificate.lemma == BY_COSET and found is not None:
        return f"A constant projector took up to {found:.2g} (m/s or rad/s) from velocities."
    if certificate.lemma != BY_PROJECTION or found is None:
        return "Nothing was projected away."
    return (
        f"A projector kept single steps from opening it by up to {found:.2g} of its reach, or rad."
    )
