"""Arguments of public functions that are not what they are to be: a ChaslesError says so."""

import os

import numpy as np
import pytest
from test_nasty_values import MODEL, Pint, Unprintable

import chasles as ch

SELF = []
SELF.append(SELF)


class Ambiguous:
    """As an array of several: it has no truth and cannot be compared or printed."""

    def _no(self, *_):
        raise ValueError("the truth value is ambiguous")

    __repr__ = __str__ = __bool__ = __eq__ = __lt__ = __ne__ = _no
    __hash__ = None


class Unsaid(Exception):
    def __str__(self):
        raise RuntimeError("cannot say")


def raising(*_):
    raise Unsaid


TEXTS = [Ambiguous(), Unprintable(), b"1", 3, [], np.zeros(3), "\ud800"]
FLAGS = [Ambiguous(), "no", 3, None, np.zeros(3)]
NO_NUMBERS = [Ambiguous(), Unprintable(), Pint(1), np.zeros(3), SELF, 10**400, "x"]
OTHERS = [*NO_NUMBERS, np.array(1.0)]
LONG = "a" * 5000
PATHS = [Ambiguous(), 3, b"x", "\ud800", "\0", "", LONG]


def run(**more):
    return ch.simulate(MODEL, **{"until": 0.02, "step": 0.01, "progress": False, **more})


def swept(**more):
    given = {"vary": {"rod.mass": [1.0]}, "until": 0.02, "step": 0.01, **more}
    return ch.sweep(MODEL, **given, progress=False)


TETRAHEDRON = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
CALLS = {
    "until with tol": (lambda v, _: run(until=v, step=None, tol=1e-4), NO_NUMBERS),
    "until": (lambda v, _: run(until=v), [SELF, [SELF], 5e-324]),
    "t_eval": (lambda v, _: run(t_eval=v), [SELF, [SELF, SELF]]),
    "events": (lambda v, _: run(events=v), [*OTHERS, raising]),
    "into": (lambda v, _: run(into=v), PATHS),
    "steps by hand": (
        lambda v, _: ch.Simulation(MODEL, 0.01).step(steps=v), [10**400, 10**17, 10**12, "x"],
    ),
    "hold": (lambda v, _: ch.assemble(MODEL, hold=v), [np.array(1.0), Ambiguous(), 3]),
    "close": (lambda v, _: ch.start_state(MODEL, {}, close=v), FLAGS),
    "direction": (lambda v, _: ch.Event(raising, direction=v), [*OTHERS, 3]),
    "name of an event": (lambda v, _: ch.Event(raising, name=v), TEXTS[:-1]),
    "rho": (lambda v, _: ch.generalized_alpha(rho=v), NO_NUMBERS),
    "index": (lambda v, _: ch.generalized_alpha(index=v), OTHERS),
    "limits": (lambda v, _: ch.read_model("x.urdf", limits=v), OTHERS),
    "vector": (lambda v, r: r.violation("hinge", vector=v), FLAGS),
    "order of a state": (lambda v, r: r.state().to_absolute(v), OTHERS),
    "wave": (lambda v, _: ch.Signal.of(v), OTHERS),
    "view": (lambda v, _: MODEL.plot(view=v), [*OTHERS, np.ma.array([1.0, 2], mask=[1, 0])]),
    "size": (lambda v, _: MODEL.plot(size=v), OTHERS),
    "names": (lambda v, _: MODEL.plot(names=v), FLAGS),
    "frames": (lambda v, _: MODEL.plot(frames=v), FLAGS),
    "axes": (lambda v, _: MODEL.plot(ax=v), OTHERS),
    "axes of a plot": (lambda v, r: r.plot(ax=v), OTHERS),
    "picture": (lambda v, _: MODEL.plot(v), PATHS),
    "labels": (lambda v, r: r.animate(labels=v), [*OTHERS, [Unprintable()], ["\ud800"]]),
    "title": (lambda v, r: r.animate(title=v), TEXTS),
    "title of an export": (lambda v, _: ch.export(MODEL, "x.html", title=v), TEXTS),
    "forces": (lambda v, r: r.animate(forces=v), FLAGS),
    "live": (lambda v, r: r.animate(live=v), FLAGS),
    "export": (lambda v, _: ch.export(MODEL, v), [*PATHS, "/nowhere/x.html"]),
    "colour": (lambda v, _: ch.Sphere(1.0, colour=v), OTHERS),
    "mass beside a density": (
        lambda v, _: ch.Body.sphere("ball", 0.1, mass=1.0, density=v), [Ambiguous(), Unprintable()],
    ),
    "triangles": (lambda v, _: ch.Mesh(TETRAHEDRON, v), [*OTHERS, [[1, 2], [3]], [Pint(1)]]),
    "mesh": (lambda v, _: ch.Mesh.read(v), OTHERS),
    "options of a sweep": (
        lambda v, _: swept(options=v), [True, 3, "x", [("method", "rk4")], *OTHERS],
    ),
    "measure": (lambda v, _: swept(measure=v), OTHERS),
    "folder of a sweep": (lambda v, _: swept(into=v), PATHS),
    "statistics": (
        lambda v, _: ch.ensemble(MODEL, {"rod.mass": [1.0]}, 0.02, 0.01, statistics=v), OTHERS,
    ),
    "function": (
        lambda v, _: ch.gradient(MODEL, v, ["rod.mass"], 0.02, 0.01), [raising, object, *OTHERS],
    ),
    "reactions": (lambda v, _: ch.convergence(MODEL, 0.02, [0.01, 0.005], reactions=v), FLAGS),
    "reference": (
        lambda v, _: ch.convergence(MODEL, 0.02, [0.01, 0.005], reference=v), OTHERS,
    ),
    "spaces of a candidate": (
        lambda v, _: ch.compare(MODEL, [{"rod": v}], 0.02, 0.01), [Unprintable(), Ambiguous()],
    ),
    "timing": (lambda v, _: ch.work_precision(MODEL, 0.02, [0.01], timing=v), FLAGS),
}  # fmt: skip


@pytest.fixture(scope="module")
def result():
    return run()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", CALLS)
def test_what_is_not_what_it_is_to_be_is_refused_by_a_named_error(
    name, result, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    call, values = CALLS[name]
    for value in values:
        with pytest.raises(ch.ChaslesError) as caught:
            call(value, result)
        assert caught.value.what and caught.value.remedy
    assert not os.listdir(tmp_path)


@pytest.mark.parametrize("until", [1e-200, 1e-300])
def test_a_run_may_be_shorter_than_squares_of_numbers_are(until):
    for given in ({"tol": 1e-4, "step": None}, {"step": until / 4}):
        assert run(until=until, **given).t[-1] == until


def test_a_longest_step_may_be_any_kind_of_number():
    from decimal import Decimal

    known = run(until=0.5, step=None, tol=1e-6, max_step=0.1)
    assert run(until=0.5, step=None, tol=1e-6, max_step=Decimal("0.1")).t.tolist() == (
        known.t.tolist()
    )
