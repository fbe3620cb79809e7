"""One record lists the options of a run: who takes them takes them from it."""

import inspect
from dataclasses import fields
from typing import Literal

import numpy as np
import pytest

import chasles as ch
from chasles.cli import main, parser
from chasles.io.run_options import RUN_TYPES, run_to_plain
from chasles.io.sweep_files import read_sweep
from chasles.many.sweeps.plan import make_plan
from chasles.model.words import Stabiliser
from chasles.run.options import PLAIN, ByHand, Options
from chasles.spaces.designation import Spaces

ARM = ch.Body.rod("arm", length=1.0, mass=3.0, position=(0.5, 0, 0))
MODEL = ch.Model([ARM], [ch.Revolute("hinge", ch.GROUND, ARM, at=(0, 0, 0), axis="y")])
FILE = """
gravity = [0.0, 0.0, -9.81]
[[bodies]]
name = "arm"
kind = "rod"
length = 1.0
mass = 3.0
position = [0.5, 0.0, 0.0]
[run]
until = 0.01
step = 0.001
{more}
"""


def flags(command):
    (commands,) = (a for a in parser()._actions if a.dest == "command")
    return commands.choices[command]._option_string_actions


@pytest.mark.parametrize("option", fields(Options), ids=lambda option: option.name)
def test_every_option_of_the_record_is_everywhere(option):
    name, data = option.name, option.metadata["data"]
    taken = inspect.signature(ch.simulate).parameters[name]
    assert taken.default == option.default or taken.default is inspect.Parameter.empty
    assert f"\n    {name}\n        " in ch.simulate.__doc__
    assert (name in RUN_TYPES) == (data is not None)
    assert (name in PLAIN) == (data in (float, int, str, bool))
    assert (f"--{name.replace('_', '-')}" in flags("run")) == (name in PLAIN or name == "resume")
    if name in PLAIN:  # a sweep varies it
        plan = make_plan(MODEL, {name: [option.default, option.default]}, False, {"until": 1.0})
        assert all(name in task.options for task in plan.tasks())


@pytest.mark.parametrize("option", fields(ByHand), ids=lambda option: option.name)
def test_simulation_takes_what_is_not_about_an_end(option):
    taken = inspect.signature(ch.Simulation).parameters[option.name]
    assert taken.default == option.default or taken.default is inspect.Parameter.empty
    assert option.name in {one.name for one in fields(Options)}


TYPES = {"Literal": Literal, "Spaces": Spaces, "Stabiliser": Stabiliser, "Baumgarte": ch.Baumgarte}
TAKERS = ("ensemble", "gradient", "compare", "convergence", "work_precision", "advise", "sweep")
#: What they take several of, or where they have a choice of their own.
OWN = {"model", "until", "step", "method", "into", ("convergence", "spaces")}
OWN |= {("work_precision", "spaces"), ("advise", "spaces")}


@pytest.mark.parametrize("name", TAKERS)
def test_what_runs_models_takes_options_as_the_record_has_them(name):
    record = inspect.signature(Options)
    for taken in inspect.signature(getattr(ch, name)).parameters.values():
        if taken.name in record.parameters and not {taken.name, (name, taken.name)} & OWN:
            option = record.parameters[taken.name]
            assert taken.default == option.default
            assert taken.annotation == eval(option.annotation, TYPES), taken.name


def test_no_list_has_an_option_that_the_record_has_not():
    names = {option.name for option in fields(Options)}
    assert set(inspect.signature(ch.simulate).parameters) == names
    assert set(RUN_TYPES) <= names and set(PLAIN) <= names
    assert set(inspect.signature(ch.Simulation).parameters) == {o.name for o in fields(ByHand)}


def by_file(folder):
    path = folder / "model.toml"
    path.write_text(FILE.format(more="save_evry = 2"), "utf-8")
    ch.read_run(path)


def by_sweep_file(folder):
    by_command(folder, "save_every = 2")  # writes the model
    path = folder / "sweep.toml"
    path.write_text('model = "model.toml"\nuntil = 1.0\n[vary]\n[run]\nsave_evry = 2\n', "utf-8")
    read_sweep(path)


def by_command(folder, more="", *words):
    path = folder / "model.toml"
    path.write_text(FILE.format(more=more), "utf-8")
    return main(["run", str(path), "--out", str(folder / "out"), "--quiet", *words])


@pytest.mark.parametrize(
    "call",
    [
        lambda folder: ch.simulate(MODEL, 1.0, 1e-3, save_evry=2),
        lambda folder: ch.Simulation(MODEL, 1e-3, save_evry=2),
        lambda folder: ch.sweep(MODEL, {}, 1.0, 1e-3, options={"save_evry": 2}),
        lambda folder: ch.sweep(MODEL, {"save_evry": [1, 2]}, 1.0, 1e-3),
        lambda folder: run_to_plain({"save_evry": 2}),
        by_file,
        by_sweep_file,
    ],
    ids=["simulate", "Simulation", "sweep", "vary", "written", "file", "sweep file"],
)
def test_an_unknown_option_is_refused_with_the_nearest(call, tmp_path):
    with pytest.raises(ch.ChaslesError, match="save_evry") as refused:
        call(tmp_path)
    assert "'save_every'" in str(refused.value)


def test_an_unknown_flag_is_refused_with_the_nearest(tmp_path, capsys):
    assert by_command(tmp_path, "", "--save-evry", "2") == 2
    assert "Did you mean '--save-every'?" in capsys.readouterr().err


def test_tolerances_of_the_command_line_replace_the_step_of_the_file(tmp_path, capsys):
    assert by_command(tmp_path, "", "--rtol", "1e-6") == 0
    assert ch.load(tmp_path / "out" / "result.nc").provenance["rtol"] == 1e-6


# --- Simulation is the same loop ------------------------------------------------------------------


def falls(t, state):
    return state.coordinate("hinge") - 0.3


PACES = {
    "grid": ({"step": 2e-3}, 0),
    "grid, every third": ({"step": 2e-3, "save_every": 3}, 1),
    "grid with events": ({"step": 2e-3, "events": [falls]}, 0),
    "grid with impacts": ({"step": 2e-3, "events": [ch.Impact("end", "hinge", upper=0.4)]}, 0),
    "implicit": ({"step": 2e-3, "method": "generalized-alpha"}, 0),
    "tolerances": ({"rtol": 1e-8}, 2),  # the last two steps share what is left of a run
    "tolerances with events": ({"rtol": 1e-8, "events": [falls]}, 2),
    "tolerances with impacts": (
        {"rtol": 1e-8, "events": [ch.Impact("end", "hinge", upper=0.4)]}, 4,
    ),
    "SciPy": ({"rtol": 1e-8, "method": "scipy RK45"}, 1),
    "SciPy, implicit": ({"rtol": 1e-6, "method": "scipy Radau"}, 1),
}  # fmt: skip


@pytest.mark.parametrize("pace", PACES)
def test_simulation_has_the_states_of_simulate_to_the_bit(pace):
    options, apart = PACES[pace]
    run = ch.simulate(MODEL, 0.8, **options)
    sim = ch.Simulation(MODEL, **options)
    while sim.time < run.t[-1] * (1 - 1e-12):
        sim.step()
    by_hand = sim.result()
    count = len(run.t) - apart
    assert count >= 8
    assert np.array_equal(by_hand.t[:count], run.t[:count])
    assert np.array_equal(by_hand.absolute[:count], run.absolute[:count])
    for name, times in run.events.items() if apart < 2 else ():
        assert np.array_equal(by_hand.events[name][: len(times)], times)


@pytest.mark.parametrize("pace", PACES)
def test_looking_at_a_simulation_does_not_change_it(pace):
    options, _ = PACES[pace]
    looked_at, alone = ch.Simulation(MODEL, **options), ch.Simulation(MODEL, **options)
    for _ in range(25):
        for sim in (looked_at, alone):
            sim.step()
        looked_at.result()
        assert looked_at.state is not None
        assert looked_at.coordinates["hinge"] > 0.0
    assert looked_at.time == alone.time
    assert np.array_equal(looked_at.result().absolute[-1], alone.result().absolute[-1])


@pytest.mark.parametrize("options", [{"step": 2e-3}, {"rtol": 1e-8}])
def test_a_terminal_event_ends_a_simulation(options):
    event = ch.Event(falls, terminal=True)
    run = ch.simulate(MODEL, 2.0, events=[event], **options)
    sim = ch.Simulation(MODEL, events=[event], **options)
    with pytest.raises(ch.SimulationStopped, match="where event 'falls' happened"):
        sim.step(steps=10_000)
        sim.step()
    assert sim.time == run.t[-1]
    assert np.array_equal(sim.result().absolute[-1], run.absolute[-1])


def test_functions_of_time_are_refused_where_nobody_knows_the_end():
    motor = ch.Motor("motor", "hinge", effort=lambda t: t * t)
    model = ch.Model(MODEL.bodies, MODEL.joints, [motor])
    with pytest.raises(ch.InvalidOption, match="functions of time"):
        ch.Simulation(model, rtol=1e-8)


# --- runs with events that stop -------------------------------------------------------------------


def fails(t, state):
    return 1.0 / 0.0 if t > 0.1 else 1.0


def gives_up(t, state):
    if t > 0.1:
        raise ValueError("enough")
    return {}


@pytest.mark.parametrize("options", [{"step": 2e-3}, {"rtol": 1e-8}])
def test_a_run_whose_event_fails_keeps_every_state_once(options):
    with pytest.raises(ch.SimulationStopped) as stopped:
        ch.simulate(MODEL, 1.0, events=[fails], **options)
    result = stopped.value.result
    assert np.all(np.diff(result.t) > 0.0)
    assert np.all(np.diff(result.coordinate("hinge")) > 0.0)


def test_a_run_with_events_that_a_controller_stops_keeps_every_state_once():
    model = ch.Model(MODEL.bodies, MODEL.joints, [ch.Motor("motor", "hinge", effort=0.0)])
    with pytest.raises(ch.SimulationStopped) as stopped:
        ch.simulate(model, 1.0, 2e-3, controller=gives_up, events=[falls])
    assert np.all(np.diff(stopped.value.result.t) > 0.0)
