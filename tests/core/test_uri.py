"""Paths to URIs and back."""

from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glossator.core.uri import to_path, to_uri

NAMES = st.binary(min_size=1, max_size=8).filter(
    lambda name: b"/" not in name and b"\0" not in name and name not in {b".", b".."}
)


@given(st.lists(NAMES, min_size=1, max_size=4))
def test_every_path_survives(names: list[bytes]) -> None:
    path = os.fsdecode(b"/" + b"/".join(names))
    uri = to_uri(path)
    assert uri.isascii()
    assert to_path(uri) == path


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("/a b/c#d?e%f", "file:///a%20b/c%23d%3Fe%25f"),
        ("/é", "file:///%C3%A9"),
        (os.fsdecode(b"/\xff"), "file:///%FF"),
        ("/a:b@c!d", "file:///a:b@c!d"),
        ("/[id]/{x}", "file:///%5Bid%5D/%7Bx%7D"),
    ],
)
def test_spelling(path: str, uri: str) -> None:
    assert to_uri(path) == uri
    assert to_path(uri) == path


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///a/../b/./c", "/b/c"),
        ("file:////a//b/", "/a/b"),
        ("file://localhost/a", "/a"),
        ("FILE:///a", "/a"),
        ("file:///a%2Fb", "/a/b"),
        ("untitled:Untitled-1", None),
        ("https://example.org/a", None),
        ("file:relative", None),
        ("file:", None),
        ("file:///a%00b", None),
        ("file://[::1/a", None),
        ("", None),
    ],
)
def test_other_spellings(uri: str, path: str | None) -> None:
    assert to_path(uri) == path
