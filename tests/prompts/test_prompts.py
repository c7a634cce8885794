"""Every prompt file loads; a malformed or misused one says what is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from glossator.core.errors import PromptError
from glossator.core.prompts import load_prompt, parse_prompt

FOLDER = Path(__file__).parents[2] / "prompts"
NAMES = sorted(str(path.relative_to(FOLDER).with_suffix("")) for path in FOLDER.rglob("*.md"))


def prompt_file(body: str = "Hello {{who}}.", **head: str) -> str:
    keys = {"name": "a/b", "role": "user", "version": "1", "inputs": "who"} | head
    lines = "\n".join(f"{key}: {value}" for key, value in keys.items())
    return f"---\n{lines}\n---\n{body}\n"


@pytest.mark.parametrize("name", NAMES)
def test_every_file_loads(name: str) -> None:
    prompt = load_prompt(name)
    assert prompt.name == name
    assert len(prompt.sha256) == 64
    rendered = prompt.render(**dict.fromkeys(prompt.inputs, "VALUE"))
    assert "{{" not in rendered
    assert ("VALUE" in rendered) == bool(prompt.inputs)


def test_there_are_files() -> None:
    assert {"system/static", "tools/grep", "user/explain"} <= set(NAMES)


def test_values_are_not_templates() -> None:
    assert parse_prompt("a/b", prompt_file()).render(who="{{who}}") == "Hello {{who}}."


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("Hello", "front-matter between two --- lines"),
        ("---\nname: a/b\n", "front-matter between two --- lines"),
        (prompt_file(name="a/c"), "its own name"),
        (prompt_file(role="boss"), "a role of system, tool, user"),
        (prompt_file(colour="red"), "inputs, name, role, version once"),
        (prompt_file().replace("version: 1\n", ""), "inputs, name, role, version once"),
        (prompt_file().replace("version: 1", "version 1"), "without a colon: 'version 1'"),
        (
            prompt_file().replace("version: 1", "version: 1\nversion: 2"),
            "inputs, name, role, version once",
        ),
        (prompt_file("Hello."), "declares who but uses nothing"),
        (prompt_file("{{who}} {{whom}}"), "declares who but uses who, whom"),
        (prompt_file("{{ who }}"), "declares who but uses nothing"),
        (prompt_file("{{ who }}", inputs=""), "braces that name no input; write {{name}}"),
    ],
)
def test_malformed_files(content: str, says: str) -> None:
    with pytest.raises(PromptError) as caught:
        parse_prompt("a/b", content)
    assert says in str(caught.value)


@pytest.mark.parametrize("values", [{}, {"whom": "x"}, {"who": "x", "whom": "y"}])
def test_wrong_inputs(values: dict[str, str]) -> None:
    with pytest.raises(PromptError, match="takes who, it was given"):
        parse_prompt("a/b", prompt_file()).render(**values)


def test_a_missing_file() -> None:
    with pytest.raises(PromptError, match=r"Prompt no/such is unreadable .* reinstall it"):
        load_prompt("no/such")
