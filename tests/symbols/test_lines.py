"""Outlines of languages without a grammar."""

from __future__ import annotations

import pytest

from glossator.symbols.lines import outline_by_lines

ELIXIR = """\
defmodule Plug.Conn do
  def send_resp(conn) when conn > 1 do
    conn
  end

  def halt do
    1
  end

  defp bar, do: 1
  defmacro assign(x) do
    x
  end
end

defprotocol Plug.Failure do
  def status(failure)
end

defimpl Plug.Failure, for: Map do
  def status(failure), do: 1
end
"""
OUTLINE = (
    "module Conn 1-14, function Conn.send_resp 2-4, function Conn.halt 6-8,"
    " function Conn.bar 10-10, macro Conn.assign 11-13, interface Failure 16-18,"
    " function Failure.status 17-17, impl Failure 20-22, function Failure.status 21-21"
)
PERL = "sub render {\n    1\n}\n"
POWERSHELL = "function Build {\n    1\n}\n"


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        (
            "conn.ex",
            ELIXIR,
            OUTLINE,
        ),
        ("render.pl", PERL, "function render 1-3"),
        ("build.ps1", POWERSHELL, "function Build 1-3"),
    ],
)
def test_definitions_are_found_by_lines(path: str, text: str, expected: str) -> None:
    found = outline_by_lines(text.splitlines(), path)
    told = (
        f"{at.kind} {'.'.join((*at.container, at.name))} {at.first_line}-{at.last_line}"
        for at in found
    )
    assert ", ".join(told) == expected
