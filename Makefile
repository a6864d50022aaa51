# Every target sets up what it needs, and no more: only python3 (with venv) and make are required.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check
BLADE  := $(VENV)/.blade
MINUTES ?= 5
PROCESSES ?= 2
TOOLS  := $(VENV)/.ready
# Tests start many commands: what is compiled once need not be compiled by each.
unexport PYTHONDONTWRITEBYTECODE
WORKERS ?= auto
PYTEST := -m pytest -n $(WORKERS) --dist worksteal --ignore=tests/accept

.PHONY: setup browser demo gold test test-all test-slow test-kernels test-pythons test-lowest check lint types layers accept bench fuzz mutants format clean help

help:            ## list the targets
	@grep -E '^[a-z-]+: .*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 14

setup: $(TOOLS)  ## build .venv with the package and its development tools

$(BLADE): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(PIP) --editable .
	@touch $@

$(TOOLS): $(BLADE)
	$(PIP) --upgrade "pip>=25.1"
	$(PIP) --group dev
	@touch $@

demo: $(BLADE)   ## simulate two runs, analyze them, say where the report is
	$(BIN)/blade demo

gold: setup      ## build the example package in examples/front_desk from simulated runs, by the commands themselves
	$(BIN)/python examples/build.py

browser:         ## install Chromium for the browser tests, where that is allowed
	@.ci/browser

test: setup browser ## run the tests; about seven minutes with two processors
	$(BIN)/python $(PYTEST) -m "not slow"

test-all: test-slow test-kernels test-pythons test-lowest ## run all tests, slow ones too, as other processors calculate, on newer Pythons, and with the lowest versions

test-slow: setup browser
	$(BIN)/python $(PYTEST) --hypothesis-profile=thorough

test-kernels: setup browser
	$(BIN)/python -m tests.kernels -n $(WORKERS) --dist worksteal --ignore=tests/accept -m "not slow"

test-pythons:    ## run the tests on newer Pythons: those on PATH, of pyenv or of uv
	@for v in 3.12 3.13 3.14; do \
	  if python=$$(.ci/python $$v); then \
	    $(MAKE) test PYTHON=$$python VENV=.venv-$$v || exit 1; \
	  else echo "python$$v: not on this machine, skipped"; fi; done

test-lowest:     ## run the tests with the lowest versions that pyproject.toml allows
	$(PYTHON) -m venv .venv-lowest
	.venv-lowest/bin/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1" uv
	.venv-lowest/bin/uv pip compile --quiet --resolution lowest-direct --all-extras --output-file .venv-lowest/lowest.txt pyproject.toml
	.venv-lowest/bin/uv pip install --quiet --python .venv-lowest/bin/python --constraint .venv-lowest/lowest.txt --editable . --group dev
	.venv-lowest/bin/python $(PYTEST) -m "not slow"

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
	$(PIP) --group bench
	$(BIN)/python -m benchmarks.bench --write docs/performance.md $(BENCH)

fuzz: setup      ## damage and mistreat files of every format, rollouts and packages too, for MINUTES (5) in PROCESSES (2)
	$(BIN)/python -m benchmarks.fuzz_formats --minutes $(MINUTES) --processes $(PROCESSES) $(FUZZ)

mutants: setup   ## change the source in small ways that some test must notice; half an hour, into CONTRIBUTING.md
	$(PIP) --group mutants
	$(BIN)/python -m benchmarks.mutation --write CONTRIBUTING.md $(MUTANTS)

format: setup    ## format and fix what can be fixed
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:           ## remove what the targets made
	rm -rf $(VENV) .venv-3.* .venv-lowest build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
