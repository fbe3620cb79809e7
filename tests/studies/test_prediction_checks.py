"""What is predicted from the geometry alone is what the runs show, on every kind of model."""

from dataclasses import replace

import pytest

import chasles as ch
from chasles.studies import gallery

RULES = ["SE3", "SO3xR3", "SE3 relative", "SO3xR3 on joints", "auto"]
LOOPS = {
    "three-bar": gallery.three_bar,
    "slider-crank": gallery.slider_crank,
    "random loop": lambda: gallery.random_loop(2),
}


def contradicted(model: ch.Model, candidates) -> list[str]:
    found = ch.compare(model, candidates, 0.2, 1e-3, orders=True, timing=False, progress=False)
    return [str(prediction) for prediction in found.disagreements]


@pytest.mark.parametrize("kind", gallery.PAIRS)
def test_lower_pairs_do_as_predicted_in_every_space(kind):
    assert contradicted(gallery.grounded_pair(kind), RULES) == []
    assert contradicted(gallery.moving_pair(kind), RULES) == []


@pytest.mark.parametrize("name", LOOPS)
def test_loops_do_as_predicted_with_every_cut(name):
    model = LOOPS[name]()
    cuts = {joint: ch.designate(model, cut=[joint]) for joint in model.joint_names}
    assert contradicted(model, cuts | {rule: rule for rule in RULES}) == []


@pytest.mark.parametrize("name", LOOPS)
def test_projection_closes_what_was_predicted_to_drift_with_every_cut(name):
    model = LOOPS[name]()
    for joint in model.joint_names:
        chosen = ch.designate(model, cut=[joint])
        run = ch.simulate(model, 0.5, 1e-3, spaces=chosen, stabilise="projection")
        parts = ("translation", "rotation")
        worst = max(run.violation(j, part=p).max() for j in model.joint_names for p in parts)
        assert worst < 1e-10, (joint, worst)


@pytest.mark.parametrize("seed", range(3))
def test_trees_do_as_predicted(seed):
    assert contradicted(gallery.random_tree(seed), RULES) == []


def test_floating_models_do_as_predicted():
    assert contradicted(gallery.floating_pair(1.0), RULES) == []
    assert contradicted(gallery.platform_top(), RULES) == []


def test_what_the_start_leaves_open_contradicts_nothing():
    """Velocities given to ten digits violate the joints a little, which is not the method's."""
    model = gallery.moving_pair("revolute")
    rough = [
        replace(
            body,
            velocity=tuple(round(x, 10) for x in body.velocity),
            angular_velocity=tuple(round(x, 10) for x in body.angular_velocity),
        )
        for body in model.bodies
    ]
    model = replace(model, bodies=tuple(rough))
    assert contradicted(model, RULES) == []
