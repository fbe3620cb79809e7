r"""The equations of motion in joint coordinates: mass matrix, bias, forces and accelerations.

Twists of the bodies are linear in the velocities of the joint coordinates, V = A(q) v, so that

$$ M(q)\,\dot v + h(q, v) = \tau + \tau_c, \qquad M = A^T M_b A + I_r, \quad \tau = A^T W, $$

with the inertias $M_b$ of the bodies, those of the rotors $I_r$, and the wrenches W of all forces
but gravity.  The recursion gives the accelerations: $\dot v$ with everything that acts, and
$\dot v_0$ of the tree left to itself, which is the bias $h = -M\dot v_0$.  What joints that close
loops, couplings and drivers exert is the rest, $\tau_c = M\dot v + h - \tau$.
"""

from dataclasses import dataclass

import numpy as np

from chasles.build.dynamics.equations import check_finite
from chasles.build.dynamics.tree_problem import TreeProblem
from chasles.build.start.rows import mass_matrices
from chasles.build.system.build_tree import undriven, words_of
from chasles.build.system.coordinates import first_integrals
from chasles.build.system.state import State, checked_state
from chasles.build.system.tree_setup import tree_setup
from chasles.build.system.tree_state import unit_twists
from chasles.core.arrays import Floats
from chasles.core.recursion.stage import tree_rates
from chasles.core.recursion.tree import (
    SPHERICAL,
    SPHERICAL_ARMATURE,
    Tree,
    is_flat,
    make_tree_workspace,
    rises,
    turns_of,
)
from chasles.model import Model, UnknownName
from chasles.model.keywords import checked_keywords
from chasles.model.model import checked_model, plural

TURNS = ("wx", "wy", "wz")
FLIGHT = (*TURNS, "x", "y", "z")


@dataclass(frozen=True)
class JointDynamics:
    r"""M v' + h = tau + tau_c at one state, in the velocities v of joint coordinates.

    The coordinates are those of the parent joints of the bodies. The velocities of a joint are:

    - one axis: "angle" (rad/s) and "displacement" (m/s), as in `Result.coordinate`
    - planar: "angle", and "x" and "y" of the centre of mass along axes of the joint
    - Cartesian: "x", "y" and "z" along axes of the joint
    - spherical: "wx", "wy" and "wz", the angular velocity of its body in the axes of that body

    A body without a parent joint appears under its own name, with "wx", "wy", "wz" in its axes
    and "x", "y", "z" of its centre of mass in world axes.

    Attributes
    ----------
    coordinates
        (joint, word) of every velocity, in the order of v.
    mass
        M, (v, v), kg m² and kg, rotors included.
    bias
        h, (v,), N m and N: centrifugal, Coriolis and gyroscopic terms, and weight.
    forces
        tau, (v,), N m and N: springs, motors and all other forces.
    constraints
        tau_c, (v,), N m and N: loop-closing joints, couplings and drivers. 0 in a tree.
    velocity
        v, (v,), rad/s and m/s.
    acceleration
        Time derivative of v, (v,), rad/s² and m/s².
    bodies
        Names of the bodies, in the order of `twists`.
    twists
        A, (n, 6, v): twist (omega, v) of every body in its axes, at its centre of mass.

    Examples
    --------
    >>> import chasles as ch
    >>> arm = ch.Body.rod("arm", length=1.0, mass=1.0, position=(0.5, 0, 0))
    >>> hinge = ch.Revolute("hinge", ch.GROUND, arm, at=(0, 0, 0), axis="y")
    >>> model = ch.Model([arm], [hinge])
    >>> found = ch.joint_dynamics(model)
    >>> found.coordinates, float(found.mass[0, 0].round(3))              # m l^2 / 3
    ((('hinge', 'angle'),), 0.333)
    """

    coordinates: tuple[tuple[str, str], ...]
    mass: Floats  # M (v, v), rotors included
    bias: Floats  # h (v,): centrifugal, Coriolis and gyroscopic terms, and weight
    forces: Floats  # tau (v,) of springs, motors and all other forces
    constraints: Floats  # tau_c (v,) of cut joints, couplings and drivers; 0 in a tree
    velocity: Floats  # v (v,)
    acceleration: Floats  # v' (v,)
    bodies: tuple[str, ...]
    twists: Floats  # A (n, 6, v): twist (omega, v) of every body, its axes, at its COM

    def __repr__(self) -> str:
        velocities = plural(len(self.coordinates), "velocity", "velocities")
        return f"JointDynamics({velocities}, {plural(len(self.bodies), 'body', 'bodies')})"

    def index(self, joint: str, word: str | None = None) -> int:
        """Index of a velocity in v.

        Parameters
        ----------
        joint
            Name of the joint, or of a body without a parent joint.
        word
            Which velocity of the joint, such as "angle". Not needed if the joint has only one.

        Returns
        -------
        int
            The index.
        """
        own = [k for k, name in enumerate(self.coordinates) if name[0] == joint]
        if not own:
            raise UnknownName.among("joint", joint, tuple(dict(self.coordinates)))
        words = [self.coordinates[k][1] for k in own]
        if word is None and len(own) == 1:
            return own[0]
        known = UnknownName.check("coordinate", word, words, f"joint '{joint}'")
        return own[words.index(known)]


@checked_keywords
def joint_dynamics(model: Model, state: State | None = None) -> JointDynamics:
    """Mass matrix, bias, forces and accelerations in joint coordinates, at a state or the start.

    Parameters
    ----------
    model
        The model.
    state
        The state and its time. Default: the start of the model at t = 0.

    Returns
    -------
    JointDynamics
        The terms of M v' + h = tau + tau_c.

    Examples
    --------
    >>> import chasles as ch
    >>> arm = ch.Body.rod("arm", length=1.0, mass=3.0, position=(0.5, 0, 0))
    >>> hinge = ch.Revolute("hinge", ch.GROUND, arm, at=(0, 0, 0), axis=(0, 1, 0))
    >>> found = ch.joint_dynamics(ch.Model([arm], [hinge], gravity=(0, 0, -10)))
    >>> found.coordinates, found.mass.round(12).tolist(), found.bias.round(12).tolist()
    ((('hinge', 'angle'),), [[1.0]], [-15.0])
    """
    checked_model(model)
    if state is not None:
        checked_state(state, "state")
    problem = TreeProblem.from_model(model, start=state)
    setup, tree = problem.setup, problem.tree
    change = own_axes(tree)  # orthogonal: both ways by its transpose
    units = unit_twists(tree, problem.tree_work, problem.start)
    twists = np.moveaxis(units, 0, -1) @ change
    inertia = mass_matrices(setup.system)
    mass = np.einsum("nkv,nkl,nlw->vw", twists, inertia, twists)
    mass += change.T @ (tree.armature[:, None] * change)
    times, integrals = np.array([0.0 if state is None else state.t]), first_integrals(setup)
    rates = problem.reactions(problem.start[None], times, integrals[None]).last.rates
    names = coordinate_names(problem)
    check_finite("joint_dynamics", rates, names)
    whole = change.T @ rates
    alone = change.T @ rates_alone(problem)
    forces = np.zeros(tree.rate_count)
    if setup.system.force_count:
        wrenches = problem.workspace.rhs[: 6 * tree.body_count].reshape(-1, 6)
        forces = np.einsum("nkv,nk->v", twists, wrenches)
    return JointDynamics(
        coordinates=names, mass=mass, bias=-mass @ alone, forces=forces,
        constraints=mass @ (whole - alone) - forces,
        velocity=change.T @ problem.start[tree.stored_count :], acceleration=whole,
        bodies=model.body_names,
        twists=twists[[setup.body_index[name] for name in model.body_names]],
    )  # fmt: skip


def coordinate_names(problem: TreeProblem) -> tuple[tuple[str, str], ...]:
    """(joint, word) of all velocities of a tree; (body, word) of bodies that nothing carries."""
    parents, names = tree_setup(problem.setup).carried.parents, list[tuple[str, str]]()
    for body, name in enumerate(problem.setup.body_index):
        pair, (_, joint) = int(problem.tree.pair[body]), parents[name] or ("", name)
        words: tuple[str, ...] = FLIGHT
        if pair in (SPHERICAL, SPHERICAL_ARMATURE):
            words = TURNS
        elif is_flat(pair):
            words = ("angle",) * turns_of(pair) + ("x", "y", "z")[: 2 + rises(pair)]
        elif pair < SPHERICAL:
            words = words_of(problem.setup.model.joint(joint))
        names += [(joint, word) for word in words]
    return tuple(names)


def own_axes(tree: Tree) -> Floats:
    """Velocities of the tree from those in words (v, v): turns of balls in the bodies' axes."""
    change = np.eye(tree.rate_count)
    for body in np.flatnonzero(tree.pair >= SPHERICAL).tolist():
        turns = slice(tree.rate_at[body], tree.rate_at[body] + 3)
        change[turns, turns] = tree.axes[body].reshape(3, 3).T
    return change


def rates_alone(problem: TreeProblem) -> Floats:
    """Accelerations of the tree under its weight: no forces, no drivers, joints cut where it is."""
    tree = undriven(problem.tree)
    rates = np.zeros(tree.rate_count)
    tree_work = make_tree_workspace(tree, np.zeros(1), False, False)
    tree_rates(tree, tree_work, problem.start, rates)
    return rates
