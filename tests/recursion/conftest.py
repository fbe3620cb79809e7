"""Random trees are shared with the tests of the equations of motion."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent / "dynamics"))
