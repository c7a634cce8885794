# Everything a maintainer runs. Each target sets up what it needs; see README.md.

PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
INSTALLED = $(VENV)/.installed
QUESTION ?= How does the agent loop keep a conversation valid when a run is cancelled?

.PHONY: demo test lint sandbox bench lock clean

demo: $(INSTALLED)
	$(BIN)/glossator ask -C server -C docs "$(QUESTION)"

test: lint sandbox
	$(BIN)/python -m pytest

lint: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Without bubblewrap commands run only when somebody allows each one.
sandbox:
	@command -v bwrap >/dev/null || test "$$(uname)" != Linux || \
		{ apt-get update && apt-get install -y --no-install-recommends bubblewrap; }

bench: $(INSTALLED)
	$(BIN)/python -m tests.benchmarks

# Renews requirements.lock from pyproject.toml.
lock: $(INSTALLED)
	$(BIN)/uv pip compile --quiet --extra dev --universal --python-version 3.11 \
		--generate-hashes --no-header --output-file requirements.lock pyproject.toml

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Debian keeps venv in a package of its own, which a fresh machine may lack.
$(INSTALLED): requirements.lock pyproject.toml
	$(PYTHON) -m venv $(VENV) || { \
		apt-get update && apt-get install -y --no-install-recommends python3-venv && \
		$(PYTHON) -m venv $(VENV); }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check \
		--require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check \
		--no-build-isolation --no-deps --editable .
	touch $@
