"""One study for all tests of the paper: a run that two tests look at is made once."""

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
    """The quick version of the page, in a folder of its own."""
    return make_report(Options(out=tmp_path_factory.mktemp("paper"), quick=True), progress=False)
