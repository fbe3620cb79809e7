"""Films in a real browser, without network, on a desktop and on a phone; and as GIF and MP4."""

import io
import os
import shutil

import numpy as np
import pytest
from combinations import pairwise
from PIL import Image
from visits import FilmVisit

import chasles as ch
from chasles.view import tracks
from chasles.view.film import Film

WIDTHS = {"desktop": 1280, "phone": 390}


@pytest.fixture(scope="module")
def film(swing, tmp_path_factory):
    return swing.animate(tmp_path_factory.mktemp("film") / "swing.html")


@pytest.fixture(params=WIDTHS)
def width(request):
    return WIDTHS[request.param]


@pytest.mark.parametrize(
    "width, scheme, fragment", pairwise(WIDTHS.values(), ["light", "dark"], ["", "#canvas"])
)
def test_it_plays_without_errors_or_network(browser, film, width, scheme, fragment):
    with FilmVisit(browser, film, width, scheme, fragment, moves=True) as visit:
        assert visit.run("film.gl") == (fragment == "")
        first = visit.run("film.time")
        assert visit.comes(f"film.playing && film.time > {first} + 0.02")
        assert visit.said == []
        assert [u for u in visit.asked if not u.startswith("data:")] == [film.as_uri()]
        assert visit.run("document.documentElement.scrollWidth") <= width
        assert visit.page.locator("#stage").bounding_box()["height"] == 800


@pytest.mark.parametrize("fragment", ["", "#canvas"])
def test_frames_differ_over_time_and_each_time_has_its_own(browser, film, fragment):
    with FilmVisit(browser, film, fragment=fragment) as visit:
        start, later, again = visit.still(0.0), visit.still(0.4), visit.still(0.0)
        assert (np.abs(later - start) > 40).sum() > 800
        assert (np.abs(again - start) > 40).sum() < 50


def test_the_film_shows_the_poses_of_the_result(browser, film, swing):
    """To half a step of the grid in place, and to 1e-4 in direction."""
    with FilmVisit(browser, film) as visit:
        for index in (0, 123, 400, len(swing.t) - 1):
            visit.still(float(swing.t[index]))
            for k, body in enumerate(swing.model.bodies):
                m = visit.run(f"Object.values(groups[0].matrices[{k}])")
                shown = np.array(m).reshape(4, 4).T
                np.testing.assert_allclose(shown[:3, 3], swing.position(body)[index], atol=1e-4)
                np.testing.assert_allclose(shown[:3, :3], swing.rotation(body)[index], atol=2e-4)


def test_the_scene_fills_the_window_and_up_is_up(browser, film, width):
    """All that is drawn lies in the window, and takes up most of what nothing covers."""
    with FilmVisit(browser, film, width) as visit:
        visit.still(0.5)
        low, high = visit.run("[project([0, 0, -0.5]), project([0, 0, 0.5])]")
        assert abs(high[0] - low[0]) < 0.1 * (low[1] - high[1])
        seen = np.array(visit.run("cloud.map(project)"))[:, :2]
        deck = visit.page.locator("#deck").bounding_box()
        assert seen.min() > 0 and seen[:, 0].max() < width and seen[:, 1].max() < deck["y"]
        filled = np.ptp(seen, axis=0) / (width, deck["y"] - 60)
        assert 0.65 < filled.max() < 0.95


def test_controls_work(browser, film, width):
    with FilmVisit(browser, film, width, moves=True) as visit:
        page = visit.page
        page.get_by_role("button", name="Pause").click()
        assert visit.run("film.playing") is False
        stopped = visit.run("film.time")
        page.wait_for_timeout(200)
        assert visit.run("film.time") == stopped
        line = page.get_by_role("slider", name="Time", exact=True)
        box = line.bounding_box()
        page.mouse.click(box["x"] + visit.run("timeline.made.X(0.5)"), box["y"] + 40)
        assert visit.run("film.time") == pytest.approx(0.5, abs=0.01)
        assert page.locator("#clock").inner_text().startswith("0.5")
        assert line.get_attribute("aria-valuetext") == page.locator("#clock").inner_text()
        page.get_by_label("Speed", exact=True).select_option("0.2")
        assert visit.run("film.speed") == 0.2
        curves = visit.run("head.curves.map(c => c.name)")
        assert curves[0] == "Energy" and curves[-1] == "Largest joint gap"  # errors on request
        page.get_by_label("Curve", exact=True).select_option(label="Angle of hinge")
        assert visit.run("timeline.chosen") == curves.index("Angle of hinge")
        page.get_by_role("button", name="Show").click()
        before = visit.still(1.0)  # where the gaps are largest
        for name in ("trails", "joints", "names", "frames", "reactions", "forces", "joint gaps"):
            page.locator("#menu").get_by_role("checkbox", name=name).click()
            after = visit.picture()
            assert (np.abs(after - before) > 30).sum() > 10, name
            before = after
        page.keyboard.press("Escape")
        assert page.locator("#menu").is_hidden()
        page.get_by_role("button", name="Play").click()
        assert visit.comes("film.time > 0 && film.time < 1")  # from the start


@pytest.mark.parametrize("fragment", ["", "#canvas"])
def test_a_click_shows_a_body_and_what_acts_on_it(browser, film, swing, fragment):
    with FilmVisit(browser, film, fragment=fragment) as visit:
        page, card = visit.page, visit.page.locator("#card")
        assert card.is_hidden()
        visit.still(0.5)
        x, y, _ = visit.run("project(originOf(groups[0], 1))")
        page.mouse.click(x, y)
        visit.picture()
        assert card.get_by_role("heading").inner_text() == "</script>bob & co"
        rows = card.locator("#card-rows").inner_text().split("\n")
        assert rows[:2] == ["mass", "1 kg"]
        speed = np.linalg.norm(swing.velocity(swing.model.bodies[1])[250])
        assert float(rows[rows.index("speed") + 1].split()[0]) == pytest.approx(speed, rel=0.02)
        page.get_by_role("button", name="Free-body diagram").click()
        visit.picture()
        acting = dict(
            zip(card.locator("#card-loads dt").all_inner_texts(),
                card.locator("#card-loads dd").all_inner_texts())
        )  # fmt: skip
        ball = np.linalg.norm(swing.reaction("ball").force[250])
        assert float(acting["ball"].split()[0]) == pytest.approx(ball, rel=1e-3)
        assert acting["push"] == "3 N" and acting["weight"] == "9.81 N"
        page.mouse.click(30, 300)
        visit.picture()
        assert card.is_hidden() and visit.said == []


def test_forces_on_a_free_body_are_mass_times_acceleration(browser, film, swing):
    """Newton's law of both bodies from what the page draws: signs and partners are right."""
    with FilmVisit(browser, film) as visit:
        visit.still(float(swing.t[200]))
        for k, body in enumerate(swing.model.bodies):
            visit.run(f"select(groups[0], {k})")
            found = visit.run("loads().map(l => [l.kind, l.value])")
            total = np.sum([f for kind, f in found if kind not in ("torque", "moment")], axis=0)
            wanted = body.mass * swing.acceleration(body)[200]
            np.testing.assert_allclose(total, wanted, atol=0.01 * np.abs(wanted).max())


def test_the_scene_turns_zooms_pans_and_comes_back(browser, film):
    with FilmVisit(browser, film) as visit:
        start = visit.still(0.3)
        box = visit.page.locator("#stage").bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        mouse, seen = visit.page.mouse, [start]
        for act in ("turn", "pan", "zoom"):
            mouse.move(x, y)
            if act == "zoom":
                mouse.wheel(0, -400)
            else:
                if act == "pan":
                    visit.page.keyboard.down("Shift")
                mouse.down()
                mouse.move(x + 80, y + 30, steps=4)
                mouse.up()
                visit.page.keyboard.up("Shift")
            seen.append(visit.picture())
            assert (np.abs(seen[-1] - seen[-2]) > 30).sum() > 300, act
        visit.page.get_by_role("button", name="Reset view").click()
        assert (np.abs(visit.picture() - start) > 40).sum() < 50


def test_two_fingers_zoom(browser, film):
    with FilmVisit(browser, film, 390, has_touch=True) as visit:
        visit.run(
            """() => {
              const stage = document.getElementById("stage");
              stage.setPointerCapture = () => {};  // these fingers are not real
              const send = (kind, pointerId, clientX) => stage.dispatchEvent(
                new PointerEvent(kind, { pointerId, clientX, clientY: 200, buttons: 1 }));
              send("pointerdown", 1, 150); send("pointerdown", 2, 200);
              send("pointermove", 2, 300); send("pointerup", 1, 150); send("pointerup", 2, 300);
            }"""
        )
        assert visit.run("camera.zoom") == pytest.approx(3.0)


def test_keys_play_and_step(browser, film):
    with FilmVisit(browser, film, moves=True) as visit:
        visit.page.locator("#stage").focus()
        visit.page.keyboard.press("Space")
        assert visit.run("film.playing") is False
        before = visit.run("film.time")
        visit.page.keyboard.press("ArrowRight")
        assert visit.run("film.time") == pytest.approx(before + 1 / 200, abs=1e-6)
        visit.page.keyboard.press("End")
        assert visit.run("film.time") == 1.0
        visit.page.keyboard.press("+")
        assert visit.run("camera.zoom") == pytest.approx(1.2)
        visit.page.keyboard.press("0")
        assert visit.run("camera.zoom") == 1.0
        visit.page.keyboard.press("d")
        assert visit.run("document.documentElement.className").split()[-1] == "dark"
        visit.run("select(groups[0], 1)")
        visit.page.keyboard.press("b")
        assert visit.run("film.free") is True
        visit.page.keyboard.press("Escape")
        assert visit.run("[film.free, film.selected]") == [False, None]


def test_every_body_can_be_reached_without_a_pointer(browser, film, swing):
    with FilmVisit(browser, film) as visit:
        visit.page.get_by_role("button", name="Show").click()
        visit.page.locator("#menu").get_by_label("body").select_option(label="arm")
        assert visit.run("film.selected.body") == 0


@pytest.fixture(scope="session")
def thrown():
    """A ball that flies, with a stone on a line at its side."""
    ball = ch.Body.sphere("ball", 0.1, mass=1.0, velocity=(4, 0, 3))
    stone = ch.Body.sphere("stone", 0.05, mass=0.2, position=(0, 0.5, 0), velocity=(4, 0, 3))
    return ch.simulate(ch.Model([ball, stone]), until=1.0, step=1e-2)


def test_the_camera_follows_a_body(browser, thrown, tmp_path):
    path = thrown.animate(tmp_path / "thrown.html", follow="ball")
    with FilmVisit(browser, path) as visit:
        first = visit.run("camera.fitted.target")
        visit.still(1.0)
        moved = np.subtract(visit.run("camera.target"), first)
        np.testing.assert_allclose(moved, thrown.position("ball")[-1], atol=1e-3)
        here = visit.run("project([...groups[0].matrices[0]].slice(12, 15)).slice(0, 2)")
        page = visit.page
        page.get_by_role("button", name="Show").click()
        page.locator("#menu").get_by_label("follow").select_option(label="none")
        visit.still(0.0)
        gone = visit.run("project([...groups[0].matrices[0]].slice(12, 15)).slice(0, 2)")
        visit.still(1.0)
        assert np.hypot(*np.subtract(here, gone)) > 150
        page.get_by_role("button", name="Reset view").click()
        assert visit.said == []


def test_a_gif_follows_a_body(thrown, tmp_path):
    path = thrown.animate(tmp_path / "thrown.gif", follow="ball", fps=1, size=(320, 180))
    with Image.open(path) as film:
        seen = []
        for frame in (0, film.n_frames - 1):
            film.seek(frame)
            ink = np.argwhere(np.asarray(film.convert("L"))[:160] < 200)  # above the clock
            seen.append(ink.mean(axis=0))
    assert np.abs(np.subtract(*seen)).max() < 20.0  # but for the trails


def test_only_a_body_is_followed(thrown, refusal):
    message = refusal(lambda: thrown.animate(follow="bal"), ch.UnknownName)
    assert "mean 'ball'" in message


def test_readers_who_want_no_motion_get_a_still(browser, film):
    with FilmVisit(browser, film, moves=False) as visit:
        assert visit.run("film.playing") is False


def test_every_control_has_a_name(browser, film):
    with FilmVisit(browser, film) as visit:
        unnamed = visit.run(
            """[...document.querySelectorAll("button, input, select")]
               .filter(e => !e.closest("[hidden]"))
               .filter(e => !(e.getAttribute("aria-label") || e.textContent.trim()
                              || e.labels?.[0]?.textContent.trim())).length"""
        )
        assert unnamed == 0


def test_names_cannot_break_the_page(browser, film, swing):
    with FilmVisit(browser, film) as visit:
        assert visit.run("groups[0].bodies") == list(swing.model.body_names)


def test_three_spaces_side_by_side_and_overlaid(browser, top_runs, tmp_path):
    for layout in ("side by side", "overlaid"):
        path = ch.animate(
            list(top_runs.values()), tmp_path / "three.html", labels=list(top_runs), layout=layout
        )
        with FilmVisit(browser, path) as visit:
            visit.still(0.3)
            assert visit.said == []
            if layout == "side by side":
                assert visit.page.locator("#tags .big").all_inner_texts() == [*top_runs]
            assert visit.run("head.curves[0].series.map(s => s.label)") == [*top_runs]
            apart = visit.run("groups.map(g => g.offset)")
            assert len({tuple(offset) for offset in apart}) == (
                3 if layout == "side by side" else 1
            )
            gaps = visit.run(
                """groups.map(g => Math.max(0, ...g.vectors.filter(v => v.kind === 'gap')
                                                 .map(v => v.largest)))"""
            )
            assert gaps[1] > 1e6 * max(gaps[0], gaps[2])  # the paper's effect


def test_a_hundred_bodies_for_ten_seconds_stay_small_and_open_fast(browser, film, tmp_path):
    chain = next(b for b in ch.library if b.name == "chain-100").model()
    result = ch.simulate(chain, until=10.0, step=2e-3, save_every=4)
    path = result.animate(tmp_path / "chain.html")
    assert path.stat().st_size < 2e6  # 3.4 MB before tracks were differences, deflated
    with FilmVisit(browser, film):
        pass  # the browser itself is warm now
    context = browser.new_context(reduced_motion="reduce")
    page = context.new_page()
    clock = context.new_cdp_session(page)
    clock.send("Performance.enable", {"timeDomain": "threadTicks"})  # of this page, however busy
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-ready]", timeout=60000)
    metrics = {m["name"]: m["value"] for m in clock.send("Performance.getMetrics")["metrics"]}
    assert 0.0 < metrics["TaskDuration"] < 3.0
    assert page.evaluate("groups[0].t.length") >= 300
    context.close()


# --- levels of the picture ---


def test_without_a_graphics_card_it_plays_plainly_and_a_still_is_drawn_finely(browser, film):
    """The browser of the tests draws in software: no shadow maps while it plays."""
    with FilmVisit(browser, film, moves=True) as visit:
        visit.run("film.fixed = false")
        assert visit.run("renderer.software") and visit.run("film.quality") == 0
        assert visit.comes("film.level === 0 && film.frames > 2")
        visit.run("setPlaying(false)")
        assert visit.comes("film.level === 2")
        assert visit.said == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_body_has_its_colour_and_casts_a_shadow(browser, tmp_path, scheme):
    """Three points of the finest picture: a lit face, its shadow on the floor, the floor."""
    block = ch.Body.box("block", size=(1, 1, 1), mass=1.0, position=(0, 0, 0.5), colour="red")
    floor = ch.Contact("floor", ch.GROUND, block, at=(0, 0, 0), axis="z", stiffness=1e4,
                       shape=ch.Sphere(0.5))  # fmt: skip
    path = ch.simulate(ch.Model([block], forces=[floor]), until=0.02, step=1e-3).animate(
        tmp_path / "block.html", view=(0, 25)
    )
    with FilmVisit(browser, path, scheme=scheme, fragment="#still") as visit:
        visit.run("() => { camera.zoom = 0.5; sizePicture(3); paintFrame(); renderer.wait(); }")
        spots = visit.run(
            """() => { const flat = unit(add(sun, UP, -dot(sun, UP)));
               return [[0.5, 0, 0.5], scaled(flat, -0.9), scaled(flat, 1.8)].map(project) }"""
        )
        picture = Image.open(io.BytesIO(visit.page.screenshot())).convert("RGB")
        front, shadow, bright = (np.array(picture.getpixel((int(x), int(y)))) for x, y, _ in spots)
        assert front[0] > 1.8 * front[1] and front[0] > 1.8 * front[2]  # red
        assert shadow.mean() < 0.93 * bright.mean() and np.ptp(shadow) < 40  # grey, and darker
        assert visit.said == []


def test_forms_are_closed_and_have_the_volumes_of_the_shapes(browser, film):
    """Surfaces of the page by the divergence theorem; round corners take a little away."""
    shapes = [
        (["box", 1, 2, 3], ch.Box((1, 2, 3))), (["sphere", 1], ch.Sphere(1)),
        (["cylinder", 1, 2], ch.Cylinder(1, 2)), (["rod", 0.1, 2], ch.Rod(2, 0.1)),
        (["capsule", 1, 2], ch.Capsule(1, 2)), (["cone", 1, 2], ch.Cone(1, 2)),
        (["ring", 2, 1, 1], ch.Ring(2, 1, 1)),
    ]  # fmt: skip
    with FilmVisit(browser, film) as visit:
        for form, shape in shapes:
            for fine in ("true", "false"):
                volume, outward = visit.run(
                    f"""() => {{ const s = surfaceOf({form!r}, {fine}); let six = 0, out = true;
                      const at = k => [s.p[3 * k], s.p[3 * k + 1], s.p[3 * k + 2]];
                      for (let k = 0; k < s.f.length; k += 3) {{
                        const [a, b, c] = [0, 1, 2].map(i => at(s.f[k + i]));
                        const n = cross(add(b, a, -1), add(c, a, -1));
                        six += dot(a, cross(b, c));
                        const own = [0, 1, 2].map(i => s.n[3 * s.f[k] + i]);
                        if (norm(n) > 1e-6 && dot(n, own) < 0) out = false; }}
                      return [six / 6, out]; }}"""
                )
                assert outward and volume == pytest.approx(shape.volume, rel=0.06), (form, fine)


# --- numbers ---


def test_quaternions_turn_like_the_matrices_and_never_jump(swing):
    from scipy.spatial.transform import Rotation

    body = swing.model.bodies[1]
    q = tracks.quaternions(swing.rotation(body))
    assert np.abs(np.diff(q, axis=0)).max() < 0.2
    again = Rotation.from_quat(q[:, [1, 2, 3, 0]]).as_matrix()
    np.testing.assert_allclose(again, swing.rotation(body), atol=1e-14)


def test_a_body_that_flies_far_keeps_its_place_to_a_thousandth_of_its_size():
    stone = ch.Body.sphere("stone", 0.1, mass=1.0, velocity=(0, 0, 500.0))
    result = ch.simulate(ch.Model([stone]), until=50.0, step=0.1)
    blob = tracks.Blob()
    head = tracks.pose_tracks(result, np.arange(len(result.t)), blob, "g", 0.2)
    kind, offset, length, _ = blob.index[head["x"]]
    values = np.frombuffer(b"".join(blob.pieces), f"<{kind}", length, offset).reshape(-1, 3)
    places = np.array(head["low"]) + np.array(head["grid"]) * values
    assert np.abs(places - result.position("stone")).max() < 1e-3


def test_tracks_come_back_from_their_second_differences(browser, film, swing):
    """What the page reads is what was kept, also where differences wrap around."""
    rng, blob = np.random.default_rng(5), tracks.Blob()
    values = rng.integers(-32767, 32768, (50, 3))
    kind, offset, length, rows = blob.index[blob.track("x", values)]
    assert (kind, length, rows) == ("d2", 150, 50)
    data = list(blob.pieces[0])
    with FilmVisit(browser, film) as visit:
        read = visit.run(
            f"(() => {{ buffer = new Uint8Array({data}).buffer; base = 0;"
            f" return [...track({offset}, {length}, {rows})] }})()"
        )
    np.testing.assert_array_equal(np.reshape(read, (50, 3)), values)


def test_what_spins_fast_gets_more_frames():
    disc = ch.Body.cylinder("disc", 0.1, 0.02, mass=1.0, angular_velocity=(0, 0, 300.0))
    run = ch.simulate(ch.Model([disc], gravity=(0, 0, 0)), until=3.0, step=1e-3)
    assert tracks.most_turned(run) == pytest.approx(900.0)
    slow = ch.simulate(ch.Model([ch.Body.sphere("ball", 0.1, mass=1.0)]), until=3.0, step=1e-3)
    assert len(tracks.chosen_frames(run, None, 1, 0)) == pytest.approx(1800, abs=2)
    assert len(tracks.chosen_frames(slow, None, 1, 0)) == 1200


def test_frames_are_spread_evenly_and_no_more_than_asked_for(swing):
    chosen = tracks.chosen_frames(swing, 50, 1, 2)
    assert len(chosen) == 50 and chosen[0] == 0 and chosen[-1] == len(swing.t) - 1
    assert np.ptp(np.diff(swing.t[chosen])) <= 2 * swing.t[1] + 1e-12


# --- other kinds ---


def test_without_a_path_a_notebook_shows_the_film(swing):
    film = swing.animate()
    assert isinstance(film, Film) and film._repr_html_().startswith("<iframe srcdoc=")


def test_a_gif_moves(swing, tmp_path):
    path = swing.animate(tmp_path / "swing.gif", fps=10, speed=0.5, size=(240, 180))
    with Image.open(path) as gif:
        assert gif.size == (240, 180) and gif.n_frames == 20
        first = np.asarray(gif.convert("L")).astype(int)
        gif.seek(10)
        assert (np.abs(np.asarray(gif.convert("L")).astype(int) - first) > 40).sum() > 100


@pytest.fixture
def ffmpeg(tmp_path, monkeypatch):
    """The machine's own, or that of a package of the test extra."""
    if shutil.which("ffmpeg") is None:
        found = pytest.importorskip("imageio_ffmpeg").get_ffmpeg_exe()
        (tmp_path / "bin").mkdir()
        (tmp_path / "bin" / "ffmpeg").symlink_to(found)
        monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=os.pathsep)


@pytest.mark.usefixtures("ffmpeg")
def test_an_mp4_is_written(top_runs, tmp_path):
    path = ch.animate(list(top_runs.values())[:2], tmp_path / "two.mp4", fps=10, size=(321, 180))
    assert path.read_bytes()[4:8] == b"ftyp" and path.stat().st_size > 3000


def test_without_ffmpeg_an_mp4_is_refused(swing, tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(ch.ChaslesError, match="ffmpeg, which is not installed"):
        swing.animate(tmp_path / "swing.mp4")


@pytest.mark.parametrize(
    "options, message",
    [
        ({"path": "film.avi"}, "film's name is 'film.avi'"),
        ({"path": "/nowhere/film.html"}, "there is no folder '/nowhere'"),
        ({"layout": "stacked"}, "layout must be .*, got 'stacked'"),
        ({"labels": ["a", "b"]}, "there are 2 labels for 1 results"),
        ({"frames": 1}, "frames must be .*, got 1"),
        ({"path": "film.gif", "fps": 0}, "fps must be .*, got 0"),
        ({"path": "film.gif", "size": (1, 2)}, r"size must be .*, got \(1, 2\)"),
    ],
)
def test_options_that_mean_nothing_are_refused(swing, options, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ch.InvalidOption, match=message):
        swing.animate(**options)


@pytest.mark.parametrize(
    "labels", [["5"], ("5",), np.array(["5"]), [np.int64(5)], np.array([5]), {"5": 1}.keys()]
)
def test_labels_may_be_texts_or_numbers_in_any_list(swing, labels):
    assert ch.animate([swing], labels=labels).html == ch.animate([swing], labels=["5"]).html


def test_only_results_are_animated(swing):
    for wrong in (swing.model, [], [swing, 7]):
        with pytest.raises(ch.InvalidOption, match="results must be"):
            ch.animate(wrong)
