"""The page in a real browser: it can be read by everybody, it works, and nothing that a model wrote runs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.report.exhibits import exhibit, full_exhibit
from tests.report.hostile import TEXT, spoilt

from proctor.records.runs import RunRecord
from proctor.report.page import page as document_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.slow
MakeRun = Callable[..., RunRecord]
Opened = Callable[..., "Page"]
WATCH = "document.addEventListener('securitypolicyviolation', e => console.error('refused: ' + e.violatedDirective));"


@pytest.fixture(scope="module")
def written(make_run: MakeRun, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Pages in files: one with everything, one that is hostile, one of a single run."""
    folder = tmp_path_factory.mktemp("pages")
    documents = {
        "full": document_of(full_exhibit(make_run, queries=120)),
        "hostile": document_of(spoilt(full_exhibit(make_run, queries=12))),
        "single": document_of(exhibit(make_run(queries=5))),
    }
    for name, document in documents.items():
        (folder / f"{name}.html").write_text(document, "utf-8")
    return {name: folder / f"{name}.html" for name in documents}


@pytest.fixture
def opened(browser: Browser, written: dict[str, Path]) -> Iterator[Opened]:
    """Open a page, by name and the address's end; at the end nothing was complained of and nothing fetched."""
    odd: list[str] = []
    pages: list[Page] = []

    def call(name: str, end: str = "", *, width: int = 1200, scheme: str = "light") -> Page:
        shown = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)  # type: ignore[arg-type]
        shown.set_default_timeout(60_000)
        shown.on("console", lambda message: odd.append(f"console: {message.text}"))
        shown.on("pageerror", lambda error: odd.append(f"error: {error}"))
        shown.on("dialog", lambda dialog: odd.append(f"dialog: {dialog.message}"))
        shown.on("request", lambda request: odd.append(f"request: {request.url}") if _leaves(request.url) else None)
        shown.add_init_script(WATCH)
        shown.goto(f"{written[name].as_uri()}{end}")
        shown.wait_for_selector("html[data-ready]")
        pages.append(shown)
        return shown

    yield call
    owned = [found for shown in pages if (found := shown.evaluate("window.owned ?? ''"))]
    for shown in pages:
        shown.close()
    assert owned == []
    assert odd == []


def _leaves(address: str) -> bool:
    return not address.startswith(("file:", "data:", "blob:"))


def _trace(shown: Page) -> str:
    shown.wait_for_selector("dialog[open] .trace")
    return shown.locator("dialog").inner_text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1200])
@pytest.mark.parametrize("name", ["full", "single", "hostile"])
def test_axe_finds_nothing_in_the_page_and_in_a_trace(opened: Opened, name: str, width: int, scheme: str) -> None:
    from axe_playwright_python.sync_playwright import Axe

    shown = opened(name, width=width, scheme=scheme)
    for open_trace in (False, True):
        if open_trace:
            shown.locator("#list a").first.click()
            _trace(shown)
        found = Axe().run(shown).response["violations"]
        assert [(one["id"], one["nodes"][0]["html"][:200], one["nodes"][0]["any"][:1]) for one in found] == []


@pytest.mark.parametrize("name", ["full", "hostile"])
@pytest.mark.parametrize("width", [360, 768, 1200])
def test_no_width_makes_the_page_scroll_sideways(opened: Opened, name: str, width: int) -> None:
    shown = opened(name, width=width)
    assert shown.evaluate("document.documentElement.scrollWidth") <= width
    shown.locator("#list a").first.click()
    _trace(shown)
    assert shown.evaluate("(e => e.scrollWidth - e.clientWidth)(document.querySelector('dialog'))") == 0


def test_hostile_text_is_shown_as_text_and_runs_nowhere(opened: Opened) -> None:
    shown = opened("hostile")
    assert shown.locator("#list a").count() == 12
    for place in range(3):
        shown.locator("#list a").nth(place).click()
        said = _trace(shown)
        assert "</script><script>window.owned='closed script'</script>" in said
        assert "{{ 7 * 191 }}" in said
        assert "\\u202e" in said
        assert "\u202e" not in said
        assert "\\u0000" in said
        shown.keyboard.press("Escape")
    assert TEXT.split("\u202e", 1)[0] in shown.locator("h1").inner_text()
    assert shown.locator("img, iframe, object, embed, svg[onload]").count() == 0
    names = shown.evaluate("[...new Set([...document.querySelectorAll('*')].flatMap(e => e.getAttributeNames()))]")
    assert [name for name in names if name.startswith("on") or name == "style"] == []


def test_search_and_filters_narrow_the_list_and_stand_in_the_address(opened: Opened) -> None:
    shown = opened("full")
    count = shown.locator("#count")
    assert count.inner_text().startswith("120 trials")
    shown.locator("#status").select_option("unsolved")
    unsolved = shown.locator("#list a").count()
    assert 0 < unsolved < 120
    assert set(shown.locator("#list a .status:first-child").all_inner_texts()) == {"unsolved"}
    shown.locator("#q").fill("Dunmere rate")
    assert all("Dunmere" in text for text in shown.locator("#list .ask").all_inner_texts())
    assert "status=unsolved" in shown.url
    assert "q=Dunmere" in shown.url
    address = shown.url
    again = opened("full", f"#{address.split('#')[1]}")
    assert again.locator("#list a").count() == shown.locator("#list a").count()
    shown.locator("#clear").click()
    assert count.inner_text().startswith("120 trials")


def test_a_name_in_where_it_fails_leads_to_its_trials(opened: Opened) -> None:
    shown = opened("full")
    link = shown.locator('#fails a[href^="#tool="]').first
    tool = link.inner_text()
    link.click()
    shown.wait_for_selector("#count:has-text('of 120 trials')")
    assert shown.locator("#tool").input_value() == tool
    assert "of 120 trials" in shown.locator("#count").inner_text()


def test_an_address_opens_its_trace_of_either_run(opened: Opened) -> None:
    shown = opened("full", "#trial=multi_tool%2Fq0001%230")
    said = _trace(shown)
    assert said.startswith("multi_tool / q0001")
    parts = ("by rubric", "Final answer", "A right answer tells", "Should have been called", "Steps")
    places = [said.index(part) for part in parts]
    assert places == sorted(places)
    other = opened("full", "#trial=multi_tool%2Fq0001%230&run=1")
    _trace(other)
    assert other.locator('button[aria-pressed="true"]').inner_text() == "baseline_seed0"


@pytest.mark.parametrize(
    ("address", "lacking"),
    [
        ("#trial=nothing", "trial=nothing"),
        ("#status=unsolved&tool=Travel", "tool=Travel"),
        ("#status=unsolved&sort=nonsense", "sort=nonsense"),
        ("#status=unsolved&colour=red", "colour=red"),
    ],
)
def test_what_an_address_asks_for_and_nothing_is_is_said(opened: Opened, address: str, lacking: str) -> None:
    shown = opened("full", address)
    assert shown.locator("#odd").inner_text().startswith(f"Nothing here is {lacking}")
    assert shown.locator("#status").input_value() == ("unsolved" if "status" in address else "")
    shown.locator("#clear").click()
    assert shown.locator("#odd").is_hidden()
    assert opened("full", "#status=unsolved&sort=calls").locator("#odd").is_hidden()


def test_failures_stand_first_each_by_set_and_id(opened: Opened) -> None:
    shown = opened("full")
    statuses = []
    while True:
        statuses += shown.locator("#list a .status:first-child").all_inner_texts()
        if not shown.locator("#after").is_enabled():
            break
        shown.locator("#after").click()
    order = ["unsolved", "unsure", "unmeasured", "solved"]
    assert statuses == sorted(statuses, key=order.index)
    shown.locator("#sort").select_option("set")
    keys = shown.locator("#list a").evaluate_all("all => all.map(e => e.dataset.key.split('#')[0])")
    sets = shown.locator("#set option").evaluate_all("all => all.map(e => e.value)")[1:]
    assert keys == sorted(keys, key=lambda key: (sets.index(key.split("/")[0]), key))


def test_answers_in_json_are_laid_out_and_keep_their_numbers(opened: Opened) -> None:
    shown = opened("full", "#sort=calls")
    shown.locator("#list a").first.click()
    _trace(shown)
    shown.wait_for_selector(".answer .text:has-text('results')")
    said = shown.locator(".answer .text", has_text="results").first.inner_text()
    assert re.match(r'\{\n  "results": \[\n    \{ ?"id": \d+, "town"', said), said


def test_a_trace_does_not_ring_its_heading(opened: Opened) -> None:
    shown = opened("single")
    shown.locator("#list a").first.focus()
    shown.keyboard.press("Enter")
    _trace(shown)
    assert shown.evaluate("document.activeElement.id") == "trace-head"
    assert shown.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "none"


@pytest.mark.parametrize("width", [360, 390])
def test_no_table_of_scores_has_to_be_scrolled_on_a_phone(opened: Opened, width: int) -> None:
    shown = opened("full", width=width)
    wide = (
        "all => all.filter(e => e.offsetParent && e.scrollWidth > e.clientWidth).map(e => e.getAttribute('aria-label'))"
    )
    assert shown.locator(".scroll").evaluate_all(wide) == []


def test_a_call_shows_its_arguments_beside_gold_and_where_its_answer_came_from(opened: Opened) -> None:
    shown = opened("full", "#status=solved&sort=calls")
    beside = shown.locator("table.args thead", has_text="gold")
    for place in range(5):
        shown.locator("#list a").nth(place).click()
        assert re.search(r"recorded|simulated|live|missed", _trace(shown))
        if beside.count():
            break
        shown.keyboard.press("Escape")
    assert beside.first.inner_text().split() == ["argument", "as", "called", "gold"]
    assert shown.locator("li.call .tag", has_text="gold, other arguments").count()
    assert shown.locator("tr.off").count()


def test_the_page_can_be_used_by_keys_alone_and_they_can_be_switched_off(opened: Opened) -> None:
    shown = opened("full")
    shown.keyboard.press("/")
    assert shown.evaluate("document.activeElement.id") == "q"
    shown.locator("#list a").first.focus()
    shown.keyboard.press("ArrowDown")
    shown.keyboard.press("Enter")
    keys = shown.locator("#list a").evaluate_all("all => all.map(e => e.dataset.key.split('#')[0].split('/')[1])")
    assert _trace(shown)
    assert keys[1] in shown.locator("#trace-head").inner_text()
    shown.keyboard.press("n")
    shown.wait_for_selector(f"#trace-head:has-text('{keys[2]}')")
    shown.keyboard.press("r")
    shown.wait_for_selector("[aria-pressed=true]:has-text('baseline_seed0')")
    shown.keyboard.press("Escape")
    assert shown.locator("dialog[open]").count() == 0
    shown.wait_for_function("id => document.activeElement?.dataset.key?.includes(id)", arg=keys[2])
    shown.locator("#keys").uncheck()
    shown.keyboard.press("/")
    assert shown.evaluate("document.activeElement.id") == "keys"


def test_the_theme_can_be_chosen(opened: Opened) -> None:
    shown = opened("single")
    light = shown.evaluate("getComputedStyle(document.body).backgroundColor")
    shown.locator("#theme").click()
    shown.locator("#theme").click()
    assert shown.locator("#theme").inner_text() == "Theme: dark"
    assert shown.evaluate("getComputedStyle(document.body).backgroundColor") != light


def test_what_is_long_is_cut_and_shown_whole_on_request(opened: Opened) -> None:
    shown = opened("hostile")
    shown.locator("#list a").first.click()
    _trace(shown)
    more = shown.locator("dialog .linkish").first
    said = more.inner_text()
    assert re.fullmatch(r"Show all [\d,]+ characters", said)
    holder = more.locator("xpath=..")
    before = len(holder.inner_text())
    more.click()
    assert len(shown.locator("dialog .trace").inner_text()) > before


def test_all_trials_can_be_reached_page_by_page(opened: Opened) -> None:
    shown = opened("full")
    seen = set(shown.locator("#list .id").all_inner_texts())
    while shown.locator("#after").is_enabled():
        shown.locator("#after").click()
        seen |= set(shown.locator("#list .id").all_inner_texts())
    assert len(seen) == 120
