"""Notices are records of logging, and lines on stderr where nobody has set logging up."""

import warnings

import pytest
from fresh import run_script
from mechanisms import pendulum
from test_startup import SOURCE

import chasles as ch

SCRIPT = """
import logging, sys
from chasles.model.keywords import checked_keywords
from chasles.notices import notice

@checked_keywords
def work(progress=None):
    notice("compiling a wheel")

{setup}
work({options})
"""
SAID = "chasles: compiling a wheel\n"


@pytest.mark.parametrize(
    ("setup", "options", "said"),
    [
        ("", "", SAID),
        ("", "progress=True", SAID),
        ("", "progress=False", ""),
        ("sys.stderr = None", "", ""),
        ("logging.getLogger('chasles').setLevel('WARNING')", "", ""),
        ("logging.getLogger('chasles').addHandler(logging.NullHandler())", "", ""),
        ("logging.basicConfig()", "", ""),
        ("logging.basicConfig(level='INFO', format='%(name)s|%(message)s')", "",
         "chasles|compiling a wheel\n"),
        ("logging.basicConfig(level='INFO')", "progress=False", ""),
    ],
)  # fmt: skip
def test_where_a_notice_goes(setup, options, said):
    run = run_script(SCRIPT.format(setup=setup, options=options), path=[SOURCE])
    assert (run.returncode, run.stderr) == (0, said)


RUNS = """
import logging
import chasles as ch
from chasles.notices import notice

said = []
class Kept(logging.Handler):
    def emit(self, record):
        said.append((record.name, record.getMessage()))

logging.getLogger("chasles").setLevel("INFO")
logging.getLogger("chasles").addHandler(Kept())
falling = ch.Model([ch.Body.sphere("ball", 0.1, mass=1.0)])
ch.simulate(falling, until=0.1, step=1e-2)
assert {name for name, _ in said} == {"chasles"}
assert "run finished at t = 0.1 s" in said[-1][1]
said.clear()
ch.simulate(falling, until=0.1, step=1e-2, progress=False)
ch.compare(falling, ["SE3", "SO3xR3"], until=0.1, step=1e-2, progress=False)
assert not said, said
notice("heard again")
assert said == [("chasles", "heard again")]
"""


def test_runs_are_logged_unless_progress_is_off():
    """In a process of its own: how logging is set up is the business of whoever runs it."""
    run_script(RUNS, path=[SOURCE]).check_returncode()


def test_warnings_stay_warnings_when_progress_is_off():
    model = pendulum(name="rod")
    with pytest.warns(ch.ChaslesWarning), warnings.catch_warnings():
        warnings.simplefilter("always")
        ch.simulate(model, until=10.0, step=0.5, method="euler", progress=False)
