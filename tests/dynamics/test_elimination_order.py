"""The order of elimination: no fill on trees, and the dense solution on every graph of joints."""

import numpy as np
import pytest
from mechanisms import KINDS, make_joint, random_body, tree

import chasles as ch
from chasles.build.dynamics.equations import equations_at
from chasles.build.dynamics.solver import make_solver
from chasles.build.start.free_bodies import MaximalForm, terms_at
from chasles.build.system.build import build, real_rows
from chasles.core.recursion.count import recursion_flops
from chasles.spaces import resolve_spaces


def form_of(model):
    return MaximalForm.plain(build(model, resolve_spaces(model, "SE3")))


def flops_of(model):
    form = form_of(model)
    return recursion_flops(form.tree, form.structure)


def meetings(model):
    """Groups of rows of different joints that meet while multipliers are eliminated: fill."""
    loops = form_of(model).structure
    joint = loops.joint_of[loops.first_row[:-1]]
    group = np.repeat(np.arange(loops.group_count), np.diff(loops.first_later))
    return int(np.sum(joint[group] != joint[loops.later]))


def random_parents(rng, count):
    return [-1] + [int(rng.integers(-1, k)) for k in range(1, count)]


def assert_solved_as_densely(model, rng, form="screw"):
    """At the start, with velocities that the joints need not allow."""
    setup = build(model, resolve_spaces(model, "SE3"), form)
    absolute = setup.absolute.copy()
    absolute[:, 12:18] = rng.standard_normal((len(absolute), 6))
    equations = equations_at(make_solver(setup).form, absolute)
    wanted = np.concatenate((equations.forces, equations.eta))
    expected = np.linalg.solve(equations.kkt, wanted)
    found = np.concatenate((equations.acceleration, equations.multipliers))
    assert np.abs(found - expected).max() < 1e-9 * np.abs(expected).max()


def jacobian_of(model):
    """J (rows, 6 n), whether or not its rows are independent."""
    setup = build(model, resolve_spaces(model, "SE3"))
    entries = terms_at(setup, setup.absolute).jacobian
    jacobian = np.zeros((setup.system.row_count, 6 * len(model.bodies)))
    joints = setup.system.joints
    for a, b, first, rows in zip(joints.a, joints.b, joints.first_row, joints.rows):
        for side, body in enumerate((a, b)):
            if body >= 0:
                block = entries[first : first + rows, 6 * side : 6 * side + 6]
                jacobian[first : first + rows, 6 * body : 6 * body + 6] = block
    return jacobian[real_rows(setup.system)]


# --- trees ---


@pytest.mark.parametrize("seed", range(12))
def test_on_random_trees_the_solution_is_the_dense_one(seed):
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 13))
    kinds = rng.choice(KINDS, count)
    model = tree(rng, random_parents(rng, count), kinds, swap=True)
    shuffled = ch.Model(
        [model.bodies[k] for k in rng.permutation(count)],
        [model.joints[k] for k in rng.permutation(count)],
        gravity=model.gravity,
    )
    for form in ("screw", "space"):
        assert_solved_as_densely(shuffled, rng, form)


@pytest.mark.parametrize("seed", range(4))
def test_trees_that_float_are_solved_too(seed):
    """No joint to the ground: the root is free."""
    rng = np.random.default_rng(100 + seed)
    parents = [-1] + [int(rng.integers(0, k)) for k in range(1, 8)]
    model = tree(rng, parents, rng.choice(KINDS, 8))
    assert_solved_as_densely(ch.Model(model.bodies, model.joints[1:]), rng)


@pytest.mark.parametrize(
    "parents",
    [
        [k - 1 for k in range(40)],
        [-1, *([0] * 39)],
        [-1] * 40,
        [-1, *((k - 1) // 2 for k in range(1, 40))],
    ],
    ids=["chain", "star", "forest", "binary"],
)
def test_trees_of_one_kind_have_no_fill(parents):
    rng = np.random.default_rng(5)
    for kind in KINDS:
        model = tree(rng, parents, [kind] * len(parents), swap=True)
        assert meetings(model) == 0
        assert meetings(ch.Model(model.bodies, model.joints[1:])) == 0  # and floating


@pytest.mark.parametrize("seed", range(20))
def test_random_trees_cost_no_more_than_their_bodies(seed):
    """Rows of two joints may meet where the body between them is the cheapest to go next."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 60))
    model = tree(rng, random_parents(rng, count), rng.choice(KINDS, count))
    order = rng.permutation(count)
    assert flops_of(ch.Model([model.bodies[k] for k in order], model.joints)) < 2000 * count


@pytest.mark.parametrize(
    "parents_of",
    [lambda n: range(-1, n - 1), lambda n: [-1, *([0] * (n - 1))], lambda n: [-1] * n],
    ids=["chain", "star", "forest"],
)
@pytest.mark.parametrize("kind", ["spherical", "revolute"])
def test_the_operations_on_a_tree_grow_linearly(parents_of, kind):
    """Every further body costs the same, to the last multiplication."""
    flops = []
    for count in (40, 80, 120):
        model = tree(np.random.default_rng(6), parents_of(count), [kind] * count)
        flops.append(flops_of(model))
    assert flops[2] - flops[1] == flops[1] - flops[0]
    assert flops[0] < 2000 * 40  # multiplications per body


# --- loops ---


def closed(rng, points, edges, kinds=None, swap=False):
    """A body at every point, and a joint halfway along every edge; -1 is the ground."""
    bodies = [random_body(rng, f"body {k}", point) for k, point in enumerate(points)]
    joints = []
    for number, (a, b) in enumerate(edges):
        kind = "spherical" if kinds is None else kinds[number]
        pair = [ch.GROUND if k < 0 else bodies[k] for k in (a, b)]
        middle = np.mean([bodies[k].position for k in (a, b) if k >= 0], axis=0)
        joints.append(
            make_joint(
                kind, f"joint {number}", *(pair[::-1] if swap else pair),
                at=middle + rng.uniform(-0.1, 0.1, 3), axis=rng.standard_normal(3),
            )
        )  # fmt: skip
    return ch.Model(bodies, joints)


def ladder(rng, rungs, rail="spherical"):
    """Two rails of `rungs` bodies each, and rungs between them, each on two ball joints."""
    points, edges, kinds = [], [], []
    for k in range(rungs):
        left, right, rung = 3 * k, 3 * k + 1, 3 * k + 2
        points += [(0, k, 0), (1, k, 0), (0.5, k, 0.3)]
        edges += [(left - 3 if k else -1, left), (right - 3 if k else -1, right)]
        edges += [(left, rung), (rung, right)]
        kinds += [rail, "spherical", "spherical", "spherical"]
    return closed(rng, rng.uniform(-0.1, 0.1, (3 * rungs, 3)) + points, edges, kinds)


def ring(rng, count, grounded=True, kinds=None):
    """Bodies in a circle, closed through the ground or by themselves."""
    points = rng.uniform(-1, 1, (count, 3))
    edges = [(k - 1, k) for k in range(1, count)]
    edges += [(-1, 0), (count - 1, -1)] if grounded else [(count - 1, 0)]
    return closed(rng, points, edges, kinds)


LOOPS = {
    "three-bar": lambda rng: ring(rng, 2),
    "spherical four-bar": lambda rng: ring(rng, 3),
    "ring of 5": lambda rng: ring(rng, 5),
    "floating ring of 3": lambda rng: ring(rng, 3, grounded=False),
    "floating ring of 6": lambda rng: ring(rng, 6, grounded=False),
    "6R and a ball": lambda rng: ring(rng, 6, kinds=["revolute"] * 6 + ["spherical"]),
    "mixed ring": lambda rng: ring(
        rng, 7,
        kinds=["revolute", "cylindrical", "spherical", "planar", "helical", "spherical",
               "prismatic", "revolute"],
    ),
    "ladder of 1": lambda rng: ladder(rng, 1),
    "ladder of 6": lambda rng: ladder(rng, 6),
    "revolute ladder": lambda rng: ladder(rng, 5, "revolute"),
    "octahedron": lambda rng: closed(
        rng, rng.uniform(-1, 1, (4, 3)), [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    ),
    "two loops that share a body": lambda rng: closed(
        rng, rng.uniform(-1, 1, (5, 3)), [(-1, 0), (0, 1), (1, 2), (2, -1), (1, 3), (3, 4), (4, -1)]
    ),
}  # fmt: skip


@pytest.mark.parametrize("form", ["screw", "space"])
@pytest.mark.parametrize("name", LOOPS)
def test_on_loops_the_solution_is_the_dense_one(name, form):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        assert_solved_as_densely(LOOPS[name](rng), rng, form)


def assert_pseudo_inverse(model: ch.Model) -> None:
    """Redundant or not, V' is that of the pseudo-inverse of the whole matrix."""
    eq = ch.equations(model)
    dense = np.linalg.lstsq(eq.kkt, np.concatenate((eq.forces, eq.eta)), rcond=1e-11)[0]
    rates = dense[: len(eq.forces)]
    assert eq.acceleration == pytest.approx(rates, abs=1e-9 * max(1.0, np.abs(rates).max()))


def test_on_random_graphs_the_solution_is_the_dense_one_and_redundancy_is_told():
    """Trees with up to four chords: solved if and only if J has full rank."""
    outcomes = {True: 0, False: 0}
    for seed in range(80):
        rng = np.random.default_rng(1000 + seed)
        count = int(rng.integers(2, 9))
        edges = list(zip(random_parents(rng, count), range(count)))
        for _ in range(int(rng.integers(1, 5))):
            a, b = (int(k) for k in rng.integers(-1, count, 2))
            if a != b:
                edges.append((a, b))
        kinds = rng.choice(["spherical", "cylindrical", "planar"], len(edges), p=[0.6, 0.2, 0.2])
        model = closed(rng, rng.uniform(-1, 1, (count, 3)), edges, kinds, swap=bool(seed % 2))
        jacobian = jacobian_of(model)
        independent = bool(np.linalg.matrix_rank(jacobian, tol=1e-7) == len(jacobian))
        outcomes[independent] += 1
        if independent:
            assert_solved_as_densely(model, rng)
        else:
            with pytest.raises(ch.RedundantConstraints):
                ch.simulate(model, 1e-3, 1e-3, redundant="refuse")
            assert_pseudo_inverse(model)
    assert min(outcomes.values()) > 10  # both happen


def test_a_long_ladder_costs_the_same_per_rung():
    """Loops side by side do not fill the factor: the order follows the ladder."""
    flops = [flops_of(ladder(np.random.default_rng(7), rungs)) for rungs in (20, 40, 60)]
    assert flops[2] - flops[1] == pytest.approx(flops[1] - flops[0], rel=0.02)


@pytest.mark.parametrize("tilt", [0.0, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1])
@pytest.mark.parametrize("along", range(3))
def test_a_body_on_two_ball_joints_is_told_to_be_redundant_however_it_lies(along, tilt):
    """Both fix the distance of their points; almost along a row, rounding would hide it."""
    at = np.array([0.7 * tilt, 0.3 * tilt, tilt])
    at[along] = 1.0
    body = random_body(np.random.default_rng(0), "rod", (0.3, 0.1, 0.2))
    joints = [
        ch.Spherical("one", ch.GROUND, body, at=(0, 0, 0)),
        ch.Spherical("other", ch.GROUND, body, at=at),
    ]
    with pytest.raises(ch.RedundantConstraints, match=r"'one', 'other': 1 of the 6"):
        ch.simulate(ch.Model([body], joints), 1e-3, 1e-3, redundant="refuse")
