"""The designation says what it does, and does what it says."""

import json

import numpy as np
import pytest
from mechanisms import double_pendulum, floating_pair, pendulum, three_bar, worst_gaps

import chasles as ch
from chasles.spaces import resolve_spaces
from chasles.spaces.tree import spanning_tree
from chasles.studies import gallery


def chain_of(count: int, masses=None) -> ch.Model:
    """A floating chain of balls on a line."""
    masses = masses or [1.0] * count
    bodies = [ch.Body(f"b{k}", masses[k], (1, 1, 1), (float(k), 0, 0)) for k in range(count)]
    joints = [
        ch.Spherical(f"j{k}", f"b{k}", f"b{k + 1}", at=(k + 0.5, 0, 0)) for k in range(count - 1)
    ]
    return ch.Model(bodies, joints, gravity=(0, 0, 0))


def test_the_bodies_of_a_tree_are_on_the_subgroups_of_their_joints():
    chosen = ch.designate(double_pendulum())
    assert chosen.spaces == {
        "first": ch.Space("subgroup", "shoulder"),
        "second": ch.Space("subgroup", "elbow", "first"),
    }
    assert chosen.exact == ("shoulder", "elbow") and not chosen.drifting and not chosen.cut


def test_loops_are_cut_between_bodies_that_hang_on_the_ground():
    model = three_bar()
    chosen = ch.designate(model)
    between = [j.name for j in model.joints if "ground" not in (j.a, j.b)]
    assert list(chosen.cut) == between == list(chosen.drifting)


def test_a_tie_cuts_the_joint_that_spins_faster():
    """The middle one of three links can hang on either neighbour."""
    links = [
        ch.Body("left", 1.0, (1, 1, 1), (0.5, 0, 0), angular_velocity=(9, 0, 0)),
        ch.Body("middle", 1.0, (1, 1, 1), (1.5, 0, 0), angular_velocity=(1, 0, 0)),
        ch.Body("right", 1.0, (1, 1, 1), (2.5, 0, 0), angular_velocity=(0, 0, 0)),
    ]
    stops = [ch.GROUND, *links, ch.GROUND]
    joints = [
        ch.Spherical(f"j{k}", stops[k], stops[k + 1], at=(k, 0.1 * k * (4 - k), 0))
        for k in range(4)
    ]
    assert spanning_tree(ch.Model(links, joints)).cut == ("j1",)


def test_the_user_may_choose_the_cut():
    model = three_bar()
    for name in model.joint_names:
        assert ch.designate(model, cut=[name]).cut == (name,)
    with pytest.raises(ch.UnknownName):
        ch.designate(model, cut=["nowhere"])


def test_of_several_cuts_in_one_loop_the_first_is_made_and_the_others_are_noted():
    model = three_bar()
    for first in model.joint_names:
        others = [name for name in model.joint_names if name != first]
        chosen = ch.designate(model, cut=[first, *others])
        assert chosen.cut == (first,)
        assert all(f"'{name}' is not cut" in str(chosen) for name in others)
    assert ch.designate(model, cut=model.joints[1]).cut == (model.joints[1].name,)
    assert ch.designate(model, cut=model.joints[1].name).cut == (model.joints[1].name,)


def test_a_joint_that_cannot_be_cut_is_kept():
    model = double_pendulum()
    chosen = ch.designate(model, cut=model.joint_names)
    assert chosen.cut == () and "'shoulder' is not cut" in str(chosen)


def test_a_floating_tree_hangs_on_its_middle_and_on_the_heavier_of_two():
    assert spanning_tree(chain_of(5)).parents["b2"] is None
    assert spanning_tree(chain_of(4, [1.0, 1.0, 2.0, 1.0])).parents["b2"] is None
    assert ch.designate(chain_of(5)).spaces["b2"] == ch.Space("subgroup")


def test_what_couplings_alone_hold_is_not_called_free():
    ball, bob, moon = (ch.Body.sphere(n, 0.1, 1.0, position=(k, 0, 0))
                       for k, n in enumerate(("ball", "bob", "moon")))  # fmt: skip
    rods = [
        ch.Distance("rod", ch.GROUND, ball, at=(0, 0, 1), at_b=(0, 0, 0)),
        ch.Spherical("link", ball, bob, at=(0.5, 0, 0)),
    ]
    told = str(ch.designate(ch.Model([ball, bob, moon], rods)))
    assert "the rows of joint 'rod' hold it" in told and "floating root" not in told
    assert told.count("free body: conserves momentum") == 1  # that of the moon


def test_overrides_keep_the_others_and_say_what_they_cost():
    model = double_pendulum()
    chosen = ch.designate(model, {"second": "SE3"})
    assert chosen.spaces["second"] == ch.SE3()
    assert chosen.spaces["first"] == resolve_spaces(model, "framed")["first"]
    assert chosen.drifting == ("elbow",)
    assert "'elbow' would be exact with" in str(chosen) and len(chosen.notes) == 1
    harmless = ch.designate(model, {"first": "SE3", "second": "auto"})
    assert not harmless.drifting and not harmless.notes


def test_overrides_that_refer_to_a_child_do_not_make_a_circle():
    chosen = ch.designate(double_pendulum(), {"first": ch.SE3(relative_to="second")})
    assert chosen.spaces["second"].relative_to is None
    assert "elbow" in chosen.exact and "shoulder" in chosen.drifting


def test_the_table_names_every_body_and_joint_and_is_aligned():
    model = three_bar()
    text = str(ch.designate(model))
    for name in model.body_names + model.joint_names:
        assert name in text
    head, rule, *_ = text.splitlines()
    assert [k for k, c in enumerate(rule) if c == "-" and (k == 0 or rule[k - 1] == " ")] == [
        head.index(word)
        for word in ("body", "space", "frame point", "relative to", "keeps", "moves in", "why")
    ]
    assert all(line == line.rstrip() for line in text.splitlines())


def test_long_tables_are_cut_short():
    assert "... and 20 more" in str(ch.designate(chain_of(60)))


def test_the_same_as_data_survives_json():
    chosen = ch.designate(floating_pair())
    data = json.loads(json.dumps(chosen.as_dict()))
    assert [row["body"] for row in data["bodies"]] == ["first", "second"]
    assert data["joints"] == [
        {
            "joint": "elbow",
            "exact": True,
            "rows": ["ux", "uy", "uz"],
            "cut": False,
            "reason": chosen.predictions[0].reason,
        }
    ]


def test_a_designation_can_be_simulated():
    model = double_pendulum()
    chosen = ch.designate(model)
    assert resolve_spaces(model, chosen) == resolve_spaces(model, "auto") == chosen.spaces
    result = ch.simulate(model, 0.1, step=1e-3, spaces=chosen, progress=False)
    assert max(max(gap) for gap in worst_gaps(result).values()) < 1e-13


def test_the_designation_of_another_model_is_refused(refusal):
    other = ch.designate(chain_of(3))
    refusal(lambda: ch.simulate(double_pendulum(), 0.1, 1e-3, spaces=other), ch.InvalidOption)


@pytest.mark.parametrize("boost", (0.0, 1.0, 10.0, 100.0))
def test_a_joint_that_floats_holds_at_any_speed(boost):
    model = floating_pair()
    bodies = [
        ch.Body(b.name, b.mass, b.inertia, b.position, b.rotation, None, b.angular_velocity)
        for b in model.bodies
    ]
    first = bodies[0]
    bodies[0] = ch.Body(
        first.name, first.mass, first.inertia, first.position, first.rotation,
        (boost, 0.3 * boost, 0.0), first.angular_velocity,
    )  # fmt: skip
    boosted = ch.Model(bodies, model.joints, gravity=(0, 0, 0))
    result = ch.simulate(boosted, 1.0, step=1e-3, progress=False, save_every=10)
    assert max(worst_gaps(result)["elbow"]) < 1e-14 * (1 + boost)
    assert np.isfinite(result.energy()).all()


@pytest.mark.parametrize("benchmark", [b for b in ch.library if b.name != "A02-40"], ids=str)
def test_a_model_has_as_many_loops_as_its_tree_cuts_joints(benchmark):
    model = benchmark.model()
    assert model.loops == len(spanning_tree(model).cut)


def test_framed_charts_are_on_the_carrying_joint_relative_to_the_body_it_hangs_on():
    model = gallery.random_tree(3)
    tree = spanning_tree(model)
    for name, space in resolve_spaces(model, "framed").items():
        parent, joint = tree.parents[name]
        assert space.group == "SO3xR3"
        assert space.relative_to == (None if parent == "ground" else parent)
        assert space.at == (None if model.joint(joint).any_frame_point else joint)


def test_a_designation_says_what_becomes_of_couplings():
    rods = [ch.Body.rod(n, 1.0, 1.0, position=(0.5, k, 0)) for k, n in enumerate(("a", "b"))]
    hinges = [
        ch.Revolute(f"hinge {r.name}", ch.GROUND, r, (0, k, 0), "y") for k, r in enumerate(rods)
    ]
    linear = ch.Coupling("mesh", {"hinge a": 1, "hinge b": 2})
    curved = ch.Coupling("cam", {"hinge a": 1, "hinge b": (2, 0.5)})
    assert "Coupling 'mesh' holds to round-off" in str(
        ch.designate(ch.Model(rods, [*hinges, linear]))
    )
    model = ch.Model(rods, [*hinges, curved])
    assert "Coupling 'cam' drifts with the method's error" in str(ch.designate(model))
    on_charts = ch.designate(ch.Model(rods, [*hinges, linear]), "SE3")
    assert "Coupling 'mesh' drifts" in str(on_charts) and "a row on bodies" in str(on_charts)


def test_a_coupling_of_a_driven_coordinate_is_predicted_to_drift_and_does():
    """The driven coordinate follows its function exactly, the others the method's combinations."""
    wheels = [
        ch.Body.cylinder(n, 0.1, 0.05, mass=1.0, axis="y", position=(x, 0, 0))
        for x, n in enumerate("ab")
    ]
    axles = [ch.Revolute(f"axle {w.name}", ch.GROUND, w, at=w.position, axis="y") for w in wheels]
    mesh = ch.Coupling("mesh", {"axle a": 1, "axle b": 2})
    drive = ch.Driver("drive", "axle a", lambda t: np.sin(3 * t) ** 2)
    motor = ch.Motor("motor", "axle a", effort=lambda t: 0.01 * np.sin(3 * t))
    held = ch.Model(wheels, [*axles, mesh], [motor])
    driven = ch.Model(wheels, [*axles, mesh], drivers=[drive])
    assert "Coupling 'mesh' holds to round-off" in str(ch.designate(held))
    assert ch.simulate(held, until=1.0, step=1e-2).violation("mesh").max() < 1e-14
    said = str(ch.designate(driven))
    assert "Coupling 'mesh' drifts" in said and "names joint 'axle a', which is driven" in said
    assert ch.simulate(driven, until=1.0, step=1e-2).violation("mesh").max() > 1e-10


def test_a_run_says_that_the_space_form_took_charts():
    model = pendulum(name="rod")
    run = ch.simulate(model, until=0.01, step=0.01, acceleration="space")
    assert "spaces='auto' took charts" in str(run.designation)
    assert {space.group for space in run.designation.spaces.values()} == {"SO3xR3"}
    plain = ch.simulate(model, until=0.01, step=0.01)
    assert "took charts" not in str(plain.designation)
