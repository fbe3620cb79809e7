"""What every refusal has in common, and what the tests of a folder may take."""

import gc
import os
import shutil
import signal
import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path

# Before NumPy is imported, and for the workers and all processes that tests start: matrices here
# are small, and threads that wait for their next product would take the CPU of the other worker.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Where Python is told to write no bytecode beside modules, a process would compile the package and
# its tests for a second: here all of them keep it in a folder of their own.
if os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):
    sys.dont_write_bytecode = False
    sys.pycache_prefix = str(Path.home() / ".cache" / "chasles-tests")
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix

import fresh
import pytest

from chasles.model import ChaslesError

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
FLAGS = [
    "--headless", "--no-sandbox", "--disable-background-networking", "--disable-component-update",
    "--disable-default-apps", "--disable-sync", "--no-first-run",
    "--use-angle=swiftshader", "--enable-unsafe-swiftshader",  # WebGL without a graphics card
    "--disable-gpu-compositing",  # what else is on a page, in half of the time
]  # fmt: skip

# A shell that starts the tests in the background has them ignore Ctrl-C, which some are about.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

#: Seconds of CPU that the tests of a file may take, kernels compiled, before it is named: those of
#: most files, and those of files whose subject takes longer.
BUDGET = 6.0
BUDGETS = {
    "tests/analysis/test_force_kinds_in_twos.py": 8.0,
    "tests/analysis/test_static_equilibrium.py": 8.0,
    "tests/cli/test_commands.py": 9.0,
    "tests/control/test_recordings.py": 8.0,
    "tests/frozen/test_frozen_runs.py": 9.0,
    "tests/gradients/test_modes.py": 16.0,
    "tests/groups/test_groups_against_mpmath.py": 9.0,
    "tests/oracle/test_motions_against_the_oracle.py": 12.0,
    "tests/paper/test_paper_cli.py": 22.0,  # the quick report, if no other worker has made it
    "tests/paper/test_paper_findings.py": 12.0,  # all runs of the claims
    "tests/paper/test_paper_mutants.py": 12.0,
    "tests/paper/test_paper_page.py": 40.0,  # the quick report; the browser counts
    "tests/studies/test_advise.py": 14.0,
    "tests/sweeps/test_sweep.py": 14.0,
    "tests/test_docs.py": 28.0,
    "tests/test_examples.py": 15.0,
    "tests/test_machine_code.py": 14.0,
    "tests/test_startup.py": 10.0,
    "tests/traced/test_bits.py": 12.0,
    "tests/traced/test_gradient.py": 15.0,
    "tests/view/test_films.py": 36.0,  # drawn without a graphics card
    "tests/view/test_live.py": 8.0,
    "tests/view/test_live_limits.py": 11.0,
    "tests/view/test_live_pages.py": 15.0,
    "tests/view/test_pictures.py": 14.0,
}
SPENT = "seconds of CPU"


class Clock:
    """CPU of this process and of those that it has waited for: other work does not count.

    A browser runs on and is never waited for, so its processes are asked while a test has it.
    """

    def __init__(self):
        self.last = self.now()
        self.browsers = 0.0

    @staticmethod
    def now():
        used = os.times()
        here = used.user + used.system + used.children_user + used.children_system
        return here + fresh.spent()

    def lap(self, has_browser=False):
        before, self.last = self.last, self.now()
        spent = self.last - before
        if has_browser:
            seen, self.browsers = self.browsers, running()
            spent += max(0.0, self.browsers - seen)
        return spent


def running():
    """Seconds of CPU of the processes below this one that run, as a browser; 0 where nobody says.

    Those that scripts are forked from count elsewhere.
    """
    used, started = {}, {}
    for file in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has ended
            fields = file.read_text().rpartition(")")[2].split()
            used[int(file.parent.name)] = sum(map(int, fields[11:15]))
            started.setdefault(int(fields[1]), []).append(int(file.parent.name))
    ticks, found = 0, [os.getpid()]
    forking = {nursery.server.pid for nursery in fresh.STARTED}
    while found:
        own = [process for process in started.get(found.pop(), []) if process not in forking]
        ticks += sum(used[process] for process in own)
        found += own
    return ticks / os.sysconf("SC_CLK_TCK") if ticks else 0.0


CLOCK = Clock()


def pytest_collection_finish():
    gc.freeze()  # thousands of tests, which every collection of garbage would look at again
    CLOCK.lap()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item):
    report = yield
    spent = CLOCK.lap("browser" in item.fixturenames)
    report.user_properties = [*report.user_properties, (SPENT, spent)]
    return report


def pytest_terminal_summary(terminalreporter):
    """The files that took longer than their budget; a report, not a test."""
    spent = Counter()
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                spent[report.nodeid.split("::")[0]] += dict(report.user_properties).get(SPENT, 0.0)
    if not spent.total():
        return
    terminalreporter.section(f"CPU: {spent.total():.0f} s; files beyond their budget")
    for file, seconds in spent.most_common():
        allowed = BUDGETS.get(file, BUDGET)
        if seconds > allowed:
            line = f"{seconds:7.1f} s of {allowed:.0f} s  {file}"
            terminalreporter.write_line(line, yellow=True)


@pytest.fixture
def refusal():
    """The message with which `make` is refused: one line of what, one indented line of remedy."""

    def message(make, error):
        with pytest.raises(error) as caught:
            make()
        assert isinstance(caught.value, ChaslesError)
        what, remedy = str(caught.value).split("\n")
        assert what.strip() and remedy.startswith("  ") and remedy.strip()
        return str(caught.value)

    return message


@pytest.fixture(scope="session")
def browser():
    """One for all pages: a second driver in the same process is refused."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed: pip install playwright"
    )
    if CHROMIUM is None:
        pytest.skip("no chromium here: apt-get install chromium")
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        CLOCK.browsers = running()
        yield chromium
        chromium.close()
    CLOCK.lap()  # of all that it did, which its tests have counted
