"""Which components of the reactions are unique: against dense algebra, and against statics."""

import numpy as np
import pytest
from mechanisms import linkage
from scipy.linalg import null_space
from scipy.spatial.transform import Rotation

import chasles as ch
from chasles.studies.library import bennett

COMPONENTS = [f"{what} {axis}" for what in ("force", "torque") for axis in "xyz"]


def planar_loop(*kinds):
    """Four joints A, B, C, D about y, of these kinds."""
    return linkage([(0, 0, 0), (0.1, 0, 0.5), (0.9, 0, 0.7), (1.0, 0, 0)], kinds=kinds)


def ran(model):
    return ch.simulate(model, until=0.002, step=1e-3, progress=False)


def test_a_planar_four_bar_of_revolutes_has_unique_forces_in_its_plane_only():
    found = ran(planar_loop(*[ch.Revolute] * 4)).unique_reactions
    for joint in "ABCD":
        assert found.of(joint) == ("force x", "force y")  # z is the joint's axis
        assert found[joint]["torque z"] == "-" and found[joint]["force z"] == "shared"


def test_without_redundancy_everything_is_unique():
    model = planar_loop(ch.Revolute, ch.Cylindrical, ch.Spherical, ch.Revolute)
    assert model.degrees_of_freedom == model.grubler_count == 1
    assert ran(model).redundancy is None
    assert ran(model).unique_reactions.all_unique


def test_a_beam_on_three_supports_is_statically_indeterminate_across_but_not_along():
    """Three points held across, one of them along: only the force along is unique."""
    beam = ch.Body.rod("beam", length=2.0, mass=1.0, axis="x")
    supports = [ch.PointOnLine(f"roller {x}", ch.GROUND, beam, at=(x, 0, 0), axis="x")
                for x in (-1, 0)]  # fmt: skip
    pin = ch.Spherical("pin", ch.GROUND, beam, at=(1, 0, 0))
    found = ran(ch.Model([beam], [*supports, pin])).unique_reactions
    assert found["pin"]["force x"] == "unique"
    assert found["pin"]["force y"] == found["pin"]["force z"] == "shared"
    assert not found.of("roller -1") and not found.of("roller 0")


MODELS = {
    "four-bar": lambda: planar_loop(*[ch.Revolute] * 4),
    "one loose joint": lambda: planar_loop(ch.Revolute, ch.Revolute, ch.Cylindrical, ch.Revolute),
    "one ball": lambda: planar_loop(ch.Revolute, ch.Spherical, ch.Revolute, ch.Revolute),
    "bennett": lambda: bennett.model(),
    "two hinges": lambda: two_hinges(),
}


def two_hinges():
    turn = Rotation.from_rotvec((0.3, -0.2, 0.5))
    axis = turn.apply((0, 0, 1))
    door = ch.Body.box("door", (1, 0.1, 2), mass=20.0, position=turn.apply((0.5, 0, 0)),
                       rotation=turn)  # fmt: skip
    hinges = [ch.Revolute(name, ch.GROUND, door, at=s * axis, axis=axis)
              for name, s in (("low", -0.8), ("high", 0.8))]  # fmt: skip
    return ch.Model([door], hinges)


def reactions_of(model, equations, multipliers, joint):
    """Force and torque of -J^T lambda on a joint's second body, in its frame, by hand."""
    held = [k for k, (name, _) in enumerate(equations.rows) if name == joint]
    part = model.joint(joint)
    body, sign = (part.b, 1.0) if part.b != "ground" else (part.a, -1.0)
    columns = [k for k, (name, _) in enumerate(equations.columns) if name == body]
    wrench = -sign * equations.jacobian[np.ix_(held, columns)].T @ multipliers[held]
    rotation = np.array(model.body(body).rotation)
    force, torque = rotation @ wrench[3:], rotation @ wrench[:3]
    torque = torque - np.cross(np.array(part.at) - model.body(body).position, force)
    return np.hstack((force, torque))


@pytest.mark.parametrize("name", MODELS)
def test_null_vectors_of_the_transposed_jacobian_change_shared_components_only(name):
    model = MODELS[name]()
    result = ran(model)
    equations = ch.equations(model)
    null = null_space(equations.jacobian.T, rcond=1e-9)
    assert result.redundancy is not None
    assert null.shape[1] == result.redundancy.rows - result.redundancy.rank
    for joint in model.joint_names:
        axes = result.reaction(joint).axes[0]
        changes = np.array([reactions_of(model, equations, n, joint) for n in null.T])
        local = np.hstack((changes[:, :3] @ axes, changes[:, 3:] @ axes))
        moved = np.abs(local).max(axis=0) > 1e-9
        told = [result.unique_reactions[joint][name] == "shared" for name in COMPONENTS]
        assert told == moved.tolist(), joint


@pytest.mark.parametrize("name", MODELS)
def test_degrees_of_freedom_are_those_of_the_rank(name):
    model = MODELS[name]()
    jacobian = ch.equations(model).jacobian
    assert model.degrees_of_freedom == jacobian.shape[1] - np.linalg.matrix_rank(jacobian, tol=1e-9)


def test_the_redundancy_names_the_components():
    text = str(ran(planar_loop(*[ch.Revolute] * 4)).redundancy)
    assert "A (uz wx wy)" in text.replace("wx wy uz", "uz wx wy")


def test_the_table_is_readable_in_text_and_in_a_notebook():
    found = ran(two_hinges()).unique_reactions
    assert str(found).splitlines()[0].split()[:2] == ["joint", "force"]
    assert found._repr_html_().count("<tr>") == 3
    with pytest.raises(ch.UnknownName, match="high"):
        found.of("hihg")
