"""What is left of Newton's and Euler's equations when all that a result reports is put in.

For every body, reactions of joints, forces, drivers and couplings as `Result` tells them must add
up to m (a - g) and to the rate of the angular momentum.  Accelerations are the oracle's.
"""

from typing import Any

import numpy as np
from oracle.formulas import formula_jet
from oracle.jets import Floats
from oracle.mechanism import Mechanism

import chasles as ch


def told_by(result: ch.Result, index: int) -> Floats:
    """Force and torque about its centre of mass on every body (n, 6), but for gravity."""
    model = result.model
    total = np.zeros((len(model.bodies), 6))
    for k, body in enumerate(model.body_names):
        place = result.position(body)[index]
        for joint in model.joints:
            if body in (joint.a, joint.b):
                reaction = result.reaction(joint)
                force, torque = (part[index] for part in reaction.on(body))
                total[k, :3] += force
                total[k, 3:] += torque + np.cross(reaction.point[index] - place, force)
        for force in model.forces:
            found = result.force(force)
            if body in found.bodies:
                push, torque = (part[index] for part in found.on(body))
                total[k, :3] += push
                total[k, 3:] += torque
    return total


def told_along_coordinates(result: ch.Result, index: int, mechanism: Mechanism) -> Floats:
    """What drivers and couplings exert, by their efforts."""
    state = mechanism.state_of(result.state(index))
    bodies = mechanism.bodies_at(state)
    total = np.zeros(bodies.width)
    for driver in result.model.drivers:
        if isinstance(driver, ch.CustomCoupling):
            seen = [mechanism.start.index[name] for name in driver.bodies]
            slope = formula_jet(driver.formula, seen, bodies).slope[0]
            total += result.effort(driver)[index] * slope
        elif isinstance(driver, ch.Coupling):
            for joint, word, _ in driver.terms:
                q = mechanism.coordinates[joint, word].at(bodies, {})
                total += result.effort(driver, on=f"{joint}.{word}")[index] * q.slope
        elif isinstance(driver, ch.PointDriver):
            point = bodies.point(mechanism.start.point(driver.body, driver.at))
            total += result.effort(driver)[index] * point.along(np.array(driver.direction)).slope
        else:
            q = mechanism.coordinates[driver.joint, driver.coordinate].at(bodies, {})
            total += result.effort(driver)[index] * q.slope
    return total


def out_of_balance(result: ch.Result, index: int = -1) -> float:
    """The largest force or torque that is missing, as a fraction of the largest that acts."""
    mechanism = Mechanism(result.model)
    angles: dict[Any, float] = {
        key: float(result.coordinate(*key)[index]) for key in mechanism.angles
    }
    state = mechanism.state_of(result.state(index), angles)
    t = float(result.t[index])
    accelerations = mechanism.solved(t, state)[0]
    mass, bias = mechanism.mass_of_bodies(mechanism.bodies_at(state))
    weight = mechanism.applied(t, state)["gravity"]
    needed = mass @ accelerations + bias - weight
    told = told_by(result, index).ravel() + told_along_coordinates(result, index, mechanism)
    return float(np.abs(told - needed).max() / max(1.0, np.abs(needed).max()))
