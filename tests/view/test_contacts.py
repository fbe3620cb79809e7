"""What contacts look like: floors reach as far as bodies move on them."""

import numpy as np

import chasles as ch
from chasles.view.scene import place, scene_of, scene_of_run
from chasles.view.tracks import applied_forces

UP = np.array((0.0, 0.6, 0.8))


def sliding() -> ch.Model:
    ball = ch.Body.sphere("ball", 0.1, mass=1.0, position=0.1 * UP, velocity=(2.0, 0, 0))
    crate = ch.Body.box("crate", (0.1, 0.1, 0.1), mass=1.0, position=(0, 0, 2))
    forces = [
        ch.Contact("floor", ch.GROUND, ball, at=(0, 0, 0), axis=UP, stiffness=1e4),
        ch.Contact("same floor", ch.GROUND, crate, at=(5, 4, -3), axis=UP, stiffness=1e4),
        ch.Contact("rock", ch.GROUND, crate, at=(0, 0, -2), radius=0.5, stiffness=1e4),
        ch.Contact("bowl", ch.GROUND, crate, at=(0, 0, -2), radius=-9, stiffness=1e4),
        ch.Contact("tray", crate, ball, at=(0, 0, 2), axis="z", shape=ch.Sphere(0.1), hertz=1.0),
    ]
    return ch.Model([ball, crate], forces=forces, gravity=-9.81 * UP)


def drawn(scene, name, kind):
    return [p for p in scene.parts if p.role == "floor" and p.body == name and p.shape.kind == kind]


def test_a_plane_is_one_plate_whose_face_lies_in_it(tmp_path):
    model = sliding()
    scene = scene_of(model)
    (plate,) = drawn(scene, "ground", "box")
    heights = plate.solid.vertices @ UP
    assert np.isclose(heights.max(), 0.0, atol=1e-12) and heights.min() < 0.0
    assert len(drawn(scene, "ground", "sphere")) == 1  # and no bowl, which would hide all
    (tray,) = drawn(scene, "crate", "box")
    world = place(scene.start["crate"], tray.solid.vertices)
    assert np.isclose(world[:, 2].max(), 2.0)
    assert model.plot(tmp_path / "model.png") is not None


def test_a_floor_reaches_as_far_as_bodies_move_on_it():
    result = ch.simulate(sliding(), 2.0, step=1e-3, save_every=10)
    (plate,) = drawn(scene_of_run(result), "ground", "box")
    low, high = plate.solid.vertices.min(axis=0), plate.solid.vertices.max(axis=0)
    way = result.position("ball")
    assert way[-1, 0] > 3.5
    assert (low[:2] < way[:, :2].min(axis=0)).all() and (high[:2] > way[:, :2].max(axis=0)).all()


def test_the_arrow_of_a_contact_starts_at_its_shape():
    result = ch.simulate(sliding(), 0.5, step=1e-3, save_every=10)
    found = {(one.name, one.kind): one for one in applied_forces(result, scene_of(result.model))}
    floor = found["floor", "force"]
    assert floor.body == "ball" and np.allclose(floor.at, 0.0)
    np.testing.assert_allclose(floor.values, result.force("floor").force, atol=1e-12)
    assert ("floor", "torque") not in found  # without friction it passes through the centre
