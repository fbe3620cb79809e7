"""Keywords that do not exist are refused with the one that was meant; signatures are short."""

import inspect
from functools import partial
from math import log, pi

import pytest

import chasles as ch

ROD = ch.Body.rod("rod", mass=1.0, between=((0, 0, 0), (1, 0, 0)))
HINGE = ch.Revolute("hinge", ch.GROUND, ROD, (0, 0, 0), "y")
MODEL = ch.Model([ROD], [HINGE])
BALL = {"radius": 0.1, "mass": 1.0}
FLOOR = partial(ch.Contact, "floor", ch.GROUND, "ball", (0, 0, 0), stiffness=1e4)


@pytest.mark.parametrize(
    "call, wrong, meant",
    [
        (lambda: ch.simulate(MODEL, until=1, stepp=1e-3), "stepp", "step"),
        (lambda: ch.simulate(MODEL, untill=1, step=1e-3), "untill", "until"),
        (lambda: ch.Body.box("box", sise=(1, 1, 1), mass=1), "sise", "size"),
        (lambda: ch.Body.sphere("ball", **BALL, positon=(0, 0, 0)), "positon", "position"),
        (lambda: ch.Body("ball", masss=1, inertia=(1, 1, 1)), "masss", "mass"),
        (lambda: ch.Revolute("hinge", ch.GROUND, ROD, at=(0, 0, 0), axes="y"), "axes", "axis"),
        (lambda: ch.Spring("coil", ch.GROUND, ROD, (0, 0, 1), (1, 0, 0), stifness=1), "stifness",
         "stiffness"),
        (lambda: ch.Motor("servo", HINGE, tarket=0.0), "tarket", "target"),
        (lambda: ch.Driver("drive", HINGE, moton=abs), "moton", "motion"),
        (lambda: ch.Sensor("tip", ROD, read="velocity"), "read", "reads"),
        (lambda: ch.Model([ROD], gravitiy=(0, 0, 0)), "gravitiy", "gravity"),
        (lambda: ch.Signal.sine(amplitud=1, frequency=2), "amplitud", "amplitude"),
        (lambda: ch.Box((1, 1, 1), color="red"), "color", "colour"),
        (lambda: ch.simulate(MODEL, until=1, dt=1e-3), "dt", "step"),
        (lambda: ch.simulate(MODEL, t_end=1, step=1e-3), "t_end", "until"),
        (lambda: ch.simulate(MODEL, 1, 1e-3, solver="rk4"), "solver", "method"),
        (lambda: ch.simulate(MODEL, 1, reltol=1e-6), "reltol", "rtol"),
        (lambda: ch.Body.sphere("ball", **BALL, color="red"), "color", "colour"),
        (lambda: ch.Body("ball", 1.0, (1, 1, 1), color="red"), "color", "shape"),
        (lambda: ch.compare(MODEL, ["SE3"], until=1, spep=1e-3), "spep", "step"),
        (lambda: ch.designate(MODEL, cuts=["hinge"]), "cuts", "cut"),
        (lambda: ch.SO3xR3(relativ_to="rod"), "relativ_to", "relative_to"),
        (lambda: MODEL.plot(views="xy"), "views", "view"),
        (lambda: MODEL.placed(prefx="left "), "prefx", "prefix"),
        (lambda: FLOOR(restitution=0.5), "restitution", "dissipation"),
        (lambda: FLOOR(damping=0.5), "damping", "dissipation"),
        (lambda: FLOOR(mu=0.5), "mu", "friction"),
    ],
)  # fmt: skip
def test_a_misspelt_keyword_is_corrected(call, wrong, meant, refusal):
    message = refusal(call, ch.ChaslesError)
    assert f"no keyword '{wrong}'" in message and f"mean '{meant}'" in message


def test_methods_of_results_correct_theirs(refusal):
    run = ch.simulate(MODEL, until=0.01, step=1e-3)
    for call in (lambda: run.animate(frame=10), lambda: run.plot("energy", siz=(1, 1))):
        assert "no keyword" in refusal(call, ch.ChaslesError)


@pytest.mark.parametrize(
    "call, words",
    [
        (
            lambda: ch.Revolute("hinge", ch.GROUND),
            "Revolute 'hinge': 'b', 'at' and 'axis' are missing",
        ),
        (lambda: ch.Body.box("brick", mass=1), "Body.box 'brick': 'size' is missing"),
        (lambda: ch.simulate(MODEL), "simulate: 'until' is missing"),
        (lambda: ch.Model(), "Model: 'bodies' is missing"),
        (lambda: ch.start_state(MODEL), "start_state: 'coordinates' is missing"),
    ],
)
def test_what_is_missing_is_named(call, words, refusal):
    assert words in refusal(call, ch.ChaslesError)
    with pytest.raises(TypeError):
        call()


def test_an_unknown_keyword_is_still_a_type_error():
    with pytest.raises(TypeError, match="hinge"):
        ch.Revolute("hinge", ch.GROUND, ROD, at=(0, 0, 0), axes="y")


def test_kinds_of_ones_own_are_checked_as_well(refusal):
    class Glue(ch.Fixed):
        def __init__(self, name, a, b, strength=1.0):
            super().__init__(name, a, b)

    assert Glue("glue", ch.GROUND, ROD, strength=2.0).kind == "glue"
    assert "'strength'" in refusal(lambda: Glue("g", ch.GROUND, ROD, strenght=2.0), ch.ChaslesError)


def test_warnings_still_point_at_the_line_that_simulates():
    top = ch.Body.box("top", (0.1, 0.2, 0.4), mass=21.6, position=(0.5, 0, 0),
                      angular_velocity=(0, 20 * pi, 10 * pi))  # fmt: skip
    model = ch.Model([top], [ch.Spherical("pivot", ch.GROUND, top, at=(0, 0, 0))])
    with pytest.warns(ch.ChaslesWarning) as caught:
        ch.simulate(model, until=0.2, step=0.02, method="euler", spaces="SO3xR3")
    assert caught[0].filename == __file__


@pytest.mark.parametrize("name", sorted(ch.__all__))
def test_signatures_say_what_people_say(name):
    thing = getattr(ch, name)
    if callable(thing) and not (isinstance(thing, type) and issubclass(thing, Exception)):
        text = str(inspect.signature(thing))
        assert "numpy._typing" not in text and len(text) < 1300, text


def test_only_what_is_public_is_listed():
    assert set(dir(ch)) == {*ch.__all__, "__version__"}


@pytest.mark.parametrize(
    "method, meant", [("RK45", "'dopri5' or 'scipy RK45'"), ("ode15s", "'scipy BDF'")]
)
def test_names_of_methods_elsewhere_are_translated(method, meant, refusal):
    words = refusal(lambda: ch.simulate(MODEL, 1.0, 1e-3, method=method), ch.UnknownName)
    assert f"Did you mean {meant}" in words


# --- arguments twice, and too many ----------------------------------------------------------------


def checked_callables():
    """Every public function, class and constructor whose calls are checked, with its first name."""
    for name in ch.__all__:
        thing = getattr(ch, name)
        own = vars(thing).items() if inspect.isclass(thing) else ()
        makers = [getattr(thing, n) for n, maker in own if isinstance(maker, classmethod)]
        for call in (thing, *makers):
            function = call.__init__ if inspect.isclass(call) else call
            if not hasattr(function, "__wrapped__"):
                continue
            places = [
                parameter.name
                for parameter in inspect.signature(call).parameters.values()
                if parameter.kind is parameter.POSITIONAL_OR_KEYWORD
            ]
            if places:
                yield pytest.param(call, places, id=call.__qualname__)


CHECKED = list(checked_callables())


@pytest.mark.parametrize("call, places", CHECKED)
def test_an_argument_that_is_given_twice_is_named(call, places, refusal):
    message = refusal(lambda: call("one", **{places[0]: "other"}), ch.ChaslesError)
    assert f"'{places[0]}' is given twice" in message and "'one'" in message
    with pytest.raises(TypeError):
        call("one", **{places[0]: "other"})


@pytest.mark.parametrize("call, places", CHECKED)
def test_too_many_arguments_are_counted(call, places, refusal):
    message = refusal(lambda: call(*"x" * (len(places) + 2)), ch.ChaslesError)
    assert f"{len(places) + 2} arguments are given by their place" in message
    assert f"takes {len(places)} ({', '.join(places)})" in message


@pytest.mark.parametrize("asked", [(ch.simulate, (MODEL, 1.0), {"until": 2}),
                                   (ch.simulate, (MODEL, 1.0, 1e-3, "rk4"), {}),
                                   (ch.Simulation, (MODEL, 1e-3, "rk4"), {})])  # fmt: skip
def test_runs_do_not_speak_of_their_own_records(asked, refusal):
    call, given, named = asked
    message = refusal(lambda: call(*given, **named), ch.ChaslesError)
    assert "__init__" not in message and "Options" not in message
    assert message.startswith(call.__name__)


# --- names that are not there ---------------------------------------------------------------------


@pytest.mark.parametrize("kind, name", [(ch.Signal, "pulse"), (ch.Body, "cube")])
def test_a_constructor_that_is_not_there_is_answered_with_those_that_are(kind, name, refusal):
    message = refusal(lambda: getattr(kind, name), ch.UnknownName)
    assert f"{kind.__name__}: there is no constructor '{name}'" in message
    makers = [n for n, made in vars(kind).items() if isinstance(made, classmethod)]
    documented = [n for n in makers if inspect.getdoc(getattr(kind, n)).count(">>>")]
    assert documented and all(f"'{maker}'" in message for maker in documented)
    assert not hasattr(kind, name) and not hasattr(kind, "__nothing__")


@pytest.mark.parametrize("share", [0.95, 0.8, 0.6, 0.5])
def test_the_dissipation_that_is_told_has_that_restitution(share, refusal):
    """Hunt and Crossley exactly: u - ln(1 + u) is the same before and after, u = c v."""
    message = refusal(lambda: FLOOR(restitution=share), ch.ChaslesError)
    told = message.split("dissipation=")[1].split(",")[0]
    assert told == "1.5 * (1 - e) / (e * v)"
    before = 1.5 * (1 - share) / share  # c v of an impact at 1 m/s
    low, high = 0.0, 1.0 - 1e-12
    while high - low > 1e-12:
        after = 0.5 * (low + high)
        low, high = (
            (after, high) if -after - log(1 - after) < before - log(1 + before) else (low, after)
        )
    assert low / before == pytest.approx(share, abs=0.02)
