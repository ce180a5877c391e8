"""`proctor view` in a real browser: a page follows its run."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.server.test_viewing import add, make

if TYPE_CHECKING:
    from playwright.sync_api import Browser

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
