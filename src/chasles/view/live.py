"""`result.view()`: a run live in the browser, through viser."""

import threading
import time
from collections.abc import Iterable
from functools import cached_property
from importlib.util import find_spec
from typing import Any

import numpy as np

from chasles.core.arrays import Floats
from chasles.model import Body, ChaslesError
from chasles.model.keywords import checked_keywords
from chasles.result.result import Result
from chasles.view.applied import Arrow, applied_forces, joint_arrows, largest_of
from chasles.view.camera import camera_of
from chasles.view.film import trail_colours
from chasles.view.forms import extents, paint_of
from chasles.view.live_panel import Plot, numbers_of
from chasles.view.scene import ROD, Part, Pose, place, poses_at, scene_of_run
from chasles.view.setting import checked_follow, followed, reached
from chasles.view.surfaces import TIED, WIRE, rgb, tie_path, toned
from chasles.view.tracks import quaternions

FRAMES = 60.0  # per second
POINTS = 400  # of a trail
SPEEDS = ("0.01", "0.02", "0.05", "0.1", "0.2", "0.5", "1", "2", "5", "10")
THIN = 0.004  # thickness of lines, over the size
COLOURS = {"gap": "#c4512d", "reaction": "#2f66b3", "force": "#6d4aa3", "torque": "#b5761a"}
LASTS = 8.0  # seconds that a run takes at the first speed, about
NARROW = 700  # pixels of a window whose lower part the panel covers
BELOW = 0.28  # of its height: how far the scene then stands above the middle


class NoViewer(ChaslesError):
    """The live viewer was asked for, and viser is not installed."""


@checked_keywords
def view(
    result: Result, port: int = 8080, block: bool | None = None, follow: Body | str | None = None
) -> "Live":
    """Serve a run on this machine; open the address that is printed.

    Parameters
    ----------
    result
        The run.
    port
        Port of the server, on this machine only.
    block
        Wait until Ctrl-C. By default the viewer runs as long as the returned object exists.
    follow
        Body that the camera follows.
    """
    if find_spec("viser") is None:
        raise NoViewer(
            "view: the live viewer needs viser, which is not installed.",
            "pip install viser, or write a film that needs nothing: result.animate('film.html').",
        )
    live = Live(result, port, checked_follow(follow, result, "view"))
    if block:
        live.wait()
    return live


class Live:
    """A server and the thread that plays; `url` says where, `stop()` ends both."""

    def __init__(self, result: Result, port: int, follow: str | None = None) -> None:
        import viser  # late: an extra

        self.follow, self.gone, self.moved = follow, followed(result, follow), np.zeros(3)
        self.result, self.scene = result, scene_of_run(result)
        self.turns = {b.name: quaternions(result.rotation(b)) for b in result.model.bodies}
        self.server: Any = viser.ViserServer(
            host="127.0.0.1", port=port, label="chasles", verbose=False
        )
        self.url = f"http://127.0.0.1:{self.server.get_port()}"
        self.server.scene.set_up_direction(tuple(self.scene.up))
        self.bodies: dict[str, Any] = {}
        self.joints: list[Any] = []  # what is drawn of them
        self.selected = ""
        self.frame = 0
        self.build()
        self.look()
        self.controls()
        self.show(0)
        self.running = True
        self.thread = threading.Thread(target=self.play, daemon=True)
        self.thread.start()

    def __repr__(self) -> str:
        return f"Live({self.url})"

    # --- what there is ---

    def build(self) -> None:
        """Bodies as frames that move, with their meshes in them."""
        scene, size = self.server.scene, self.scene.size
        for body in self.result.model.bodies:
            path = f"/body {len(self.bodies)}"  # a name may have slashes, which would nest it
            self.bodies[body.name] = scene.add_frame(
                path, show_axes=False, axes_length=0.15 * size, axes_radius=0.004 * size
            )
        self.names = [
            scene.add_label(f"/body {k}/name", name, visible=False)
            for k, name in enumerate(self.bodies)
        ]
        extent = extents(self.scene)
        for number, part in enumerate(self.scene.parts):
            self.add_part(number, part, extent.get(part.body, 0.0))
        self.gaps = list(joint_arrows(self.result, self.scene, ("gap",)))
        self.ties = [
            self.add_lines(
                f"/ties/{k}", tie_path(self.scene, tie, poses_at(self.result, 0)),
                TIED[tie.spring], 2.0 * (WIRE if tie.spring else ROD),
            )
            for k, tie in enumerate(self.scene.ties)
        ]  # fmt: skip
        self.arrows: dict[str, Any] = {}
        self.trails = [self.add_trail(body.name) for body in self.result.model.bodies]

    def add_part(self, number: int, part: Part, extent: float) -> None:
        """The surfaces of a part, in one colour or in two that show its spin."""
        names = list(self.bodies)
        home = f"/body {names.index(part.body)}" if part.body in names else "/ground"
        colour, _ = paint_of(part, None)
        smooth = bool((~part.solid.creased).any())
        for k, (shown, ink) in enumerate(toned(part, colour, extent)):
            corners = part.solid.vertices[part.solid.triangles[shown]]
            handle = self.server.scene.add_mesh_simple(
                f"{home}/{part.role} {number}.{k}", corners.reshape(-1, 3),
                np.arange(3 * len(corners)).reshape(-1, 3), color=whole(ink),
                flat_shading=not smooth, side="double",
            )  # fmt: skip
            if part.role == "joint":
                self.joints.append(handle)
            if part.body in names:
                handle.on_click(lambda _, body=part.body: self.select(body))

    def add_lines(self, name: str, path: Floats, colour: str, thickness: float = THIN) -> Any:
        segments = np.stack((path[:-1], path[1:]), axis=1)
        return self.server.scene.add_line_segments(
            name,
            segments,
            whole(colour),
            thickness=thickness * self.scene.size,
        )

    def add_trail(self, body: str) -> Any:
        every = max(1, len(self.result.t) // POINTS)
        own = trail_colours(self.scene, None)[list(self.bodies).index(body)]
        path = self.result.position(body)[::every]
        return self.add_lines(
            f"/trail {list(self.bodies).index(body)}",
            path if len(path) > 1 else np.tile(path, (2, 1)),
            own,
        )

    def look(self) -> None:
        """Every reader starts where the picture would be seen from."""
        eye = camera_of(self.result.model)
        every = np.arange(len(self.result.t))
        cloud = reached(self.result, self.scene, every, self.follow)
        middle = (cloud.min(axis=0) + cloud.max(axis=0)) / 2.0
        away = middle + 1.1 * np.linalg.norm(np.ptp(cloud, axis=0)) * eye.towards

        @self.server.on_client_connect
        def _(client: Any) -> None:
            moved = self.moved
            if client.camera.image_width < NARROW:
                height = 2.0 * np.tan(client.camera.fov / 2.0) * np.linalg.norm(away - middle)
                across = self.scene.up - (self.scene.up @ eye.towards) * eye.towards
                moved = moved - BELOW * height * across / max(np.linalg.norm(across), 1e-9)
            client.camera.position = tuple(away + moved)
            client.camera.look_at = tuple(middle + moved)

        cloud = reached(self.result, self.scene, every)
        grid = 2.0 * float(np.linalg.norm(np.ptp(cloud, axis=0)))
        lowest = middle + ((cloud @ self.scene.up).min() - middle @ self.scene.up) * self.scene.up
        plane = {0: "yz", 1: "xz", 2: "xy"}[int(np.abs(self.scene.up).argmax())]
        self.floor = self.server.scene.add_grid(
            "/floor", grid, grid, plane=plane, position=tuple(lowest)
        )

    # --- what can be done ---

    def controls(self) -> None:
        gui, t = self.server.gui, self.result.t
        length = float(t[-1] - t[0])
        usual = min(SPEEDS, key=lambda s: abs(np.log(float(s) * LASTS / max(length, 1e-9))))
        self.playing = gui.add_checkbox("Play", True)
        self.speed = gui.add_dropdown("Speed", SPEEDS, initial_value=usual)
        self.time = gui.add_slider(
            "Time, s", float(t[0]), float(t[-1]), max(length / 1000.0, 1e-9), float(t[0])
        )
        self.plot = Plot(gui, self.result)
        self.card = gui.add_markdown("Click a body to read its numbers.")
        with gui.add_folder("Show"):
            self.switches(gui)
            self.gap_shown = gui.add_checkbox("Joint gaps, magnified", False)
            largest = max((float(np.abs(gap.values).max()) for gap in self.gaps), default=0.0)
            power = int(np.floor(np.log10(0.3 * self.scene.size / largest))) if largest > 0 else 0
            self.power = gui.add_slider("× 10 to the", 0, max(power + 2, 1), 1, max(power, 0))
            self.force_shown = gui.add_checkbox("Reactions", False)
            self.applied_shown = gui.add_checkbox("Forces and torques", False)
        self.moved_by_us = False
        for control in (self.gap_shown, self.power, self.force_shown, self.applied_shown):
            control.on_update(lambda _: self.show(self.frame))

        @self.time.on_update
        def _(_: Any) -> None:
            if not self.moved_by_us:
                self.playing.value = False
                self.show(int(np.abs(self.result.t - self.time.value).argmin()))

    def switches(self, gui: Any) -> None:
        """Boxes for what is drawn or not, with what each of them shows."""
        self.boxes: list[Any] = []
        frames = list(self.bodies.values())
        kinds = {
            "Trails": (self.trails, "visible", len(self.trails) <= 8),
            "Names": (self.names, "visible", False),
            "Frames of bodies": (frames, "show_axes", False),
            "Joints": (self.joints, "visible", True),
            "Floor": ([self.floor], "visible", True),
        }
        for words, (handles, field, first) in kinds.items():
            box = gui.add_checkbox(words, first)
            self.boxes.append(box)

            def turn(_: Any, box: Any = box, handles: Any = handles, field: str = field) -> None:
                for handle in handles:
                    setattr(handle, field, box.value)

            box.on_update(turn)
            turn(None)

    def select(self, body: str) -> None:
        """Show the numbers of a body."""
        self.selected = body
        self.fill_card()

    def fill_card(self) -> None:
        if self.selected:
            self.card.content = numbers_of(self.result, self.selected, self.frame)

    def show(self, frame: int) -> None:
        """Put everything where it is at a saved time."""
        self.frame = frame
        poses = poses_at(self.result, frame)
        with self.server.atomic():
            for name, handle in self.bodies.items():
                handle.wxyz, handle.position = self.turns[name][frame], poses[name][1]
            for tie, handle in zip(self.scene.ties, self.ties):
                path = tie_path(self.scene, tie, poses)
                handle.points = np.stack((path[:-1], path[1:]), axis=1).astype(np.float32)
            self.show_vectors(poses, frame)
            self.fill_card()
        self.go_along(self.gone[frame])

    def go_along(self, gone: Floats) -> None:
        """Move every reader's camera as far as the body that is followed went."""
        step, self.moved = gone - self.moved, gone
        if step.any():
            for client in self.server.get_clients().values():
                client.camera.position = client.camera.position + step  # and what it looks at

    def show_vectors(self, poses: dict[str, Pose], frame: int) -> None:
        shown: list[tuple[Arrow, float]] = []
        if self.gap_shown.value:
            shown += [(gap, 10.0 ** float(self.power.value)) for gap in self.gaps]
        shown += self.reactions if self.force_shown.value else []
        shown += self.applied if self.applied_shown.value else []
        wanted = {f"/{one.kind} {k}": (one, unit) for k, (one, unit) in enumerate(shown)}
        for name in set(self.arrows) - set(wanted):
            self.arrows.pop(name).remove()
        for name, (one, unit) in wanted.items():
            at = place(poses[one.body], one.at)
            path = arrow_path(at, at + unit * np.nan_to_num(one.values[frame]))
            self.arrows[name] = self.add_lines(name, path, COLOURS[one.kind])

    @cached_property
    def applied(self) -> list[tuple[Arrow, float]]:
        """Springs, motors, loads and other forces."""
        return self.in_sight(applied_forces(self.result, self.scene))

    @cached_property
    def reactions(self) -> list[tuple[Arrow, float]]:
        """Forces of all joints; nothing where none is determined."""
        every = joint_arrows(self.result, self.scene, ("reaction",))
        return self.in_sight(one for one in every if one.kind == "reaction")

    def in_sight(self, arrows: Iterable[Arrow]) -> list[tuple[Arrow, float]]:
        """Arrows with the length of a unit: the largest of a kind is a part of the model's size."""
        every, largest = list(arrows), dict.fromkeys(COLOURS, 1e-300)
        for one in every:
            largest[one.kind] = max(largest[one.kind], largest_of(one.values))
        return [(one, 0.3 * self.scene.size / largest[one.kind]) for one in every]

    def play(self) -> None:
        before = time.monotonic()
        while self.running:
            time.sleep(1.0 / FRAMES)
            now = time.monotonic()
            passed, before = now - before, now
            if not self.playing.value:
                continue
            first, last = float(self.result.t[0]), float(self.result.t[-1])
            at = self.time.value + passed * float(self.speed.value)
            at = first if at > last else at
            self.moved_by_us = True
            self.time.value = at
            self.moved_by_us = False
            self.show(int(np.searchsorted(self.result.t, at, side="right") - 1))

    def wait(self) -> None:
        """Until Ctrl-C."""
        try:
            while self.running:
                time.sleep(0.2)
        except KeyboardInterrupt:
            pass
        finally:
            self.stop()

    def stop(self) -> None:
        self.running = False
        self.thread.join(timeout=2.0)
        self.server.stop()


def whole(colour: str) -> tuple[int, ...]:
    return tuple(int(c) for c in rgb(colour))


def arrow_path(start: Floats, end: Floats) -> Floats:
    """A line with two barbs at its end, in one stroke."""
    along = end - start
    length = float(np.linalg.norm(along))
    if length == 0.0:
        return np.array([start, end])
    side = np.cross(along, np.eye(3)[np.abs(along).argmin()])
    side *= 0.07 * length / np.linalg.norm(side)
    back = end - 0.18 * along
    return np.array([start, end, back + side, end, back - side])
