"""Pictures of models: what is seen is what is there, and names can be read."""

import io
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from matplotlib.axes import Axes
from PIL import Image
from viewed import top_model

import chasles as ch
from chasles.view import picture
from chasles.view.camera import angled, camera_of
from chasles.view.geometry import solid_of
from chasles.view.glyphs import KINDS, glyph_of
from chasles.view.raster import Page
from chasles.view.render import render
from chasles.view.scene import AT_HOME, Part, scene_of
from chasles.view.surfaces import part_surface

PAGE = Page((-1.0, -1.0), (1.0, 1.0), 400, 400)
UP = np.array([0.0, 0.0, 1.0])
CAMERA = angled(np.array([0.0, 0.0, 1.0]), 0.0, 0.0)  # along -x


@pytest.fixture(autouse=True)
def coarse(monkeypatch):
    """Bodies of models are drawn with fewer pixels; names, lines and scales are as they are."""
    monkeypatch.setattr(picture, "MOST_PIXELS", 1e5)


def shot(*shapes: ch.Shape, camera=CAMERA, floor=None) -> np.ndarray:
    colours = ["#ff0000", "#0000ff", "#00ff00"]
    parts = [Part("ground", shape, colours[k], "body") for k, shape in enumerate(shapes)]
    surfaces = [part_surface(part, AT_HOME) for part in parts]
    return render(surfaces, camera, PAGE, UP, floor).astype(int)


# --- solids on a page ---


@pytest.mark.parametrize(
    "shape, area",
    [
        (ch.Sphere(0.5), np.pi * 0.25),
        (ch.Box((0.3, 0.8, 1.2)), 0.96),
        (ch.Cylinder(0.4, 1.0, "x"), np.pi * 0.16),
        (ch.Ring(0.6, 0.3, 0.2, "x"), np.pi * 0.27),
        (ch.Cone(0.5, 1.0), 0.5),
        (ch.Capsule(0.2, 0.8), 0.32 + np.pi * 0.04),
    ],
    ids=lambda value: getattr(value, "kind", None),
)
def test_a_solid_covers_its_shadow(shape, area):
    covered = shot(shape)[..., 3].sum() / 255 * (2 / 400) ** 2
    assert covered == pytest.approx(area, rel=0.03)


def test_the_nearer_body_hides_the_other():
    near, far = (
        ch.Box((0.1, 1, 1), position=(0.5, 0, 0)),
        ch.Box((0.1, 1, 1), position=(-0.5, 0, 0)),
    )
    for shapes, colour in (((near, far), 0), ((far, near), 2)):
        middle = shot(*shapes)[200, 200]
        assert middle[colour] > 150 > middle[2 - colour]


def test_crossing_bodies_hide_each_other_where_they_are_nearer():
    """A tilted plate is behind an upright one above, and before it below."""
    turn = ((0.8, 0, -0.6), (0, 1, 0), (0.6, 0, 0.8))
    image = shot(ch.Box((0.02, 1, 1)), ch.Box((0.02, 0.8, 1), rotation=turn))
    above, below = image[130, 200], image[270, 200]
    assert above[0] > above[2] and below[2] > below[0]


def test_a_cube_has_its_inner_edges():
    """Seen from a corner the outline is a hexagon; three edges meet in its middle."""
    corner = angled(np.array([0.0, 0.0, 1.0]), 45.0, 35.264)
    image = shot(ch.Box((0.8, 0.8, 0.8)), camera=corner)
    angles = np.linspace(0, 2 * np.pi, 3600)
    ring = image[(200 - 60 * np.sin(angles)).astype(int), (200 + 60 * np.cos(angles)).astype(int)]
    faces = [image[at][0] for at in ((150, 200), (230, 160), (230, 240))]
    dark = ring[:, 0] < min(faces) - 25
    assert np.count_nonzero(np.diff(dark.astype(int)) == 1) + (dark[0] and not dark[-1]) == 3


def test_faces_are_lit_differently():
    corner = angled(np.array([0.0, 0.0, 1.0]), 45.0, 35.264)
    image = shot(ch.Box((0.8, 0.8, 0.8)), camera=corner)
    reds = {int(image[at][0]) for at in ((150, 200), (230, 160), (230, 240))}
    assert len(reds) == 3


def test_a_body_shades_the_floor_and_what_stands_behind_it():
    """The floor is dark below a plate and clear elsewhere; a ball is dark where the plate hides
    the sun, which stands to the left."""
    eye = angled(UP, 0.0, 30.0)
    plate = ch.Box((0.6, 1.0, 0.02), position=(0, 0, 0.4))
    ball = ch.Sphere(0.2, position=(-0.05, 0.35, 0.0))
    alone, under = shot(ball, camera=eye), shot(ball, plate, camera=eye, floor=-0.3)
    assert under[..., 3][[0, -1]].max() < 12

    def seen(image, point):
        x, y = PAGE.pixels(eye.seen(np.array(point))).astype(int)
        return image[y, x]

    assert seen(alone, (-0.2, 0.6, -0.3))[3] == 0
    *colour, cover = seen(under, (-0.2, 0.6, -0.3))
    assert 25 < cover < 200 and max(colour) < 80
    front = ball.position + 0.2 * eye.towards
    assert seen(under, front)[:3].sum() < 0.85 * seen(alone, front)[:3].sum()


def test_normals_point_outwards_and_have_length_one():
    for shape in (ch.Sphere(2.0), ch.Box((1, 2, 3)), ch.Ring(2, 1, 1), ch.Capsule(1, 2)):
        solid = solid_of(shape)
        assert np.allclose(np.linalg.norm(solid.normals, axis=2), 1)
        corners = solid.vertices[solid.triangles]
        flat = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        assert (np.einsum("tci,ti->tc", solid.normals, flat) > 0).all()
    sphere = solid_of(ch.Sphere(2.0))
    corners = sphere.vertices[sphere.triangles] / 2.0
    assert np.abs(sphere.normals - corners).max() < 0.2  # smooth


# --- models ---


def test_every_kind_of_joint_has_a_glyph_of_its_own():
    assert set(KINDS) == set(ch.Joint.kinds)
    seen = set()
    for kind in ("revolute", "spherical", "prismatic", "cylindrical", "planar", "fixed"):
        joint = ch.Joint.kinds[kind]("j", ch.GROUND, "b", at=(0, 0, 0), **(
            {} if kind in ("spherical", "fixed") else {"axis": (0, 0, 1)}))  # fmt: skip
        seen.add(repr([[(s.kind, s.volume) for s in side] for side in glyph_of(joint, 1.0)]))
    assert len(seen) == 6


@pytest.mark.parametrize("benchmark", list(ch.library), ids=lambda b: b.name)
def test_every_mechanism_of_the_library_is_drawn_and_its_names_do_not_overlap(benchmark):
    ax = benchmark.model().plot()
    assert isinstance(ax, Axes)
    figure = ax.get_figure()
    renderer = figure.canvas.get_renderer()
    names = {*benchmark.model().body_names, *benchmark.model().joint_names}
    boxes = [t.get_window_extent(renderer) for t in ax.texts if t.get_text() in names]
    overlaps = sum(
        a.x0 < b.x1 and b.x0 < a.x1 and a.y0 < b.y1 and b.y0 < a.y1
        for k, a in enumerate(boxes)
        for b in boxes[:k]
    )
    assert overlaps <= len(boxes) // 12


def test_the_picture_names_forces_and_drivers_and_has_a_scale(swing):
    texts = {text.get_text() for text in swing.model.plot().texts}
    assert {"arm", "hinge", "ball", "coil", "push", "x", "z", "g", "20 cm"} <= texts
    assert "hinge" not in {t.get_text() for t in swing.model.plot(names=False).texts}


def test_a_driven_joint_and_a_motor_are_marked():
    wheel = ch.Body.cylinder("wheel", 0.2, 0.05, mass=1.0, axis="y")
    hinge = ch.Revolute("hinge", ch.GROUND, wheel, (0, 0, 0), (0, 1, 0))
    bare = ch.Model([wheel], [hinge]).plot()
    driver = ch.Driver("drive", hinge, ch.Signal.linear(2.0))
    driven = ch.Model([wheel], [hinge], drivers=[driver]).plot()
    assert len(driven.lines) > len(bare.lines)
    assert "drive" in {t.get_text() for t in driven.texts}


@pytest.mark.parametrize("kind", [".png", ".svg", ".pdf"])
def test_a_picture_is_written(tmp_path, kind):
    path = tmp_path / f"top{kind}"
    top_model().plot(path)
    assert path.stat().st_size > 3000


def test_a_notebook_shows_the_model_and_the_axes():
    model = top_model()
    for png in (model._repr_png_(), model.plot()._repr_png_()):
        image = np.asarray(Image.open(io.BytesIO(png)).convert("L"))
        assert image.shape[1] > 500 and np.ptp(image) > 150


def test_no_display_is_needed(tmp_path):
    script = "import chasles as ch; ch.Model([ch.Body.box('b', (1, 1, 1), mass=1)]).plot('b.png')"
    environment = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "MPLBACKEND")}
    environment["PYTHONPATH"] = str(Path(ch.__file__).parent.parent)
    subprocess.run([sys.executable, "-c", script], cwd=tmp_path, env=environment, check=True)
    assert (tmp_path / "b.png").stat().st_size > 3000


def test_given_axes_are_drawn_on():
    ax = top_model().plot()
    assert top_model().plot(ax=ax, view="xz", frames=True) is ax


def test_the_axes_of_bodies_are_seen_over_the_bodies():
    def ink(frames):
        axes = top_model().plot(frames=frames)
        picture = np.asarray(Image.open(io.BytesIO(axes._repr_png_())).convert("RGB")).astype(int)
        return picture

    assert (np.abs(ink(True) - ink(False)).sum(axis=2) > 60).sum() > 200


@pytest.mark.parametrize(
    "options, message",
    [
        ({"path": "top.bmp"}, "figure's name is 'top.bmp'"),
        ({"path": "/nowhere/top.png"}, "there is no folder '/nowhere'"),
        ({"view": "front"}, "view must be .*, got 'front'"),
        ({"view": (0, 100)}, r"view must be .*, got \(0, 100\)"),
        ({"size": "large"}, "size must be .*, got 'large'"),
    ],
)
def test_options_that_mean_nothing_are_refused(options, message):
    with pytest.raises(ch.InvalidOption, match=message):
        top_model().plot(**options)


@pytest.mark.parametrize("gravity", [(0, 0, -9.81), (0, -9.81, 0), (3, 0, 0), (1, -2, 0.5)])
def test_up_on_the_page_is_against_gravity(gravity):
    camera = camera_of(top_model(gravity))
    assert camera.up @ np.array(gravity) < 0
    assert abs(camera.right @ np.array(gravity)) < 1e-12
    assert np.cross(camera.right, camera.up) @ camera.towards == pytest.approx(1)


def test_a_body_without_a_shape_is_drawn_between_its_joints():
    link = ch.Body("link", 1.0, (1, 1, 1), position=(0.5, 0, 0.3))
    joints = [
        ch.Spherical(n, ch.GROUND, link, at=at) for n, at in (("a", (0, 0, 0)), ("b", (1, 0, 0)))
    ]
    parts = [p for p in scene_of(ch.Model([link], joints)).parts if p.role == "body"]
    assert len(parts) == 1 and isinstance(parts[0].shape, ch.Rod)
    assert parts[0].shape.length == pytest.approx(1.0)


def test_pictures_of_any_size_take_little_memory(tmp_path, monkeypatch):
    """Without a limit, 100 by 100 inches took 24 GB."""
    pages = []
    monkeypatch.setattr(picture, "MOST_PIXELS", 1e4)
    monkeypatch.setattr(picture, "MOST_PRINTED", 4e4)
    monkeypatch.setattr(picture, "render", lambda *given: pages.append(given[2]) or render(*given))
    ch.Model([ch.Body.sphere("ball", 0.1, mass=1.0)]).plot(tmp_path / "ball.png")
    assert 0.9e4 <= pages[0].width * pages[0].height <= 1e4
    assert np.prod(Image.open(tmp_path / "ball.png").size) == pytest.approx(4e4, rel=0.02)


@pytest.mark.filterwarnings("error")
def test_a_body_far_from_the_origin_is_drawn():
    """Its radius is less than the rounding of its place."""
    far = ch.Model([ch.Body.sphere("far", 0.1, mass=1.0, position=(1e17, 0, 0))])
    left, right = far.plot().get_xlim()
    assert np.isfinite([left, right]).all() and left < right
