"""Of a joint that drifts some rows may hold: predicted from the loop's algebra, seen in runs."""

import numpy as np
import pytest
from mechanisms import linkage
from scipy.sparse.csgraph import minimum_spanning_tree

import chasles as ch
from chasles.spaces.tree import rows_kept, spanning_tree


def upright(tilt: float = 0.0) -> ch.Model:
    """Hinges along y; the coupler's second one is turned out of the plane by `tilt`."""
    points = [(0, 0, 0), (0, 0, 1), (1.5, 0, 1.2), (1.5, 0, 0)]
    third = ch.Spherical if tilt else ch.Revolute
    kinds = [ch.Revolute, ch.Revolute, third, ch.Revolute]
    return linkage(points, joints="abcd", kinds=kinds, angular_velocity=(0, 5.0, 0))


def prediction(model: ch.Model, joint: str, **options):
    found = ch.designate(model, **options).predictions
    return next(p for p in found if p.joint == joint)


def test_out_of_plane_rows_of_a_planar_loop_hold_and_the_others_drift():
    model = upright()
    cut = ch.designate(model).cut[0]
    assert prediction(model, cut).rows == ("wx", "wy", "uz")
    result = ch.simulate(model, 0.5, step=5e-3, method="heun", progress=False)
    shift = np.abs(result.violation(cut, vector=True)).max(axis=0)
    turn = np.abs(result.violation(cut, "rotation", vector=True)).max(axis=0)
    assert shift[1] < 1e-13 and turn.max() < 1e-13
    assert shift[[0, 2]].max() > 1e-6


def test_the_centre_of_a_spherical_linkage_holds_and_its_axes_drift():
    """Hinges whose axes meet in one point, off the middle of the bodies: only turns about it."""
    centre, rng = np.array([1.0, 2.0, -0.5]), np.random.default_rng(3)
    bodies = [ch.Body.box(f"b{k}", (0.3, 0.2, 0.1), mass=1.0, position=centre + rng.normal(size=3))
              for k in range(3)]  # fmt: skip
    ends = [ch.GROUND, *bodies, ch.GROUND]
    axes = [(1, 0, 0.2), (0.3, 1, 0.4), (-0.5, 1, 1), (0, 0.3, 1)]
    joints = [
        ch.Revolute(f"j{k}", ends[k], ends[k + 1], at=centre, axis=axis)
        for k, axis in enumerate(axes)
    ]
    spin = ch.start_state(ch.Model(bodies, joints), {"j0": (0.0, 2.0)})
    model = ch.Model(bodies, joints)
    (cut,) = ch.designate(model).cut
    assert prediction(model, cut).rows == ("ux", "uy", "uz")
    result = ch.simulate(model, 0.5, step=5e-3, method="heun", start=spin, progress=False)
    assert result.violation(cut).max() < 1e-13
    assert 1e-9 < result.violation(cut, "rotation").max() < 1e-2


def test_an_exact_joint_holds_in_all_its_rows():
    model = upright()
    for joint in ch.designate(model).exact:
        assert prediction(model, joint).rows == model.joint(joint).locked


def test_no_row_of_a_spatial_loop_holds():
    rng = np.random.default_rng(0)
    bodies = [ch.Body.box(f"b{k}", (1, 1, 1), mass=1.0, position=rng.normal(size=3))
              for k in range(6)]  # fmt: skip
    joints = [
        ch.Revolute(f"j{k}", bodies[k - 1] if k else ch.GROUND, body, at=rng.normal(size=3),
                    axis=rng.normal(size=3))
        for k, body in enumerate(bodies)
    ]  # fmt: skip
    joints.append(ch.Spherical("last", ch.GROUND, bodies[-1], at=rng.normal(size=3)))
    assert prediction(ch.Model(bodies, joints), "last").rows == ()


@pytest.mark.parametrize("kind", ["universal", "constant velocity"])
def test_the_centre_of_a_cardan_holds_and_its_cross_drifts(kind):
    shaft = ch.Body.box("shaft", (0.1, 0.1, 1.0), mass=1.0, position=(0, 0, -0.5),
                        angular_velocity=(0, 0, 6.0))  # fmt: skip
    wheel = ch.Body.cylinder("wheel", radius=0.3, length=0.1, mass=1.0, position=(0.1, 0, 0.6))
    joints = [
        ch.Revolute("bearing", ch.GROUND, shaft, at=(0, 0, -1), axis="z"),
        ch.Universal("joint", shaft, wheel, at=(0, 0, 0), axis="x", axis_b="y")
        if kind == "universal"
        else ch.ConstantVelocity("joint", shaft, wheel, at=(0, 0, 0), axis="z"),
    ]
    model = ch.Model([shaft, wheel], joints)
    assert prediction(model, "joint").rows == ("ux", "uy", "uz")
    result = ch.simulate(model, 0.5, step=5e-3, method="heun", progress=False)
    assert result.violation("joint").max() < 1e-13
    assert 1e-9 < result.violation("joint", "rotation").max() < 1e-3  # with the method's error
    other = prediction(model, "joint", spaces={"wheel": ch.SO3xR3()})
    assert other.rows == ()


# --- the tree of the most rows ---


def test_lower_pairs_carry_and_couplings_are_cut():
    cart = ch.Body.box("cart", (1, 0.5, 0.2), mass=2.0)
    arm = ch.Body.rod("arm", between=((0, 0, 0), (0, 0, 1)), mass=1.0)
    joints = [
        ch.Distance("rod", ch.GROUND, arm, at=(1, 0, 1), at_b=(0, 0, 1)),
        ch.Prismatic("rail", ch.GROUND, cart, axis="x"),
        ch.Revolute("hinge", cart, arm, at=(0, 0, 0), axis="y"),
    ]
    found = ch.designate(ch.Model([cart, arm], joints))
    assert found.cut == ("rod",)
    assert set(found.exact) == {"rail", "hinge"}


def test_a_loop_is_cut_at_the_joint_that_locks_least():
    """A ball has three rows, a hinge five: two multipliers fewer."""
    found = ch.designate(upright(tilt=0.3))
    assert found.cut == ("c",)


def test_a_driven_hinge_carries():
    model = upright()
    cut = ch.designate(model).cut[0]
    motor = ch.Driver("motor", cut, ch.Signal.sine(0.1, 1.0))
    driven = ch.Model(model.bodies, model.joints, drivers=[motor])
    assert cut not in ch.designate(driven).cut


def test_random_graphs_get_a_tree_of_the_greatest_weight():
    """Against SciPy: the weight of a maximum spanning tree is unique."""
    kinds = [ch.Spherical, ch.Revolute, ch.Prismatic, ch.Fixed, ch.Cylindrical]
    for seed in range(40):
        rng = np.random.default_rng(seed)
        bodies = [ch.Body.box(f"b{k}", (1, 1, 1), mass=1.0, position=rng.normal(size=3))
                  for k in range(7)]  # fmt: skip
        ends = [ch.GROUND, *bodies]
        pairs = [(ends[int(rng.integers(k + 1))], body) for k, body in enumerate(bodies)]
        pairs += [tuple(rng.choice(8, 2, replace=False)) for _ in range(4)]
        joints = []
        for k, (a, b) in enumerate(pairs):
            a, b = (ends[x] if isinstance(x, np.integer) else x for x in (a, b))
            kind, at, axis = kinds[int(rng.integers(5))], rng.normal(size=3), rng.normal(size=3)
            if b is ch.GROUND:
                a, b = b, a
            options = {"at": at}
            if kind not in (ch.Spherical, ch.Fixed):
                options["axis"] = axis
            if kind in (ch.Prismatic, ch.Fixed):
                del options["at"]
            joints.append(kind(f"j{k}", a, b, **options))
        model = ch.Model(bodies, joints)
        kept, tree = rows_kept(model), spanning_tree(model)
        names = ["ground", *model.body_names]
        costs = np.zeros((len(names), len(names)))  # 0: no joint
        for joint in joints:
            a, b = sorted((names.index(joint.a), names.index(joint.b)))
            costs[a, b] = min(costs[a, b], -kept[joint.name])
        best = -minimum_spanning_tree(costs).sum()
        ours = sum(kept[j.name] for j in joints if j.name not in tree.cut)
        assert ours == best
        seen = {"ground"}
        for body, carried in tree.parents.items():
            assert carried is None or carried[0] in seen  # parents first
            seen.add(body)
