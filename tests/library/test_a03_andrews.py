"""A03: Andrews' squeezer against the published solution and against its equations in angles."""

import numpy as np
from scipy.integrate import solve_ivp

import chasles as ch
from chasles.studies.library import andrews_squeezer

NAMES = ("OF", "FE", "BDE", "EG", "AG", "HE", "AH")

# Hairer and Wanner's angles beta, Theta, gamma, Phi, delta, Omega, epsilon at the start, and at
# 0.03 s as the Test Set for IVP Solvers has them, computed with tolerances of 1e-14.
START = (
    -0.0617138900142764496, 0.0, 0.455279819163070380, 0.222668390165885885,
    0.487364979543842550, -0.222668390165885885, 1.23054744454982119,
)  # fmt: skip
PUBLISHED = (
    0.1581077119629904e2, -0.1575637105984298e2, 0.4082224013073101e-1, -0.5347301163226948,
    0.5244099658805304, 0.5347301163226948, 0.1048080741042263e1,
)  # fmt: skip
PUBLISHED_RATES = (
    0.1139920302151208e4, -0.1424379294994111e4, 0.1103291221937134e2, 0.1929337464421385e2,
    0.5735699284790808, -0.1929337464421385e2, 0.3231791658026955,
)  # fmt: skip

#: Of the loops that close at E, through the triangle, EG and HE: forces x, y of each, N.
PUBLISHED_MULTIPLIERS = (
    0.1991753333731910e3, -0.2975531228015052e2, 0.2306654119098399e2,
    0.3145271365475927e2, 0.2264249232082739e2, 0.1161740700019673e2,
)  # fmt: skip
AT_E = ("E of the triangle", "E of EG", "E of HE")


def directions(angles: tuple[float, ...]) -> np.ndarray:
    """Absolute angles of the links from the seven angles of Hairer and Wanner."""
    beta, theta, gamma, phi, delta, omega, epsilon = angles
    return np.array([beta, beta + theta, gamma, phi + delta, delta, omega + epsilon, epsilon])


# --- the mechanism in the complex plane: points are base + coefficients . exp(i angle) ---

A, B, C = -0.06934 - 0.00227j, -0.03635 + 0.03273j, 0.014 + 0.072j
MASSES = np.array([0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498])
MOMENTS = np.array([2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5])
CENTRES = np.array([
    (0.00092, 0, 0, 0, 0, 0, 0),
    (0.007, -0.0115, 0, 0, 0, 0, 0),
    (0, 0, 0.01043 - 0.01874j, 0, 0, 0, 0),
    (0, 0, 0, -0.00579j, 0.04, 0, 0),  # 0.02 - 0.01421 from G
    (0, 0, 0, 0, 0.02308 + 0.00916j, 0, 0),
    (0, 0, 0, 0, 0, 0.00579, -0.04j),
    (0, 0, 0, 0, 0, 0, -0.00449 - 0.01228j),
])  # fmt: skip
D = np.array([0, 0, 0.02 - 0.018j, 0, 0, 0, 0])  # from B
BY_CRANK = np.array([0.007, -0.028, 0, 0, 0, 0, 0])  # to E, from O
BY_TRIANGLE = np.array([0, 0, -0.035j, 0, 0, 0, 0])  # from B
BY_G = np.array([0, 0, 0, -0.02j, 0.04, 0, 0])  # from A
BY_H = np.array([0, 0, 0, 0, 0, 0.02, -0.04j])  # from A
LOOPS = np.array([BY_CRANK - BY_TRIANGLE, BY_CRANK - BY_G, BY_CRANK - BY_H])
LOOP_BASES = np.array([-B, -A, -A])


def accelerations(_: float, state: np.ndarray) -> np.ndarray:
    """Rates of (angles, speeds): M q'' + G^T lambda = f and G q'' = -G' q'."""
    angles, speeds = state[:7], state[7:]
    z = np.exp(1j * angles)
    points, loops = CENTRES * (1j * z), LOOPS * (1j * z)  # by the angles
    mass = (np.conj(points).T * MASSES @ points).real + np.diag(MOMENTS)
    centripetal = CENTRES @ (-z * speeds**2)
    force = -(np.conj(points).T @ (MASSES * centripetal)).real
    stretch = B + D @ z - C
    pull = -4530.0 * (abs(stretch) - 0.07785) * stretch / abs(stretch)
    force += (np.conj(D * 1j * z) * pull).real
    force[0] += 0.033
    rows = np.vstack((loops.real, loops.imag))
    missing = LOOPS @ (z * speeds**2)
    eta = np.concatenate((missing.real, missing.imag))
    kkt = np.block([[mass, rows.T], [rows, np.zeros((6, 6))]])
    return np.concatenate((speeds, np.linalg.solve(kkt, np.concatenate((force, eta)))[:7]))


def integrated(t: np.ndarray) -> np.ndarray:
    """Angles (T, 7) of the links from SciPy."""
    begin = np.concatenate((directions(START), np.zeros(7)))
    solved = solve_ivp(accelerations, (0, t[-1]), begin, "DOP853", t, rtol=1e-12, atol=1e-12)
    return solved.y[:7].T


def link_angles(result: ch.Result) -> np.ndarray:
    """Angles (T, 7) of the links, without wrap-around."""
    turns = [result.rotation(name) for name in NAMES]
    return np.stack([np.unwrap(np.arctan2(r[:, 1, 0], r[:, 0, 0])) for r in turns], axis=1)


def test_the_start_is_that_of_hairer_and_wanner_and_closed():
    _, angles = andrews_squeezer.start()
    found = np.array([angles[name] for name in NAMES])
    assert np.abs(found - directions(START)).max() < 1e-14
    closed = LOOP_BASES + LOOPS @ np.exp(1j * found)
    assert np.abs(closed).max() < 1e-16


def test_the_start_has_the_angles_of_the_tables_within_their_rounding():
    """Those of the tables are up to 1.5e-3 rad from what the lengths ask for; EHA is the outer."""
    points, angles = andrews_squeezer.start()

    def angle(a: str, b: str, c: str) -> float:
        first, second = (points[end] - points[b] for end in (a, c))
        return abs(np.angle(first / second))

    found = (
        angles["OF"],
        angle("F", "E", "B"),
        angle("F", "E", "G"),
        angle("E", "G", "A"),
        np.pi - angle("E", "H", "A"),
    )
    assert np.abs(np.subtract(found, (-0.0620, 2.088, 2.341, 1.792, 1.348))).max() < 2e-3


def test_the_links_reach_the_published_angles_and_speeds():
    result = ch.library.get("A03").run(until=0.03)
    angles = link_angles(result)[-1]
    assert np.abs(angles - directions(PUBLISHED)).max() < 1e-8
    speeds = [result.angular_velocity(name)[-1, 2] for name in NAMES]
    assert np.abs(speeds - directions(PUBLISHED_RATES)).max() < 1e-5  # of 1140 rad/s


def test_speeds_and_multipliers_are_those_of_the_test_set_as_far_as_its_digits_hold():
    """The digits printed are 1.1e-9 rad off what DOP853 here, rk4 and SciPy on angles agree on."""
    result = ch.simulate(
        ch.library.get("A03").model(), 0.03, rtol=1e-12, atol=1e-15, t_eval=[0.0, 0.03],
        stabilise="projection of all joints",
    )  # fmt: skip
    speeds = [result.angular_velocity(name)[-1, 2] for name in NAMES]
    assert np.abs(speeds - directions(PUBLISHED_RATES)).max() < 6e-7  # of 1140 rad/s
    forces = np.concatenate([result.reaction(joint).force[-1, :2] for joint in AT_E])
    assert np.abs(forces - PUBLISHED_MULTIPLIERS).max() < 2e-5  # of 199 N


def test_the_links_follow_an_integration_of_the_published_equations():
    result = ch.library.get("A03").run(save_every=100)
    missed = np.abs(link_angles(result) - integrated(result.t)).max()
    assert result.t[-1] == 0.05 and missed < 1e-6


def test_nine_rows_are_redundant_and_the_checks_pass():
    benchmark = ch.library.get("A03")
    result = benchmark.run()
    assert (result.redundancy.rows, result.redundancy.rank) == (50, 41)
    checks = benchmark.check(result)
    assert all(check.passed for check in checks)
    assert "against those published" in checks[0].what


def test_a_squeezer_with_another_spring_fails_the_published_check(monkeypatch):
    """Of all checks this alone knows: energy and gaps are right for any spring."""
    monkeypatch.setattr(andrews_squeezer, "STIFFNESS", 4530.1)
    benchmark = ch.library.get("A03")
    checks = benchmark.check(benchmark.run(until=0.03))
    assert [check.passed for check in checks] == [False, True, True, True, True]
