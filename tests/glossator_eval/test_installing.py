"""The package is installed with an extra of the server; without it the command says so."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from glossator import __version__
from glossator.core.errors import UsageError

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("words", [[], ["retrieval", "set", "--json"], ["--help"]])
def test_without_the_package_the_command_says_how_to_install_it(
    words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    monkeypatch.delitem(sys.modules, "glossator.cli.app", raising=False)
    from glossator.cli.app import app  # noqa: PLC0415 - as it is without the package

    ended = CliRunner().invoke(app, ["eval", *words])
    assert isinstance(ended.exception, UsageError)
    assert "Run: pip install 'glossator[eval]'" in str(ended.exception)


def test_it_is_made_for_this_server() -> None:
    package, server = (
        tomllib.loads((ROOT / folder / "pyproject.toml").read_text("utf-8"))["project"]
        for folder in ("server/glossator_eval", ".")
    )
    assert package["version"] == __version__
    assert f"glossator=={__version__}" in package["dependencies"]
    assert server["optional-dependencies"]["eval"] == [f"{package['name']}=={__version__}"]
