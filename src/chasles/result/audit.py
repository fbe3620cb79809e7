"""What a run has seen of a joint, held against its certificate."""

from typing import TYPE_CHECKING

import numpy as np

from chasles.core.arrays import POSE_X
from chasles.model import GROUND
from chasles.spaces.certificate import BY_CONSTRUCTION, BY_COSET, BY_PROJECTION, Certificate

if TYPE_CHECKING:
    from chasles.result.joints import OfJoints

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
