"""What every refusal has in common, and what the tests of a folder may take."""

import shutil
import signal
from collections import Counter
from pathlib import Path

import pytest

from chasles.model import ChaslesError

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
FLAGS = [
    "--headless", "--no-sandbox", "--disable-background-networking", "--disable-component-update",
    "--disable-default-apps", "--disable-sync", "--no-first-run",
    "--use-angle=swiftshader", "--enable-unsafe-swiftshader",  # WebGL without a graphics card
]  # fmt: skip

# A shell that starts the tests in the background has them ignore Ctrl-C, which some are about.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

#: Seconds that the tests of one folder may take, one after the other, kernels compiled.
BUDGET = 60.0
TESTS = Path(__file__).parent.name


def pytest_terminal_summary(terminalreporter):
    """Name the folders whose tests took longer than they may."""
    taken = Counter()
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                folders = report.nodeid.split("::")[0].split("/")
                taken[folders[1] if folders[0] == TESTS and len(folders) > 2 else TESTS] += (
                    report.duration
                )
    for folder, seconds in taken.most_common():
        if seconds > BUDGET:
            terminalreporter.write_line(f"{folder}: {seconds:.0f} s of {BUDGET:.0f} s", yellow=True)


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
        yield chromium
        chromium.close()
