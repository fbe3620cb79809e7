"""Couplings of several bodies by a formula: against couplings of coordinates, and closed forms."""

import numpy as np
import pytest

import chasles as ch
from chasles.build.dynamics.tree_problem import TreeProblem
from chasles.core.arrays import flat_arrays
from chasles.core.recursion.refine import gather, put_row_residuals

X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)
MIXED = {"one": "subgroups", "two": "SE3", "three": "subgroups"}


def slides(coupling, **more):
    """Three blocks on slides along different directions, pulled by springs."""
    at = [(0, 0, 0), (0, 1, 0), (0, 2, 0)]
    axes = [X, (0.6, 0, 0.8), Z]
    bodies = [
        ch.Body.box(name, (0.1, 0.2, 0.3), mass=m, position=p)
        for name, m, p in zip(("one", "two", "three"), (1.0, 2.0, 3.0), at)
    ]
    joints = [
        ch.Prismatic(f"slide {b.name}", ch.GROUND, b, axis=axis) for b, axis in zip(bodies, axes)
    ]
    spring = ch.JointSpring("spring", "slide one", stiffness=30.0, rest=0.5)
    return ch.Model(bodies, [*joints, coupling], [spring], **more)


def along(pose, axis):
    return sum(a * x for a, x in zip(axis, pose[1]))


def displacements(one, two, three):
    """s1 + 2 s2 - s3 + s2^2 / 2: displacements along the slides, from positions."""
    s2 = along(two, (0.6, 0, 0.8))
    return along(one, X) + 2.0 * s2 + 0.5 * s2**2 - along(three, Z)


TERMS = {"slide one": 1, "slide two": (2, 0.5), "slide three": -1}


@pytest.mark.parametrize("spaces", ["auto", "subgroups"])
def test_a_formula_of_poses_is_the_coupling_of_the_same_coordinates(spaces):
    couplings = (
        ch.Coupling("tie", TERMS),
        ch.CustomCoupling("tie", ["one", "two", "three"], displacements),
    )
    of_terms, of_poses = (
        ch.simulate(slides(c), until=1.5, step=1e-2, spaces=spaces) for c in couplings
    )
    for name in TERMS:
        assert of_poses.coordinate(name) == pytest.approx(of_terms.coordinate(name), abs=1e-12)
    assert np.ptp(of_terms.coordinate("slide two")) > 0.1
    assert of_poses.effort("tie") == pytest.approx(
        of_terms.effort("tie", on="slide one"), abs=1e-10
    )
    for force in range(2):
        for joint in TERMS:
            pair = [run.reaction(joint).in_joint_frame[force] for run in (of_poses, of_terms)]
            assert pair[0] == pytest.approx(pair[1], abs=1e-9)
    assert of_poses.violation("tie") == pytest.approx(of_terms.violation("tie"), abs=1e-13)
    most = of_poses.kinetic_energy().max()
    assert np.abs(of_poses.energy_balance()).max() < 1e-6 * most
    assert np.abs(of_poses.work("tie")).max() == 0.0
    assert slides(couplings[1]).degrees_of_freedom == 2


def on_slides(spaces):
    tie = ch.CustomCoupling("tie", ["one", "two", "three"], displacements)
    return ch.simulate(slides(tie), until=1.5, step=1e-2, spaces=spaces)


@pytest.fixture(scope="module")
def on_subgroups():
    return on_slides("auto")


@pytest.mark.parametrize("spaces", ["SE3", "SO3xR3", "framed", "SE3 relative", MIXED])
def test_bodies_on_charts_move_as_those_on_subgroups(spaces, on_subgroups):
    run = on_slides(spaces)
    for name in TERMS:
        assert run.coordinate(name) == pytest.approx(on_subgroups.coordinate(name), abs=1e-11)
    assert run.effort("tie") == pytest.approx(on_subgroups.effort("tie"), abs=1e-9)


@pytest.fixture(scope="module")
def free_bodies():
    return ch.simulate(roped(), until=0.5, step=2e-3)


@pytest.mark.parametrize("spaces", ["SE3", "SO3xR3"])
def test_a_rope_on_charts_has_the_motion_of_free_bodies(spaces, free_bodies):
    run = ch.simulate(roped(), until=0.5, step=2e-3, spaces=spaces)
    for body in ("left", "pulley", "right"):
        assert run.position(body) == pytest.approx(free_bodies.position(body), abs=1e-9)
        assert run.rotation(body) == pytest.approx(free_bodies.rotation(body), abs=1e-9)
    assert run.violation("rope").max() < 1e-9


def turned(pose):
    """The angle about z."""
    return np.arctan2(pose[0][3], pose[0][0])


def test_a_planetary_gear_by_a_formula_is_that_of_the_coupling():
    """On the carrier: s - c + 2 p = 0 with the planet's own angle against it."""
    carrier = ch.Body.rod("carrier", length=0.6, mass=2.0, position=(0.15, 0, 0))
    sun = ch.Body.cylinder("sun", 0.1, 0.05, 3.0, axis="z", position=(0, 0, 0.1))
    planet = ch.Body.cylinder("planet", 0.2, 0.05, 1.5, axis="z", position=(0.3, 0, 0))
    joints = [
        ch.Revolute("c", ch.GROUND, carrier, (0, 0, 0), Z),
        ch.Revolute("s", ch.GROUND, sun, (0, 0, 0.1), Z),
        ch.Revolute("p", carrier, planet, (0.3, 0, 0), Z),
    ]

    def mesh(carrier, sun, planet):
        c = turned(carrier)
        return turned(sun) - c + 2.0 * (turned(planet) - c)

    motor = ch.Motor("motor", "s", effort=2.0)
    runs = [
        ch.simulate(
            ch.Model([carrier, sun, planet], [*joints, tie], [motor], gravity=(0, 0, 0)),
            until=0.1, step=0.01,
        )
        for tie in (
            ch.Coupling("mesh", {"s": 1, "c": -1, "p": 2}),
            ch.CustomCoupling("mesh", [carrier, sun, planet], mesh),
        )
    ]  # fmt: skip
    for name in "scp":
        assert runs[1].coordinate(name) == pytest.approx(runs[0].coordinate(name), abs=1e-13)


def rope(left, pulley, right):
    """The length of a rope from one centre to the next, less 3 m."""

    def span(a, b):
        return np.sqrt(sum((x - y) ** 2 for x, y in zip(a[1], b[1])))

    return span(left, pulley) + span(pulley, right) - 3.0


def roped(**more):
    """Three free bodies on a rope of 3 m."""
    shape = {"size": (0.2, 0.1, 0.3)}
    bodies = [
        ch.Body.box("left", mass=1.0, position=(-1, 0, 0), velocity=(0, -0.5, 1.0),
                    angular_velocity=(1, 2, 3), **shape),
        ch.Body.box("pulley", mass=2.0, position=(0, 0, 0), velocity=(0, 0, 0), **shape),
        ch.Body.box("right", mass=3.0, position=(1.2, 0, 1.6), velocity=(0.4, 1.0, -0.3), **shape),
    ]  # fmt: skip
    tie = ch.CustomCoupling("rope", bodies, rope)
    return ch.Model(bodies, [tie], gravity=(0, 0, 0), **more)


@pytest.mark.parametrize("stabilisation", [None, "projection"])
def test_a_rope_between_three_free_bodies_keeps_momentum_energy_and_length(stabilisation):
    result = ch.simulate(roped(), until=1.0, step=2e-3, stabilise=stabilisation)
    limit = 1e-13 if stabilisation else 1e-9
    assert np.abs(result.violation("rope")).max() < limit
    assert np.ptp(result.momentum(), axis=0).max() < 1e-12
    assert np.ptp(result.energy()) < 1e-9
    assert np.ptp(result.position("pulley"), axis=0).max() > 0.1


def test_a_rope_pulls_on_its_bodies_with_one_tension(refusal):
    """m a = -lambda times the derivative of the length: T towards the pulley on both ends."""
    result = ch.simulate(roped(), until=0.5, step=1e-3, save_every=100)
    tension = -result.effort("rope")
    for end, mass in (("left", 1.0), ("right", 3.0)):
        towards = result.position("pulley") - result.position(end)
        towards /= np.linalg.norm(towards, axis=1)[:, None]
        assert mass * result.acceleration(end) == pytest.approx(
            tension[:, None] * towards, abs=1e-8
        )
    assert (tension > 0).all()
    message = refusal(lambda: result.reaction("rope"), ch.ChaslesError)
    assert "coupling 'rope' pushes on several bodies" in message


def test_velocities_and_poses_of_the_start_are_closed_by_a_formula():
    model = slides(ch.CustomCoupling("tie", ["one", "two", "three"], displacements))
    moved = ch.Model(
        [b if b.name != "one" else ch.Body.box("one", (0.1, 0.2, 0.3), 1.0, velocity=(1, 0, 0))
         for b in model.bodies], [*model.joints, *model.drivers], gravity=(0, 0, 0),
    )  # fmt: skip
    result = ch.simulate(moved, until=0.1, step=0.01)
    rates = [result.coordinate_rate(name)[0] for name in TERMS]
    assert rates[0] == pytest.approx(1.0)
    assert rates[0] + 2.0 * rates[1] - rates[2] == pytest.approx(0.0, abs=1e-13)

    def off(one, two, three):
        return displacements(one, two, three) - 0.3

    tie = ch.CustomCoupling("tie", ["one", "two", "three"], off)
    with pytest.raises(ch.ChaslesError, match=r"coupling 'tie': its formula is -0\.3 at t = 0"):
        ch.simulate(slides(tie), until=0.1, step=0.01)
    closed = ch.simulate(slides(tie), until=0.1, step=0.01, close=True)
    assert closed.violation("tie")[0] < 1e-15


def test_vibrations_and_equations_have_its_row():
    model = slides(ch.CustomCoupling("tie", ["one", "two", "three"], displacements))
    same = slides(ch.Coupling("tie", TERMS))
    assert ch.linearise(model).frequencies == pytest.approx(ch.linearise(same).frequencies)
    found = ch.equations(model)
    both = np.linalg.solve(found.kkt, np.concatenate((found.forces, found.eta)))
    solution = np.concatenate((found.acceleration, found.multipliers))
    assert solution == pytest.approx(both, abs=1e-9 * np.abs(both).max())


def raising(*poses):
    raise KeyError("none")


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: ch.CustomCoupling("tie", "one", rope), "must be a list of bodies, got 'one'"),
        (lambda: ch.CustomCoupling("tie", ["one"], rope), "2 to 16 bodies, got 1"),
        (lambda: ch.CustomCoupling("tie", ["one", "one"], rope), "'one' is named twice"),
        (lambda: ch.CustomCoupling("tie", ["one", ch.GROUND], rope), "bodies[1] is the ground"),
        (lambda: ch.CustomCoupling("tie", ["one", 3], rope), "bodies[1] must be a body, got 3"),
        (lambda: ch.CustomCoupling("tie", [f"b{k}" for k in range(17)], rope), "got 17"),
        (lambda: ch.CustomCoupling("tie", ["one", "two"], 3), "formula must be"),
        (lambda: slides(ch.CustomCoupling("tie", ["one", "tow"], rope)), "'tow'"),
    ],
)
def test_a_coupling_that_makes_no_sense_is_refused(make, said, refusal):
    message = refusal(make, ch.ChaslesError)
    assert said in message and "'tie'" in message


@pytest.mark.parametrize(
    ("formula", "said"),
    [
        (raising, "raised KeyError"),
        (lambda *poses: (1.0, 2.0), "shape (2,)"),
        (lambda *poses: np.nan * poses[0][1][0], "must be finite"),
        (lambda *poses: "x", "real numbers"),
        (lambda one: 0.0, "raised TypeError"),
        (lambda *poses: 0.0 * poses[0][1][0], "holds nothing"),
        (lambda *poses: float(np.sqrt(poses[0][1][0] ** 2)), "holds nothing|differentiated"),
    ],
)
def test_a_formula_that_fails_is_named(formula, said, refusal):
    tie = ch.CustomCoupling("tie", ["one", "two", "three"], formula)
    message = refusal(lambda: ch.simulate(slides(tie), until=0.1, step=0.01), ch.ChaslesError)
    assert any(part in message for part in said.split("|")) and "coupling 'tie'" in message


def test_a_formula_that_fails_on_the_way_stops_the_run():
    def short(one, two, three):
        if one[1][0] > 0.05:
            raise ValueError("too far")
        return displacements(one, two, three)

    model = slides(ch.CustomCoupling("tie", ["one", "two", "three"], short))
    with pytest.raises(ch.ChaslesError, match=r"coupling 'tie'.*too far"):
        ch.simulate(model, until=1.0, step=0.01)


def test_it_moves_with_a_prefix_and_not_elsewhere(refusal):
    model = slides(ch.CustomCoupling("tie", ["one", "two", "three"], displacements))
    (tie,) = model.placed(prefix="leg ").couplings
    assert tie.bodies == ("leg one", "leg two", "leg three")
    assert "world coordinates" in refusal(lambda: model.placed(position=(1, 0, 0)), ch.ChaslesError)


def test_results_are_saved_and_go_on_with_the_model_at_hand(tmp_path, refusal):
    model = slides(ch.CustomCoupling("tie", ["one", "two", "three"], displacements))
    whole = ch.simulate(model, until=0.2, step=0.01)
    half = ch.simulate(model, until=0.1, step=0.01)
    half.save(tmp_path / "run.nc")
    load = lambda: ch.load(tmp_path / "run.nc")  # noqa: E731
    assert "coupling 'tie': formula" in refusal(load, ch.ChaslesError)
    again = ch.load(tmp_path / "run.nc", model=model)
    rest = ch.simulate(model, until=0.2, step=0.01, start=again)
    assert np.array_equal(rest.absolute[-1], whole.absolute[-1])


@pytest.mark.parametrize("formula", [True, False])
def test_rows_miss_nothing_at_the_accelerations_that_were_solved_for(formula):
    """eta - J v' from the motion of the bodies: what damped factors are refined by."""
    tie = ch.CustomCoupling("tie", ["one", "two", "three"], displacements)
    problem = TreeProblem.from_model(slides(tie if formula else ch.Coupling("tie", TERMS)))
    state = problem.start.copy()
    count = problem.tree.stored_count
    state[:count], state[count:] = 0.1, (1.0, -2.0, 1.0 - 2.1 * 2.0)
    rates = problem.reactions(state[None]).last.rates
    tree, loops, loop_work = (
        flat_arrays(x) for x in (problem.tree, problem.loops, problem.loop_work)
    )
    rows, work = flat_arrays(problem.tree_work).rows, flat_arrays(problem.workspace)
    loop_work.solution[: len(rates)] = rates
    gather(tree, loops, loop_work, rows, loop_work.solution)
    put_row_residuals(tree, loops, loop_work, rows, work)
    assert np.abs(loop_work.left).max() < 1e-12 < np.abs(rates).min()


def test_a_coupling_twice_moves_as_once():
    names = ["one", "two", "three"]
    model = slides(ch.CustomCoupling("tie", names, displacements))
    again = ch.CustomCoupling("again", names, lambda *poses: 3.0 * displacements(*poses))
    one, two = (
        ch.simulate(m, until=1.0, step=1e-2) for m in (model, model.with_parts(drivers=[again]))
    )
    for name in TERMS:
        assert two.coordinate(name) == pytest.approx(one.coordinate(name), abs=1e-8)
    assert model.with_parts(drivers=[again]).degrees_of_freedom == 2


@pytest.mark.parametrize("spaces", ["auto", "SE3"])
@pytest.mark.filterwarnings("error")
def test_a_coupling_that_joints_leave_nothing_to_hold_is_told_in_our_words(spaces, refusal):
    """Its formula changes with a position that the slides keep: its row vanishes on what moves."""
    model = slides(ch.CustomCoupling("tie", ["one", "three"], lambda one, three: one[1][1]))
    for asked in (lambda: ch.simulate(model, 0.01, step=1e-3, spaces=spaces),
                  lambda: ch.equations(model)):  # fmt: skip
        refusal(asked, ch.SimulationStopped)
