"""`simulate` takes recorded steps where that pays, and says so; the result is the same."""

import re
from ctypes import c_double

import numpy as np
import pytest
from mechanisms import double_pendulum, heavy_top, pendulum, three_bar
from test_bits import bouncing, driven, sprung

import chasles as ch
from chasles.many.traced import stepping
from chasles.many.traced.machine import compiled, object_code
from chasles.many.traced.stepping import TracedSteps
from chasles.model import InvalidOption, UnknownName
from chasles.studies import gallery

STEP = 1e-3
MODELS = {
    "top": heavy_top, "pendulum": double_pendulum, "3-bar": three_bar, "sprung": sprung,
    "driven": driven, "bouncing": bouncing,
}  # fmt: skip


def bits(result: ch.Result) -> tuple[bytes, ...]:
    return result.t.tobytes(), result.absolute.tobytes(), result.integrals.tobytes()


@pytest.mark.parametrize("name", MODELS)
def test_a_traced_run_is_the_generic_one(name):
    runs = {
        kernel: ch.simulate(MODELS[name](), 0.5505, step=1e-3, save_every=3, kernel=kernel)
        for kernel in ("generic", "traced")
    }
    assert bits(runs["traced"]) == bits(runs["generic"])
    words = {kernel: dict(run.provenance) for kernel, run in runs.items()}
    assert words["generic"].pop("kernel") == "generic"
    assert words["traced"].pop("kernel").startswith("traced, ")
    for kind in words.values():
        for changing in ("seconds_in_steps", "created"):
            del kind[changing]
    assert words["traced"] == words["generic"]  # gaps and energy balance included


def test_a_traced_run_goes_on_with_the_bits_of_one_that_never_ended():
    whole = ch.simulate(double_pendulum(), 0.4, step=1e-3)
    half = ch.simulate(double_pendulum(), 0.2, step=1e-3, kernel="traced")
    rest = ch.simulate(double_pendulum(), 0.4, step=1e-3, start=half, kernel="traced")
    assert rest.absolute[-1].tobytes() == whole.absolute[-1].tobytes()


def test_what_a_controller_holds_is_an_input_of_the_recording():
    model = pendulum(forces=[ch.Motor("motor", "hinge", effort=0.0)])

    def brake(t, state):
        return {"motor": -2.0 * state.rate("hinge") + np.sin(7 * t)}

    runs = [
        ch.simulate(model, 0.5, step=1e-3, controller=brake, sample=5e-3, kernel=kernel)
        for kernel in ("generic", "traced")
    ]
    assert bits(runs[0]) == bits(runs[1])
    assert runs[1].provenance["kernel"] == "traced, 500 of 500 steps"


def test_functions_that_cannot_be_recorded_are_left_to_the_generic_kernel():
    """Python behind an address: the run is made all the same, and says why."""
    push = ch.Load("push", "arm", force=lambda t: (0.0, 0.0, abs(np.sin(40 * t)) ** 0.3))
    model = pendulum(forces=[push])
    runs = [ch.simulate(model, 0.2, step=1e-3, kernel=kernel) for kernel in ("generic", "traced")]
    assert bits(runs[0]) == bits(runs[1])


def test_without_the_generic_kernel_a_small_model_is_not_kept_waiting(monkeypatch):
    """Nothing is compiled by Numba: not where a guard fails either."""
    monkeypatch.setattr(stepping, "generic_at_hand", lambda stepper: False)
    monkeypatch.setattr(TracedSteps, "seconds_in_all", 0.0)

    def compiled(*args):
        raise AssertionError("the generic kernel was called")

    generic = ch.simulate(bouncing(), 0.3, step=1e-3, kernel="generic")
    monkeypatch.setattr("chasles.run.stepper.Stepper.advance_generic", compiled)
    traced = ch.simulate(bouncing(), 0.3, step=1e-3)
    assert traced.provenance["kernel"].startswith("traced")
    assert bits(traced) == bits(generic)


def test_a_method_that_iterates_is_not_recorded_unless_asked_for(monkeypatch):
    # Its iterations are branches of the recording: a loop of three bodies took minutes to compile.
    monkeypatch.setattr(stepping, "generic_at_hand", lambda stepper: False)
    monkeypatch.setattr(TracedSteps, "seconds_in_all", 0.0)
    result = ch.simulate(heavy_top(), 0.03, step=1e-3, method="gauss4")
    assert result.provenance["kernel"] == "generic"


def test_patience_with_recordings_ends(monkeypatch):
    """Many short runs are soon taken by the kernel that serves all of them."""
    monkeypatch.setattr(stepping, "generic_at_hand", lambda stepper: False)
    monkeypatch.setattr(TracedSteps, "seconds_in_all", 2 * stepping.PATIENCE)
    run = ch.simulate(heavy_top(), 0.1, step=1e-3)
    assert run.provenance["kernel"] == "generic"


def test_a_word_that_is_not_a_kernel_is_refused(refusal):
    message = refusal(lambda: ch.simulate(heavy_top(), 1.0, step=1e-3, kernel="trace"), UnknownName)
    assert "'trace'" in message and "traced" in message


def test_steps_that_are_chosen_by_tolerances_are_not_recorded(refusal):
    message = refusal(
        lambda: ch.simulate(heavy_top(), 0.1, rtol=1e-8, method="dopri5", kernel="traced"),
        InvalidOption,
    )
    assert "tolerances" in message


@pytest.mark.parametrize("kind", ["revolute", "prismatic", "cylindrical", "helical", "planar"])
def test_every_lower_pair_has_the_bits_of_the_generic_kernel(kind):
    runs = [
        ch.simulate(gallery.moving_pair(kind), 0.1, step=STEP, kernel=kernel)
        for kernel in ("generic", "traced")
    ]
    assert bits(runs[0]) == bits(runs[1])
    assert runs[1].provenance["kernel"] == "traced, 100 of 100 steps"


def test_a_step_of_too_many_operations_is_not_compiled_by_itself(monkeypatch):
    monkeypatch.setattr(stepping, "generic_at_hand", lambda stepper: False)
    monkeypatch.setattr(TracedSteps, "seconds_in_all", 0.0)
    monkeypatch.setattr(stepping, "MOST_OPERATIONS", 100)
    run = ch.simulate(heavy_top(), 0.1, step=STEP)
    assert re.fullmatch(r"generic \(\d{3} operations a step\)", run.provenance["kernel"])


# --- object code on disk ---


@pytest.fixture
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("CHASLES_CACHE_DIR", str(tmp_path))
    return tmp_path


def test_object_code_is_kept_by_content_and_damaged_files_are_made_anew(own_cache):
    text = "define double @f(double %x) {\n  %y = fadd double %x, 1.0\n  ret double %y\n}\n"
    made = object_code(text)
    (path,) = own_cache.glob("traced-*.kernel")
    before = path.read_bytes()
    assert object_code(text) == made and path.read_bytes() == before
    path.write_bytes(before[:-7] + b"damaged")
    assert object_code(text) == made and path.read_bytes() == before
    object_code(text.replace("1.0", "2.0"))
    assert len(list(own_cache.glob("traced-*.kernel"))) == 2
    assert compiled(text).function("f", c_double, result=c_double)(2.5) == 3.5


def test_machine_code_is_made_where_nothing_can_be_written(monkeypatch):
    monkeypatch.setenv("CHASLES_CACHE_DIR", "/dev/null/nowhere")
    text = "define double @g(double %x) {\n  ret double %x\n}\n"
    assert compiled(text).function("g", c_double, result=c_double)(0.5) == 0.5
