"""The satellite against MuJoCo, and what must be kept in free flight."""

import mujoco
import numpy as np
import pytest

import chasles as ch

BUS, PANEL = 120.0, 6.0
CUBE = BUS / 6
PLATE = (PANEL * (1 + 0.02**2) / 12, PANEL / 6, PANEL * (1 + 0.02**2) / 12)


def wing(name: str, side: int) -> str:
    """Hinges along x with springs towards the flat wing; frames are parallel when folded."""
    root, middle = f"0 {side * 0.52} -0.5", f"0 {side * 0.015} 1"
    inertial = f'mass="{PANEL}" diaginertia="{PLATE[0]!r} {PLATE[1]!r} {PLATE[2]!r}"'

    def hinge(which, stiffness, damping, rest):
        return (
            f'<joint name="{name} {which}" type="hinge" axis="1 0 0" stiffness="{stiffness}"'
            f' damping="{damping}" springref="{rest!r}"/>'
        )

    return (
        f'<body name="{name} inner" pos="{root}">{hinge("root", 4, 5, -side * np.pi / 2)}'
        f'<inertial pos="0 0 0.5" {inertial}/>'
        f'<body name="{name} outer" pos="{middle}">{hinge("middle", 2, 2, side * np.pi)}'
        f'<inertial pos="0 {side * 0.015} -0.5" {inertial}/></body></body>'
    )


def mujoco_satellite() -> mujoco.MjModel:
    return mujoco.MjModel.from_xml_string(
        '<mujoco><compiler angle="radian"/>'
        '<option integrator="RK4" timestep="2e-3" gravity="0 0 0"/><worldbody>'
        f'<body name="bus"><freejoint/><inertial pos="0 0 0" mass="{BUS}"'
        f' diaginertia="{CUBE} {CUBE} {CUBE}"/>{wing("left", 1)}{wing("right", -1)}</body>'
        "</worldbody></mujoco>"
    )


def test_it_unfolds_as_mujocos():
    theirs = mujoco_satellite()
    data = mujoco.MjData(theirs)
    data.qvel[:6] = (0.01, -0.02, 0.03, 0.05, 0.12, -0.2)
    ours = ch.library.get("satellite").run(save_every=100)
    hinges = ours.model.joint_names
    for k in range(len(ours.t)):
        while data.time < ours.t[k] - 1e-3:
            mujoco.mj_step(theirs, data)
        mujoco.mj_forward(theirs, data)
        for name in ours.model.body_names:
            body = data.body(name)
            assert ours.position(name)[k] == pytest.approx(body.xipos, abs=1e-8)
            assert ours.rotation(name)[k].ravel() == pytest.approx(body.xmat, abs=1e-8)
        angles = [data.joint(name).qpos[0] for name in hinges]
        assert [ours.coordinate(name)[k] for name in hinges] == pytest.approx(angles, abs=1e-8)


@pytest.mark.parametrize("spaces, linear", [("auto", 1e-12), ("SO3xR3", 1e-12), ("SE3", 1e-7)])
def test_momenta_are_kept_and_the_energy_is_accounted_for(spaces, linear):
    """Linear momentum is kept to rounding, but in SE(3), where it is not linear in the chart."""
    result = ch.library.get("satellite").run(spaces=spaces)
    for vectors, allowed in ((result.momentum(), linear), (result.angular_momentum(), 1e-7)):
        assert np.linalg.norm(vectors - vectors[0], axis=1).max() < allowed
    taken = sum(result.work(force)[-1] for force in result.model.forces)
    assert taken < -20  # what the dampers took of the springs' energy
    assert np.abs(result.energy_balance()).max() < 1e-6


def test_the_wings_end_flat():
    result = ch.library.get("satellite").run(until=120.0, save_every=100)
    flat = {"left root": -90, "left middle": 180, "right root": 90, "right middle": -180}
    for joint, angle in flat.items():
        assert np.degrees(result.coordinate(joint)[-1]) == pytest.approx(angle, abs=2)
