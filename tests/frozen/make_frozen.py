"""Make the kept runs: once, by the kernel that they are to outlive.

    PYTHONPATH=/folder/of/ad5dd95/src python tests/frozen/make_frozen.py [FILE]

A run that is added later is made by that kernel too, and the others must come out to the bit.
"""

import sys
import warnings
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent))  # as pytest does
from frozen import STORED, measured, store, unique_reactions
from model_runs import runs as model_runs
from row_runs import runs as row_runs

import chasles as ch


def main(path: Path) -> None:
    found = {}
    for run in (*model_runs(), *row_runs()):
        if run.name in found:
            raise ValueError(f"two runs are named '{run.name}'")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ch.ChaslesWarning)
            result = run.result()
        found[run.name] = measured(result, unique_reactions(result))
    store(found, path)
    print(f"{len(found)} runs, {path.stat().st_size / 1e6:.2f} MB: {path}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else STORED)
