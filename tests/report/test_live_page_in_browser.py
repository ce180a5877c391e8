"""`proctor view` in a real browser: a page follows its run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.server.test_viewing import add, make

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Route

pytestmark = pytest.mark.slow


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """A folder of runs, and where it is served."""
    results = tmp_path / "results"
    for name in ("baseline_a", "null_<b>"):
        make(results, name)
    words = [sys.executable, "-m", "proctor", "view", str(results), "--port", "0"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - our own command
        assert process.stdout is not None
        yield results, process.stdout.readline().removeprefix("listening on ").strip()
        process.terminate()


def test_a_page_that_is_open_follows_its_run_and_a_trace_that_is_open_stays(
    browser: Browser, served: tuple[Path, str]
) -> None:
    results, url = served
    odd: list[str] = []
    shown = browser.new_page()
    shown.set_default_timeout(60_000)
    shown.on("console", lambda message: odd.append(message.text))
    shown.on("pageerror", lambda error: odd.append(str(error)))
    shown.on("request", lambda request: None if request.url.startswith((url, "data:")) else odd.append(request.url))
    shown.goto(url)
    shown.locator("a", has_text="null_<b>").click()
    shown.locator("a", has_text="compare").click()
    shown.wait_for_selector("text=SoPR against baseline_a")
    shown.locator(".brand a").click()
    shown.locator("th a", has_text="baseline_a").click()
    shown.wait_for_selector("text=2 of 3 trials")
    add(results / "runs" / "baseline_a", 2)
    shown.wait_for_selector("text=3 of 3 trials")
    shown.locator("#list a").first.click()
    shown.wait_for_selector("dialog[open] .trace")
    (results / "runs" / "baseline_a" / "journal.jsonl").touch()
    shown.locator("#more").wait_for(state="visible")
    assert shown.locator("dialog[open]").count() == 1
    shown.keyboard.press("Escape")
    assert re.match(r"There are new results\.", shown.locator("#more").inner_text())
    shown.locator("#more button").click()
    shown.wait_for_selector("#more", state="hidden")
    shown.close()
    assert odd == []


def test_the_list_is_brought_up_to_date_in_place(browser: Browser, served: tuple[Path, str]) -> None:
    results, url = served
    odd: list[str] = []
    shown = browser.new_page()
    shown.set_default_timeout(60_000)
    shown.on("console", lambda message: odd.append(message.text))
    shown.goto(url)
    shown.evaluate("window.stays = true")
    shown.locator("th a", has_text="baseline_a").focus()
    shown.wait_for_timeout(2_500)  # it has to have asked once, to see a change
    add(results / "runs" / "baseline_a", 2)
    shown.wait_for_function("!document.querySelector('#runs tr:has(a[href*=baseline_a])').innerText.includes('2 / 3')")
    assert shown.evaluate("window.stays")
    assert shown.evaluate("document.activeElement.textContent") == "baseline_a"
    shown.close()
    assert odd == []


def test_a_click_on_a_run_is_not_lost_while_another_grows(browser: Browser, served: tuple[Path, str]) -> None:
    results, url = served
    shown = browser.new_page()
    shown.set_default_timeout(60_000)
    shown.goto(url)
    shown.wait_for_timeout(2_500)
    asked: list[str] = []

    def slowly(route: Route) -> None:
        asked.append(route.request.url)
        for _ in range(6):
            (results / "runs" / "baseline_a" / "journal.jsonl").touch()
            time.sleep(1)
        route.continue_()

    shown.route("**/runs/null_*/", slowly)
    shown.locator("th a", has_text="null_<b>").click(no_wait_after=True)
    shown.wait_for_selector("html[data-ready]")
    assert "/runs/null_" in shown.url
    assert len(asked) == 1
    shown.close()


def test_a_page_of_a_run_at_work_says_so_and_one_that_stands_still_too(
    browser: Browser, served: tuple[Path, str]
) -> None:
    results, url = served
    shown = browser.new_page()
    shown.set_default_timeout(60_000)
    shown.goto(f"{url}runs/baseline_a/")
    shown.wait_for_selector("#going:has-text('2 of 3 trials so far'):has-text('The run goes on')")
    long_ago = time.time() - 7_300
    os.utime(results / "runs" / "baseline_a" / "journal.jsonl", (long_ago, long_ago))
    shown.wait_for_selector("#going:has-text('Nothing was written down for 2 h')")
    shown.close()
