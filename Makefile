# Everything a person types. `make help` lists the targets.

VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= python3
NETWORK ?= examples/resnet50.mlir
MINUTES ?= 35
RUST_SOURCES := $(shell find idealloc-rs -name '*.rs' -o -name Cargo.toml -o -name targets.txt) Cargo.toml Cargo.lock

# uv is faster; without it pip does the same.
UV := $(shell command -v uv 2>/dev/null)
INSTALL = $(if $(UV),$(UV) pip install --quiet --python $(BIN)/python,$(BIN)/python -m pip install --quiet)

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 12

$(BIN)/python:
	$(if $(UV),$(UV) venv --quiet --python $(PYTHON) $(VENV),$(PYTHON) -m venv $(VENV))

$(VENV)/.installed: $(BIN)/python pyproject.toml $(RUST_SOURCES)
	$(INSTALL) -e '.[all]'
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.installed
	$(INSTALL) -e '.[dev]'
	@touch $@

.PHONY: run
run: $(VENV)/.installed ## plan a real network: make run NETWORK=examples/vit_b_16.mlir
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python examples/run.py $(NETWORK)

.PHONY: test
test: test-rust test-python test-filecheck ## all tests

.PHONY: test-rust
test-rust: ## cargo tests of the core
	$(if $(shell command -v cargo-nextest 2>/dev/null),cargo nextest run --locked && cargo test --locked --doc,cargo test --locked)

.PHONY: test-python
test-python: $(VENV)/.installed-dev ## pytest, on all cores
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/pytest -n auto --dist worksteal

.PHONY: test-filecheck
test-filecheck: $(VENV)/.installed-dev ## lit
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/lit -q tests/filecheck

.PHONY: lint
lint: $(VENV)/.installed-dev ## ruff, basedpyright, import-linter, stubtest, rustfmt, clippy
	$(BIN)/ruff check
	$(BIN)/ruff format --check --quiet
	$(BIN)/basedpyright
	$(BIN)/lint-imports
	$(BIN)/stubtest --allowlist tests/stubtest-allowlist.txt xdsl_memplan._idealloc
	cargo fmt --all --check
	cargo clippy --locked --workspace --all-targets --quiet -- -D warnings

.PHONY: bench
bench: $(VENV)/.installed-dev ## every planner and every installed peer, side by side; MINUTES=35, CORPUS=folder of more problems, RESUME=1 goes on with the last one
	$(INSTALL) -e '.[bench]' || echo "not every peer could be installed"
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python benchmarks/planners.py --minutes $(MINUTES) $(if $(CORPUS),--corpus $(CORPUS)) $(if $(RESUME),--resume) \
		--output build/bench/planners.json --summary benchmarks/planners.json \
		--report docs/planners/benchmark.md --figure docs/figures/planners.png

.PHONY: bench-quick
bench-quick: $(VENV)/.installed-dev ## the same on a few small problems, with the peers that are there
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python benchmarks/planners.py --quick \
		--output build/bench/quick.json --report build/bench/quick.md --figure build/bench/quick.png

.PHONY: train-telamalloc
train-telamalloc: $(VENV)/.installed-dev ## the learned model of the planner telamalloc from nothing: data, training, importance of features, comparison
	$(INSTALL) -e '.[train]'
	$(BIN)/python benchmarks/train_telamalloc.py --write

.PHONY: clean
clean: ## remove what the other targets made
	rm -rf $(VENV) target build
