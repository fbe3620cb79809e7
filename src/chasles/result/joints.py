"""The joints, forces, drivers and couplings of a result."""

from typing import Any, Literal

import numpy as np

from chasles.build.system.coordinates import (
    coordinate,
    coordinate_keys,
    coordinate_rate,
    coupled_gap,
    gap,
)
from chasles.core.arrays import DRIVEN_TURN, POSE_X, Floats
from chasles.model import (
    GROUND,
    Coupling,
    CustomCoupling,
    InvalidOption,
    Joint,
    JointForce,
    UnknownName,
)
from chasles.model.checks import check_flag
from chasles.model.coordinate_coupling import spelled
from chasles.model.coordinates import coordinate_key
from chasles.model.errors import short_repr
from chasles.model.keywords import documented
from chasles.model.words import Coordinate
from chasles.result.reactions import Reaction, reaction
from chasles.result.readout import ForceHistory, force_history, joint_effort
from chasles.result.trajectory import Trajectory
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
        check_flag(vector, "vector", "violation", InvalidOption)
        coupling = self._coupling(joint)
        if coupling is not None and isinstance(part, str):
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
        name, coupling = self._joint(joint), self._coupling(joint)
        if coupling is not None:
            where = "along the coordinates of several joints"
            remedy = " is what it exerts along its first coordinate, effort(..., on=joint) along"
            remedy += " another."
            if isinstance(coupling, CustomCoupling):
                where = "on several bodies"
                remedy = ", times the derivative of its formula by a motion, is what it exerts"
                remedy += " along that."
            raise UnknownName(
                f"coupling '{name}' pushes {where}, and has no point of its own.",
                f"result.effort('{name}'){remedy}",
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

    def _coupling(self, part: Any) -> Coupling | None:
        """The coupling of the model that is meant, if one is."""
        named: dict[Any, Coupling] = {one.name: one for one in self.model.couplings}
        name = getattr(part, "name", part)
        return named.get(name) if isinstance(name, str) else None


EPSILON = float(np.finfo(float).eps)


def reach_of(result: "OfJoints", joint: str) -> float:
    """The length (m) whose rounding opens a joint: levers, distance from the origin, half a turn of
    a thread (an angle is known to an ulp of pi at best).
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


class OfForces(OfJoints):
    """Forces, drivers and couplings, by name: what they exert, and their work."""

    @documented(
        "(T,). Times the rate of the coordinate it is the power",
        driver="The driver, force or coupling, or its name.",
        on="For a coupling: the joint, or (joint, coordinate), along which it acts.",
    )
    def effort(self, driver: Any, on: Joint | str | None = None) -> Floats:
        """Torque (N m) or force (N) of a driver, motor or joint force along its coordinate.

        So does every force on a joint: springs, friction.  Times the coordinate's rate, it is
        their power.  A coupling pushes along several coordinates: `on` names the joint, or
        "sleeve.displacement"; its first if left out.  Of a `CustomCoupling` it is the number that
        the derivative of its formula by a motion is multiplied with.
        """
        asked, coupling = getattr(driver, "name", driver), self._coupling(driver)
        if coupling is not None:
            return self._coupling_effort(coupling, on)
        if on is not None:
            raise InvalidOption(
                f"effort: {short_repr(asked)} is not a coupling, and acts along one coordinate.",
                "Leave on= out.",
            )
        if isinstance(asked, str) and asked in self.model.force_names:
            acting = self.model.force(asked)
            if isinstance(acting, JointForce):
                found = self.force(asked)
                return joint_effort(self.problem.setup, acting, found, self.absolute)
        name = self._driver(driver)
        force, torque = self.reaction(name).in_joint_frame
        locked = self.problem.setup.system.joints.locked[self.problem.setup.joint_index[name]]
        return torque[:, 2] if locked == DRIVEN_TURN else force[:, 2]

    def _coupling_effort(self, coupling: Coupling, on: Any) -> Floats:
        terms, where = coupling.terms, f"effort of {coupling.where}"
        number = [c.name for c in self.model.couplings].index(coupling.name)
        if not terms:
            if on is None:
                return np.asarray(self._multipliers[:, number])
            raise InvalidOption(
                f"{where}: it acts on bodies, along no joint in particular.", "Leave on= out."
            )
        index = 0
        if on is not None:
            joints = {joint.name: joint for joint in self.model.joints}
            name = spelled(getattr(on, "name", on), "auto", joints, where)
            matching = [
                k for k, t in enumerate(terms) if t[0] == name[0] and name[1] in ("auto", t[1])
            ]
            if not matching:
                raise UnknownName.among("joint", on, coupling.joints, where=where)
            index = matching[0]
        coordinates = [self.coordinate(joint, word) for joint, word, _ in terms]
        slope = coupling.derivatives(coordinates)[index][1]
        return np.asarray(slope * self._multipliers[:, number])

    @documented("ForceHistory: With force (N), torque (N m), power (W) and elongation (m)")
    def force(self, force: Any) -> ForceHistory:
        """What a force exerts on its bodies over time."""
        name = UnknownName.check("force", getattr(force, "name", force), self.model.force_names)
        return force_history(self.problem.setup, name, self.absolute, self.t, self.integrals)

    @documented(
        "(T,), J. For springs only the work of their dampers: the rest is potential energy",
        force="The force or driver, or its name.",
    )
    def work(self, force: Any) -> Floats:
        """Work of a force or driver on the bodies since the start."""
        names = (*self.model.force_names, *self.model.driver_names)
        name = UnknownName.check("force or driver", getattr(force, "name", force), names)
        return self.integrals[:, names.index(name)]

    def _driver(self, driver: Any) -> str:
        name = getattr(driver, "name", driver)
        if not isinstance(name, str):
            return self.model.driver(name).name
        if name in self.model.force_names:
            raise UnknownName(
                f"there is no driver '{name}': it is a force ({self.model.force(name).kind}), and"
                " only drivers and forces on a joint have an effort along a coordinate.",
                f"result.force('{name}') has force, torque and power, result.work('{name}') the"
                " work.",
            )
        if name in self.model.joint_names:
            acting: tuple[Any, ...] = (*self.model.drivers, *self.model.forces)
            moving = [part.name for part in acting if getattr(part, "joint", None) == name]
            named = ", ".join(f"'{part}'" for part in moving)
            raise UnknownName(
                f"there is no driver '{name}': it is a joint. Drivers and forces along its"
                f" coordinate have an effort: {named or 'it has none'}.",
                f"Ask for one of them: result.effort('{moving[0]}')."
                if moving
                else f"result.reaction('{name}') has what the joint itself exerts.",
            )
        return self.model.driver(name).name
