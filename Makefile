# Every target sets up what it needs: only python3 (with venv) and make are required.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.ready

.PHONY: setup browser demo gold test test-all check lint types layers accept bench mutants format clean help

help:            ## list the targets
	@grep -E '^[a-z-]+: .*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 12

setup: $(STAMP)  ## build .venv with the package and its development tools

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable . --group dev
	@touch $@

demo: setup      ## simulate two runs, analyze them, say where the report is
	$(BIN)/blade demo

gold: setup      ## build the example package in examples/front_desk from simulated runs, by the commands themselves
	$(BIN)/python examples/build.py

browser:         ## install Chromium for the browser tests, where that is allowed
	@.ci/browser

test: setup browser ## run the tests
	$(BIN)/python -m pytest -n auto --dist worksteal --ignore=tests/accept

test-all: test   ## run the tests on every newer Python found on this machine
	@for v in 3.12 3.13 3.14; do \
	  if command -v python$$v >/dev/null; then \
	    python$$v -m venv .venv-$$v && .venv-$$v/bin/python -m pip install -q "pip>=25.1" && .venv-$$v/bin/python -m pip install -q -e . --group dev \
	    && .venv-$$v/bin/python -m pytest -n auto --dist worksteal --ignore=tests/accept || exit 1; \
	  else echo "python$$v: not on this machine, skipped"; fi; done

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup
	$(BIN)/mypy

layers: setup
	$(BIN)/lint-imports

check: lint types layers test  ## lint, types, layers and tests

accept: setup    ## hold the engine against the real artifacts in ../shared/corpus; saves build/accept.md
	$(BIN)/python -m pytest -n auto --dist worksteal -m corpus tests/accept

bench: setup     ## measure speed and memory against floors and other readers, and fill docs/performance.md; hours
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group bench
	$(BIN)/python -m benchmarks.bench --write docs/performance.md $(BENCH)

mutants: setup   ## change the source in small ways that some test must notice; half an hour, into CONTRIBUTING.md
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group mutants
	$(BIN)/python -m benchmarks.mutation --write CONTRIBUTING.md $(MUTANTS)

format: setup    ## format and fix what can be fixed
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:           ## remove what the targets made
	rm -rf $(VENV) .venv-3.* build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
