# Two commands set everything up: `make run` and `make test`.
PYTHON ?= python3
CORES ?= $(shell nproc 2>/dev/null || sysctl -n hw.ncpu 2>/dev/null || echo 2)
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
TESTED := $(VENV)/.tested

.PHONY: run test test-all bench bench-asking error-rates lint format report clean

run: $(READY)  ## the main job on config.yaml, then where its results are
	@$(BIN)/snakemake --cores $(CORES)
	@$(BIN)/python -m rationale.summary results

test: $(TESTED)
	$(BIN)/pytest -n 2 --dist loadfile -m "not slow"

test-all: $(TESTED)
	$(BIN)/pytest

bench: $(TESTED)
	$(BIN)/python benchmarks/bench_ccei.py
	$(BIN)/python benchmarks/bench_types.py
	$(BIN)/python benchmarks/bench_steer.py

bench-asking: $(TESTED)  ## calls a second beside bare litellm; a whole survey over HTTP, killed and resumed
	$(BIN)/python benchmarks/bench_asking.py
	$(BIN)/python benchmarks/full_survey.py $(SURVEY)
	$(BIN)/python benchmarks/full_bank.py

error-rates: $(TESTED)  ## how often the test passes each kind of respondent, over 200 seeds
	$(BIN)/python benchmarks/error_rates.py --seeds 200

lint: $(TESTED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/snakefmt --check Snakefile workflow/rules
	$(BIN)/snakemake --lint

format: $(TESTED)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/snakefmt Snakefile workflow/rules

report: $(READY)  ## one offline page with every table, figure and the graph
	$(BIN)/snakemake --cores 1 --report results/report.zip

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Rationale needs Python 3.11 or newer; $(PYTHON) is older. Try: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --constraint constraints.txt --editable .
	@touch $@

$(TESTED): $(READY)
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[dev]'
	@touch $@

clean:  ## generated results, the paid journal and batches excepted
	find results -mindepth 1 -maxdepth 1 ! -name journal ! -name batches -exec rm -rf {} + 2>/dev/null || true
