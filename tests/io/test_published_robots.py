"""Robots of published packages, where they are installed (extra `robots`): imported or told why."""

import importlib.util
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import chasles as ch

mujoco = pytest.importorskip("mujoco")
PACKAGES = ("gymnasium", "dm_control", "gymnasium_robotics", "robosuite")
#: Notes after which accelerations differ, and that MuJoCo cannot be asked to leave out by a flag.
OTHERWISE = ("locked", "springs and dampers", "hold exactly", "deformable", "plugins")
FLAGS = ("CONTACT", "LIMIT", "FRICTIONLOSS", "EQUALITY", "ACTUATION")


def files():
    found = []
    for package in PACKAGES:
        spec = importlib.util.find_spec(package)
        for place in (spec.submodule_search_locations or []) if spec else []:
            for kind in ("*.xml", "*.urdf"):
                found += [(path, Path(place)) for path in sorted(Path(place).rglob(kind))]
    return found


def worst_difference(path, model):
    """Of accelerations from MuJoCo's at a random state, without what the notes leave out."""
    from test_robots import Followed, accelerations

    scene = mujoco.MjModel.from_xml_path(str(path))
    for flag in FLAGS:
        scene.opt.disableflags |= int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{flag}"))
    scene.dof_armature[:] = scene.body_gravcomp[:] = 0.0
    scene.opt.density = scene.opt.viscosity = 0.0
    scene.opt.wind[:] = 0.0
    for what in ("stiffness", "damping", "armature"):
        getattr(scene, f"tendon_{what}")[:] = 0.0
    data, rng = mujoco.MjData(scene), np.random.default_rng(0)
    mujoco.mj_integratePos(scene, data.qpos, 0.3 * rng.normal(size=scene.nv), 1.0)
    data.qvel[:] = rng.normal(size=scene.nv)
    mujoco.mj_forward(scene, data)
    kept = [force for force in model.forces if force.kind not in ("motor", "jointfriction")]
    joints = [replace(j, armature=0.0) if j.rotors else j for j in model.joints]
    passive = ch.Model(model.bodies, joints, kept, gravity=model.gravity)
    state, theirs = Followed(passive, scene).state_and_acceleration(data, data.qacc)
    return np.abs(accelerations(passive, state) - theirs).max() / max(1.0, np.abs(theirs).max())


@pytest.mark.slow
def test_published_robots_are_imported_and_accelerate_as_mujocos(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # MuJoCo leaves its log in the folder at hand
    if not files():
        pytest.skip("no published robots are installed: pip install 'chasles[robots]'")
    count, worst = Counter(), {}
    for path, folder in files():
        try:
            model = ch.read_model(path, folder=folder, limits="none")
        except ch.ChaslesError as error:
            assert error.what and error.remedy
            count["refused, with a reason"] += 1
            continue
        count["imported"] += 1
        if any(word in note for note in model.notes for word in OTHERWISE):
            count["differ by what their notes say"] += 1
            continue
        if model.couplings or any(body.mass == 0.0 for body in model.bodies):
            count["coupled, or with frames"] += 1  # see test_robot_couplings
            continue
        if any(name.startswith("body ") for name in model.body_names):
            count["without names"] += 1
            continue
        count["compared"] += 1
        worst[str(path)] = worst_difference(path, model)
    print(dict(count))
    assert {path: w for path, w in worst.items() if not w < 1e-9} == {}
