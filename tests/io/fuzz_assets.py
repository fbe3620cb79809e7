"""Robots with a mutated file beside them, in a process of their own: meshes, pictures, fields,
included and attached models.

`python fuzz_assets.py COUNT SEED FOLDER` prints how many of so many robots are models, and the
longest time that one took.
"""

import faulthandler
import random
import struct
import sys
import time
import warnings
from pathlib import Path

from fuzz_files import other_bytes, replaced
from fuzz_robots import FOREVER, in_attributes
from fuzzing import mutated
from test_attached_robots import png_of

import chasles as ch

CORNERS = ((0, 0, 0), (0.1, 0, 0), (0, 0.1, 0), (0, 0, 0.1))
SIDES = ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3))
MJCF = """\
<mujoco model="assets">
  <include file="joints.xml"/>
  <asset>
    <mesh name="stl" file="link.stl"/>
    <mesh name="obj" file="link.obj"/>
    <texture name="paint" type="2d" file="paint.png"/>
    <material name="paint" texture="paint"/>
    <hfield name="hills" file="hills.png" size="1 1 0.2 0.1"/>
    <hfield name="dunes" file="dunes.bin" size="1 1 0.2 0.1"/>
    <model name="hand" file="hand.xml"/>
  </asset>
  <worldbody>
    <geom type="hfield" hfield="hills"/>
    <body name="link"><joint type="hinge" axis="0 1 0"/><geom type="mesh" mesh="stl"/>
      <body name="tip" pos="0 0 0.2"><joint type="slide"/><geom type="mesh" mesh="obj"
        material="paint"/>
        <frame pos="0 0 0.3"><attach model="hand" body="palm" prefix="left "/></frame></body></body>
  </worldbody>
</mujoco>
"""
INCLUDED = """\
<mujoco>
  <default><joint damping="0.1" armature="0.01"/><geom density="500"/></default>
  <option timestep="0.001" gravity="0 0 -9.81"/>
</mujoco>
"""
ATTACHED = """\
<mujoco>
  <worldbody><body name="palm"><joint name="wrist" type="ball"/><geom size="0.05"/>
    <body name="finger" pos="0 0 0.1"><joint name="knuckle" axis="1 0 0"/>
      <geom type="capsule" size="0.01 0.05"/></body></body></worldbody>
  <actuator><motor joint="knuckle" gear="2"/></actuator>
</mujoco>
"""
INERTIAL = (
    '<inertial><mass value="1"/>'
    '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
)
URDF = f"""\
<robot name="assets">
  <link name="base">{INERTIAL}
    <visual><geometry><mesh filename="link.dae"/></geometry></visual></link>
  <link name="arm">{INERTIAL}
    <visual><geometry><mesh filename="link.stl" scale="1 2 1"/></geometry></visual>
    <collision><geometry><mesh filename="link.obj"/></geometry></collision></link>
  <joint name="hinge" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
</robot>
"""
COLLADA = """\
<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
  <asset><unit name="meter" meter="1"/><up_axis>Z_UP</up_axis></asset>
  <library_geometries><geometry id="g"><mesh>
    <source id="p"><float_array id="a" count="12">{}</float_array><technique_common>
      <accessor source="#a" count="4" stride="3"/></technique_common></source>
    <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
    <triangles count="4"><input semantic="VERTEX" source="#v" offset="0"/><p>{}</p></triangles>
  </mesh></geometry></library_geometries>
  <library_visual_scenes><visual_scene id="s"><node><instance_geometry url="#g"/></node>
  </visual_scene></library_visual_scenes>
  <scene><instance_visual_scene url="#s"/></scene>
</COLLADA>
"""


def spaced(rows) -> str:
    return " ".join(str(entry) for row in rows for entry in row)


def stl() -> bytes:
    """A tetrahedron: 80 bytes of a name, a count, and 50 bytes a side."""
    sides = b"".join(
        struct.pack("<12fH", 0, 0, 0, *(x for k in side for x in CORNERS[k]), 0) for side in SIDES
    )
    return bytes(80) + struct.pack("<I", len(SIDES)) + sides


def obj() -> bytes:
    points = "".join(f"v {x} {y} {z}\n" for x, y, z in CORNERS)
    return (points + "".join(f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in SIDES)).encode()


#: What lies beside the robots, and which robot reads it.
ASSETS = {
    "link.stl": (stl(), ("robot.xml", "robot.urdf")),
    "link.obj": (obj(), ("robot.xml", "robot.urdf")),
    "paint.png": (png_of(8, 8), ("robot.xml",)),
    "hills.png": (png_of(8, 8), ("robot.xml",)),
    "dunes.bin": (struct.pack("<ii16f", 4, 4, *range(16)), ("robot.xml",)),
    "joints.xml": (INCLUDED.encode(), ("robot.xml",)),
    "hand.xml": (ATTACHED.encode(), ("robot.xml",)),
    "link.dae": (COLLADA.format(spaced(CORNERS), spaced(SIDES)).encode(), ("robot.urdf",)),
}
TEXTS = (".obj", ".xml", ".dae")
#: Rows and columns of a field of heights.
COUNTS = (-1, 0, 2, 4, 2**14, 2**15, 2**16, 2**29, 2**30, 2**31 - 1, -(2**31))


def originals(folder: Path) -> None:
    (folder / "robot.xml").write_text(MJCF)
    (folder / "robot.urdf").write_text(URDF)
    for name, (content, _) in ASSETS.items():
        (folder / name).write_bytes(content)


def change(path: Path, source: random.Random) -> None:
    """Other bytes, other text, or no plain file at all."""
    content, chance = path.read_bytes(), source.random()
    if chance < 0.1:
        replaced(path, source)
    elif path.suffix == ".bin" and chance < 0.6:
        path.write_bytes(struct.pack("<ii", *source.choices(COUNTS, k=2)) + content[8:])
    elif chance < 0.5 or path.suffix not in TEXTS:
        path.write_bytes(other_bytes(content, source))
    else:
        text = in_attributes(mutated(content.decode(), source), source)
        path.write_text(text, "utf-8", "surrogatepass")


def restore(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        path.rmdir()
    else:
        path.unlink(missing_ok=True)  # a link or a pipe is not written through
    path.write_bytes(ASSETS[path.name][0])


def main(count: int, seed: int, folder: Path) -> None:
    source, models, slowest = random.Random(seed), 0, 0.0
    originals(folder)
    for _ in range(count):
        name = source.choice(list(ASSETS))
        change(folder / name, source)
        began = time.process_time()
        faulthandler.dump_traceback_later(FOREVER, exit=True)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                ch.read_model(folder / source.choice(ASSETS[name][1]))
            models += 1
        except ch.ChaslesError as error:
            assert error.what and error.remedy
        slowest = max(slowest, time.process_time() - began)
        restore(folder / name)
    faulthandler.cancel_dump_traceback_later()
    print(models, slowest)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
