"""Actuators of MJCF files as motors and servos: MuJoCo's joint forces at any control."""

import mujoco
import numpy as np
import pytest

import chasles as ch

ROBOT = """
<mujoco>
  <option timestep="1e-4" integrator="RK4"/>
  <worldbody>
    <body name="a">
      <joint name="hip" axis="0 1 0" ref="0.2"/>
      <geom type="box" size="0.3 0.05 0.05" pos="0.3 0 0" mass="2" contype="0"/>
      <body name="b" pos="0.6 0 0">
        <joint name="knee" axis="0 1 0"/>
        <geom type="box" size="0.2 0.04 0.04" pos="0.2 0 0" mass="1" contype="0"/>
        <body name="c" pos="0.4 0 0">
          <joint name="rod" type="slide" axis="1 0 0" actuatorfrcrange="-4 3"/>
          <geom type="box" size="0.1 0.03 0.03" mass="0.5" contype="0"/>
        </body>
      </body>
    </body>
  </worldbody>
  <actuator>
    <position name="servo" joint="hip" kp="20" kv="1.5" gear="3" forcerange="-9 8"/>
    <motor name="torque" joint="knee" gear="5" ctrlrange="-0.4 0.7" ctrllimited="true"/>
    <velocity name="speed" joint="rod" kv="30" gear="-2"/>
  </actuator>
</mujoco>
"""


@pytest.mark.parametrize("seed", range(6))
def test_controls_as_inputs_give_mujocos_forces(tmp_path, seed):
    (tmp_path / "robot.xml").write_text(ROBOT)
    model, rng = ch.read_model(tmp_path / "robot.xml"), np.random.default_rng(seed)
    scene = mujoco.MjModel.from_xml_string(ROBOT)
    data = mujoco.MjData(scene)
    q, rate = 0.4 * rng.normal(size=3), rng.normal(size=3)
    data.qpos[:], data.qvel[:] = q + scene.qpos0, rate
    data.ctrl[:] = rng.normal(size=3) * (1.0, 0.5, 0.5)
    mujoco.mj_forward(scene, data)
    sim = ch.Simulation(model, 1e-4, start={
        name: (float(x), float(v)) for name, x, v in zip(("hip", "knee", "rod"), q, rate)
    })  # fmt: skip
    target = data.ctrl[0] / 3 - scene.qpos0[0]
    sim.step({"servo": target, "torque": data.ctrl[1], "speed": data.ctrl[2] / -2})
    result = sim.result()
    for name, theirs in zip(("servo", "torque", "speed"), data.qfrc_actuator):
        assert result.effort(name)[0] == pytest.approx(theirs, abs=1e-9)
    for _ in range(100):
        mujoco.mj_step(scene, data)
    sim.step(steps=99)
    assert np.allclose(list(sim.coordinates.values()), data.qpos - scene.qpos0, atol=1e-7)


def test_gears_and_limits_are_those_of_the_file(tmp_path):
    (tmp_path / "robot.xml").write_text(ROBOT)
    model = ch.read_model(tmp_path / "robot.xml")
    servo, torque, speed = model.forces
    assert (servo.kind, torque.kind, speed.kind) == ("servo", "motor", "servo")
    assert servo.limit == (-9.0, 8.0) and servo.gear == 3.0 and servo.stiffness == 20.0
    assert torque.limit == (-0.4, 0.7) and torque.gear == 5.0
    assert speed.limit == (-1.5, 2.0) and speed.stiffness == 0.0 and speed.damping == 30.0
    assert any("control is 0" in note and "'torque'" in note for note in model.notes)
