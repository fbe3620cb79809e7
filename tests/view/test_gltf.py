"""Films as glTF: another library opens them, and their nodes move as the run does."""

import base64
import json

import numpy as np
import pytest
import trimesh
from scipy.spatial.transform import Rotation

import chasles as ch

DTYPES = {5126: "<f4", 5125: "<u4"}
WIDTHS = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}


@pytest.fixture(scope="module")
def run() -> ch.Result:
    """A driven arm, a ball on a spring that spins, and a wheel."""
    arm = ch.Body.rod("arm", 1.0, mass=1.0, position=(0.5, 0, 0))
    ball = ch.Body.sphere("ball", 0.15, mass=1.0, position=(0, 0.8, 0), angular_velocity=(1, 2, 3))
    wheel = ch.Body.cylinder("wheel", radius=0.2, length=0.05, mass=1.0, position=(1, 0.1, 0),
                             axis="y", colour="steel")  # fmt: skip
    joints = [
        ch.Revolute("hinge", ch.GROUND, arm, (0, 0, 0), "y"),
        ch.Revolute("axle", arm, wheel, (1, 0.1, 0), "y"),
    ]
    spring = ch.Spring("spring", ch.GROUND, ball, (0, 0.8, 1), (0, 0.8, 0.15), stiffness=100.0)
    return ch.simulate(ch.Model([arm, ball, wheel], joints, [spring]), until=0.5, step=1e-3)


def opened(path):
    """The JSON of a .glb, and a reader of its accessors; all lengths are checked."""
    data = path.read_bytes()
    magic, version, length = np.frombuffer(data[:12], "<u4")
    assert (magic, version, length) == (0x46546C67, 2, len(data))
    words = int.from_bytes(data[12:16], "little")
    assert data[16:20] == b"JSON" and words % 4 == 0 and data[24 + words : 28 + words] == b"BIN\0"
    head = json.loads(data[20 : 20 + words])
    buffer = data[28 + words :]
    assert len(buffer) == head["buffers"][0]["byteLength"]

    def read(number):
        item = head["accessors"][number]
        view = head["bufferViews"][item["bufferView"]]
        first = view["byteOffset"]
        values = np.frombuffer(buffer[first : first + view["byteLength"]],
                               DTYPES[item["componentType"]])  # fmt: skip
        found = values.reshape(-1, WIDTHS[item["type"]])
        assert len(found) == item["count"]
        if "min" in item:
            assert found.min(axis=0).tolist() == item["min"]
            assert found.max(axis=0).tolist() == item["max"]
        return found

    return head, read


def tracks(head, read):
    """(name of a node, path) -> (times, values) of the animation."""
    (run,) = head["animations"]
    found = {}
    for channel in run["channels"]:
        sampler = run["samplers"][channel["sampler"]]
        node = head["nodes"][channel["target"]["node"]]["name"]
        found[node, channel["target"]["path"]] = (
            read(sampler["input"])[:, 0],
            read(sampler["output"]),
        )
    return found


def test_every_body_moves_as_it_did(run, tmp_path):
    head, read = opened(run.animate(tmp_path / "film.glb"))
    found = tracks(head, read)
    for name in run.model.body_names:
        times, places = found[name, "translation"]
        assert np.allclose(times, run.t, atol=1e-6) and np.all(np.diff(times) > 0)
        assert np.allclose(places, run.position(name), atol=1e-6)
        turns = Rotation.from_quat(found[name, "rotation"][1]).as_matrix()
        assert np.allclose(turns, run.rotation(name), atol=1e-6)
        assert np.all(np.sum(np.diff(found[name, "rotation"][1], axis=0) ** 2, axis=1) < 0.5)


def test_a_spring_stretches_between_its_ends(run, tmp_path):
    head, read = opened(run.animate(tmp_path / "film.glb"))
    found = tracks(head, read)
    far = run.point("ball", (0, 0.8, 0.15)).position
    length = np.linalg.norm(far - (0, 0.8, 1.0), axis=1)
    assert np.allclose(found["spring", "scale"][1][:, 2], length, atol=1e-6)
    along = Rotation.from_quat(found["spring", "rotation"][1]).apply((0, 0, 1))
    assert np.allclose((0, 0.8, 1.0) + length[:, None] * along, far, atol=1e-5)


@pytest.mark.parametrize("gravity", [(0, 0, -9.81), (0, -9.81, 0), (3.0, 0, -4.0)])
def test_up_is_y_and_another_library_sees_the_shapes_where_they_are(gravity, tmp_path):
    box = ch.Body.box("box", size=(0.2, 0.4, 0.6), mass=1.0, position=(1.0, 2.0, 3.0))
    result = ch.simulate(ch.Model([box], gravity=gravity), until=0.1, step=1e-2)
    scene = trimesh.load(result.animate(tmp_path / "film.glb"))
    (mesh,) = scene.dump()
    mesh.merge_vertices(merge_norm=True)  # corners have a vertex for each of their normals
    assert mesh.is_watertight and mesh.volume == pytest.approx(0.2 * 0.4 * 0.6, rel=1e-5)
    up = -np.array(gravity) / np.linalg.norm(gravity)
    assert mesh.centroid[1] == pytest.approx(up @ (1.0, 2.0, 3.0), abs=1e-5)
    assert np.linalg.norm(mesh.centroid) == pytest.approx(np.sqrt(14.0), abs=1e-5)


def test_balls_and_wheels_have_two_tones_and_metal_is_metal(run, tmp_path):
    head, _ = opened(run.animate(tmp_path / "film.glb"))
    meshes = {mesh["name"]: mesh for mesh in head["meshes"]}
    assert [len(meshes[name]["primitives"]) for name in ("Sphere", "Rod", "Tie")] == [2, 1, 1]
    wheel = next(node for node in head["nodes"] if node.get("name") == "wheel")
    drawn = head["meshes"][head["nodes"][wheel["children"][0]]["mesh"]]["primitives"]
    inks = [head["materials"][one["material"]]["pbrMetallicRoughness"] for one in drawn]
    assert len(inks) == 2 and all(ink["metallicFactor"] > 0.5 for ink in inks)


def test_the_text_form_has_the_same_content(run, tmp_path):
    head, _ = opened(run.animate(tmp_path / "film.glb"))
    text = json.loads(run.animate(tmp_path / "film.gltf").read_text())
    data = text["buffers"][0].pop("uri").partition("base64,")[2]
    assert text == head
    assert (tmp_path / "film.glb").read_bytes().endswith(base64.b64decode(data))


def test_results_stand_side_by_side_and_few_frames_are_few(run, tmp_path):
    head, read = opened(ch.animate([run, run[::2]], tmp_path / "two.glb", frames=20,
                                   labels=["a", "b"]))  # fmt: skip
    named = {node.get("name"): node for node in head["nodes"]}
    places = {label: named[label]["translation"] for label in "ab"}
    assert np.linalg.norm(np.subtract(places["a"], places["b"])) > 1.0
    assert len(tracks(head, read)["arm", "translation"][0]) <= 20
