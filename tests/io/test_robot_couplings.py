"""Couplings, several joints on one body, and limits of robots, against MuJoCo's own matrices."""

import mujoco
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from test_robots import ROBOTS

import chasles as ch


def scene_of(name, *more):
    scene = mujoco.MjModel.from_xml_path(str(ROBOTS / name))
    for what in ("CONTACT", "LIMIT", "FRICTIONLOSS", "EQUALITY", *more):
        scene.opt.disableflags |= int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{what}"))
    return scene, mujoco.MjData(scene)


def test_several_joints_on_one_body_move_as_in_mujoco():
    """Offset hinges, three hinges with springs, two and three slides, slides and a hinge."""
    model, (scene, data) = ch.read_model(ROBOTS / "several.xml"), scene_of("several.xml")
    scene.opt.integrator, scene.opt.timestep = mujoco.mjtIntegrator.mjINT_RK4, 5e-4
    rng = np.random.default_rng(4)
    data.qpos[:] = 0.2 * rng.normal(size=scene.nq)
    data.qvel[:] = rng.normal(size=scene.nv)
    names = [scene.joint(k).name for k in range(scene.njnt)]
    start = {n: (float(q), float(v)) for n, q, v in zip(names, data.qpos, data.qvel)}
    mujoco.mj_step(scene, data, nstep=400)
    result = ch.simulate(model, until=0.2, step=1e-3, method="dop853", start=start)
    ours = np.array([result.coordinate(name)[-1] for name in names])
    rates = np.array([result.coordinate_rate(name)[-1] for name in names])
    assert ours == pytest.approx(data.qpos, abs=1e-8)  # the truncation of MuJoCo's RK4
    assert rates == pytest.approx(data.qvel, abs=1e-7)
    assert any("frames without mass between the joints of body 'offset'" in n for n in model.notes)
    assert model.joint("second").armature == 0.02


def ten(data, scene, what):
    """The sparsity of the Jacobian of tendons, which is the model's since MuJoCo 3.4."""
    found = getattr(data, f"ten_J_{what}", None)
    return np.ravel(getattr(scene, f"ten_J_{what}") if found is None else found)


def polynomial_row(scene, equality, data):
    """g, J and J' q' of one of MuJoCo's couplings, from its words."""
    first, second = scene.eq_obj1id[equality], scene.eq_obj2id[equality]
    row = np.zeros(scene.nv)
    if scene.eq_type[equality] == mujoco.mjtEq.mjEQ_TENDON:  # whose Jacobian MuJoCo has itself
        dense = np.zeros((scene.ntendon, scene.nv))
        mujoco.mju_sparse2dense(
            dense, data.ten_J.ravel(), ten(data, scene, "rownnz"), ten(data, scene, "rowadr"),
            ten(data, scene, "colind"),
        )  # fmt: skip
        return dense[first] - scene.eq_data[equality, 1] * dense[second], 0.0
    row[scene.jnt_dofadr[first]] = 1.0
    f = np.polynomial.Polynomial(scene.eq_data[equality, :5])
    if second < 0:
        return row, 0.0
    at = scene.jnt_qposadr[second]
    q, v = data.qpos[at] - scene.qpos0[at], data.qvel[scene.jnt_dofadr[second]]
    row[scene.jnt_dofadr[second]] = -f.deriv()(q)
    return row, -f.deriv(2)(q) * v**2


def hard_rates(scene, data):
    """q'' from M q'' + J^T l = Q, J q'' = - J' q', with M and Q of MuJoCo."""
    mujoco.mj_forward(scene, data)
    mass = np.zeros((scene.nv, scene.nv))
    mujoco.mj_fullM(scene, data, mass)
    rows, drift = zip(*(polynomial_row(scene, k, data) for k in range(scene.neq)))
    rows, count = np.array(rows), scene.neq
    kkt = np.block([[mass, rows.T], [rows, np.zeros((count, count))]])
    forces = data.qfrc_passive - data.qfrc_bias
    return np.linalg.solve(kkt, np.append(forces, -np.array(drift)))


@pytest.mark.parametrize("name", ["hand.xml", "mimic.urdf"])
def test_couplings_move_by_mujocos_own_matrices_under_hard_constraints(name):
    model, (scene, data) = ch.read_model(ROBOTS / name, limits="none"), scene_of(name)
    nv = scene.nv

    def slope(t, y):
        data.qpos[:], data.qvel[:] = y[:nv], y[nv:]
        return np.append(y[nv:], hard_rates(scene, data)[:nv])

    start = np.append(scene.qpos0, np.zeros(nv))
    exact = solve_ivp(slope, (0, 0.4), start, method="DOP853", rtol=1e-11, atol=1e-12).y[:, -1]
    result = ch.simulate(model, until=0.4, step=1e-3, stabilise="projection")
    joints = [scene.joint(k).name for k in range(scene.njnt)]
    ours = np.array([result.coordinate(joint)[-1] for joint in joints])
    assert ours == pytest.approx(exact[:nv] - scene.qpos0, abs=1e-9)
    assert max(result.violation(c.name).max() for c in model.couplings) < 1e-12
    assert np.abs(result.energy_balance()).max() < 1e-8
    assert any("couplings that are soft in MuJoCo hold exactly" in note for note in model.notes)
    data.qpos[:], data.qvel[:] = scene.qpos0, 0.0
    multipliers = hard_rates(scene, data)[nv:]
    for k in range(scene.neq):
        coupling = scene.equality(k).name
        if scene.eq_obj2id[k] >= 0 and coupling in model.driver_names:
            assert result.effort(coupling)[0] == pytest.approx(-multipliers[k], rel=1e-9, abs=1e-12)


def test_limits_are_stops_that_give_way_as_stated():
    model = ch.read_model(ROBOTS / "mimic.urdf")
    stop = model.force("lead stop")
    assert (stop.lower, stop.upper) == pytest.approx((-0.2, 0.15))
    scene, _ = scene_of("mimic.urdf")
    # T = 0.02 s, zeta = 1, d = 0.95: with the coordinate's own inertia critically damped.
    inertia = 1.0 / scene.dof_invweight0[0]
    assert stop.stiffness == pytest.approx(0.95 * inertia / (0.95 * 0.02) ** 2, rel=1e-12)
    assert stop.damping == pytest.approx(inertia * 2 / 0.02, rel=1e-12)
    assert any("limits are soft stops" in note for note in model.notes)
    alone = ch.Model(
        [model.body("left")], [model.joint("lead")], [stop], gravity=model.gravity
    )  # falls onto its stop, and rests where the stop carries it
    result = ch.simulate(alone, until=2.0, step=1e-3)
    rest = result.coordinate("lead")[-1]
    assert 0.15 < rest < 0.17
    push = 9.81 * (0.1 * np.cos(rest) + 0.05 * np.sin(rest))
    assert stop.stiffness * (rest - 0.15) == pytest.approx(push, rel=1e-6)


def test_limits_may_be_left_out_and_are_then_told(tmp_path, refusal):
    model = ch.read_model(ROBOTS / "mimic.urdf", limits="none")
    assert not model.forces and any("limits are not enforced: 'lead'" in n for n in model.notes)
    said = refusal(lambda: ch.read_model(ROBOTS / "mimic.urdf", limits="hard"), ch.InvalidOption)
    assert "limits must be one of stops, none" in said
    path = model.write(tmp_path / "robot.toml")
    assert ch.read_model(path) == model
    assert "stops" in refusal(lambda: ch.read_model(path, limits="stops"), ch.InvalidOption)


def test_a_coupling_that_is_off_at_the_reference_pose_is_told(tmp_path):
    text = (ROBOTS / "mimic.urdf").read_text().replace('multiplier="-2"', 'offset="0.1"')
    (tmp_path / "robot.urdf").write_text(text)
    model = ch.read_model(tmp_path / "robot.urdf")
    assert any("start with close=True" in note for note in model.notes)
    result = ch.simulate(model, until=0.01, step=1e-3, close=True)
    gap = result.coordinate("follow")[0] - result.coordinate("lead")[0]
    assert gap == pytest.approx(0.1, abs=1e-9)


def test_mimic_joints_are_called_after_their_joints(tmp_path):
    model = ch.read_model(ROBOTS / "mimic.urdf")
    assert model.driver_names == ("follow mimics lead",)
    result = ch.simulate(model, until=0.05, step=1e-3)
    assert result.violation("follow mimics lead").max() < 1e-12
