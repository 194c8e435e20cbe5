# Everything a developer runs. `make setup` is safe to run again and does nothing when it is done.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
SUPERBIZ := $(BIN)/superbiz
RUN_TEST := $(BIN)/python -m pytest --numprocesses 2 --dist loadfile

.DEFAULT_GOAL := help
.PHONY: help setup lock lint format test test-313 demo up build bench bench-docs bench-grounding sam-local openapi clean

help: ## What there is to run
	@grep -E '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z0-9-]+):.*## /\1\t/' | expand -t 14

setup: $(STAMP) ## The virtual environment, from the lock

$(STAMP): requirements/lock.txt pyproject.toml
	@sh scripts/setup.sh $(PYTHON)
	@touch $(STAMP)

lock: setup ## Resolve the lock anew
	sh scripts/lock.sh

lint: setup ## Style, types, import rules, template
	$(BIN)/ruff format --check --quiet .
	$(BIN)/ruff check --quiet .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/cfn-lint template.yaml

format: setup ## Put the style right
	$(BIN)/ruff format --quiet .
	$(BIN)/ruff check --quiet --fix .

test: setup test-313 ## All tests; on Python 3.13 too where there is one
	$(RUN_TEST)

test-313: setup
	sh scripts/test_313.sh

demo: setup ## An alarm becomes a verified report, here and now
	$(SUPERBIZ) demo

up: setup ## The whole product on this machine
	$(SUPERBIZ) up

build: setup ## What `sam deploy` ships
	$(BIN)/python scripts/build.py

bench: setup ## Budgets and benchmarks (ONLY="imports table" for some)
	PYTHONPATH=tests $(BIN)/python -m bench $(ONLY)

bench-docs: setup ## The same, kept in docs/benchmarks.json and docs/benchmarks.md
	PYTHONPATH=tests $(BIN)/python -m bench --docs $(ONLY)

bench-grounding: setup ## What grounding catches and costs (ONLY="mutants seeds" for some)
	PYTHONPATH=tests $(BIN)/python -m bench.grounding $(ONLY)

sam-local: setup ## Each function under `sam local invoke`, where Docker is there
	sh scripts/sam_local.sh

openapi: setup ## Write docs/openapi.json anew
	$(BIN)/python scripts/openapi.py

clean: ## Away with what was made
	rm -rf $(VENV) .venv-* .aws-sam build .superbiz .mypy_cache .ruff_cache .pytest_cache .hypothesis
