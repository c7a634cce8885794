"""The page about the window says what a first request holds."""

from __future__ import annotations

import platform

import pytest

from tools.context_page import PAGE, first_request, what_is_added, with_tables


@pytest.mark.skipif(platform.system() != "Linux", reason="the page names Linux as the platform")
async def test_the_page_has_the_sizes_of_a_first_request() -> None:
    page = PAGE.read_text("utf-8")
    bare = await first_request()
    assert page == with_tables(page, bare, await what_is_added(bare)), "run make wire"
