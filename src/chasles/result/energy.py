"""Energies and momenta of a trajectory.

Functions of a setup and absolute states (T, n, 18); time runs along the first axis.  The formulas
are those of the kernels, evaluated on whole histories at once.
"""

from typing import Any

import numpy as np

from chasles.build.system.build import Setup
from chasles.build.system.gaps import components, in_columns, opening_history
from chasles.core.arrays import POSE_R, POSE_X, TWIST, Floats, flat_arrays
from chasles.core.forces.registry import FORCES
from chasles.core.kinds import Deformation
from chasles.core.placed import gravity_potential, kinetic_energy
from chasles.core.step_checks import rotor_energy
from chasles.groups.vectors import add, cross, matvec, scale, symvec


def stacked(vector: tuple[Floats, ...]) -> Floats:
    """A formula's tuple of arrays as one array, components last."""
    return np.stack(np.broadcast_arrays(*vector), axis=-1)


def twist_history(absolute: Floats) -> Any:
    """(omega, v) of all bodies: tuples of arrays (T, n)."""
    return components(absolute, TWIST, 3), components(absolute, TWIST + 3, 3)


def kinetic(setup: Setup, absolute: Floats) -> Floats:
    """Kinetic energy of every body (T, n), J."""
    bodies = setup.system.bodies
    inertia = components(bodies.inertia, 0, 6)
    return kinetic_energy(bodies.mass, inertia, twist_history(absolute))


def kinetic_of_all(setup: Setup, absolute: Floats) -> Floats:
    r"""Kinetic energy of all bodies (T,), J, and $\tfrac12\sum I_r \dot q^2$ of all armatures."""
    joints, count = flat_arrays(setup.system.joints), setup.system.joint_count
    rotors = rotor_energy(joints, count, in_columns(absolute))
    return np.asarray(kinetic(setup, absolute).sum(axis=1) + rotors)


def potential(setup: Setup, absolute: Floats) -> Floats:
    """Potential energy of gravity of every body (T, n), J; zero at the world's origin."""
    position = components(absolute, POSE_X, 3)
    return gravity_potential(setup.system.bodies.mass, position, tuple(setup.system.gravity))


def stored(setup: Setup, absolute: Floats, integrals: Floats) -> Floats:
    """Potential energy of every force that has one (T, f), J."""
    forces = setup.system.forces
    energy = np.zeros((len(absolute), setup.system.force_count))
    for force, (kind, angle) in enumerate(zip(forces.kind, forces.angle.tolist())):
        potential = FORCES[kind].potential
        if potential is not None:
            turn, shift = opening_history(forces, force, absolute)
            deformation = Deformation(
                turn=turn,
                shift=shift,
                law=tuple(forces.law[force].tolist()),
                counts_turns=angle >= 0,
                near=0.0 if angle < 0 else integrals[:, angle],
            )
            energy[:, force] = potential(deformation)
    return energy


def potential_of_all(setup: Setup, absolute: Floats, integrals: Floats) -> Floats:
    """Potential energy of gravity and of all forces that have one (T,), J."""
    gravity = potential(setup, absolute).sum(axis=1)
    return gravity + stored(setup, absolute, integrals).sum(axis=1)


def work_of_all(setup: Setup, integrals: Floats) -> Floats:
    """Of all forces and drivers since the start of the run (T,), J."""
    count = len(setup.model.forces) + len(setup.model.drivers)
    return np.asarray(integrals[:, :count].sum(axis=1))


def balance(setup: Setup, absolute: Floats, integrals: Floats) -> Floats:
    """Energy gained since the first state minus the work of forces and drivers since then (T,)."""
    total = kinetic_of_all(setup, absolute) + potential_of_all(setup, absolute, integrals)
    work = work_of_all(setup, integrals)
    return total - total[0] - (work - work[0])


def linear_momentum(setup: Setup, absolute: Floats) -> Floats:
    """Total linear momentum (T, 3) in the world, N s."""
    rotation = components(absolute, POSE_R, 9)
    momentum = scale(setup.system.bodies.mass, matvec(rotation, twist_history(absolute)[1]))
    return stacked(momentum).sum(axis=-2)


def angular_momentum(setup: Setup, absolute: Floats) -> Floats:
    """Total angular momentum (T, 3) about the world's origin, N m s."""
    bodies = setup.system.bodies
    rotation, position = components(absolute, POSE_R, 9), components(absolute, POSE_X, 3)
    omega, v = twist_history(absolute)
    orbital = cross(position, scale(bodies.mass, matvec(rotation, v)))
    spin = matvec(rotation, symvec(components(bodies.inertia, 0, 6), omega))
    return stacked(add(orbital, spin)).sum(axis=-2)
