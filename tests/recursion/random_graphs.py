"""Random trees of pairs of all dimensions, with random rows, as arrays of the recursion.

At rest, where a dense solve needs no more than the twists that unit velocities give the bodies.
Rows are those of joints between two bodies, those of formulas of any number of bodies, and those of
couplings of any number of coordinates, of pairs and of joints that have rows.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from types import SimpleNamespace
from typing import Any

import numpy as np
from mechanisms import random_rotation

from chasles.build.system.build_tree import LOOSE, Link, build_tree
from chasles.core.arrays import ABSOLUTE_WIDTH, POSE_R, POSE_X, ROW_WIDTH, TWIST
from chasles.core.recursion.articulate import clear_sums, load_wrenches
from chasles.core.recursion.groups import (
    Gauge,
    LoopConstraint,
    Loops,
    Term,
    make_loop_workspace,
)
from chasles.core.recursion.kinematics import kinematics, place
from chasles.core.recursion.loading import load_rows
from chasles.core.recursion.tables import make_loops
from chasles.core.recursion.tree import DOF, PAIR_CODES, STORED, make_tree_workspace

CARRIED = ("fixed", "revolute", "prismatic", "helical", "cylindrical", "planar", "spherical")
#: Pairs whose coordinates a coupling may name.
SCALAR = ("revolute", "prismatic", "helical", "cylindrical")
#: Rows that are not those of a joint between two bodies: each has one.
COUPLING, FORMULA = "coupling", "formula"


def flat(record: Any) -> Any:
    """A record whose arrays are indexed as kernels do."""
    arrays = {k: v.reshape(-1) for k, v in record._asdict().items() if isinstance(v, np.ndarray)}
    return record._replace(**arrays)


def random_link(rng: np.random.Generator, k: int, pair: str) -> Link:
    loose, pair = pair in LOOSE, "free" if pair == "SO3xR3" and k == 0 else pair
    parent = -1 if loose else int(rng.integers(-1, k))
    arms = np.diag(rng.uniform(0.2, 1.0, 3) ** 2)
    turn = random_rotation(rng)
    inertia = turn @ (np.trace(arms) * np.eye(3) - arms) @ turn.T
    rotors = DOF[PAIR_CODES[pair]] if not loose and rng.random() < 0.3 else 0
    off = rng.random() < 0.5
    reference = {"SO3xR3": rng.integers(max(1, k)), "SE3": rng.integers(-1, k)}.get(pair, -1)
    return Link(
        f"{k}", parent, pair, float(rng.uniform(0.5, 2.0)), inertia,
        np.eye(3) if loose else random_rotation(rng), rng.normal(size=3) * (not loose),
        np.eye(3) if loose else random_rotation(rng), rng.normal(size=3) * (off or not loose),
        pitch=0.3 if pair == "helical" else 0.0,
        armature=tuple(rng.uniform(0.1, 1.0, rotors)),
        reference=int(reference),
    )  # fmt: skip


@dataclass
class Graph:
    """A tree, cuts, and J and eta of their rows, those of ties by joint."""

    tree: Any
    cuts: list[LoopConstraint]
    jacobian: Any
    eta: Any
    damping: Any
    state: Any
    wrenches: Any
    tied: dict[int, Any]

    @classmethod
    def drawn(cls, seed: int, pairs: list[str], sizes: list[int | str], damped: bool) -> "Graph":
        """One pair per body; for each cut how many rows it has, COUPLING or FORMULA."""
        rng = np.random.default_rng(seed)
        links = [random_link(rng, k, pair) for k, pair in enumerate(pairs)]
        tree = build_tree(links, rng.normal(size=3))
        state = random_state(rng, tree)
        absolute = placed(tree, state)
        cuts, rows, tied = [], [], {}
        for joint, size in enumerate(sizes):
            if isinstance(size, str):
                draw = random_formula if size == FORMULA else random_coupling
                cut, tied[joint] = draw(rng, joint, len(rows), tree, absolute)
                own = [np.zeros(ROW_WIDTH)]
            else:
                cut, own = random_cut(rng, joint, size, len(rows), tree, absolute)
            cuts.append(cut)
            rows += own
        if damped and len(rows) > 1 and not (cuts[-1].is_coupling or cuts[0].is_coupling):
            rows[-1] = rows[0].copy()  # a row twice, of different joints: damping makes it regular
            cuts[-1] = cuts[-1]._replace(a=cuts[0].a, b=cuts[0].b, balanced=cuts[0].balanced)
            rows[cuts[-1].rows[0] : -1] = [
                random_row(rng, cuts[-1], absolute) for _ in cuts[-1].rows[:-1]
            ]
        count = len(rows)
        damping = rng.uniform(0.01, 0.1, count) if damped else np.zeros(count)
        jacobian = np.array(rows).reshape(count, ROW_WIDTH)
        wrenches = rng.normal(size=(tree.body_count, 6))
        return cls(tree, cuts, jacobian, rng.normal(size=count), damping, state, wrenches, tied)

    def without_mass(self, bodies: list[int]) -> "Graph":
        """The same, where some bodies are frames."""
        tree = self.tree
        parts = {name: getattr(tree, name).copy() for name in ("mass", "inertia", "moment")}
        for part in parts.values():
            part[bodies] = 0.0
        return replace(
            self, tree=tree._replace(**parts, is_spherical_leaf=0 * tree.is_spherical_leaf)
        )

    def loaded(self, made: Any = make_loops) -> SimpleNamespace:
        """Everything that the program works on, the rows loaded."""
        tree = flat(self.tree)
        loops: Loops = made(self.tree, self.cuts)
        loops = loops._replace(damping=self.damping[loops.source], is_damped=1)
        loop_work = flat(make_loop_workspace(loops, tree.body_count, tree.rate_count))
        tree_work = make_tree_workspace(
            self.tree, np.zeros(1), wrenches=True, efforts=False, rows=True
        )
        tree_work.wrenches[:] = self.wrenches
        tree_work, loops = flat(tree_work), flat(loops)
        absolute = np.zeros(ABSOLUTE_WIDTH * tree.body_count)
        kinematics(tree, self.state, tree_work.rows)
        place(tree, self.state, tree_work.rows, absolute)
        clear_sums(tree, tree_work.rows)
        load_wrenches(tree, tree_work)
        for k, cut in enumerate(cut for cut in self.cuts_in_order(loops) if cut.is_coupling):
            for term in range(loops.first_term[k], loops.first_term[k + 1]):
                loop_work.own[loops.term_at[term]] = loops.powers[loops.first_power[term] + 1]
            if cut.ties:
                ties = slice(6 * loops.first_tie[k], 6 * loops.first_tie[k + 1])
                loop_work.ties[ties] = self.tied[cut.joint]
        made = SimpleNamespace(tree=tree, loops=loops, loop_work=loop_work, tree_work=tree_work)
        jacobian = self.jacobian.reshape(-1)
        load_rows(made, SimpleNamespace(absolute=absolute, jacobian=jacobian, eta=self.eta))
        return made

    def cuts_in_order(self, loops: Any) -> list[LoopConstraint]:
        by_row = {row: cut for cut in self.cuts for row in cut.rows}
        found = [by_row[int(source)] for source in loops.source]
        return [cut for k, cut in enumerate(found) if k == 0 or cut is not found[k - 1]]

    @cached_property
    def dense(self) -> tuple[Any, Any, Any]:
        """M, J and Q on the coordinates, in the order of the rows of J."""
        tree, bodies = self.tree, self.tree.body_count
        motions = np.zeros((6 * bodies, tree.rate_count))
        for k in range(tree.rate_count):
            state = self.state.copy()
            state[tree.stored_count + k] = 1.0
            twists = placed(tree, state).reshape(bodies, -1)[:, TWIST : TWIST + 6]
            motions[:, k] = twists.ravel()
        absolute = placed(tree, self.state).reshape(bodies, -1)
        mass, load = np.zeros((6 * bodies, 6 * bodies)), np.zeros(6 * bodies)
        for k in range(bodies):
            own, axes = absolute[k, POSE_R : POSE_R + 9].reshape(3, 3), tree.axes[k].reshape(3, 3)
            i = tree.inertia[k]
            about = np.array([[i[0], i[1], i[3]], [i[1], i[2], i[4]], [i[3], i[4], i[5]]])
            c = tree.centre[k]
            about = about - tree.mass[k] * (c @ c * np.eye(3) - np.outer(c, c))
            at = 6 * k
            mass[at : at + 3, at : at + 3] = axes @ about @ axes.T
            mass[at + 3 : at + 6, at + 3 : at + 6] = tree.mass[k] * np.eye(3)
            load[at : at + 6] = self.wrenches[k]
            load[at + 3 : at + 6] += tree.mass[k] * own.T @ tree.gravity
        rows = np.zeros((len(self.jacobian), tree.rate_count))
        for cut in self.cuts:
            for row in cut.rows:
                for side, body in enumerate((cut.a, cut.b)):
                    if body >= 0:
                        part = self.jacobian[row, 6 * side : 6 * side + 6]
                        rows[row] += part @ motions[6 * body : 6 * body + 6]
                for term in cut.terms:
                    rows[row, term.rate] += term.powers[0]
                for at, body in enumerate(cut.ties):
                    part = self.tied[cut.joint][6 * at : 6 * at + 6]
                    rows[row] += part @ motions[6 * body : 6 * body + 6]
        return motions.T @ mass @ motions + np.diag(tree.armature), rows, motions.T @ load


def random_state(rng: np.random.Generator, tree: Any) -> Any:
    state = np.zeros(tree.stored_count + tree.rate_count)
    for pair, at in zip(tree.pair.tolist(), tree.stored_at.tolist()):
        own = rng.normal(size=STORED[pair])
        if PAIR_CODES["revolute"] <= pair <= PAIR_CODES["planar"]:
            own[1:3] = np.cos(own[0]), np.sin(own[0])
        elif pair >= PAIR_CODES["spherical"]:
            own[:4] /= np.linalg.norm(own[:4])
        state[at : at + STORED[pair]] = own
    return state


def placed(tree: Any, state: Any) -> Any:
    tree_work = flat(
        make_tree_workspace(tree, np.zeros(1), wrenches=True, efforts=False, rows=True)
    )
    absolute = np.zeros(ABSOLUTE_WIDTH * tree.body_count)
    kinematics(flat(tree), state, tree_work.rows)
    place(flat(tree), state, tree_work.rows, absolute)
    return absolute


def random_cut(
    rng: np.random.Generator, joint: int, size: int, first: int, tree: Any, absolute: Any
) -> tuple[LoopConstraint, list[Any]]:
    """A joint between two bodies or to the ground, balanced or not."""
    a, b = random_ends(rng, tree.body_count)
    shifts, rows = first + int(rng.integers(size + 1)), tuple(range(first, first + size))
    cut = LoopConstraint(joint, a, b, rows, balanced=bool(rng.random() < 0.8), shifts=shifts)
    return cut, [random_row(rng, cut, absolute) for _ in rows]


def random_ends(rng: np.random.Generator, bodies: int) -> tuple[int, int]:
    """Two bodies, or the ground and a body."""
    b = int(rng.integers(bodies))
    return int(rng.choice([k for k in range(-1, bodies) if k != b])), b


def random_formula(
    rng: np.random.Generator, joint: int, first: int, tree: Any, absolute: Any
) -> tuple[LoopConstraint, Any]:
    """A user's formula of up to five bodies, and its row on them."""
    bodies = tree.body_count
    ties = tuple(rng.permutation(bodies)[: rng.integers(1, 6)].tolist())
    cut = LoopConstraint(joint, -1, -1, (first,), balanced=False, ties=ties)
    return cut, rng.normal(size=6 * len(ties))


def random_coupling(
    rng: np.random.Generator, joint: int, first: int, tree: Any, absolute: Any
) -> tuple[LoopConstraint, Any]:
    """A coupling of coordinates of up to four pairs and two joints with rows; the rows of these."""
    scalar = [PAIR_CODES[pair] for pair in SCALAR]
    named = rng.permutation([k for k, pair in enumerate(tree.pair) if pair in scalar])
    terms, gauges = [], []
    for body in named[: rng.integers(5)].astype(int).tolist():
        slot = int(rng.integers(DOF[tree.pair[body]]))
        rate = int(tree.rate_at[body]) + slot
        terms.append(Term(body, slot, 0, rate, 0, (float(rng.normal()),), np.zeros(3)))
    none = (np.zeros((3, 3)), np.zeros(3)) * 2
    for _ in range(int(rng.integers(not terms, 3))):
        a, b = random_ends(rng, tree.body_count)
        gauges.append(Gauge(a, b, none, 1.0, 0, -1, (1.0,)))
    ties = tuple(body for gauge in gauges for body in gauge.bodies)
    parts = []
    for gauge in gauges:
        row = random_row(rng, LoopConstraint(joint, gauge.a, gauge.b, ()), absolute)
        parts.append(row if gauge.a >= 0 else row[6:])
    cut = LoopConstraint(
        joint, -1, -1, (first,), terms=tuple(terms), gauges=tuple(gauges), ties=ties
    )
    return cut, np.concatenate(parts) if parts else np.zeros(0)


def random_row(rng: np.random.Generator, cut: LoopConstraint, absolute: Any) -> Any:
    """A row of J on two bodies; if it balances, a wrench on one and its opposite on the other."""
    torque, force = rng.normal(size=(2, 3))
    row = np.zeros(ROW_WIDTH)
    for side, (body, sign) in enumerate(((cut.a, -1.0), (cut.b, 1.0))):
        if body >= 0:
            at = absolute[ABSOLUTE_WIDTH * body :]
            turn, x = at[POSE_R : POSE_R + 9].reshape(3, 3), at[POSE_X : POSE_X + 3]
            row[6 * side : 6 * side + 3] = sign * turn.T @ (torque - np.cross(x, force))
            row[6 * side + 3 : 6 * side + 6] = sign * turn.T @ force
            if not cut.balanced:
                row[6 * side : 6 * side + 6] = rng.normal(size=6)
    return row
