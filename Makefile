# Needs Python 3.11 or newer and make; the rest is installed into .venv.
#   make demo    the two commands of the README
#   make test    everything that CI checks
#   make bench   speed, as ratios to a bare SimPy loop
#   make schemas the JSON Schemas and docs/reference.md, after a change of a format
#   make check | wheel | unit   the parts of `make test`;  make format   rewrite to the house style

PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
AGENTSIM := $(VENV)/bin/agentsim
FIRST := workflows/first.yaml

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo test check unit wheel bench schemas format clean

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

test: check wheel unit

check: $(VENV)/.installed-dev
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	$(VENV)/bin/lint-imports
	$(PY) -m deptry .

wheel: $(VENV)/.installed-dev
	$(PY) tests/acceptance/wheel_check.py

# Last in `make test`, so that pytest's closing line is the last word.
unit: $(VENV)/.installed-dev
	$(PY) -m pytest -q -n 2

bench: $(VENV)/.installed-dev
	$(PY) -m tests.benchmarks

schemas: $(VENV)/.installed
	$(AGENTSIM) schema workflow -o agentsim/schemas/workflow.schema.json
	$(AGENTSIM) schema hardware -o agentsim/schemas/hardware.schema.json
	$(AGENTSIM) schema -f markdown -o docs/reference.md

format: $(VENV)/.installed-dev
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .

clean:
	rm -rf $(VENV) dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find agentsim tests -name __pycache__ -type d -prune -exec rm -rf {} +
