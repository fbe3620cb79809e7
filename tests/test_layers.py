"""The house plan holds: who imports whom, and the model without a compiler."""

import subprocess
import sys
from pathlib import Path

from importlinter.cli import lint_imports

PROJECT = Path(__file__).parent.parent


def test_a_line_imports_only_from_lower_floors(monkeypatch, capsys):
    monkeypatch.chdir(PROJECT)
    broken = lint_imports(config_filename=str(PROJECT / "pyproject.toml"), no_cache=True)
    assert broken == 0, capsys.readouterr().out


MODEL_ALONE = """
import sys, types
package = types.ModuleType("chasles")  # in the place of the one that imports every floor
package.__path__ = [sys.argv[1]]
sys.modules["chasles"] = package
import chasles.model
print(*{name.split(".")[0] for name in sys.modules})
"""


def test_the_model_never_sees_numba():
    command = [sys.executable, "-c", MODEL_ALONE, str(PROJECT / "src" / "chasles")]
    loaded = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert "chasles" in loaded and "numpy" in loaded
    assert not {"numba", "llvmlite", "matplotlib", "scipy"} & set(loaded)


def test_the_version_is_that_of_the_project():
    import tomllib

    import chasles as ch

    project = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]
    assert ch.__version__ == project["version"]
