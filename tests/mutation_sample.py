"""A sample of mutants and the tests that must notice them: `make mutants` prints who was killed.

Every mutant of `mutants` is put in place of its formula in a process of its own, without the
compiler, and tests of the theorem that it breaks are run.  They have to fail; without a mutant they
have to pass, or a kill says nothing.  A mutant that survives is a test that is missing.
"""

import os
import subprocess
import sys
from pathlib import Path

import mutants

HERE = Path(__file__).parent
PAPER = ("paper/test_paper_findings.py", "paper/test_paper_reference.py", "-k",
         "(heavy-top and (gaps or energy_drifts)) or papers_energy"
         " or (ends_where and SE3)")  # fmt: skip
ORDER = ("integrators/test_rkmk_order.py", "-k", "order_in_every_space and rk4 and SE3")
ROWS = ("dynamics/test_eta.py",)
LOCKS = ("joints/test_joint_frames.py", "-k", "lock_what_its_group")
FRAMES = ("joints/test_joint_frames.py", "-k", "smallest_rotation or opposite_axis")
IDENTITIES = ("groups/test_groups_identities.py", "-k", "bracket_is_the_derivative")
SUBGROUPS = ("groups/test_groups_against_mpmath.py", "-k", "exp")

#: Which tests have to notice which mutant.
KILLED_BY = {
    "the sign of dexp^-1": ORDER,
    "no dexp^-1": ORDER,
    "a mass": PAPER,
    "a sign of the acceleration constraint": PAPER,
    "a sign of the gyroscopic terms": PAPER,
    "the dexp^-1 term on SO(3)": PAPER,
    "the dexp^-1 term on SE(3)": PAPER,
    "the half turn to an opposite axis": FRAMES,
    "the turn to another axis": FRAMES,
    "the bracket in eta of the screw form": ROWS,
    "the lever of a row": LOCKS,
    "the pitch of a screw": LOCKS,
    "eta of a rotation in the space form": ROWS,
    "eta of a sliding direction in the space form": ROWS,
    "the rate of a product of axes": ROWS,
    "the bracket of se(3)": IDENTITIES,
    "the exponential of SO(3)": SUBGROUPS,
}


def is_noticed(tests: tuple[str, ...], mutant: str | None) -> bool:
    """Whether some of the tests fail; an error of pytest itself is raised."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join((str(HERE.parent / "src"), str(HERE))),
        "NUMBA_DISABLE_JIT": "1",
    }
    if mutant is not None:
        environment["CHASLES_MUTANT"] = mutant
    files = [str(HERE / test) if test.endswith(".py") else test for test in tests]
    plugins = ("-p", "no:cacheprovider", "-p", "mutants")
    command = [sys.executable, "-m", "pytest", "-q", "-x", *plugins, *files]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise RuntimeError(done.stdout + done.stderr)
    return done.returncode == 1


def main(names: list[str]) -> int:
    """Print the table; 1 if a mutant survived, or if tests fail without one."""
    chosen = names or list(mutants.MUTANTS)
    wrong = 0
    for tests in dict.fromkeys(KILLED_BY[name] for name in chosen):
        if is_noticed(tests, None):
            print(f"fails without a mutant: {' '.join(tests)}")
            wrong += 1
    width = max(map(len, chosen))
    for name in chosen:
        killed = is_noticed(KILLED_BY[name], name)
        wrong += not killed
        print(f"{name:{width}}  {'killed' if killed else 'SURVIVED'}", flush=True)
    print(f"{len(chosen)} mutants, {wrong} failures")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
