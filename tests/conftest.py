"""What every refusal has in common, and what the tests of a folder may take."""

import os
import shutil
import signal
from collections import Counter

import fresh
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

#: Seconds of CPU that the tests of one file may take, kernels compiled, before it is named.
BUDGET = 12.0
SPENT = "seconds of CPU"


class Clock:
    """CPU of this process and of those that it has waited for: other work does not count."""

    def __init__(self):
        self.last = self.now()

    @staticmethod
    def now():
        used = os.times()
        here = used.user + used.system + used.children_user + used.children_system
        return here + fresh.spent()

    def lap(self):
        before, self.last = self.last, self.now()
        return self.last - before


CLOCK = Clock()


def pytest_collection_finish():
    CLOCK.lap()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport():
    report = yield
    report.user_properties = [*report.user_properties, (SPENT, CLOCK.lap())]
    return report


def pytest_terminal_summary(terminalreporter):
    """What the files took that took longer than they may; a report, not a test."""
    spent = Counter()
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                spent[report.nodeid.split("::")[0]] += dict(report.user_properties).get(SPENT, 0.0)
    if not spent.total():
        return
    terminalreporter.section(f"CPU: {spent.total():.0f} s; files beyond {BUDGET:.0f} s")
    for file, seconds in spent.most_common():
        if seconds > BUDGET:
            terminalreporter.write_line(f"{seconds:7.1f} s  {file}", yellow=True)


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
