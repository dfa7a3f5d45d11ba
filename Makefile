# `make demo` and `make test` need no other set-up: they create .venv, install what they need and skip finished steps.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet
# Real corpora for the tests that can use them; without the folder these tests are skipped.
export COINDEX_DATA ?= $(abspath ../shared)

.PHONY: demo test check docs bench editor clean
.DELETE_ON_ERROR:

.venv/made:
	$(PYTHON) -m venv .venv
	$(PIP) --upgrade "pip>=25.1"
	touch $@

.venv/installed: .venv/made pyproject.toml
	$(PIP) -e .
	touch $@

# The distributions of larger models whose weights are in this folder.
MODELS := $(wildcard packages/*/src/*/model/model.json)

.venv/models: .venv/installed $(MODELS) $(wildcard packages/*/pyproject.toml)
	for model in $(MODELS); do $(PIP) --no-deps "$${model%%/src/*}" || exit 1; done
	touch $@

.venv/check .venv/test .venv/docs: .venv/%: .venv/installed
	$(PIP) --group $*
	touch $@

demo: .venv/models
	$(BIN)/coindex demo -o demo/entities.html

check: .venv/check
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/codespell
	$(BIN)/python tools/prose.py
	sh frontend/check.sh

test: .venv/test .venv/models
	sh tests/browser/install.sh
	sh tests/server/install.sh
	sh frontend/install.sh
	$(BIN)/python -m pytest -n auto --dist worksteal

docs: .venv/docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

# Build the editor of the package from frontend/src; needs node.
editor:
	sh frontend/install.sh
	cd frontend && npm run --silent check && npm run --silent build -- --outdir=../src/coindex/annotation_app/static

bench: .venv/test
	$(BIN)/python -m benchmarks

clean:
	rm -rf .venv demo site frontend/node_modules
