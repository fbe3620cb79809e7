"""One study for all tests of the paper: a run that two tests look at is made once."""

import fcntl
import os
from pathlib import Path

import pytest

from chasles.studies.paper.claims import all_claims
from chasles.studies.paper.examples import Options
from chasles.studies.paper.report import make_report
from chasles.studies.paper.study import Study


@pytest.fixture(scope="session")
def study():
    return Study(Options())


@pytest.fixture(scope="session")
def claims(study):
    return {claim.key: claim for claim in all_claims(study)}


@pytest.fixture(scope="session")
def quick_report(tmp_path_factory):
    """The quick version of the page, made by the first worker that needs it."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent  # of all workers of this session
    with Path(folder, "paper.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        page = folder / "paper" / "report.html"
        if not page.exists():
            make_report(Options(out=page.parent, quick=True), progress=False)
        return page
