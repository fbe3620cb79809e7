"""Each limit of a robot's XML, at it and one beyond; which files count, and from which folders."""

import struct

import pytest

import chasles as ch
from chasles.io import mjcf, xml_checks
from chasles.io.xml_checks import Checker, bare_path, folders_of, found, numbers

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"


def checked(path, text, **options):
    """The checker of a file with this text, which it lets pass."""
    path.write_text(text, "utf-8")
    checker = Checker(path, **options)
    checker.check()
    return checker


@pytest.fixture
def main(tmp_path):
    (tmp_path / "robot").mkdir()
    return tmp_path / "robot" / "main.xml"


def at_limit(main, refusal, good, bad, said):
    """What is within a limit passes, and what is one more is refused, in a line that names it."""
    checked(main, good)
    assert said in refusal(lambda: checked(main, bad), ch.InvalidFile)


def nested(depth, tag="body"):
    return f"<{tag}>" * depth + f"</{tag}>" * depth


def test_elements_are_nested_three_hundred_deep_at_most(main, refusal):
    at_limit(main, refusal, nested(300), nested(301), "nested more than 300 deep")
    checked(main, "<m>" + nested(200) + nested(299) + "</m>")  # beside each other, not within


def test_elements_count_with_their_copies(main, refusal, monkeypatch):
    """m and replicate once, what is in it three times, what is in that six times: 1 + 1 + 3 + 6."""
    text = "<m><replicate count='3'><replicate count='2'><a/></replicate></replicate></m>"
    monkeypatch.setattr(xml_checks, "MOST_ELEMENTS", 11)
    checked(main, text)
    monkeypatch.setattr(xml_checks, "MOST_ELEMENTS", 10)
    said = refusal(lambda: checked(main, text), ch.InvalidFile)
    assert "more than 10 elements, copies included" in said and str(main) in said


def test_copies_of_copies_are_multiplied(main, refusal):
    text = "<m><replicate count='20'><composite count='5 {}'/></replicate></m>"
    at_limit(main, refusal, text.format(10), text.format(11), "makes 1.1e+03 copies")


GRIDS = [
    ("<texture width='4096' height='{}'/>", 4096, "width x height"),
    ("<hfield nrow='{}' ncol='4096'/>", 4096, "nrow x ncol"),
    ("<texture gridsize='4096 {}'/>", 4096, "gridsize"),
]


@pytest.mark.parametrize("text, most, names", GRIDS)
def test_a_grid_has_a_largest_size(text, most, names, main, refusal):
    at_limit(main, refusal, text.format(most), text.format(most + 1), f"points ({names})")


def test_all_grids_count_together_and_with_their_copies(main, refusal):
    one = "<hfield nrow='4096' ncol='4096'/>"
    text = "<m>{}<texture width='1' height='{}'/></m>"
    checked(main, "<m>" + 4 * one + "</m>")
    assert checked(main, "<m>" + 3 * one + "<geom/></m>").points == 3 * 2**24
    beyond = text.format(4 * one, 1)
    assert "more than 67108864 points together" in refusal(
        lambda: checked(main, beyond), ch.InvalidFile
    )
    copies = "<replicate count='2'><hfield nrow='3' ncol='5' count='7'/></replicate>"
    assert checked(main, copies).points == 2 * 7 * 15


@pytest.mark.parametrize("name", ["nkey", "nuser_body", "NUSER_geom"])
def test_numbers_that_are_kept_for_the_user_are_few(name, main, refusal):
    text = f"<size {name}='{{}}'/>"
    at_limit(main, refusal, text.format(10_000), text.format(10_001), f"{name} must be at most")
    checked(main, f"<other {name}='10001'/>")
    checked(main, "<size njmax='10001'/>")


def asset(folder, name, size, head=b""):
    with (folder / name).open("wb") as file:
        file.write(head)
        file.truncate(size)


def test_files_are_weighed_together_and_each_once(main, refusal, monkeypatch):
    for name in ("a.stl", "b.stl"):
        asset(main.parent, name, 500)
    text = "<m><mesh file='a.stl'/><mesh file='a.stl'/><mesh file='b.stl'/><mesh file='none'/></m>"
    monkeypatch.setattr(xml_checks, "MOST_BYTES", 1000)
    assert checked(main, text).bytes == 1000
    monkeypatch.setattr(xml_checks, "MOST_BYTES", 999)
    said = refusal(lambda: checked(main, text), ch.InvalidFile)
    assert "'b.stl' makes 1e+03 bytes" in said


def test_a_picture_counts_as_its_head_says(main, refusal):
    asset(main.parent, "h.png", 2000, PNG + struct.pack(">II", 700, 300))
    asset(main.parent, "n.png", 2000, b"x" + PNG + struct.pack(">II", 700, 300))
    text = "<m><texture file='h.png'/><texture file='n.png'/></m>"
    assert checked(main, text).points == 700 * 300
    asset(main.parent, "high.png", 2000, PNG + struct.pack(">II", 1, 2**27))
    said = refusal(lambda: checked(main, "<m><texture file='high.png'/></m>"), ch.InvalidFile)
    assert "points together" in said


def test_files_are_looked_for_in_the_folders_that_the_robot_names(main, refusal):
    (main.parent / "meshes").mkdir()
    asset(main.parent / "meshes", "a.stl", 77)
    text = "<m><compiler {}='meshes'/><mesh File='a.stl'/></m>"
    for name in ("meshdir", "textureDIR", "assetdir"):
        assert checked(main, text.format(name)).bytes == 77
    assert checked(main, text.format("dir")).bytes == 0  # a light's direction
    asset(main.parent.parent, "b.stl", 7)
    for inner, told in (
        ("<mesh file='../b.stl'/>", "<mesh>: file is '../b.stl'"),
        ("<include file='../b.xml'/>", "<include>: file is '../b.xml'"),
        ("<model file='../b.xml'/>", "<model>: file is '../b.xml'"),
        ("<compiler meshdir='..'/>", "<compiler>: a folder is '..'"),
        ("<mesh file='x://a'/>", "<mesh>: file is 'x://a'"),
        ("<mesh file='a\\b'/>", "<mesh>: file is 'a\\b'"),
    ):
        said = refusal(lambda inner=inner: checked(main, inner), ch.InvalidFile)
        assert said.startswith(f"'{main}', {told}, which is outside the folder of the model.")
    assert checked(main, "<mesh file='../b.stl'/>", folder=main.parent.parent).bytes == 7


def test_a_document_type_and_a_byte_nought_are_refused(main, refusal):
    for text, said in (
        ("<!doctype m><m/>", "document type or entities"),
        ("<m><!EnTiTy x 'y'></m>", "document type or entities"),
        ("<m>\0</m>", "a byte 0"),
        ("<m>", "is not XML"),
        ("", "is not XML"),
    ):
        assert said in refusal(lambda text=text: checked(main, text), ch.InvalidFile)
    checked(main, "\n  <m/>\0\0")  # what editors leave


def test_the_root_and_what_a_urdf_leaves_are_noted(main):
    text = (
        "<robot><visual/><visual/><limit effort='1'/><limit velocity='1'/><limit lower='0'/>"
        "<limit upper='0'/><limit effort='1' velocity='1'/><other effort='1'/></robot>"
    )
    checker = checked(main, text)
    assert (checker.root, checker.visuals, checker.limits) == ("robot", 2, 3)


def test_so_many_files_are_read_and_an_included_one_once(main, refusal, monkeypatch):
    for k in range(3):
        (main.parent / f"part{k}.xml").write_text("<m><a/></m>")
    text = "<m>" + "".join(f"<include file='part{k}.xml'/>" for k in (0, 1, 1, 2, 2)) + "</m>"
    monkeypatch.setattr(xml_checks, "MOST_FILES", 3)
    assert checked(main, text).parsed == 3
    monkeypatch.setattr(xml_checks, "MOST_FILES", 2)
    assert "more than 2 files" in refusal(lambda: checked(main, text), ch.InvalidFile)


def test_elements_of_attached_models_count_as_often_as_they_are_attached(
    main, refusal, monkeypatch
):
    """Five of its own, and three for each of 1 + 4 copies; an unknown name is the largest model."""
    (main.parent / "part.xml").write_text("<m><a/><b/></m>")
    (main.parent / "small.xml").write_text("<m/>")
    text = (
        "<m><model name='p' file='part.xml'/><model name='s' file='small.xml'/>"
        "<attach model='{}'/><replicate count='4'><attach model='p'/></replicate></m>"
    )
    own = 1 + 2 + 1 + 1 + 4
    for name, attached in (("p", 15), ("s", 13), ("unknown", 15)):
        monkeypatch.setattr(xml_checks, "MOST_ELEMENTS", own + attached)
        checked(main, text.format(name))
        monkeypatch.setattr(xml_checks, "MOST_ELEMENTS", own + attached - 1)
        said = refusal(lambda name=name: checked(main, text.format(name)), ch.InvalidFile)
        assert "elements, copies included" in said


@pytest.mark.parametrize("files", [("part", "small"), ("small", "part")])
def test_of_models_of_one_name_the_largest_counts(files, main, monkeypatch, refusal):
    (main.parent / "part.xml").write_text("<m><a/><b/></m>")
    (main.parent / "small.xml").write_text("<m/>")
    models = "".join(f"<model name='p' file='{file}.xml'/>" for file in files)
    text = f"<m>{models}<attach model='p'/></m>"
    monkeypatch.setattr(xml_checks, "MOST_ELEMENTS", 4 + 3)
    checked(main, text)
    monkeypatch.setattr(xml_checks, "MOST_ELEMENTS", 4 + 3 - 1)
    assert "elements" in refusal(lambda: checked(main, text), ch.InvalidFile)


def test_numbers_of_an_attribute():
    assert numbers("3 0.5 -2") == [3.0, 1.0, 1.0]
    assert numbers("2 x") == numbers("") == numbers(None) == []
    assert numbers("1e17 1e30 nan inf") == [1e17, 1e18, 1e18, 1e18]


def test_paths_without_their_scheme():
    assert bare_path("package://meshes/a.stl") == bare_path("file://meshes/a.stl") == "meshes/a.stl"
    assert bare_path("meshes/file://a") == "meshes/file://a"


def test_the_folders_of_a_link_and_of_its_file_are_told_each_once(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a.xml").write_text("<m/>")
    (tmp_path / "a.xml").symlink_to(tmp_path / "real" / "a.xml")
    link, file = tmp_path / "a.xml", tmp_path / "real" / "a.xml"
    assert folders_of(link) == (tmp_path, tmp_path / "real")
    assert folders_of(file) == (tmp_path / "real",)
    assert folders_of(file, tmp_path) == (tmp_path, tmp_path / "real")
    nowhere = tmp_path / "none.xml"
    assert found([nowhere, link], [nowhere, file]) == [(link, file)]
    assert found([nowhere, nowhere], [nowhere, nowhere]) == [(nowhere, nowhere)]


PLUGIN = "<extension><plugin plugin='{}'/></extension>"
MADE = [
    ("<mesh builtin='wedge' params='{} 3 30 30 0'/>", 256, 257, "257 subdivisions"),
    ("<mesh builtin='supersphere' params='{} 1 1'/>", 256, "1e300", "1e+18 subdivisions"),
    ("<flexcomp count='3 3 3' cellcount='10 10 {}'/>", 10, 11, "makes 1.1e+03 copies"),
    ("<general actdim='{}'/>", 10_000, 10_001, "actdim must be at most 10000"),
    ("<jointpos nsample='{}'/>", 10_000, 10_001, "nsample must be at most 10000"),
    ("<config key='size' value='100 {}'/>", 100, 101, "size must be at most 10000"),
    (PLUGIN, "mujoco.pid", "mujoco.sdf.torus", "gives a shape by a formula"),
]


@pytest.mark.parametrize("text, good, bad, said", MADE)
def test_what_mujoco_makes_of_a_few_numbers_is_limited(text, good, bad, said, main, refusal):
    """MuJoCo 4.0 takes all memory for these, comes to no end, or ends the process."""
    at_limit(main, refusal, f"<m>{text.format(good)}</m>", f"<m>{text.format(bad)}</m>", said)


def test_points_of_meshes_made_by_formulas_are_summed(main, refusal, monkeypatch):
    mesh = "<mesh builtin='supersphere' params='100 1 1'/>"
    monkeypatch.setattr(xml_checks, "ALL_GRIDS", 20_000)
    at_limit(main, refusal, f"<m>{2 * mesh}</m>", f"<m>{3 * mesh}</m>", "meshes made by formulas")


@pytest.mark.parametrize("rows, columns", [(65536, 65536), (2, 3), (2**30, 4), (-1, -1), (2, 2)])
def test_a_field_of_heights_has_as_many_as_it_says(rows, columns, main, refusal):
    """65536 x 65536 heights of four bytes are none for who counts modulo 2^32."""
    (main.parent / "it.bin").write_bytes(
        struct.pack("<ii", rows, columns) + bytes(16 * (rows == 2))
    )
    text = "<m><hfield file='it.bin'/></m>"
    if rows == columns == 2:
        assert checked(main, text).points == 4
    else:
        said = refusal(lambda: checked(main, text), ch.InvalidFile)
        assert said.startswith(f"'{main}', <hfield>: 'it.bin' has ")
        assert f"not {rows} x {columns} heights" in said


def test_a_link_that_a_joint_leads_to_may_come_before_or_after_it(main):
    joint = "<joint><parent link='a'/><child link='b'/></joint>"
    links = "<link name='a'/><link name='b'/>"
    for text in (joint + links, links + joint):
        assert checked(main, f"<robot>{text}</robot>").links == {"a": False, "b": True}


@pytest.mark.parametrize("name", ["count", "cellcount"])
@pytest.mark.parametrize("value", ["0", "-1", "12 -1 7", "nan"])
def test_counts_are_at_least_one(name, value, main, refusal):
    """At cells that are fewer, MuJoCo 4.0 fails inside, and its next warning never ends."""
    text = f"<m><flexcomp {name}='{value}'/></m>"
    assert f"{name} must be at least 1" in refusal(lambda: checked(main, text), ch.InvalidFile)
    checked(main, f"<m><flexcomp {name}='1'/></m>")


def test_after_mujoco_failed_inside_nothing_more_is_read_by_it(main, refusal, monkeypatch):
    text = "<mujoco><worldbody><body><joint/><geom size='1'/></body></worldbody></mujoco>"
    main.write_text(text)
    monkeypatch.setattr(mjcf, "FAILED", [])
    assert len(ch.read_model(main).bodies) == 1

    def failing(*_):
        raise ValueError("Caught an unknown exception!")

    with monkeypatch.context() as patch:
        patch.setattr(mjcf, "leave_out_what_is_not_read", failing)
        assert "refused by MuJoCo" in refusal(lambda: ch.read_model(main), ch.InvalidFile)
    assert "Start Python again" in refusal(lambda: ch.read_model(main), ch.InvalidFile)
