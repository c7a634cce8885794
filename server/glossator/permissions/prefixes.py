"""The commands of which the first words say what they do, so that the further ones hardly matter.

They build, check, format and test what is in the workspace, or stage it. What runs
whatever it is given (`python -c`, `sh`, `env`, `xargs`, `sudo`, `npx` of anything), reaches other
places (`curl`, `git push`), installs or deletes is not among them: of such a command only the very
words are worth a rule.
"""

from __future__ import annotations

import re

from glossator.permissions.words import Words

_STARTS = tuple(
    tuple(line.split())
    for line in """
        npm test
        npm run *
        pnpm test
        pnpm run *
        yarn test
        yarn run *
        bun test
        bun run *
        pytest
        tox
        nox
        python -m pytest
        python -m unittest
        python -m mypy
        python -m ruff
        python -m black
        ruff check
        ruff format
        black
        isort
        mypy
        pyright
        flake8
        tsc
        eslint
        prettier
        biome
        jest
        vitest
        mocha
        cargo build
        cargo check
        cargo clippy
        cargo doc
        cargo fmt
        cargo test
        go build
        go fmt
        go test
        go vet
        gofmt
        dotnet build
        dotnet format
        dotnet test
        mvn compile
        mvn test
        mvnw test
        gradle build
        gradle test
        gradlew build
        gradlew test
        swift build
        swift test
        bundle exec rspec
        bundle exec rubocop
        rspec
        rubocop
        phpunit
        ctest
        cmake --build
        ninja
        make *
        just *
        git add
        git status
        mkdir
    """.split("\n")
    if line.strip()
)
_WRAPPERS = tuple(
    tuple(line.split())
    for line in ("uv run", "poetry run", "pipenv run", "hatch run", "pnpm exec", "yarn", "npx")
)
_PYTHON = re.compile(r"python[0-9.]*")
_OWN_PROGRAM = re.compile(r"(?:\.{0,2}/|\S*/)?(?:\.?venv/bin|node_modules/\.bin)/(?P<name>[^/]+)")
_AT_TOP = re.compile(r"\./(?P<name>mvnw|gradlew)")


def known_start(command: Words) -> int:
    """How many of the first words say what the command does; 0 if they do not."""
    for runner in ((), *_WRAPPERS):
        if command[: len(runner)] != runner:
            continue
        words = command[len(runner) :]
        named = (_name(words[0]), *words[1:]) if words else ()
        for start in _STARTS:
            if len(named) >= len(start) and all(map(_fits, start, named)):
                return len(runner) + len(start)
    return 0


def _fits(known: str, word: str) -> bool:
    return known == word or (known == "*" and word[:1] not in ("", "-"))


def _name(program: str) -> str:
    """What a program is called, whatever its version, or that of the workspace."""
    own = _OWN_PROGRAM.fullmatch(program) or _AT_TOP.fullmatch(program)
    name = own["name"] if own else program
    return "python" if _PYTHON.fullmatch(name) else name
