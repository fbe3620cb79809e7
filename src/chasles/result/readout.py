"""What forces do and how points move, over a whole trajectory: read out, not computed again.

The routine that adds a force to the equations of motion runs here on arrays over time: one formula
for both.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np

from chasles.build.system.build import Setup
from chasles.build.system.gaps import opening_history
from chasles.build.system.state import in_world, rotations
from chasles.core.arrays import (
    ANSWER_WIDTH,
    EXCHANGE_WIDTH,
    POSE_X,
    TWIST,
    Floats,
    flat_arrays,
)
from chasles.core.forces.registry import FORCES
from chasles.model import Body, ChaslesError, CustomForce, Ground, JointForce
from chasles.model.coordinates import ANGLE
from chasles.model.errors import short_repr
from chasles.result.reactions import frame_in_world, largest


@dataclass(frozen=True, repr=False)
class ForceHistory:
    """A force over time, in world axes.

    name        of the force
    bodies      the first one (the ground, if it acts on one body alone) and the second
    force       (T, 3) N on the second body
    torque      (T, 3) N m on the second body about its centre of mass
    power       (T,) W that it gives to both bodies, potential and all
    supplied    (T,) W of it that no potential accounts for: the rate of `result.work`
    elongation  (T,) m by which a spring between two points is longer than at rest; None of others

    A formula of several bodies has these in their order, force and torque are those on the first.
    """

    name: str
    bodies: tuple[str, ...]
    force: Floats
    torque: Floats
    power: Floats
    supplied: Floats
    force_on_first: Floats
    torque_on_first: Floats
    elongation: Floats | None = None
    on_several: Mapping[str, tuple[Floats, Floats]] = field(default_factory=dict)

    def __repr__(self) -> str:
        stretched = "" if self.elongation is None else ", elongation"
        return (
            f"ForceHistory('{self.name}' on {' and '.join(self.bodies)}: force, torque, power"
            f"{stretched} at {len(self.power)} times, up to {largest(self.force):.3g} N and"
            f" {largest(self.torque):.3g} N m)"
        )

    def on(self, body: Body | Ground | str) -> tuple[Floats, Floats]:
        """Force and torque (T, 3) on one of its bodies, about that body's centre of mass.

        On the ground, the torque is about the origin of the world.
        """
        name = body.name if isinstance(body, Body | Ground) else body
        if not isinstance(name, str) or name not in self.bodies:
            raise ChaslesError(
                f"force '{self.name}' does not act on {short_repr(name)}.",
                f"It acts on {' and '.join(repr(known) for known in self.bodies)}.",
            )
        if self.on_several:
            return self.on_several[name]
        if name == self.bodies[1]:
            return self.force, self.torque
        return self.force_on_first, self.torque_on_first


@dataclass(frozen=True, repr=False)
class PointHistory:
    """A point of a body over time, in the world: path (m), velocity (m/s), acceleration (m/s^2)."""

    position: Floats
    velocity: Floats
    acceleration: Floats

    def __repr__(self) -> str:
        return (
            f"PointHistory(position, velocity, acceleration at {len(self.position)} times, up to"
            f" {largest(self.velocity):.3g} m/s and {largest(self.acceleration):.3g} m/s^2)"
        )


def wrenches_of_force(
    setup: Setup, index: int, absolute: Floats, times: Floats, integrals: Floats
) -> tuple[Floats, Floats]:
    """Wrenches of a force on all bodies (T, n, 6), body frames at the COM; and its power (T,)."""
    system, count = setup.system, len(times)
    kind = FORCES[system.forces.kind[index]]
    signals = setup.signals.sample(times) if setup.signals.count else np.zeros((count, 1))
    flat, states = flat_arrays(system), absolute.reshape(count, -1)
    if system.forces.address[index] != 0:  # a user's formula takes numbers
        parts = [
            one_wrench(kind.wrench, flat, index, *state)
            for state in zip(states, signals, integrals, strict=True)
        ]
        wrenches = np.array([part[0] for part in parts])
        return wrenches.reshape(count, -1, 6), np.array([part[1] for part in parts])
    columns = (part.T for part in (states, signals, integrals))
    wrenches, supplied = one_wrench(kind.wrench, flat, index, *columns)
    return wrenches.T.reshape(count, -1, 6), np.broadcast_to(supplied, times.shape)


def one_wrench(
    wrench: Any, flat: Any, index: int, state: Floats, signals: Floats, angles: Floats
) -> tuple[Floats, Any]:
    """Q (6 n, ...) of one force, and its power, from entries that are numbers or arrays."""
    shape = state.shape[1:]
    work = SimpleNamespace(
        absolute=state, signals=signals, quadratures=angles,
        rhs=np.zeros((6 * flat.body_count, *shape)), quadrature_rates=np.zeros_like(angles),
        exchange=np.zeros(EXCHANGE_WIDTH), answer=np.zeros(ANSWER_WIDTH),
    )  # fmt: skip
    supplied = wrench(flat, index, work)
    return work.rhs, supplied


def force_history(
    setup: Setup, name: str, absolute: Floats, times: Floats, integrals: Floats
) -> ForceHistory:
    """A force of the model over time."""
    names = list(setup.model.force_names)
    index = names.index(name)
    local, supplied = wrenches_of_force(setup, index, absolute, times, integrals)
    forces, order = setup.system.forces, list(setup.body_index)
    power = np.einsum("tbk,tbk->t", local, absolute[..., TWIST : TWIST + 6])
    torque, force = in_world(absolute, local[..., :3]), in_world(absolute, local[..., 3:])
    a, b = int(forces.a[index]), int(forces.b[index])
    part = setup.model.forces[index]
    if isinstance(part, CustomForce) and part.others:
        places = [setup.body_index[body] for body in part.bodies]
        several = {body: (force[:, k], torque[:, k]) for body, k in zip(part.bodies, places)}
        nothing = np.zeros_like(force[:, b])
        return ForceHistory(
            name, part.bodies, *several[part.body], power, np.array(supplied, float),
            nothing, nothing, on_several=several,
        )  # fmt: skip
    about_origin = torque[:, b] + np.cross(absolute[:, b, POSE_X : POSE_X + 3], force[:, b])
    first = (-force[:, b], -about_origin) if a < 0 else (force[:, a], torque[:, a])
    return ForceHistory(
        name, ("ground" if a < 0 else order[a], order[b]), force[:, b], torque[:, b], power,
        np.array(supplied, float), *first, elongation_of(setup, index, absolute),
    )  # fmt: skip


def joint_effort(
    setup: Setup, force: JointForce, history: ForceHistory, absolute: Floats
) -> Floats:
    """What a force on a joint exerts on its body b along the joint's axis (T,), N or N m."""
    axis = frame_in_world(setup, setup.joint_index[force.joint], absolute)[1][:, :, 2]
    push, turn = history.on(setup.model.joint(force.joint).b)
    return np.einsum("ti,ti->t", turn if force.coordinate == ANGLE else push, axis)


def elongation_of(setup: Setup, index: int, absolute: Floats) -> Floats | None:
    """How much longer than at rest a spring between two points is (T,), m."""
    if FORCES[setup.system.forces.kind[index]].name != "spring":
        return None
    forces = setup.system.forces
    _, shift = opening_history(forces, index, absolute)
    length = np.sqrt(sum(np.square(part) for part in shift))
    return np.asarray(length - forces.law[index, 2])


def point_history(body: Floats, rates: Floats, lever: Floats) -> PointHistory:
    r"""A point at `lever` from the centre of mass, in the body frame; `rates` (T, 6) is V'.

    $$ \dot x = R(v + \omega\times l), \qquad
       \ddot x = R\bigl(\dot v + \omega\times v + \dot\omega\times l +
       \omega\times(\omega\times l)\bigr) $$
    """
    omega, v = body[:, TWIST : TWIST + 3], body[:, TWIST + 3 :]
    local_velocity = v + np.cross(omega, lever)
    local = rates[:, 3:] + np.cross(rates[:, :3], lever) + np.cross(omega, local_velocity)
    return PointHistory(
        body[:, POSE_X : POSE_X + 3] + rotations(body) @ lever,
        in_world(body, local_velocity),
        in_world(body, local),
    )
