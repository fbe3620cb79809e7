# Every target sets up what it needs in .venv; delete the folder, or `make clean`, to start over.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile
WORKERS ?= auto
COUNT ?= 40
SEED ?=
# What is imported is compiled once and kept, whatever the shell says: a hundred processes start here.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: paper test tests warm browser slow robots mutants bench lint docs wheel clean

paper: $(VENV)/.base  ## the paper's examples, with figures
	$(BIN)/chasles paper

test: browser  ## all checks that take seconds; the slowest tests and files are named
	$(MAKE) --jobs=2 lint tests

tests: warm
	$(BIN)/python -m pytest -rs -n $(WORKERS) --dist worksteal

warm: $(VENV)/.extra-test  ## all kernels that a user reaches, compiled ahead
	$(BIN)/chasles warm

browser:  ## Chromium for the tests of the report, where it may be installed
	@command -v chromium >/dev/null || { test "$$(id -u)" = 0 && command -v apt-get >/dev/null \
	  && apt-get -qq update && apt-get -qq install -y --no-install-recommends chromium >/dev/null; } \
	  || echo "no chromium, and it cannot be installed here: the report's page is not tested"

slow: $(VENV)/.extra-test  ## the checks that take minutes
	$(BIN)/python -m pytest -m slow -n $(WORKERS) --dist loadfile

robots: $(VENV)/.extra-test  ## fetch published robots, and compare them with MuJoCo: a table
	$(BIN)/python scripts/fetch_robots.py
	$(BIN)/python tests/io/published_robots.py

mutants: $(VENV)/.extra-test  ## break named formulas, and COUNT random places: which tests notice
	PYTHONPATH=tests $(BIN)/python tests/mutation_sample.py
	PYTHONPATH=tests $(BIN)/python tests/random_mutants.py --count $(COUNT) $(SEED:%=--seed %)

bench: $(VENV)/.extra-bench  ## all figures beside the peers, on one core, and docs/benchmarks.md from them
	$(BIN)/python scripts/fetch_robots.py
	$(BIN)/python benchmarks/run.py --page

lint: $(VENV)/.extra-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: $(VENV)/.extra-docs
	$(BIN)/python -m sphinx -W --keep-going docs docs/_build/html

wheel: $(VENV)/.base  ## a wheel that carries its kernels, compiled for x86-64-v3
	$(BIN)/python scripts/build_wheel.py

clean:
	rm -rf $(VENV) build dist docs/_build .pytest_cache .mypy_cache .ruff_cache \
	  .import_linter_cache .hypothesis

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.base: pyproject.toml | $(BIN)/python
	$(PIP) --editable .
	@touch $@

$(VENV)/.extra-%: pyproject.toml | $(BIN)/python
	$(PIP) --editable '.[$*]'
	@touch $@
