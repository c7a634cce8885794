# Everything a maintainer runs. Each target sets up what it needs; see README.md.

PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
INSTALLED = $(VENV)/.installed
QUESTION ?= How does the agent loop keep a conversation valid when a run is cancelled?

CLIENT = vscode-client
PACKAGES = $(CLIENT)/node_modules/.package-lock.json
CODE_CACHE ?= $(HOME)/.cache/glossator-code

.PHONY: demo test lint sandbox client code wire vsix bench lock clean

demo: $(INSTALLED)
	$(BIN)/glossator ask -C server -C docs "$(QUESTION)"

test: lint sandbox client
	CODE_CACHE=$(CODE_CACHE) $(BIN)/python -m pytest

lint: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Without bubblewrap commands run only when somebody allows each one.
sandbox:
	@command -v bwrap >/dev/null || test "$$(uname)" != Linux || \
		{ apt-get update && apt-get install -y --no-install-recommends bubblewrap; }

# The VS Code client: types, style, the panel in a browser; its tests in VS Code are among pytest's.
client: $(PACKAGES) code
	cd $(CLIENT) && npm run --silent check && npm run --silent lint && \
		CACHE=$(CODE_CACHE) npm test --silent

# A browser, and VS Code in it, for the client's tests.
code:
	@command -v chromium >/dev/null || { apt-get update && \
		apt-get install -y --no-install-recommends chromium fonts-dejavu-core; }
	$(CLIENT)/test/code/setup.sh $(CODE_CACHE)

# What the client takes over from the server: the types on the wire and the settings.
wire: $(INSTALLED)
	$(BIN)/python -m tests.vscode.mirror
	$(BIN)/python -m tests.vscode.manifest

# The extension, with the server's wheel and the versions of what that needs.
vsix: $(INSTALLED) $(PACKAGES)
	rm -rf $(CLIENT)/wheels
	$(BIN)/hatchling build -t wheel -d $(CLIENT)/wheels
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header \
		--no-annotate --constraints requirements.lock \
		--output-file $(CLIENT)/wheels/requirements.lock pyproject.toml
	cd $(CLIENT) && npm run --silent build && npm run --silent package
	@ls -lh $(CLIENT)/dist/glossator.vsix

$(PACKAGES): $(CLIENT)/package-lock.json
	cd $(CLIENT) && npm ci --no-audit --no-fund
	touch $@

bench: $(INSTALLED)
	$(BIN)/python -m tests.benchmarks

# Renews requirements.lock from pyproject.toml.
lock: $(INSTALLED)
	$(BIN)/uv pip compile --quiet --extra dev --universal --python-version 3.11 \
		--generate-hashes --no-header --output-file requirements.lock pyproject.toml

clean:
	rm -rf $(VENV) build dist $(CLIENT)/dist $(CLIENT)/wheels $(CLIENT)/node_modules .mypy_cache .ruff_cache .pytest_cache .hypothesis
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
