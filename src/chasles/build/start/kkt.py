r"""J of all joints, and the factor of free bodies with these rows, for what is solved at the start:

$$ W x + J^T\lambda = f, \qquad J x - \mu\lambda = r, $$

by the program of a tree whose pairs are all free (`core.recursion.free_bodies`), whether or not the
rows of J are independent.  W are the inertias of the bodies, or another metric.
"""

from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from chasles.build.system.build import Setup, rotor_places
from chasles.build.system.build_tree import build_tree, free_links
from chasles.build.system.coordinates import coupled_matrix, coupled_places
from chasles.build.system.tree_setup import cuts_of
from chasles.core.arrays import TWIST, Floats, Integers, System, padded
from chasles.core.recursion.cuts import Cut
from chasles.core.recursion.free_bodies import solve_free_rows
from chasles.core.recursion.groups import make_loop_room
from chasles.core.recursion.tables import make_loops
from chasles.core.recursion.tree import Tree, make_recursion
from chasles.model import CustomCoupling

#: Weight of a frame without mass, as a fraction of the lightest body's.
FEATHER = 1e-9
#: Weight of what stays where it is: nothing that is solved for moves it by a bit.
HEAVY = 1e30
#: Further solves for what rounding left: long chains, light bodies and frames lose digits.
REFINEMENTS = 2


@dataclass(frozen=True)
class Rows:
    """J as blocks on the bodies a and b of joints; couplings act on any number of bodies."""

    entries: Floats  # (rows, 12)
    columns: Integers  # (rows, 12), -1 for the ground
    places: Integers  # (c,) rows of couplings
    coupled: Floats  # (c, n, 6)

    def times(self, twists: Floats) -> Floats:
        with_ground = np.append(twists.ravel(), 0.0)
        found = np.einsum("rc,rc->r", self.entries, with_ground[self.columns])
        found[self.places] += np.tensordot(self.coupled, twists.reshape(-1, 6), 2)
        return found

    def sizes(self) -> Floats:
        """(rows, 2) sums of the entries' sizes, on angular and on linear velocities."""
        found: Floats = np.abs(self.entries).reshape(-1, 2, 2, 3).sum(axis=(1, 3))
        more = np.abs(self.coupled).reshape(*self.coupled.shape[:2], 2, 3)
        found[self.places] += more.sum(axis=(1, 3))
        return found

    def dense(self, count: int) -> Floats:
        """(rows, count) for `count` velocities."""
        jacobian = np.zeros((len(self.entries), count + 1))
        np.put_along_axis(jacobian, self.columns, self.entries, axis=1)
        jacobian[self.places, :count] += self.coupled.reshape(len(self.places), count)
        return jacobian[:, :count]

    def pivots(self, inverse: Any) -> Floats:
        r"""(rows,) $\mathrm{diag}(J W^{-1} J^T)$ with blocks (n, 6, 6) of $W^{-1}$."""
        bodies, blocks = self.columns[:, ::6] // 6, self.entries.reshape(-1, 2, 6)
        found = np.einsum("rsi,rsij,rsj->r", blocks, inverse[bodies], blocks)
        found[self.places] += np.einsum("cbi,bij,cbj->c", self.coupled, inverse, self.coupled)
        return np.asarray(found)


def constraint_rows(
    setup: Setup, jacobian: Floats, absolute: Floats | None = None, rotors: bool = False
) -> Rows:
    """J as blocks, without the entries that would act on the ground.

    With couplings, if the poses (n, 18) are given, at which J is known; with the rows of rotors,
    which are no constraints, if these are asked for.
    """
    system, entries = setup.system, jacobian.copy()
    lengths = padded(system.joints.span)
    ends = np.repeat(np.column_stack((system.joints.a, system.joints.b)), lengths, axis=0)
    columns = np.where(ends[:, :, None] < 0, -1, 6 * ends[:, :, None] + np.arange(6))
    columns = columns.reshape(system.row_count, 12)
    entries[columns < 0] = 0.0
    if not rotors:
        entries[rotor_places(system)[0]] = 0.0
    places, coupled = np.zeros(0, np.int64), np.zeros((0, system.body_count, 6))
    if absolute is not None and setup.model.couplings:
        places = coupled_places(setup)
        coupled = coupled_matrix(setup, absolute).reshape(len(places), -1, 6)
    return Rows(entries, columns, places, coupled)


def mass_matrices(system: System) -> Floats:
    """6x6 inertia of bodies at their centres of mass, (n, 6, 6)."""
    mass, inertia = system.bodies.mass, system.bodies.inertia
    matrices = np.zeros((len(mass), 6, 6))
    matrices[:, :3, :3] = inertia[:, [0, 3, 4, 3, 1, 5, 4, 5, 2]].reshape(-1, 3, 3)
    matrices[:, 3:, 3:] = mass[:, None, None] * np.eye(3)
    return matrices


def weights(system: System) -> Floats:
    """Inertia of every body about its centre of mass, (n, 6, 6), that chooses between velocities.

    Frames have a feather's: what the joints leave open of them has to be chosen somehow.
    """
    matrices, mass = mass_matrices(system), system.bodies.mass
    frames = mass == 0.0
    if frames.any():
        heavy = system.bodies.inertia[~frames, :3], mass[~frames]
        light = np.repeat([part.min() if part.size else 1.0 for part in heavy], 3)
        matrices[frames] = FEATHER * np.diag(light)
    return matrices


def scaled(metric: Any, factors: Any) -> Floats:
    """Blocks (n, 6, 6) with every direction as many times as heavy as `factors` (n, 6) say."""
    roots = np.sqrt(factors)
    return np.asarray(metric * roots[:, :, None] * roots[:, None, :])


def weigh(metric: Any, twists: Floats) -> Floats:
    """W V (6n,)."""
    return np.einsum("bij,bj->bi", metric, twists.reshape(-1, 6)).ravel()


class FreeBodies:
    """Bodies with weights (n, 6, 6) about their centres of mass, and the program of their rows.

    `kept` (rows,) says which rows of J there are; all but those of rotors, if left out.
    """

    def __init__(self, setup: Setup, metric: Floats, kept: Any = None) -> None:
        self.tree = tree_of(setup, metric)
        loops = make_loops(self.tree, free_cuts(setup, kept))
        self.loops = loops._replace(untouched=0 * loops.untouched, is_damped=1)

    def weighing(self, setup: Setup, metric: Floats) -> "FreeBodies":
        """The same with other weights."""
        found = copy(self)
        found.tree = tree_of(setup, metric)
        return found

    def factor(self, absolute: Floats, rows: Rows, damping: Floats) -> "Factor":
        """With J at the poses of absolute states (n, 18), and mu (rows,)."""
        tree, loops = self.tree, self.loops._replace(damping=damping[self.loops.source])
        memory = make_recursion(tree, np.zeros(1), True, False, True)
        room, poses = make_loop_room(loops, tree.body_count, tree.rate_count), absolute.copy()
        poses[:, TWIST:] = 0.0
        of_row = dict(zip(rows.places.tolist(), rows.coupled))
        for k, row in enumerate(loops.source[loops.coupled].tolist()):
            ties = slice(int(loops.first_tie[k]), int(loops.first_tie[k + 1]))
            room.ties[ties] = of_row[row][loops.tie_body[ties]]
        return Factor((tree, memory, loops, room), poses, rows)


class Factor:
    """Solves for any right-hand side; factors with the first."""

    def __init__(self, records: Any, poses: Floats, rows: Rows) -> None:
        self.records, self.poses, self.rows = records, poses, rows
        self.nothing = np.zeros(len(rows.entries))
        self.is_factored = False

    def solve(self, force: Floats, rows: Floats) -> Floats:
        """x (6n,) with J x = rows (rows,) as far as that can be."""
        found, kept = self.solve_once(force, rows, True), self.records[2].source
        for _ in range(REFINEMENTS):
            missed = self.nothing.copy()
            missed[kept] = (rows - self.rows.times(found))[kept]
            found += self.solve_once(0.0 * force, missed, True)
        return found

    def solve_once(self, force: Floats, rows: Floats, refined: bool = False) -> Floats:
        """The damped solution, or what it leads to but for rounding."""
        tree, memory, loops, room = self.records
        found, flags = np.zeros(memory.wrenches.size), (int(self.is_factored), int(refined))
        memory.wrenches[:] = force.reshape(-1, 6)
        room.wanted[: loops.row_count] = rows[loops.source]
        places = self.poses, self.rows.entries, self.nothing
        solve_free_rows(tree, memory, loops, room, *places, *flags, found)
        self.is_factored = True
        return found


def tree_of(setup: Setup, metric: Floats) -> Tree:
    """Free bodies with some weights, where there is no gravity."""
    links = zip(free_links(setup.model, setup.body_index), metric)
    weighed = [replace(link, mass=block[3, 3], inertia=block[:3, :3]) for link, block in links]
    return build_tree(weighed, np.zeros(3))


def free_cuts(setup: Setup, kept: Any) -> list[Cut]:
    """All joints as rows on free bodies, couplings on all that they see."""
    couplings = {coupling.name: coupling for coupling in setup.model.couplings}
    names = [name for name in setup.joint_index if name not in couplings]
    cuts = cuts_of(setup.system, setup.joint_index, names)
    if kept is not None:
        cuts = [cut._replace(rows=tuple(row for row in cut.rows if kept[row])) for cut in cuts]
    joints = setup.system.joints
    for coupling, place in zip(couplings.values(), coupled_places(setup).tolist()):
        if isinstance(coupling, CustomCoupling):
            seen = [setup.body_index[name] for name in coupling.bodies]
        else:
            of = [setup.joint_index[joint] for joint, _, _ in coupling.terms]
            seen = [int(body) for ends in (joints.a, joints.b) for body in ends[of] if body >= 0]
        index, ties = setup.joint_index[coupling.name], tuple(dict.fromkeys(seen))
        cuts.append(Cut(index, -1, -1, (place,), balanced=False, ties=ties))
    return cuts
