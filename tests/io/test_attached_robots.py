"""Models that an MJCF file attaches are looked at as the file itself; sizes count together."""

import os
import struct
import subprocess
import sys
import time
import zlib
from pathlib import Path

import pytest

import chasles as ch

pytest.importorskip("mujoco")
BODY = "<body name='b'><joint/><geom size='1'/></body>"
CHILD = "<mujoco>{}<worldbody>" + BODY + "</worldbody></mujoco>"
ATTACHES = (
    "<mujoco><asset><model name='c' file='{}'/></asset>"
    "<worldbody><attach model='c' body='b' prefix='p'/></worldbody></mujoco>"
)
READ = """
import resource, sys, chasles as ch
resource.setrlimit(resource.RLIMIT_AS, (4 * 2**30, 4 * 2**30))
try:
    ch.read_model(sys.argv[1])
except ch.ChaslesError as error:
    print(error)
"""


def read_alone(path: Path) -> str:
    """What is said of a file in a process of its own: this one crashed MuJoCo, or took all."""
    env = {**os.environ, "PYTHONPATH": str(Path(ch.__file__).parents[1])}
    run = subprocess.run(
        [sys.executable, "-c", READ, str(path)], env=env, capture_output=True,
        text=True, timeout=60,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr[-1000:]
    return run.stdout


def read_here(path: Path) -> str:
    with pytest.raises(ch.InvalidFile) as caught:
        ch.read_model(path)
    return str(caught.value)


def folder_with(tmp_path, **files):
    folder = tmp_path / "robot"
    (folder / "parts").mkdir(parents=True)
    (tmp_path / "secret.xml").write_text(CHILD.format(""))
    for name, text in files.items():
        (folder / (name.replace("parts_", "parts/") + ".xml")).write_text(text)
    return folder / "main.xml"


def test_an_attached_model_is_read(tmp_path):
    main = folder_with(tmp_path, main=ATTACHES.format("parts/c.xml"), parts_c=CHILD.format(""))
    assert ch.read_model(main).body_names == ("pb",)


HOSTILE = {
    "a mesh outside": ("<asset><mesh name='m' file='../../x.stl'/></asset>", "outside the folder"),
    "a folder outside": ("<compiler meshdir='../..'/>", "outside the folder"),
    "an absolute texture": ("<asset><texture file='/etc/x.png'/></asset>", "outside the folder"),
    "an include outside": ("<include file='../../secret.xml'/>", "outside the folder"),
    "a model outside": ("<asset><model file='../../secret.xml'/></asset>", "outside the folder"),
    "a model that is not XML": ("<asset><model file='c.txt'/></asset>", "not XML by its name"),
    "itself": ("<asset><model name='x' file='c.xml'/></asset>", "part of itself"),
    "its parent": ("<asset><model name='x' file='../main.xml'/></asset>", "part of itself"),
    "many poses": ("<size nkey='1000000000'/>", "nkey must be at most"),
    "many numbers": ("<size nuser_body='1000000000'/>", "nuser_body must be at most"),
    "a wide sensor": ("<sensor><user dim='1000000000'/></sensor>", "dim must be at most"),
    "many textures": (
        "<asset>" + "".join(
            f"<texture name='t{k}' type='2d' builtin='flat' width='4096' height='4096'/>"
            for k in range(300)
        ) + "</asset>",
        "points together",
    ),
    "copies of copies": (
        "<worldbody><replicate count='999'>" + "<site/>" * 999 + "</replicate></worldbody>",
        "elements, copies included",
    ),
}  # fmt: skip


@pytest.mark.parametrize("attached", [False, True])
@pytest.mark.parametrize("kind", HOSTILE)
def test_what_is_refused_in_a_robot_is_refused_in_what_it_attaches(kind, attached, tmp_path):
    inner, said = HOSTILE[kind]
    if attached:
        main = folder_with(
            tmp_path, main=ATTACHES.format("parts/c.xml"), parts_c=CHILD.format(inner)
        )
    else:
        main = folder_with(tmp_path, parts_c=CHILD.format(inner)).parent / "parts" / "c.xml"
        if kind == "its parent":
            pytest.skip("nothing attaches it")
    read = read_alone if kind in ("itself", "many poses") and attached else read_here
    began = time.monotonic()
    assert said in read(main)
    assert time.monotonic() - began < 20.0


def test_a_document_type_in_an_attached_model_is_refused(tmp_path):
    main = folder_with(
        tmp_path,
        main=ATTACHES.format("parts/c.xml"),
        parts_c='<!DOCTYPE r SYSTEM "file:///etc/passwd">' + CHILD.format(""),
    )
    assert "document type" in read_here(main)


def test_models_that_attach_each_other_many_times_are_refused(tmp_path):
    """Each names the next twice: 2^20 readings of the last."""
    twice = "".join(f"<model name='{n}' file='m{{0}}.xml'/>" for n in "ab")
    files = {f"m{k}": CHILD.format(f"<asset>{twice.format(k + 1)}</asset>") for k in range(20)}
    main = folder_with(tmp_path, **files, m20=CHILD.format(""))
    assert "more than 64 files" in read_here(main.parent / "m0.xml")


def test_attached_copies_count_as_elements(tmp_path):
    many = CHILD.format("<worldbody>" + "<site/>" * 2000 + "</worldbody>")
    attach = "".join(f"<attach model='c' body='b' prefix='p{k}'/>" for k in range(100))
    text = "<mujoco><asset><model name='c' file='c.xml'/></asset><worldbody>{}</worldbody></mujoco>"
    main = folder_with(tmp_path, main=text.format(attach), c=many)
    assert "elements, copies included" in read_here(main)


def test_a_link_does_not_lead_an_attached_model_outside(tmp_path):
    deep = CHILD.format("<asset><mesh name='m' file='../../x.stl'/></asset>")
    main = folder_with(tmp_path, main=ATTACHES.format("parts/c.xml"))
    (main.parent / "a" / "b" / "c").mkdir(parents=True)
    (main.parent / "a" / "b" / "c" / "c.xml").write_text(deep)
    (main.parent / "parts" / "c.xml").symlink_to(main.parent / "a" / "b" / "c" / "c.xml")
    assert "outside the folder" in read_here(main)


def in_a_circle(path):
    path.symlink_to(path.name)


def as_a_folder(path):
    path.mkdir()


@pytest.mark.skipif(os.name != "posix", reason="links and pipes of POSIX")
@pytest.mark.parametrize("make", [in_a_circle, as_a_folder])
@pytest.mark.parametrize(
    "names",
    [
        "<asset><mesh name='m' file='x.stl'/></asset>", "<include file='x.xml'/>",
        "<asset><texture name='t' type='2d' file='x.png'/></asset>",
        "<asset><model name='x' file='x.xml'/></asset>",
    ],
)  # fmt: skip
def test_what_a_robot_names_is_a_plain_file(names, make, tmp_path):
    main = folder_with(tmp_path, main=CHILD.format(names))
    make(main.parent / names.split("'")[-2])
    assert "x." in read_here(main)


@pytest.mark.skipif(os.name != "posix", reason="pipes of POSIX")
def test_a_pipe_is_not_waited_for(tmp_path):
    main = folder_with(tmp_path, main=CHILD.format("<asset><mesh file='x.stl'/></asset>"))
    os.mkfifo(main.parent / "x.stl")
    assert "not a plain file" in read_alone(main)


@pytest.mark.parametrize(
    "names", ["<asset><mesh file='{}.stl'/></asset>", "<include file='{}.xml'/>"]
)
def test_a_name_that_no_file_can_have_is_refused(names, tmp_path):
    read_here(folder_with(tmp_path, main=CHILD.format(names.format("x" * 5000))))


def png_of(width: int, height: int) -> bytes:
    """A picture of one colour: a few kilobytes that unpack to any size."""

    def chunk(kind, data):
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    pixels = zlib.compress(bytes((1 + width) * height), 9)
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")
    )


def test_a_small_file_that_unpacks_to_a_large_picture_is_refused(tmp_path):
    field = "<asset><hfield name='h' file='h.png' size='1 1 1 1'/></asset>"
    main = folder_with(tmp_path, main=CHILD.format(field))
    (main.parent / "h.png").write_bytes(png_of(10_000, 10_000))
    assert (main.parent / "h.png").stat().st_size < 2**20
    assert "points together" in read_alone(main)
