"""`result.view()`: a run live in the browser, through viser."""

import threading
import time
from functools import cached_property
from importlib.util import find_spec
from typing import Any

import numpy as np

from chasles.core.arrays import Floats
from chasles.model import Body, ChaslesError
from chasles.model.keywords import checked_keywords
from chasles.result.result import Result
from chasles.view.applied import Applied, applied_forces
from chasles.view.camera import camera_of
from chasles.view.film import largest_gap
from chasles.view.marks import tie_path
from chasles.view.panels import scaled
from chasles.view.raster import rgb
from chasles.view.scene import ROD, TIE, Part, Pose, place, poses_at, scene_of_run
from chasles.view.setting import checked_follow, followed, reached
from chasles.view.tracks import quaternions

FRAMES = 60.0  # per second
POINTS = 400  # of a trail, and of a curve
SPEEDS = ("0.01", "0.02", "0.05", "0.1", "0.2", "0.5", "1", "2", "5", "10")
SPRING, THIN = "#177a5b", 0.004  # colour of springs; thickness of lines, over the size
LASTS = 8.0  # seconds that a run takes at the first speed, about


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
        self.build()
        self.controls()
        self.look()
        self.show(0)
        self.running = True
        self.thread = threading.Thread(target=self.play, daemon=True)
        self.thread.start()

    def __repr__(self) -> str:
        return f"Live({self.url})"

    # --- what there is ---

    def build(self) -> None:
        """Bodies as frames that move, with their meshes in them."""
        scene = self.server.scene
        for body in self.result.model.bodies:
            path = f"/body {len(self.bodies)}"  # a name may have slashes, which would nest it
            self.bodies[body.name] = scene.add_frame(path, show_axes=False)
        for number, part in enumerate(self.scene.parts):
            self.add_part(number, part)
        self.gaps = {
            spot.name: self.result.violation(spot.name, vector=True) for spot in self.scene.spots
        }
        self.ties = [
            self.add_lines(
                f"/ties/{k}", tie_path(self.scene, tie, poses_at(self.result, 0)),
                *((SPRING, THIN) if tie.spring else (TIE, 2.0 * ROD)),
            )
            for k, tie in enumerate(self.scene.ties)
        ]  # fmt: skip
        self.arrows: dict[str, Any] = {}
        self.trails = [self.add_trail(body.name) for body in self.result.model.bodies]

    def add_part(self, number: int, part: Part) -> None:
        names = list(self.bodies)
        home = f"/body {names.index(part.body)}" if part.body in names else "/ground"
        colour = tuple(int(c) for c in rgb(part.colour))
        solid = part.solid
        self.server.scene.add_mesh_simple(
            f"{home}/{part.role} {number}", solid.vertices[solid.triangles].reshape(-1, 3),
            np.arange(3 * len(solid.triangles)).reshape(-1, 3), color=colour,
            flat_shading=not bool((~solid.creased).any()), side="double",
        )  # fmt: skip

    def add_lines(self, name: str, path: Floats, colour: str, thickness: float = THIN) -> Any:
        segments = np.stack((path[:-1], path[1:]), axis=1)
        return self.server.scene.add_line_segments(
            name,
            segments,
            tuple(int(c) for c in rgb(colour)),
            thickness=thickness * self.scene.size,
        )

    def add_trail(self, body: str) -> Any:
        every = max(1, len(self.result.t) // POINTS)
        own = next((p.colour for p in self.scene.parts if p.body == body), "#667080")
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
            client.camera.position = tuple(away + self.moved)
            client.camera.look_at = tuple(middle + self.moved)

        cloud = reached(self.result, self.scene, every)
        grid = 2.0 * float(np.linalg.norm(np.ptp(cloud, axis=0)))
        lowest = middle + ((cloud @ self.scene.up).min() - middle @ self.scene.up) * self.scene.up
        plane = {0: "yz", 1: "xz", 2: "xy"}[int(np.abs(self.scene.up).argmax())]
        self.server.scene.add_grid("/floor", grid, grid, plane=plane, position=tuple(lowest))

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
        with gui.add_folder("Show"):
            trails = gui.add_checkbox("Trails", len(self.trails) <= 8)
            self.gap_shown = gui.add_checkbox("Joint gaps, magnified", False)
            largest = max((float(np.abs(g).max()) for g in self.gaps.values()), default=0.0)
            power = int(np.floor(np.log10(0.3 * self.scene.size / largest))) if largest > 0 else 0
            self.power = gui.add_slider("× 10 to the", 0, max(power + 2, 1), 1, max(power, 0))
            self.force_shown = gui.add_checkbox("Reactions", False)
            self.applied_shown = gui.add_checkbox("Forces and torques", False)
        self.curve(gui)
        self.moved_by_us = False

        def set_trails() -> None:
            for trail in self.trails:
                trail.visible = trails.value

        trails.on_update(lambda _: set_trails())
        set_trails()
        for control in (self.gap_shown, self.power, self.force_shown, self.applied_shown):
            control.on_update(lambda _: self.show(self.frame))

        @self.time.on_update
        def _(_: Any) -> None:
            if not self.moved_by_us:
                self.playing.value = False
                self.show(int(np.abs(self.result.t - self.time.value).argmin()))

    def curve(self, gui: Any) -> None:
        """The largest gap and the energy's error over time, beside the scene."""
        import viser.uplot as uplot

        every = max(1, len(self.result.t) // POINTS)
        t = np.asarray(self.result.t[::every], dtype=float)
        curves = {"energy error, J": self.result.energy_balance()}
        if self.result.model.joints:
            curves["largest gap, m"] = largest_gap(self.result)
        with gui.add_folder("Curves"):
            for words, history in curves.items():
                factor, power = scaled(float(np.abs(history).max()))
                name, values = words.replace(", ", f", {power} "), history / factor
                gui.add_uplot(
                    data=(t, np.asarray(values[::every], dtype=float)),
                    series=(uplot.Series(label="t"), uplot.Series(label=name, stroke="#2f66b3")),
                    scales={"x": uplot.Scale(time=False)}, title=name, aspect=2.0,
                )  # fmt: skip

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
        self.go_along(self.gone[frame])

    def go_along(self, gone: Floats) -> None:
        """Move every reader's camera as far as the body that is followed went."""
        step, self.moved = gone - self.moved, gone
        if step.any():
            for client in self.server.get_clients().values():
                client.camera.position = client.camera.position + step  # and what it looks at

    def show_vectors(self, poses: dict[str, Pose], frame: int) -> None:
        wanted: dict[str, tuple[Floats, Floats, str]] = {}
        for number, spot in enumerate(self.scene.spots):
            at = place(poses[spot.a], spot.at)
            if self.gap_shown.value:
                gap = self.gaps[spot.name][frame] * 10.0 ** float(self.power.value)
                wanted[f"/gap {number}"] = (at, at + gap, "#c4512d")
            if self.force_shown.value:
                force = self.reactions[spot.name][frame]
                unit = 0.3 * self.scene.size / max(self.strongest, 1e-300)
                wanted[f"/reaction {number}"] = (at, at + unit * force, "#2f66b3")
        if self.applied_shown.value:
            for number, one in enumerate(self.applied):
                at = place(poses[one.body], one.at)
                unit = 0.3 * self.scene.size / max(self.largest_applied[one.kind], 1e-300)
                colour = "#6d4aa3" if one.kind == "force" else "#b5761a"
                wanted[f"/applied {number}"] = (at, at + unit * one.values[frame], colour)
        for name in set(self.arrows) - set(wanted):
            self.arrows.pop(name).remove()
        for name, (start, end, colour) in wanted.items():
            self.arrows[name] = self.add_lines(name, arrow_path(start, end), colour)

    @cached_property
    def applied(self) -> list[Applied]:
        """Springs, motors, loads and other forces."""
        return list(applied_forces(self.result, self.scene))

    @cached_property
    def largest_applied(self) -> dict[str, float]:
        """The largest force, N, and the largest torque, N m."""
        return {
            kind: max((float(np.abs(a.values).max()) for a in self.applied if a.kind == kind),
                      default=0.0)
            for kind in ("force", "torque")
        }  # fmt: skip

    @cached_property
    def reactions(self) -> dict[str, Floats]:
        """Forces of all joints, N; zero where none is determined."""
        return {
            spot.name: np.nan_to_num(self.result.reaction(spot.name).force)
            for spot in self.scene.spots
        }

    @cached_property
    def strongest(self) -> float:
        """The largest reaction, N."""
        return max((float(np.abs(force).max()) for force in self.reactions.values()), default=0.0)

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
