# Needs Python 3.11 or newer and make; the rest is installed into .venv.
#   make demo    the two commands of the README
#   make test    everything that CI checks
#   make fast    the same program with its engine compiled, as .venv-fast/bin/agentsim (needs a C compiler)
#   make bench   speed, as ratios to a bare SimPy loop
#   make schemas the JSON Schemas and docs/reference.md, after a change of a format
#   make check | wheel | compiled | unit   the parts of `make test`;  make format   rewrite to the house style

PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
AGENTSIM := $(VENV)/bin/agentsim
FIRST := workflows/first.yaml

FAST := .venv-fast
SOURCES := $(shell find agentsim hardware workflows -name '*.py' -o -name '*.yaml')
COMPILER := $(shell command -v $(CC))

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo fast test check unit wheel compiled bench schemas format clean

help:
	@sed -n 's/^#   //p' Makefile

# A stamp is older than pyproject.toml when the requirements may have changed.
$(PY):
	@$(PYTHON) -c 'import sys; v = sys.version_info; sys.exit(v < (3, 11) and f"agentsim needs Python 3.11 or newer, this is {v[0]}.{v[1]}: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml | $(PY)
	$(PY) -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(VENV)/.installed-dev: pyproject.toml | $(PY)
	$(PY) -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $(VENV)/.installed $@

# `run` ends with 1 where the file's budget is missed: an answer, not a fault.
demo: $(VENV)/.installed
	@echo '$$ agentsim run $(FIRST) --hw claude-opus'
	@$(AGENTSIM) run $(FIRST) --hw claude-opus || [ $$? -eq 1 ]
	@echo
	@echo '$$ agentsim sweep $(FIRST)'
	@$(AGENTSIM) sweep $(FIRST) || [ $$? -eq 1 ]
	@echo
	@echo 'now change this line: $(FIRST):'"$$(grep -n -m 1 'approves:' $(FIRST))"

# From a source archive: compiled beside the sources, it would hide later changes of them.
$(FAST)/.installed: pyproject.toml $(SOURCES) | $(VENV)/.installed-dev
	@test -n "$(COMPILER)" || { echo "make fast needs a C compiler ($(CC)), and the headers of Python"; exit 1; }
	rm -rf $(FAST)
	$(PY) -m venv $(FAST)
	HATCH_BUILD_HOOK_ENABLE_MYPYC=1 $(PY) -m build --no-isolation --outdir $(FAST)/dist . > $(FAST)/build.log 2>&1 || { cat $(FAST)/build.log; exit 1; }
	$(FAST)/bin/python -m pip install --quiet --disable-pip-version-check $(FAST)/dist/*.whl
	@touch $@

fast: $(FAST)/.installed
	@echo 'compiled: $(FAST)/bin/agentsim answers the same, sooner'

test: check wheel compiled unit

check: $(VENV)/.installed-dev
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	$(VENV)/bin/lint-imports
	$(PY) -m deptry .

wheel: $(VENV)/.installed-dev
	$(PY) tests/acceptance/wheel_check.py

# The compiled engine answers as the plain one does, to the byte.
ifdef COMPILER
compiled: $(FAST)/.installed
	$(FAST)/bin/python -m pip install --quiet --disable-pip-version-check hypothesis pytest pytest-xdist
	$(PY) tests/acceptance/compiled_check.py $(AGENTSIM) $(FAST)/bin/agentsim
else
compiled:
	@echo 'compiled: not checked, since there is no C compiler ($(CC)) here'
endif

# Last in `make test`, so that pytest's closing line is the last word.
unit: $(VENV)/.installed-dev
	$(PY) -m pytest -q -n 2

bench: $(VENV)/.installed-dev $(if $(COMPILER),$(FAST)/.installed)
	$(PY) -m tests.benchmarks $(if $(COMPILER),$(FAST)/bin/python)

schemas: $(VENV)/.installed
	$(AGENTSIM) schema workflow -o agentsim/schemas/workflow.schema.json
	$(AGENTSIM) schema hardware -o agentsim/schemas/hardware.schema.json
	$(AGENTSIM) schema -f markdown -o docs/reference.md

format: $(VENV)/.installed-dev
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .

clean:
	rm -rf $(VENV) $(FAST) dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find agentsim tests -name __pycache__ -type d -prune -exec rm -rf {} +
