"""Whatever is passed where, the answer is a result or a ChaslesError, never a raw exception."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import chasles as ch


class Unprintable:
    """An object of the user's own with a slip in it."""

    def __repr__(self):
        raise RuntimeError("cannot say")


class Pint:
    """A number with a unit, as pint makes them: it goes by itself into what NumPy makes of it."""

    units = property(lambda self: "mm")

    def __init__(self, magnitude):
        self.magnitude = magnitude

    def __float__(self):
        return float(self.magnitude)

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.magnitude, dtype)


class Astropy(np.ndarray):
    """An array with a unit, as astropy makes them."""

    unit = property(lambda self: "mm")


def in_mm(numbers):
    return np.array(numbers, float).view(Astropy)


#: Vectors and numbers in mm, as other packages make them.
IN_MM = [in_mm([1, 2, 3]), Pint([1, 2, 3]), [Pint(1), Pint(2), 3], [in_mm(1), 2, 3]]
ONE_IN_MM = [in_mm(1), Pint(1)]


class Unready:
    """What raises something of its own where it is asked for its numbers."""

    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("not yet")

    def __float__(self):
        raise RuntimeError("not yet")


NAN = float("nan")
VALUES = [
    *IN_MM, *ONE_IN_MM, Unready(), [Unready()], [Unready(), 1, 2],
    None, "x", "", b"1", True, np.True_, 0, -1, 2, 10**400, NAN, float("inf"), -0.0, 5e-324,
    1.7e308, 1j, np.complex128(1), np.float32(0.1), np.int8(3), Fraction(1, 10), Decimal("0.1"),
    Decimal("NaN"), np.datetime64("NaT"), np.array(0.1), np.array([1.0, 2.0]), np.zeros((0, 3)),
    np.array([1, "x", None], dtype=object), np.ma.masked, np.ma.array([1.0, 2, 3], mask=[0, 1, 0]),
    [1], [[1, 2], [3]], (1, 2, 3), [NAN] * 3,
    bytearray(b"1"), memoryview(b"1"), bytearray(b"123"), np.longdouble("1e4000"),
    np.array([1, 2, np.longdouble("1e4000")]), Unprintable(), [Unprintable()],
    {}, {"x": 1}, {1, 2}, range(3), object(), object, print, lambda: 0, ch.GROUND, ch.SE3,
]  # fmt: skip


def rod() -> ch.Body:
    return ch.Body.rod("rod", 1.0, mass=1.0, position=(0.5, 0, 0))


HINGE = {"name": "hinge", "a": ch.GROUND, "b": "rod", "at": (0, 0, 0), "axis": (0, 1, 0)}
MODEL = ch.Model([rod()], [ch.Revolute(**HINGE)])


@pytest.fixture(scope="module")
def result() -> ch.Result:
    return ch.simulate(MODEL, until=0.02, step=0.01)


def body(**more):
    return ch.Body(**{"name": "rod", "mass": 1.0, "inertia": (1, 1, 1), **more})


def run(**more):
    return ch.simulate(**{"model": MODEL, "until": 0.02, "step": 0.01, **more})


def body_in_a_run(**more):
    ch.simulate(ch.Model([body(**more)], [ch.Revolute(**HINGE)]), until=0.02, step=0.01)


MAKERS = {
    **{
        f"Body {k}": (body, k)
        for k in ("name", "mass", "inertia", "position", "rotation", "shape")
    },
    **{f"Body {k}": (body_in_a_run, k) for k in ("velocity", "angular_velocity")},
    "box size": (lambda v: ch.Body.box("box", v, mass=1), None),
    "box mass": (lambda v: ch.Body.box("box", (1, 1, 1), mass=v), None),
    "box density": (lambda v: ch.Body.box("box", (1, 1, 1), density=v), None),
    "cylinder radius": (lambda v: ch.Body.cylinder("can", v, 1.0, density=1), None),
    "cylinder length": (lambda v: ch.Body.cylinder("can", 1.0, v, density=1), None),
    "cylinder axis": (lambda v: ch.Body.cylinder("can", 1.0, 1.0, density=1, axis=v), None),
    "rod length": (lambda v: ch.Body.rod("rod", v, mass=1), None),
    "rod radius": (lambda v: ch.Body.rod("rod", 1, mass=1, radius=v), None),
    "sphere radius": (lambda v: ch.Body.sphere("ball", v, density=1), None),
    **{
        f"Revolute {k}": (lambda **v: ch.Revolute(**{**HINGE, **v}), k)
        for k in ("name", "a", "b", "at", "axis", "at_b", "axis_b", "armature", "zero", "turn")
    },
    **{
        f"Prismatic {k}": (lambda **v: ch.Prismatic(**{**HINGE, **v}), k) for k in ("at", "axis")
    },
    "Fixed at": (lambda v: ch.Fixed("weld", ch.GROUND, "rod", at=v), None),
    "Helical pitch": (lambda v: ch.Helical(**HINGE, pitch=v), None),
    **{
        f"Model {k}": (lambda **v: ch.Model(**{"bodies": [rod()], **v}), k)
        for k in ("bodies", "joints", "forces", "drivers", "sensors", "notes", "gravity")
    },
    "Model body": (lambda v: ch.Model([v]), None),
    "Model joint": (lambda v: ch.Model([rod()], [v]), None),
    "Model.body": (MODEL.body, None),
    "Model.joint": (MODEL.joint, None),
    **{
        f"simulate {k}": (run, k)
        for k in (
            "model", "until", "step", "method", "spaces", "acceleration", "stabilise",
            "save_every", "t_eval", "progress",
        )
    },
    **{
        f"designate {k}": (lambda **v: ch.designate(**{"model": MODEL, **v}), k)
        for k in ("model", "spaces", "cut")
    },
    "spaces value": (lambda v: run(spaces={"rod": v}), None),
    "SE3 relative_to": (lambda v: run(spaces=ch.SE3(v)), None),
    "SO3xR3 at": (lambda v: run(spaces=ch.SO3xR3(v)), None),
    **{
        f"Space {k}": (lambda **v: run(spaces=ch.Space(**{"group": "SO3xR3", **v})), k)
        for k in ("group", "at", "relative_to")
    },
    "equations model": (ch.equations, None),
    "equations state": (lambda v: ch.equations(MODEL, v), None),
    "equations acceleration": (lambda v: ch.equations(MODEL, acceleration=v), None),
    "Tableau a": (lambda v: ch.Tableau(v, [1.0]), None),
    "Tableau b": (lambda v: ch.Tableau([[0.0]], v), None),
    "Tableau c": (lambda v: ch.Tableau([[0.0]], [1.0], c=v), None),
    "Tableau name": (lambda v: ch.Tableau([[0.0]], [1.0], name=v), None),
    "Tableau b_embedded": (lambda v: ch.Tableau([[0.0]], [1.0], b_embedded=v), None),
}  # fmt: skip

#: Names, paths and lookups of a result.
QUESTIONS = {
    **{
        name: lambda result, v, name=name: getattr(result, name)(v)
        for name in (
            "position", "rotation", "velocity", "angular_velocity", "violation", "reaction", "state"
        )
    },
    "violation part": lambda result, v: result.violation("hinge", part=v),
    "reaction on": lambda result, v: result.reaction("hinge").on(v),
}  # fmt: skip


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", MAKERS)
def test_no_value_raises_anything_but_a_chasles_error(name):
    make, key = MAKERS[name]
    for value in VALUES:
        try:
            make(value) if key is None else make(**{key: value})
        except ch.ChaslesError as error:
            assert error.what and error.remedy, (name, value)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", QUESTIONS)
def test_no_question_to_a_result_raises_anything_but_a_chasles_error(name, result):
    for value in VALUES:
        try:
            QUESTIONS[name](result, value)
        except ch.ChaslesError as error:
            assert error.what and error.remedy, (name, value)


@pytest.mark.parametrize("value", IN_MM + [("ZYX", in_mm([1, 2, 3]))], ids=lambda value: "")
def test_numbers_with_units_are_not_taken_for_metres(value):
    """NumPy drops the unit without a word: 1 mm would be 1 m."""
    field = "rotation" if isinstance(value, tuple) else "position"
    with pytest.raises(ch.ChaslesError, match="has a unit of its own") as caught:
        body(**{field: value})
    assert "to_base_units" in str(caught.value) and "si.value" in str(caught.value)


@pytest.mark.parametrize("value", ONE_IN_MM, ids=lambda value: "")
def test_a_number_with_a_unit_is_not_taken_for_kilograms(value):
    makers = [lambda: body(mass=value), lambda: run(until=value), lambda: run(step=value)]
    makers += [
        lambda: ch.Revolute(**HINGE, armature=value),
        lambda: ch.Revolute(**HINGE, zero=value),
    ]
    for make in makers:
        with pytest.raises(ch.ChaslesError, match="has a unit of its own"):
            make()


ANSWERS = [in_mm, Pint]
PUSHED = {
    "target": lambda f: ch.Motor("m", "hinge", target=f, stiffness=1.0),
    "effort": lambda f: ch.Motor("m", "hinge", effort=f),
    "feedback": lambda f: ch.Motor("m", "hinge", effort=lambda t, q, rate: f(t)),
    "law": lambda f: ch.JointLaw("m", "hinge", lambda t, q, rate: f(t)),
    "load": lambda f: ch.Load("m", "rod", force=lambda t: (f(t), 0.0, 0.0)),
    "custom": lambda f: ch.CustomForce("m", "rod", lambda t, *_: ((f(t), 0, 0), (0, 0, 0))),
}


@pytest.mark.parametrize("made", ANSWERS)
@pytest.mark.parametrize("part", PUSHED)
def test_answers_of_functions_with_units_are_refused(part, made):
    with pytest.raises(ch.ChaslesError, match="has a unit of its own"):
        force = PUSHED[part](lambda t: made(1000.0 * np.asarray(t)))
        ch.simulate(MODEL.with_parts(forces=[force]), until=0.02, step=0.01)


@pytest.mark.parametrize("made", [*ANSWERS, lambda t: np.ma.array(t, mask=True)])
def test_motions_with_units_or_masks_are_refused(made):
    with pytest.raises(ch.ChaslesError, match=r"unit of its own|not a number"):
        drive = ch.Driver("d", "hinge", lambda t: made(np.asarray(t) ** 2))
        ch.simulate(MODEL.with_parts(drivers=[drive]), until=0.02, step=0.01)


WRONG = (in_mm([1, 2]), np.ma.array([1.0, 2], mask=[0, 1]), ["1", "2"], [True, 2.0],
         np.array([1, 2], "m8[s]"), [Pint(1), Pint(2)])  # fmt: skip


@pytest.mark.parametrize("value", WRONG, ids=lambda value: "")
def test_what_varies_is_numbers_and_nothing_that_looks_like_them(value):
    with pytest.raises(ch.InvalidOption, match=r"rod\.mass"):
        ch.ensemble(MODEL, {"rod.mass": value}, until=0.02, step=0.01)
    with pytest.raises(ch.InvalidOption, match=r"rod\.mass"):
        ch.sweep(MODEL, {"rod.mass": value}, until=0.02, step=0.01)


def test_a_column_of_a_table_may_be_called_unit():
    pandas = pytest.importorskip("pandas")
    place = pandas.Series([0.5, 0.0, 0.0], index=["x", "unit", "units"])
    assert body(position=place).position == (0.5, 0.0, 0.0)


@pytest.mark.parametrize("value", [[0.5, 0, 0], np.array([0.5, 0, 0]), np.float32([0.5, 0, 0])])
def test_lists_arrays_and_tuples_mean_the_same(value):
    assert ch.Body("rod", 1, [1, 1, 1], position=value).position == (0.5, 0.0, 0.0)


def test_arrays_may_be_read_only_strided_and_of_integers():
    position = np.array([1, 7, 2, 7, 3])[::2]
    position.flags.writeable = False
    inertia = np.asfortranarray(np.diag([2, 3, 4]))
    free = ch.Model([ch.Body("b", 1, inertia, position, velocity=[1, 0, 0])], gravity=[0, 0, -10])
    result = ch.simulate(free, until=np.int64(1), step=np.float32(0.25), save_every=np.int8(2))
    assert result.t.tolist() == [0.0, 0.5, 1.0]
    assert result.position("b")[-1] == pytest.approx((2, 2, -2))


def test_a_body_without_joints_is_a_model():
    thrown = ch.Body.sphere("ball", 0.1, mass=0.5, velocity=(1, 0, 5))
    result = ch.simulate(ch.Model([thrown]), until=1.0, step=0.1)
    assert result.position(thrown)[-1] == pytest.approx((1, 0, 5 - 9.81 / 2))
    assert ch.equations(ch.Model([thrown])).kkt.shape == (6, 6)
    assert ch.equations(ch.Model([thrown])).multipliers.shape == (0,)


@pytest.mark.parametrize("mass", [1e-300, 1e-30, 1e30, 1e300])
def test_a_pendulum_swings_alike_at_any_mass(mass):
    def swing(mass):
        body = ch.Body.rod("rod", 1.0, mass=mass, position=(0.5, 0, 0))
        return ch.simulate(ch.Model([body], [ch.Revolute(**HINGE)]), until=0.5, step=0.01)

    assert swing(mass).position("rod") == pytest.approx(swing(1.0).position("rod"), rel=1e-10)


def test_bodies_of_masses_far_apart_hang_together():
    heavy = ch.Body.rod("heavy", 1.0, mass=1e6, position=(0.5, 0, 0))
    light = ch.Body.rod("light", 1.0, mass=1e-6, position=(1.5, 0, 0))
    elbow = ch.Revolute("elbow", heavy, light, (1, 0, 0), (0, 1, 0))
    hinge = ch.Revolute("hinge", ch.GROUND, heavy, (0, 0, 0), (0, 1, 0))
    alone = ch.simulate(ch.Model([heavy], [hinge]), until=0.5, step=0.01)
    together = ch.simulate(ch.Model([heavy, light], [hinge, elbow]), until=0.5, step=0.01)
    assert together.position("heavy") == pytest.approx(alone.position("heavy"), rel=1e-9)
    assert max(together.violation(joint).max() for joint in ("hinge", "elbow")) < 1e-12
