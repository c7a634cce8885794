"""docs/settings.md lists every setting with its default and meaning."""

from __future__ import annotations

from tools.settings_page import PAGE, with_tables


def test_the_page_lists_the_settings() -> None:
    page = PAGE.read_text("utf-8")
    assert page == with_tables(page), "run make wire"
