"""Forces, drivers and couplings, by name: what they exert, and their work."""

from typing import Any

import numpy as np

from chasles.core.arrays import DRIVEN_TURN, Floats
from chasles.model import Coupling, InvalidOption, Joint, JointForce, UnknownName
from chasles.model.coordinate_coupling import spelled
from chasles.model.docstrings import documented
from chasles.model.errors import short_repr
from chasles.result.joints import OfJoints
from chasles.result.readout import ForceHistory, force_history, joint_effort


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
        asked = getattr(driver, "name", driver)
        coupled = [c for c in self.model.couplings if c.name == asked]
        if coupled:
            return self._coupling_effort(coupled[0], on)
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
        index = self.problem.setup.joint_index[name]
        frame = self.reaction(name).in_joint_frame
        turning = int(self.problem.setup.system.joints.locked[index]) == DRIVEN_TURN
        return frame[1][:, 2] if turning else frame[0][:, 2]

    def _coupling_effort(self, coupling: Coupling, on: Any) -> Floats:
        terms, where = coupling.terms, f"effort of {coupling.where}"
        number = [c.name for c in self.model.couplings].index(coupling.name)
        if not terms:
            if on is not None:
                raise InvalidOption(
                    f"{where}: it acts on bodies, along no joint in particular.", "Leave on= out."
                )
            return np.asarray(self._multipliers[:, number])
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
        names = [f.name for f in self.model.forces] + [d.name for d in self.model.drivers]
        name = UnknownName.check("force or driver", getattr(force, "name", force), names)
        return self.integrals[:, names.index(name)]

    def _driver(self, driver: Any) -> str:
        name = getattr(driver, "name", driver)
        if isinstance(name, str) and name in self.model.force_names:
            raise UnknownName(
                f"there is no driver '{name}': it is a force ({self.model.force(name).kind}), and"
                " only drivers and forces on a joint have an effort along a coordinate.",
                f"result.force('{name}') has force, torque and power, result.work('{name}') the"
                " work.",
            )
        if isinstance(name, str) and name in self.model.joint_names:
            acting: tuple[Any, ...] = (*self.model.drivers, *self.model.forces)
            moving = [part.name for part in acting if getattr(part, "joint", None) == name]
            named = ", ".join(f"'{part}'" for part in moving)
            raise UnknownName(
                f"there is no driver '{name}': it is a joint, and efforts are those of what acts"
                f" along its coordinate: {named or 'nothing does'}.",
                f"Ask for one of them: result.effort('{moving[0]}')."
                if moving
                else f"result.reaction('{name}') has what the joint itself exerts.",
            )
        return self.model.driver(name).name
