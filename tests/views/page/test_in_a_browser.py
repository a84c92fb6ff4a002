"""The page as a browser lays it out: nothing runs off its side, in any width, and folded texts say so in print."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, sync_playwright

from agentlab.audit.report import audit_trace
from agentlab.views.page.page import AuditPage
from tests.audit.dialogues import chat
from tests.conftest import skip_or_fail

LONG = "measure_" + "depth" * 60
TURNS = (
    ((LONG, {"basin": "北" * 400}, "3 m" + "x" * 5000), f"{LONG} tells 3 m.\n\nUser: 谢谢" + "你" * 300),
    (f"Action: {LONG}[{{}}]\nObservation: 9 m\nFinal Answer: 9 m",),
)
"""A name, a value and texts without a place to break."""


@pytest.fixture(scope="module")
def browser_page() -> Iterator[Page]:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        skip_or_fail("there is no chromium")
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        yield browser.new_page()
        browser.close()


@pytest.fixture(scope="module")
def audited(tmp_path_factory: pytest.TempPathFactory) -> Path:
    page = AuditPage()
    for turns in TURNS:
        page.add(audit_trace(chat(*turns)))
    path = tmp_path_factory.mktemp("page") / "audit.html"
    path.write_text(page.html(unreadable=[("/".join(["folder"] * 90), "no reason")]), encoding="utf-8")
    return path


@pytest.mark.parametrize("width", [380, 800, 1300])
def test_nothing_runs_off_the_side(browser_page: Page, audited: Path, width: int) -> None:
    browser_page.set_viewport_size({"width": width, "height": 900})
    browser_page.goto(audited.as_uri())
    assert browser_page.evaluate("document.documentElement.scrollWidth") <= width


def test_in_print_a_folded_text_says_that_it_is_folded(browser_page: Page, audited: Path) -> None:
    browser_page.goto(audited.as_uri())
    said = "getComputedStyle(document.querySelector('details:not([open])>summary'), '::after').content"
    assert browser_page.evaluate(said) == "none"
    browser_page.emulate_media(media="print")
    assert "folded" in browser_page.evaluate(said)
