"""The study of spaces: what its page says of joints, momenta and paths, on single runs."""

import re

import numpy as np
import pytest

from chasles.model.tables import finite
from chasles.studies import gallery
from chasles.studies.spaces_study import cases, endurance, loops
from chasles.studies.spaces_study.page import make_study

ROUNDING = 1e-13


@pytest.mark.parametrize("method", endurance.METHODS)
def test_a_floating_chain_on_subgroups_keeps_joints_momenta_and_its_path(method):
    found = endurance.errors("floating", endurance.floating_chain(), "subgroups", method)
    assert max(found[what] for what in ("gap", "P", "L", "X")) < ROUNDING


@pytest.mark.parametrize("method", endurance.METHODS)
def test_the_direct_product_keeps_momentum_and_path_but_not_the_joints(method):
    """P and X are linear in the velocities and positions of the centres of mass."""
    found = endurance.errors("floating", endurance.floating_chain(), "SO3xR3", method)
    assert max(found["P"], found["X"]) < ROUNDING < min(found["gap"], found["L"])


@pytest.mark.parametrize("seed", range(4))
def test_two_absolute_charts_on_a_common_ball_joint_keep_it(seed):
    model = gallery.moving_pair("spherical", seed)
    gaps = {
        name: cases.run(model, cases.MOVING[name], method="heun").gaps["joint"].worst
        for name in (cases.BOTH, "SO3xR3 on the joint", "SE3")
    }
    assert gaps[cases.BOTH] < 1e-14 < 1e-6 < min(gaps["SO3xR3 on the joint"], gaps["SE3"])


def test_a_door_on_two_ball_joints_holds_on_se3_and_not_at_the_centre_of_mass():
    found = endurance.door(cases.Scope())
    assert found["SE3"] < ROUNDING < 1e-8 < found["SO3xR3"]


def test_a_path_that_bends_is_seen():
    """Gravity, which the straight path does not know, moves the centre by g t^2 / 2."""
    chain = gallery.chain(3)
    falling = gallery.Model(chain.bodies, chain.joints[1:], gravity=(0, 0, -2.0))
    outcome = cases.run(falling, "subgroups", until=0.5)
    assert endurance.path_error(outcome.result) == pytest.approx(0.25, rel=1e-12)


@pytest.mark.parametrize("name", loops.LINKAGES)
def test_joints_predicted_to_hold_do_so_in_redundant_loops(name, monkeypatch):
    monkeypatch.setattr(loops, "LINKAGES", {name: loops.LINKAGES[name]})
    scope = cases.Scope()
    table = loops.redundant(scope)
    assert not scope.predictions["wrong"]
    for row in table[name].values():
        assert max(row[rule]["held"] for rule in ("framed", "subgroups")) < 1e-12
        assert row["SO3xR3"]["held"] is None


def test_what_broke_off_is_null_in_the_results():
    assert finite({"a": [1.23456, np.inf, None]}, 4) == {"a": [1.235, None, None]}


@pytest.mark.slow
def test_the_page_has_all_its_numbers(tmp_path):
    assert "0 of them wrong" in make_study(tmp_path, quick=True, slow=False, progress=False)
    text = (tmp_path / "study.md").read_text("utf-8")
    pictures = re.findall(r"images/study/\w+\.svg", text)
    assert "@{" not in text and "nan" not in text and len(pictures) == 10
    assert all((tmp_path / picture).exists() for picture in pictures)
