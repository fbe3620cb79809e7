"""Certificates: what holds a joint, by how much it may open, and what prevents it."""

import numpy as np
import pytest
from mechanisms import KINDS, chain, double_pendulum, heavy_top, moving, three_bar

import chasles as ch
from chasles.result.joints import reach_of

EPSILON = np.finfo(float).eps


@pytest.mark.parametrize("method", ["heun", "rk4", "dop853"])
@pytest.mark.parametrize("kind", KINDS)
def test_no_joint_of_a_tree_opens_beyond_its_certificate(kind, method):
    """16 ulps of its reach, whatever the pair and the method."""
    rng = np.random.default_rng(7)
    model = moving(chain(rng, ["revolute", kind, kind], swap=True), rng)
    result = ch.simulate(model, 5.0, step=2e-3, method=method, spaces="subgroups", progress=False)
    for joint in model.joints:
        found = result.certificate(joint)
        assert found.exact and found.lemma == "Lemma 1" and found.rows == joint.locked
        levers = sum(
            np.linalg.norm(np.subtract(joint.at, model.body(name).position))
            for name in (joint.a, joint.b)
            if name != "ground"
        )
        places = max(
            np.linalg.norm(result.position(name), axis=1).max()
            for name in (joint.a, joint.b)
            if name != "ground"
        )
        assert result.violation(joint).max() <= found.ulps * EPSILON * (levers + places)


def test_a_chart_that_fits_is_certified_by_the_second_lemma_and_one_that_does_not_by_its_frame():
    fits = ch.simulate(heavy_top(), 0.1, step=1e-3, spaces="framed").certificate("pivot")
    assert fits.exact and fits.lemma == "Lemma 2"
    off = ch.simulate(heavy_top(), 0.1, step=1e-3, spaces="SO3xR3").certificate("pivot")
    assert not off.exact and "0.5 m off the joint's centre" in off.obstruction


def test_the_bracket_that_is_named_leaves_the_algebra():
    """Two spherical joints in a row: a shift of the elbow and a turn about it give a shift."""
    found = ch.designate(double_pendulum(), {"first": "SE3", "second": "SE3"}).certificate("elbow")
    assert "bracket" in found.obstruction and "a shift along" in found.obstruction


def test_a_coupling_is_not_a_group():
    arm = ch.Body.rod("arm", 1.0, mass=1.0, position=(0.5, 0, 0))
    rod = ch.Distance("rod", ch.GROUND, arm, at=(0, 0, 1), at_b=(1, 0, 0))
    found = ch.designate(ch.Model([arm], [rod])).certificate("rod")
    assert found.group is None and "not closed under composition" in found.obstruction


@pytest.mark.parametrize("pitch", [0.1, 10.0, 1e3, -1e5])
def test_the_pitch_of_a_screw_is_in_the_reach_that_bounds_its_gap(pitch):
    """A steep thread far longer than the bodies: levers alone would ask for 1000 ulps and more."""
    for seed in range(4):
        rng = np.random.default_rng(seed)
        bodies = [
            ch.Body.box(name, (0.1, 0.2, 0.3), mass=1.0, position=rng.normal(size=3) * 0.3)
            for name in "ab"
        ]
        joints = [
            ch.Revolute("hinge", ch.GROUND, "a", rng.normal(size=3) * 0.3, rng.normal(size=3)),
            ch.Helical("screw", "a", "b", rng.normal(size=3) * 0.3, rng.normal(size=3), pitch),
        ]
        rates = {"hinge": (0.0, 2.0), "screw": (0.0, 1.0 / pitch)}
        result = ch.simulate(ch.Model(bodies, joints), 1.0, 1e-3, start=rates, progress=False)
        found = result.certificate("screw")
        gap = result.violation("screw").max()
        assert found.lemma == "Lemma 1" and gap <= found.ulps * EPSILON * reach_of(result, "screw")
        assert result.position("b").max() < 10.0  # of the size of the bodies


GANTRY_SPACES = [
    "auto", "framed", "SE3", "SO3xR3", "SE3 relative", "SO3xR3 on joints",
    {"arm": "SO3xR3", "box": "SE3"},
]  # fmt: skip


@pytest.mark.parametrize("spaces", GANTRY_SPACES, ids=str)
@pytest.mark.parametrize("pivot", ["revolute", "spherical", "ground"])
def test_a_gantry_is_certified_in_every_chart_and_holds(spaces, pivot):
    """T(3) is a subgroup in every chart: both bodies turn by the same exponentials."""
    spin = (0, 0, 0) if pivot == "ground" else (0, 0, 3)
    arm = ch.Body.rod("arm", 1.0, mass=1.0, position=(0.5, 0, 0), angular_velocity=spin)
    box = ch.Body.box(
        "box", (0.1, 0.2, 0.3), mass=1.0, position=(1.2, 0.1, 0.3), velocity=(-0.2, 2.4, 0.1),
        angular_velocity=spin,
    )  # fmt: skip
    carrier = {
        "revolute": ch.Revolute("pivot", ch.GROUND, arm, (0, 0, 0), (0, 0, 1)),
        "spherical": ch.Spherical("pivot", ch.GROUND, arm, (0, 0, 0)),
        "ground": ch.Fixed("pivot", ch.GROUND, arm),
    }[pivot]
    model = ch.Model([arm, box], [carrier, ch.Cartesian("gantry", arm, box)])
    result = ch.simulate(model, 2.0, 2e-3, method="heun", spaces=spaces, progress=False)
    found = result.certificate("gantry")
    assert found.exact and found.group.name == "translation" and found.rows == ("wx", "wy", "wz")
    assert found.lemma and not found.obstruction
    assert result.violation("gantry", "rotation").max() < 1e-12


def test_translations_against_the_ground_are_a_subgroup_with_any_frame_point():
    box = ch.Body.box("box", (0.1, 0.2, 0.3), mass=1.0)
    found = ch.designate(ch.Model([box], [ch.Cartesian("gantry", ch.GROUND, box)]))
    certificate = found.certificate("gantry")
    assert certificate.exact and "own subgroup" in certificate.argument


def test_a_certificate_tells_what_held_a_joint_that_drifts():
    loop = three_bar()
    words = {None: "Nothing was projected away.", "projection": "The run held it by projection."}
    for stabilise, told in words.items():
        result = ch.simulate(loop, 0.1, step=1e-3, stabilise=stabilise)
        (cut,) = result.designation.cut
        assert told in str(result.certificate(cut))


def test_a_certificate_reads_as_a_paragraph():
    text = str(ch.simulate(heavy_top(), 0.1, step=1e-3).certificate("pivot"))
    assert text.startswith("Joint 'pivot' holds to round-off.\nIt allows the spherical motion")
    assert "own coordinates are all that moves" in text


def test_an_unknown_joint_is_named(refusal):
    result = ch.simulate(heavy_top(), 0.01, step=1e-3)
    assert "pivott" in refusal(lambda: result.certificate("pivott"), ch.UnknownName)
