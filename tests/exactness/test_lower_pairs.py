"""The six lower pairs and the weld hold to rounding, in every chart in which they are linear."""

import numpy as np
import pytest
from mechanisms import (
    FORMS,
    KINDS,
    chain,
    make_joint,
    moving,
    random_body,
    random_rotation,
    tree,
    worst_gaps,
)

import chasles as ch

#: A gap below this is rounding: m and rad.
ROUNDING = 1e-12
SEEDS = range(4)
#: Pairs whose body turns about a point that is not its centre of mass.
TURNING_OFF_CENTRE = ("spherical", "revolute", "cylindrical", "helical")
LINEAR_AT_THE_COM = tuple(kind for kind in KINDS if kind not in TURNING_OFF_CENTRE)


def grounded(kind, seed):
    """A body of arbitrary shape and frame on the ground, spinning fast in gravity."""
    rng = np.random.default_rng(seed)
    return moving(chain(rng, [kind]), rng, speed=10.0)


def run(model, spaces, form="screw"):
    return ch.simulate(model, 1.0, step=1e-3, spaces=spaces, acceleration=form)


def assert_all_hold(result):
    for joint, (metres, radians) in worst_gaps(result).items():
        assert metres < ROUNDING, joint
        assert radians < ROUNDING, joint


# --- joints to ground ---


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("space", ["SE3", "SO3xR3 on joints"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_grounded_pair_holds_on_se3_and_on_the_direct_product_at_its_joint(kind, space, form):
    for seed in SEEDS:
        result = run(grounded(kind, seed), space, form)
        assert_all_hold(result)
        moved = np.abs(np.diff(result.position("body 0"), axis=0)).sum()
        assert moved > 0.1 or kind == "fixed"  # metres: it is not at rest


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", TURNING_OFF_CENTRE)
def test_a_pair_that_turns_off_centre_drifts_on_the_direct_product_at_the_com(kind, form):
    for seed in SEEDS:
        assert worst_gaps(run(grounded(kind, seed), "SO3xR3", form))["joint 0"][0] > 10 * ROUNDING


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", LINEAR_AT_THE_COM)
def test_a_pair_that_slides_holds_on_the_direct_product_at_the_com_too(kind, form):
    for seed in SEEDS:
        assert_all_hold(run(grounded(kind, seed), "SO3xR3", form))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("space", ["SE3", "auto"])
def test_a_fast_top_holds_its_pivot_in_every_frame(space, form):
    """In 5 s at 70 rad/s, an acceleration off by 1e-12 m/s^2 for good would open it by 1e-11 m."""
    rng = np.random.default_rng(0)
    for _ in range(6):
        rotation = random_rotation(rng)
        top = ch.Body(
            "top", 21.6, (0.36, 0.306, 0.09), position=rotation @ (0.5, 0, 0), rotation=rotation,
            angular_velocity=(0, 20 * np.pi, 10 * np.pi),
        )  # fmt: skip
        model = ch.Model(
            [top], [ch.Spherical("pivot", ch.GROUND, top, (0, 0, 0))], gravity=(0, 0, 0)
        )
        result = ch.simulate(model, 5.0, step=1e-3, spaces=space, acceleration=form)
        assert_all_hold(result)


@pytest.mark.parametrize("method", ["euler", "heun", "kutta3", "dopri5", "butcher6", "dop853"])
@pytest.mark.parametrize("space", ["SE3", "auto"])
def test_a_grounded_pair_holds_for_every_tableau(space, method):
    """Exact is not accurate: even Euler holds the joint."""
    for kind in ("spherical", "helical"):
        result = ch.simulate(grounded(kind, 1), 1.0, step=1e-3, spaces=space, method=method)
        assert_all_hold(result)


@pytest.mark.parametrize("kind", KINDS)
def test_a_joint_given_from_the_body_to_the_ground_is_the_same_joint(kind):
    rng = np.random.default_rng(7)
    body = random_body(rng, "body", (0.2, -0.1, 0.3))
    at, axis = (0.1, 0.2, -0.1), (1.0, 2.0, -0.5)
    models = [
        ch.Model([body], [make_joint(kind, "joint", *pair, at=at, axis=axis)])
        for pair in ((ch.GROUND, body), (body, ch.GROUND))
    ]
    there, back = (run(moving(model, np.random.default_rng(8)), "auto") for model in models)
    assert_all_hold(back)
    np.testing.assert_array_equal(there.absolute, back.absolute)


# --- joints between moving bodies ---

#: Mixed pairs, so that every kind hangs on another one.
ORDERS = [
    ("spherical", "revolute", "cylindrical", "helical", "prismatic", "planar"),
    ("planar", "prismatic", "helical", "cylindrical", "revolute", "spherical"),
    ("helical", "spherical", "fixed", "revolute", "planar", "cylindrical"),
]


@pytest.fixture(scope="module", params=ORDERS, ids=lambda kinds: kinds[0])
def mixed_chain(request):
    """Six bodies in a chain of mixed pairs; every other joint is given against the chain."""
    rng = np.random.default_rng(20)
    return moving(chain(rng, request.param, swap=True), rng, speed=4.0)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("spaces", ["auto", "SE3 relative"])
def test_relative_spaces_hold_every_joint_of_a_chain_of_six_mixed_pairs(mixed_chain, spaces, form):
    assert_all_hold(run(mixed_chain, spaces, form))


def test_absolute_spaces_hold_only_the_first_joint_of_that_chain(mixed_chain):
    gaps = list(worst_gaps(run(mixed_chain, "SE3")).values())
    assert max(gaps[0]) < ROUNDING
    assert max(max(gap) for gap in gaps[1:]) > 1e3 * ROUNDING


@pytest.mark.parametrize("seed", range(4))
def test_relative_spaces_hold_every_joint_of_a_random_tree(seed):
    rng = np.random.default_rng(seed)
    parents = [-1] + [int(rng.integers(-1, k)) for k in range(1, 8)]
    model = tree(rng, parents, rng.choice(KINDS, 8), swap=bool(seed % 2))
    for spaces in ("auto", "SE3 relative"):
        assert_all_hold(run(moving(model, rng, speed=4.0), spaces))


@pytest.mark.parametrize("kind", KINDS)
def test_the_order_of_a_joints_bodies_does_not_matter(kind):
    """The frame in which the rows are written changes with it; the motion does not."""
    runs = []
    for swap in (False, True):
        rng = np.random.default_rng(3)
        model = moving(chain(rng, ["spherical", kind], swap=swap), rng, speed=4.0)
        runs.append(run(model, "auto"))
        assert_all_hold(runs[-1])
    np.testing.assert_allclose(runs[0].absolute, runs[1].absolute, atol=1e-10, rtol=1e-10)


def test_spaces_may_be_mixed_freely(mixed_chain):
    """One physics in body twists: any mixture of charts has the same motion."""
    names = mixed_chain.body_names
    mixture = {
        names[0]: ch.SE3(),
        names[1]: ch.SO3xR3(at="joint 1", relative_to=names[0]),
        names[2]: ch.SE3(relative_to=names[0]),
        names[3]: ch.SO3xR3(),
        names[4]: ch.SO3xR3(at=(0.1, 0.2, 0.3)),
        names[5]: ch.SE3(relative_to=names[3]),
    }
    runs = [
        ch.simulate(mixed_chain, 0.2, step=5e-4, method="dop853", spaces=spaces)
        for spaces in ("auto", mixture)
    ]
    np.testing.assert_allclose(
        *([one.absolute[-1, one.problem.setup.body_index[name]] for name in names] for one in runs),
        atol=1e-9,
    )


def test_welded_bodies_move_as_one():
    rng = np.random.default_rng(5)
    model = moving(chain(rng, ["spherical", "fixed"]), rng, speed=8.0)
    result = run(model, "auto")
    first, second = (result.rotation(name) for name in model.body_names)
    together = np.einsum("tji,tjk->tik", first, second)
    np.testing.assert_allclose(together, np.broadcast_to(together[0], together.shape), atol=1e-13)
