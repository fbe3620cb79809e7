"""Arrows of forces are what the forces exert, where they act."""

import numpy as np
from visits import FilmVisit

import chasles as ch
from chasles.view.scene import scene_of
from chasles.view.tracks import applied_forces


def test_every_force_has_its_arrow_and_a_pure_force_no_torque():
    arm = ch.Body.rod("arm", mass=2.0, between=((0, 0, 0), (1, 0, 0)), angular_velocity=(0, 1, 0))
    sledge = ch.Body.box("sledge", (0.2, 0.2, 0.2), mass=1.0, position=(0, 2, 0))
    hinge = ch.Revolute("hinge", ch.GROUND, arm, (0, 0, 0), "y")
    rail = ch.Prismatic("rail", sledge, ch.GROUND, axis="x")
    forces = [
        ch.Spring("spring", arm, ch.GROUND, (1, 0, 0), (1, 0, 1.5), stiffness=20.0, rest_length=1),
        ch.Motor("motor", hinge, effort=3.0),
        ch.JointSpring("buffer", rail, 10.0, rest=0.2),
        ch.Load("push", arm, force=(0, 0, 2.0), at=(1, 0, 0)),
        ch.Load("twist", sledge, torque=(0, 0, 1.0)),
        ch.Bushing("mount", ch.GROUND, sledge, (0.3, 2, 0), [5.0] * 6),
        ch.Drag("air", arm, linear=0.1),
    ]
    model = ch.Model([arm, sledge], [hinge, rail], forces)
    run = ch.simulate(model, until=0.2, step=1e-2, progress=False)
    found = {(one.name, one.kind): one for one in applied_forces(run, scene_of(model))}
    assert set(found) == {
        ("spring", "force"), ("motor", "torque"), ("buffer", "force"), ("push", "force"),
        ("twist", "torque"), ("mount", "force"), ("air", "force"),
    }  # fmt: skip
    spring = found["spring", "force"]
    assert spring.body == "arm" and np.allclose(spring.at, (0.5, 0, 0))
    tip = run.point("arm", (1, 0, 0)).position
    along = (1, 0, 1.5) - tip
    length = np.linalg.norm(along, axis=1)[:, None]
    np.testing.assert_allclose(spring.values, 20.0 * (length - 1) * along / length, atol=1e-11)
    np.testing.assert_allclose(found["motor", "torque"].values, [(0, 3.0, 0)] * len(run.t))
    np.testing.assert_allclose(found["push", "force"].values, [(0, 0, 2.0)] * len(run.t))


def test_a_motor_is_seen_in_the_film(browser, tmp_path):
    arm = ch.Body.rod("arm", mass=2.0, between=((0, 0, 0), (1, 0, 0)))
    hinge = ch.Revolute("hinge", ch.GROUND, arm, (0, 0, 0), "y")
    model = ch.Model([arm], [hinge], [ch.Motor("motor", hinge, effort=3.0)])
    path = ch.simulate(model, until=0.2, step=1e-2).animate(tmp_path / "film.html")
    with FilmVisit(browser, path) as visit:
        assert visit.run("groups[0].vectors.map(v => v.kind)") == ["reaction", "torque"]
        visit.page.get_by_role("button", name="Show").click()
        visit.page.get_by_role("checkbox", name="forces, torques").click()
        assert visit.run("show.forces") is True
