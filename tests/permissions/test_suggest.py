"""The rules that a prompt suggests: as wide as people expect, and no wider."""

from __future__ import annotations

import pytest

from glossator.permissions.decide import suggestions
from tests.permissions.asking import files, policy, shell


def suggested(*commands: str, allow: tuple[str, ...] = ()) -> list[str]:
    return [str(rule) for rule in suggestions(shell(*commands), policy(allow=allow))]


@pytest.mark.parametrize(
    ("command", "rule"),
    [
        ("npm test -- -u", "npm test:*"),
        ("npm run build --if-present", "npm run build:*"),
        ("yarn jest src", "yarn jest:*"),
        ("npx eslint --fix src", "npx eslint:*"),
        ("pytest -x tests/a.py", "pytest:*"),
        (".venv/bin/pytest -x", ".venv/bin/pytest:*"),
        ("./node_modules/.bin/tsc -p .", "./node_modules/.bin/tsc:*"),
        ("python3.12 -m pytest -q", "python3.12 -m pytest:*"),
        ("uv run pytest -q", "uv run pytest:*"),
        ("cargo test --release", "cargo test:*"),
        ("go test ./...", "go test:*"),
        ("./gradlew test", "./gradlew test:*"),
        ("make check V=1", "make check:*"),
        ("git add -A src", "git add:*"),
        ("mkdir -p a/b", "mkdir:*"),
    ],
)
def test_the_first_words_where_they_say_it_all(command: str, rule: str) -> None:
    assert suggested(command) == [f"Bash({rule})"]


@pytest.mark.parametrize(
    "command",
    [
        "rm -r build",
        "curl https://example.com",
        "wget https://example.com",
        "sudo npm test",
        "env npm test",
        "xargs npm test",
        "sh -c 'npm test'",
        "bash build.sh",
        "python -c 'print(1)'",
        "python manage.py migrate",
        "python -m http.server",
        "node -e 1",
        "npx some-package",
        "uv run script.py",
        "npm install left-pad",
        "npm run",
        "npm run -- x",
        "pip install x",
        "git commit -m 'Fix it'",  # runs hooks, and an editor
        "git push origin main",
        "git fetch --upload-pack=x",
        "git -c core.pager=x add .",
        "git config alias.x '!x'",
        "git reset --hard",
        "git checkout .",
        "git rebase -x make main",
        "find . -delete",
        "docker run x",
        "make",
        "make -C x",
        "cp a b",
        "evil/pytest x",
        "/tmp/pytest",
    ],
)
def test_the_very_words_of_anything_else(command: str) -> None:
    (rule,) = suggested(command)
    assert not rule.endswith(":*)")


def test_only_what_is_not_allowed_yet() -> None:
    allow = ("Bash(npm test:*)", "Bash(cd src)")
    assert suggested("cd src", "npm test -- -u", "git add .", allow=allow) == ["Bash(git add:*)"]
    assert suggested("git add a", "git add b", "pytest") == ["Bash(git add:*)", "Bash(pytest:*)"]


@pytest.mark.parametrize("hidden", ["\u202e", "\u200b", "\u0430", "\U000e0041", "\n", "\uff52"])
def test_no_rule_that_shows_as_another(hidden: str) -> None:
    assert suggested(f"git rm 'foo{hidden}'") == []
    assert suggestions(files("Edit", f"/ws/src{hidden}/a"), policy()) == ()
