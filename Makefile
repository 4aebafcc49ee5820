SHELL := /bin/bash
.DEFAULT_GOAL := help
# Without bytecode every Airflow process compiles the world anew: three times the CPU.
unexport PYTHONDONTWRITEBYTECODE
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
ROWS ?= 200000
REPEATS ?= 3
SECONDS_OF_FUZZ ?= 60
SEED ?= 7

SEMANTIC := tests/fixtures/semantic

.PHONY: check-grammar check-linking check-relevance bench-ingest fuzz-guard bench-guard help setup demo test chaos lint format lock docs bench check-questions up down clean

help: ## list the targets
	@grep -hE '^[a-z][a-z-]*:.*## ' $(MAKEFILE_LIST) | sort | awk -F ':.*## ' '{printf "  %-18s %s\n", $$1, $$2}'

setup: $(STAMP) ## make the virtual environment from the lock files

$(STAMP): requirements.txt requirements-dev.txt pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	$(BIN)/uv pip sync --quiet --python $(BIN)/python --compile-bytecode requirements.txt requirements-dev.txt
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --editable .
	@touch $@

lock: ## make the lock files anew from requirements.in and requirements-dev.in
	$(BIN)/uv pip compile --quiet --no-header --python-version 3.11 requirements.in -o requirements.txt
	$(BIN)/uv pip compile --quiet --no-header --python-version 3.11 requirements-dev.in -o requirements-dev.txt

demo: setup ## the whole chain on the embedded default: ingest, benchmark, report
	$(BIN)/crime demo --rows $(ROWS)

test: setup ## every test that a fresh machine can run
	$(BIN)/pytest $(ARGS)

chaos: setup ## every fault of the source, kills, server crashes and full disks, at each place of a load
	CHAOS=all $(BIN)/pytest tests/postgres/ingest/test_chaos.py $(ARGS)

lint: setup ## ruff and mypy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: setup ## rewrite the code in the house format
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

check-questions: setup ## print how varied the benchmark's questions are; fail when a rule is broken
	$(BIN)/python -m agent.benchmark.check_questions

check-grammar: setup ## print each rule of the semantic parser and how many questions' forms use it; fail above 120 rules
	$(BIN)/python -m agent.semantic.check_grammar $(SEMANTIC)/vocabulary.json $(SEMANTIC)/questions.yaml $(SEMANTIC)/more_questions.yaml $(SEMANTIC)_eval/unseen_a.yaml

check-linking: setup ## print recall and precision of phrases linked to stored values; fail under the aim
	$(BIN)/python -m agent.semantic.check_linking $(SEMANTIC)_eval/linking.tsv $(SEMANTIC)/vocabulary.json

check-relevance: setup ## print which texts out of scope would run SQL and which elliptic ones are turned away
	$(BIN)/python -m agent.semantic.check_relevance $(SEMANTIC)/vocabulary.json $(SEMANTIC)_eval/out_of_scope.txt $(SEMANTIC)_eval/elliptic.txt

bench: setup ## print medians: pull, load, build, answers a second, comparisons of two ways (ROWS, REPEATS)
	$(BIN)/python -m bench --rows $(ROWS) --repeats $(REPEATS)

fuzz-guard: setup ## mutated attacks against the guard, as the database sees them (SECONDS_OF_FUZZ, SEED)
	$(BIN)/python -m bench.fuzz_guard --seconds $(SECONDS_OF_FUZZ) --seed $(SEED)

bench-guard: setup ## what the guard costs: benign queries through it and directly, in turns (REPEATS)
	$(BIN)/python -m bench.guard --repeats $(REPEATS)

bench-ingest: setup ## ingestion beside its floors, in turns: copy, build, load, pandas, a week (ROWS, REPEATS)
	$(BIN)/python -m bench.ingest --rows $(ROWS) --repeats $(REPEATS)

docs: setup ## make the generated pages of docs/ anew
	$(BIN)/python -m include.dataset
	$(BIN)/python -m include.settings_page
	$(BIN)/python -m agent.strategies

up: setup ## start the embedded server and Airflow, and leave them running
	$(BIN)/crime up

down: setup ## stop everything `up` or `demo` started
	$(BIN)/crime down

clean: ## stop everything and remove what was made, the embedded server's data included
	test ! -x $(BIN)/crime || $(BIN)/crime down --purge
	rm -rf var build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
