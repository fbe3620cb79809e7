"""The chain against MuJoCo."""

import mujoco
import numpy as np
import pytest

import chasles as ch
from chasles.studies.library.chain import benchmark

LINK, MASS, RADIUS = 0.1, 0.1, 0.01
ALONG, ACROSS = MASS * RADIUS**2 / 2, MASS * (3 * RADIUS**2 + LINK**2) / 12


def mujoco_chain(links: int) -> mujoco.MjModel:
    xml = ""
    for k in reversed(range(links)):
        xml = (
            f'<body pos="{LINK if k else 0} 0 0"><joint type="ball"/>'
            f'<inertial pos="{LINK / 2} 0 0" mass="{MASS}"'
            f' diaginertia="{ALONG!r} {ACROSS!r} {ACROSS!r}"/>{xml}</body>'
        )
    options = '<option integrator="RK4" timestep="1e-4" gravity="0 0 -9.81"/>'
    return mujoco.MjModel.from_xml_string(f"<mujoco>{options}<worldbody>{xml}</worldbody></mujoco>")


@pytest.mark.parametrize("links", [1, 3, 10])
def test_the_chain_falls_as_mujocos(links):
    theirs = mujoco_chain(links)
    data = mujoco.MjData(theirs)
    data.qvel[2] = 2.0  # the straight chain turns as one
    for _ in range(5000):
        mujoco.mj_step(theirs, data)
    ours = benchmark(links).run(until=0.5)
    mujoco.mj_forward(theirs, data)
    centres = np.array([ours.position(f"link {k}")[-1] for k in range(links)])
    assert centres == pytest.approx(data.xipos[1:], abs=1e-8)


def test_the_long_chain_keeps_energy_and_holds_its_joints():
    chain = ch.library.get("chain-100")
    assert all(check.passed for check in chain.check(chain.run(until=1.0)))


@pytest.mark.parametrize("links", [0, -3, 2.5, "ten", None])
def test_a_chain_has_a_whole_number_of_links(links):
    with pytest.raises(ch.InvalidOption, match="links"):
        benchmark(links)
