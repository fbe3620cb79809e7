"""Pages that run the model themselves: the bits of Python, sliders, guards and refusals."""

import math
from math import pi, sin

import numba
import numpy as np
import pytest
from viewed import top_model
from visits import FilmVisit

import chasles as ch
from chasles.many.ensembles.members import equal_steps, make_stepper
from chasles.many.traced.wasm import wasm_module
from chasles.view.sliders import changed

STEP, STEPS = 1e-3, 1000


@pytest.fixture(scope="module")
def slow_top():
    """A top whose steps are short enough for series: no sine is called."""
    top = ch.Body.box(
        "top</script>", size=(0.1, 0.2, 0.4), mass=21.6, position=(0.5, 0, 0),
        angular_velocity=(0, 4 * pi, 2 * pi),
    )  # fmt: skip
    return ch.Model([top], [ch.Spherical("<b>pivot", ch.GROUND, top, at=(0, 0, 0))])


@pytest.fixture(scope="module")
def tops(slow_top):
    spaces = ("SE3", "SO3xR3")
    return [ch.simulate(slow_top, until=1.0, step=STEP, spaces=s) for s in spaces]


@pytest.fixture(scope="module")
def page_of_tops(tops, tmp_path_factory):
    sliders = {"top</script>.angular_velocity.y": (0.0, 16.0), "gravity": (0.0, 20.0)}
    path = tmp_path_factory.mktemp("live") / "top.html"
    return ch.animate(tops, path, labels=["SE3", "SO3xR3"], live=True, sliders=sliders)


def blocks_of(model, spaces, steps=STEPS):
    """Numbers of the state that Python keeps after so many steps, by the kernel of all models."""
    stepper = make_stepper(model, equal_steps("test", "rk4", spaces, None), STEP, 20.0)
    block = stepper.first_block() + 0.0
    grid = (0.0, STEP, 0, steps, 2**62)
    stepper.advance_generic(block, np.zeros_like(block), grid, 2**62, 1, np.zeros((1, 1)))
    return block[: stepper.layout.kept]


def as_numbers(bits):
    return np.array([int(word) for word in bits], np.int64).view(np.float64)


def test_a_thousand_steps_have_the_bits_of_python(browser, page_of_tops, tops, slow_top):
    with FilmVisit(browser, page_of_tops, fragment="#still") as visit:
        assert "same bits as Python" in visit.page.locator("#about").inner_text()
        for k, run in enumerate(tops):
            found = visit.run(f"live.bitsAfter({k}, {STEPS})")
            assert found["index"] == STEPS
            wanted = blocks_of(slow_top, ("SE3", "SO3xR3")[k])
            np.testing.assert_array_equal(as_numbers(found["bits"]), wanted)
            pose = np.array(found["out"])[:12]
            place = run.position(slow_top.bodies[0])[-1]
            np.testing.assert_allclose(pose[9:], place, rtol=0, atol=1e-15)
        assert visit.said == []
        assert [u for u in visit.asked if not u.startswith("data:")] == [page_of_tops.as_uri()]


@numba.njit
def draught(x):
    return 0.5 * math.sqrt(1.0 + x * x)


def gusts(t, position, rotation, velocity, angular_velocity):
    """With a branch, functions by both kinds of import, and a function of the user's own."""
    gust = sin(3.0 * t) if position[2] > -0.2 else math.atan2(position[0], 1.0)
    return (gust + draught(position[0]), 0.0, -0.3 * velocity[2]), (0.0, 0.1 * math.cos(t), 0.0)


def test_a_compiled_formula_runs_in_the_page(browser, tmp_path):
    arm = ch.Body.rod("arm", 1.0, mass=1.0, position=(0.5, 0, 0))
    hinge = ch.Revolute("hinge", ch.GROUND, arm, at=(0, 0, 0), axis="y")
    model = ch.Model([arm], [hinge], [ch.CustomForce("breeze", arm, gusts, compiled=True)])
    page = ch.export(model, tmp_path / "arm.html", step=2e-3, until=1.0, sliders={})
    run = ch.simulate(model, 2.0, step=2e-3)
    assert run.position(arm)[:, 2].min() < -0.3  # both branches
    with FilmVisit(browser, page, fragment="#still") as visit:
        found = visit.run("live.bitsAfter(0, 1000)")
        assert found["index"] == 1000 and visit.said == []
        np.testing.assert_allclose(found["out"][9:12], run.position(arm)[-1], rtol=0, atol=1e-13)


def test_the_energy_in_the_page_is_that_of_rotors_too(browser, tmp_path):
    arm = ch.Body.rod("arm", 1.0, mass=1.0, position=(0.5, 0, 0))
    hinge = ch.Revolute("hinge", ch.GROUND, arm, at=(0, 0, 0), axis="y", armature=2.0)
    model = ch.Model([arm], [hinge])
    page = ch.export(model, tmp_path / "arm.html", step=2e-3, until=1.0, sliders={})
    run = ch.simulate(model, 1.0, step=2e-3)
    with FilmVisit(browser, page, fragment="#still") as visit:
        kinetic, potential = visit.run("live.bitsAfter(0, 500)")["out"][12:14]
    assert kinetic == pytest.approx(run.kinetic_energy()[-1], rel=1e-12)
    assert kinetic + potential == pytest.approx(0.0, abs=1e-9 * kinetic)


def test_every_position_of_the_sliders_starts_as_python_does(browser, page_of_tops, slow_top):
    """Start value and parameter at once, off the middle of both."""
    with FilmVisit(browser, page_of_tops, fragment="#still") as visit:
        spins, pulls = (visit.run(f"head.live.sliders[{k}].values") for k in (0, 1))
        visit.run("moveSlider(0, 30)")
        visit.run("moveSlider(1, 9)")
        values = np.linspace(0.0, 16.0, 41)[30], np.linspace(0.0, 20.0, 41)[9]
        assert (spins[30], pulls[9]) == pytest.approx(values, rel=1e-5)
        body = slow_top.bodies[0]
        spun = ch.Body.box(
            body.name, size=(0.1, 0.2, 0.4), mass=21.6, position=(0.5, 0, 0),
            angular_velocity=(0, values[0], 2 * pi),
        )  # fmt: skip
        model = ch.Model([spun], slow_top.joints, gravity=(0, 0, -values[1]))
        for k, spaces in enumerate(("SE3", "SO3xR3")):
            found = visit.run(f"live.bitsAfter({k}, {STEPS})")
            np.testing.assert_array_equal(as_numbers(found["bits"]), blocks_of(model, spaces))


def test_it_runs_the_paper_s_question_and_listens_to_its_sliders(browser, page_of_tops, width):
    with FilmVisit(browser, page_of_tops, width, moves=True) as visit:
        assert visit.comes("film.playing && live.time > 0.1")
        page = visit.page
        assert page.locator("#tags .big").all_inner_texts() == ["SE3", "SO3xR3"]
        visit.run("setPlaying(false)")
        visit.run("(() => { restart(); for (let k = 0; k < 120; k++) live.tick(1 / 60); })()")
        assert visit.run("live.time") == pytest.approx(2.0, abs=0.1)
        gaps = visit.run("live.runs.map(gapOf)")
        assert gaps[0] < 1e-14 and gaps[1] > 1e3 * gaps[0]  # SE(3) keeps the pivot closed
        before = visit.run("live.runs[0].state[5]")
        slider = page.get_by_role("slider", name="angular velocity y")
        slider.focus()
        page.keyboard.press("ArrowRight")
        assert visit.run("live.time") == 0.0  # a start begins again
        visit.run("(() => { for (let k = 0; k < 120; k++) live.tick(1 / 60); })()")
        assert visit.run("live.runs[0].state[5]") != before
        page.get_by_role("slider", name="gravity").press("Home")
        assert visit.run("live.time") > 1.0 and visit.run("live.runs[0].parameters[0]") == 0.0
        page.get_by_role("button", name="Restart").click()
        assert visit.run("live.time") < 1.0 and visit.said == []
        assert visit.run("document.documentElement.scrollWidth") <= width


def test_a_picture_that_the_browser_took_away_is_made_again(browser, page_of_tops):
    """A page of many films has more of them than a browser keeps."""
    with FilmVisit(browser, page_of_tops, fragment="#still") as visit:
        seen = visit.page.locator("#stage")
        before = seen.screenshot()
        first = visit.run("film.frames")
        visit.run('canvas.getContext("webgl2").getExtension("WEBGL_lose_context").loseContext()')
        assert visit.comes(f"!film.lost && film.gl && film.frames > {first}")
        visit.run("paintFrame()")
        assert seen.screenshot() == before
        visit.run("Object.assign(film, { seen: false })")
        visit.run('canvas.getContext("webgl2").getExtension("WEBGL_lose_context").loseContext()')
        assert visit.comes("film.lost")
        visit.run("Object.assign(film, { seen: true }), touched()")
        assert visit.comes("!film.lost")


@pytest.fixture(params=[1280, 390])
def width(request):
    return request.param


def test_a_tree_with_sines_runs_to_rounding_and_its_joints_start_where_sliders_say(
    browser, tmp_path
):
    upper = ch.Body.rod("upper", 1.0, mass=1.0, position=(0.5, 0, 0))
    lower = ch.Body.rod("lower", 1.0, mass=1.0, position=(1.5, 0, 0))
    model = ch.Model([upper, lower], [
        ch.Revolute("shoulder", ch.GROUND, upper, at=(0, 0, 0), axis="y"),
        ch.Revolute("elbow", upper, lower, at=(1, 0, 0), axis="y"),
    ])  # fmt: skip
    run = ch.simulate(model, until=1.0, step=STEP)
    path = run.animate(tmp_path / "two.html", live=True)
    with FilmVisit(browser, path, fragment="#still") as visit:
        assert "same bits" not in visit.page.locator("#about").inner_text()
        names = visit.run("head.live.sliders.map(s => s.name)")
        assert names == ["shoulder, angle at the start", "elbow, angle at the start", "gravity"]
        found = visit.run(f"live.bitsAfter(0, {STEPS})")
        for k, body in enumerate(model.bodies):
            place = found["out"][12 * k + 9 : 12 * k + 12]
            np.testing.assert_allclose(place, run.position(body)[-1], rtol=0, atol=2e-15)
        angles = visit.run("head.live.sliders[0].values")
        visit.run("moveSlider(0, 0)")
        angle = np.radians(angles[0])
        np.testing.assert_allclose(
            visit.run("originOf(groups[0], 0)"),
            [0.5 * np.cos(angle), 0, -0.5 * np.sin(angle)], atol=1e-5,
        )  # fmt: skip
        for position in (0, visit.run("head.live.sliders[1].values.length - 1")):
            visit.run(f"moveSlider(1, {position})")
            assert visit.run(f"live.bitsAfter(0, {STEPS}).index") == STEPS  # no guard stops it
        assert visit.said == []


def test_a_wasm_module_is_made_without_a_linker():
    """The smallest one: it exports its function, and asks for what it calls."""
    text = (
        "declare double @sin(double)\n"
        "define double @half(double %x) {\n  %y = call double @sin(double %x)\n"
        "  %z = fmul double %y, 0.5\n  ret double %z\n}\n"
    )
    module, imports = wasm_module(text, "half")
    assert module[:8] == b"\0asm\x01\0\0\0" and b"half" in module and "sin" in imports


@pytest.mark.parametrize(
    "options, message",
    [
        ({"live": True, "path": "top.gif"}, "a page that runs ends in .html"),
        ({"sliders": {"gravity": (0, 9)}}, "sliders are those of a page that runs"),
        ({"live": True, "sliders": {"gravity": (0, 5)}}, "from 0 to 5, but the result has 9.81"),
        ({"live": True, "sliders": {"gravity": 5}}, "must be two numbers, .* got 5"),
        ({"live": True, "sliders": {"pivot": (0, 5)}}, "joint .pivot. has 0 coordinates"),
        ({"live": True, "sliders": {"top.weight": (0, 5)}}, "slider"),
        ({"live": True, "sliders": [1]}, "sliders must be a dict"),
        ({"live": True, "follow": "top"}, "does not follow a body"),
    ],
)
def test_what_a_live_page_cannot_have_is_refused(top_runs, options, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ch.ChaslesError, match=message):
        top_runs["SE3"].animate(**options)


def test_a_run_whose_steps_are_chosen_is_refused(tmp_path):
    run = ch.simulate(top_model(), until=0.1, rtol=1e-6, atol=1e-8)
    with pytest.raises(ch.InvalidOption, match="its steps were chosen by tolerances"):
        run.animate(tmp_path / "top.html", live=True)


def test_a_run_with_impacts_is_refused_also_from_a_file(tmp_path):
    """The page would let the arm swing on beyond the end."""
    arm = ch.Body.rod("arm", 1.0, mass=1.0, position=(0.5, 0, 0))
    hinge = ch.Revolute("hinge", ch.GROUND, arm, at=(0, 0, 0), axis="y")
    floor, low = ch.Impact("floor", hinge, upper=0.5), ch.Event(lambda t, s: t - 0.1, name="low")
    model = ch.Model([arm], [hinge])
    run = ch.simulate(model, 0.2, step=1e-2, events=[floor, low])
    for result in (run, ch.load(run.save(tmp_path / "run.nc"))):
        with pytest.raises(ch.InvalidOption, match="it has the Impact 'floor'"):
            result.animate(tmp_path / "arm.html", live=True)
    seen = ch.simulate(model, 0.2, step=1e-2, events=[low])
    assert seen.animate(tmp_path / "arm.html", live=True).exists()


def on_a_rail() -> ch.Model:
    cart = ch.Body.box("cart", (0.1, 0.1, 0.1), mass=1.0)
    bob = ch.Body.sphere("bob", radius=0.05, mass=1.0, position=(0.6, 0, -0.8))
    rail = ch.Prismatic("rail", ch.GROUND, cart, at=(0, 0, 0), axis="x")
    rod = ch.Distance("rod", cart, bob, at=(0, 0, 0), at_b=(0.6, 0, -0.8))
    return ch.Model([cart, bob], [rail, rod])


def driven_by_a_function() -> ch.Model:
    arm = ch.Body.rod("arm", 1.0, mass=1.0, position=(0.5, 0, 0))
    hinge = ch.Revolute("hinge", ch.GROUND, arm, at=(0, 0, 0), axis="y")
    return ch.Model([arm], [hinge], [ch.Motor("motor", hinge, effort=lambda t: 3.0 * t)])


@pytest.mark.parametrize("model", [on_a_rail(), driven_by_a_function()])
def test_what_set_up_leaves_in_scratch_and_where_functions_stand_is_no_slider(model, tmp_path):
    page = tmp_path / "page.html"
    ch.simulate(model, 0.1, step=1e-2).animate(page, live=True)
    assert page.stat().st_size > 0


# --- without a run, and with motors ---------------------------------------------------------------


@pytest.fixture(scope="module")
def driven() -> ch.Model:
    """An arm with a torque motor, and a slide with a servo."""
    arm = ch.Body.rod("arm", 1.0, mass=2.0, position=(0.5, 0, 0))
    cart = ch.Body.box("cart", (0.2, 0.2, 0.2), mass=1.0, position=(0, 2, 0))
    hinge = ch.Revolute("hinge", ch.GROUND, arm, at=(0, 0, 0), axis="z")
    slide = ch.Prismatic("slide", ch.GROUND, cart, at=(0, 2, 0), axis="x")
    motors = [
        ch.Motor("motor", "hinge", effort=0.0, limit=3.0),
        ch.Servo("servo", "slide", target=0.1, stiffness=50.0, damping=5.0),
    ]
    return ch.Model([arm, cart], [hinge, slide], motors)


def test_a_model_is_exported_without_a_run_and_its_motors_have_sliders(browser, driven, tmp_path):
    path = ch.export(driven, tmp_path / "driven.html", step=STEP, until=0.5)
    with FilmVisit(browser, path, fragment="#still") as visit:
        sliders = visit.run("head.live.sliders")
        assert [(s["name"], s["unit"]) for s in sliders[:2]] == [
            ("motor, torque", "N m"), ("servo, target", "m"),
        ]  # fmt: skip
        assert sliders[0]["values"][0] == -3.0 and sliders[0]["values"][-1] == 3.0
        assert sliders[1]["values"][sliders[1]["at"]] == pytest.approx(0.1)
        visit.run("moveSlider(0, 30)")
        visit.run("moveSlider(1, 5)")
        torque, target = (sliders[k]["values"][at] for k, at in ((0, 30), (1, 5)))
        held = {"motor": torque, "servo": target}
        wanted = ch.simulate(driven, until=1.0, step=STEP, controller=lambda t, now: held)
        found = visit.run(f"live.bitsAfter(0, {STEPS})")
        assert found["index"] == STEPS
        for k, body in enumerate(driven.body_names):
            place = found["out"][12 * k + 9 : 12 * k + 12]
            np.testing.assert_allclose(place, wanted.position(body)[-1], rtol=0, atol=1e-6)
        visit.run("(() => { for (let k = 0; k < 30; k++) live.tick(1 / 60); })()")
        time = visit.run("live.time")
        visit.run("moveSlider(0, 0)")
        assert visit.run("live.time") == time > 0.0  # inputs change while it runs
        assert visit.said == []


def test_gravity_may_be_switched_on_where_there_is_none():
    ball = ch.Body.sphere("ball", radius=0.1, mass=1.0)
    model = ch.Model([ball], gravity=(0, 0, 0))
    assert changed(model, {"gravity": 3.0})[0].gravity == (0.0, 0.0, -3.0)
    assert changed(model, {"gravity": 0.0})[0].gravity == (0.0, 0.0, 0.0)


def test_two_spaces_run_side_by_side_from_a_model_alone(browser, slow_top, tmp_path):
    path = ch.export(slow_top, tmp_path / "two.html", until=0.2, spaces=["SE3", "SO3xR3"],
                     sliders={"gravity": (0.0, 20.0)})  # fmt: skip
    with FilmVisit(browser, path, fragment="#still") as visit:
        assert visit.page.locator("#tags .big").all_inner_texts() == ["SE3", "SO3xR3"]


def test_cuda_is_exported_by_its_ending(slow_top, tmp_path):
    text = ch.export(slow_top, tmp_path / "top.cu", step=STEP).read_text()
    assert "__global__" in text


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("top.fmu", {}, ".html or .cu"),
        ("top", {}, ".html or .cu"),
        ("no/top.html", {}, "no folder"),
        ("top.html", {"dt": 0.1}, "'step'"),
        ("top.html", {"sliders": {"motr": (0, 1)}}, "slider"),
        ("top.html", {"spaces": []}, "empty list"),
        ("top.cu", {"sliders": {}}, "option of pages"),
        ("top.html", {"method": "RK45"}, "'dopri5'"),
    ],
)
def test_what_cannot_be_exported_is_refused(name, options, said, slow_top, tmp_path, refusal):
    message = refusal(lambda: ch.export(slow_top, tmp_path / name, **options), ch.ChaslesError)
    assert said in message and "animate:" not in message and not list(tmp_path.iterdir())
