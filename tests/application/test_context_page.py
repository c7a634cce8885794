"""The page about the window says what a first request holds."""

from __future__ import annotations

import platform

import pytest

from tools.context_page import PAGE, first_request, with_table


@pytest.mark.skipif(platform.system() != "Linux", reason="the page names Linux as the platform")
async def test_the_page_has_the_sizes_of_a_first_request() -> None:
    page = PAGE.read_text("utf-8")
    assert page == with_table(page, await first_request()), "run make wire"
