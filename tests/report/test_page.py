"""The page of a run, as text: what it says, what it holds, and that nothing in it is more than text."""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

import msgspec
import pytest
from tests.report.exhibits import CALIBRATION, exhibit, full_exhibit
from tests.report.hostile import spoilt

from proctor.catalog.names import plain_name
from proctor.records.grades import Missing
from proctor.records.queries import ApiId
from proctor.records.runs import RunRecord
from proctor.report.exhibit import Listing
from proctor.report.page import page, shelf
from proctor.stats.intervals import Estimate

MakeRun = Callable[..., RunRecord]


def visible(document: str) -> str:
    """What a page says, without its markup."""
    body = re.sub(r"<(script|style)\b.*?</\1>", " ", document, flags=re.DOTALL)
    body = body.replace("<wbr>", "")
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", body)).split())


def held(document: str, name: str) -> Any:
    """The data that a page holds under a name."""
    found = re.search(rf'<script type="application/octet-stream" id="{name}">([^<]*)</script>', document)
    assert found is not None
    return json.loads(gzip.decompress(base64.b64decode(found[1])))


class Tags(HTMLParser):
    """The tags of a document, each with its attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def tags_of(document: str) -> list[tuple[str, dict[str, str | None]]]:
    parser = Tags()
    parser.feed(document)
    return parser.found


def test_the_page_says_first_how_good_and_how_sure_then_against_what_then_where_it_fails(make_run: MakeRun) -> None:
    said = visible(page(full_exhibit(make_run)))
    questions = ("How good is it, and how sure is that?", "Against what?", "Where does it fail?", "The list of trials")
    places = [said.index(question) for question in questions]
    assert places == sorted(places)


def test_every_score_stands_with_its_interval_and_what_it_rests_on(make_run: MakeRun) -> None:
    shown = full_exhibit(make_run)
    overall = shown.run.summary.overall
    assert not isinstance(overall.sopr, Missing)
    assert overall.sopr.low is not None
    assert overall.sopr.high is not None
    said = visible(page(shown))
    assert f"{overall.sopr.value * 100:.1f} %" in said
    assert f"95 % interval {overall.sopr.low * 100:.1f} to {overall.sopr.high * 100:.1f}" in said
    assert f"{overall.sopr.n} queries" in said
    assert "failed through no fault of the agent" in said


@pytest.mark.parametrize(
    ("method", "sentence"),
    [
        ("rubric", "No model and no person has read the answers."),
        ("heuristic", "whether it is true was not looked at"),
        ("official", "A model, asked as StableToolBench asks."),
    ],
)
def test_the_page_says_what_kind_of_judge_gave_the_verdicts(make_run: MakeRun, method: str, sentence: str) -> None:
    assert sentence in visible(page(exhibit(make_run(method=method))))


def test_a_run_that_nobody_has_judged_has_no_score_and_the_page_says_why(make_run: MakeRun) -> None:
    said = visible(page(exhibit(make_run(judged=False))))
    assert "Nobody has judged these answers yet" in said
    assert "unmeasured solvable pass rate (SoPR) nobody has judged it yet (" in said


def test_the_corrected_rate_stands_beside_the_raw_one(make_run: MakeRun) -> None:
    said = visible(page(exhibit(make_run(), calibration=CALIBRATION)))
    assert said.index("Solved, as judged") < said.index("Solved, corrected")
    assert "the judge passed 93.0 % of 90 good answers and failed 80.0 % of 60 bad ones (labels.csv)" in said
    assert "--calibration starter does that" in visible(page(exhibit(make_run())))
    assert "Not calibrated" in visible(page(exhibit(make_run(method="official"))))


def test_a_calibration_of_another_judge_is_said_to_be_one(make_run: MakeRun) -> None:
    other = msgspec.structs.replace(CALIBRATION, judge="somebody else")
    assert "This calibration is of somebody else, not of rubric." in visible(
        page(exhibit(make_run(), calibration=other))
    )


def test_a_second_run_is_compared_and_the_verdict_is_said(make_run: MakeRun) -> None:
    shown = full_exhibit(make_run)
    said = visible(page(shown))
    assert shown.versus[0].sentence in said
    assert "SoPR against baseline_seed0" in said
    assert "agent react here, baseline there" in said


def test_null_and_oracle_are_said_to_be_floor_and_ceiling(make_run: MakeRun) -> None:
    said = visible(page(full_exhibit(make_run)))
    assert "oracle_seed0 makes the gold calls: the ceiling" in said
    assert "null_seed0 does nothing: the floor" in said


def test_a_run_stands_beside_published_tables_and_it_is_said_why_it_is_not_comparable(make_run: MakeRun) -> None:
    said = visible(page(full_exhibit(make_run)))
    assert "GPT-3.5-0613 46.6 %" in said
    assert "the judge is rubric, the table's gpt-4-turbo-2024-04-09" in said


def test_cost_and_robustness_are_drawn_where_runs_tell_of_them(make_run: MakeRun) -> None:
    said = visible(page(full_exhibit(make_run)))
    assert "Score against cost" in said
    assert "Robustness" in said
    alone = visible(page(exhibit(make_run())))
    assert "Score against cost" not in alone
    assert "Robustness" not in alone


def test_each_way_to_fail_leads_to_its_trials(make_run: MakeRun) -> None:
    shown = full_exhibit(make_run)
    links = {attributes.get("href") for tag, attributes in tags_of(page(shown)) if tag == "a"}
    summary = shown.run.summary
    assert {f"#set={one.name}" for one in summary.sets} <= links
    assert {f"#needs={one.name}" for one in summary.by_gold_calls} <= links
    assert {f"#tool={one.name.replace(' ', '%20')}" for one in summary.by_tool} <= links
    assert {f"#stop={name}" for name, count in summary.troubles.stops.items() if count} <= links
    assert {f"#fault={name}" for name, count in summary.troubles.faults.items() if count} <= links
    assert {"#status=solved", "#change=better", "#change=worse"} <= links


def test_the_page_holds_every_trial_of_both_runs_and_every_trace(make_run: MakeRun) -> None:
    run, other = make_run(queries=70, epochs=2), make_run(queries=60, agent="null", skill=-1.0)
    document = page(exhibit(run, other, compared=True))
    rows = held(document, "rows")
    assert len(rows["id"]) == 140
    assert [sum(line is not None for line in one) for one in rows["runs"]] == [140, 60]
    traces = [query for number in range(2) for query in held(document, f"chunk-{number}")]
    assert len(traces) == 70
    by_query = {trial.key.query_id: trial for trial in run.trials if trial.key.epoch == 1}
    ids = dict(zip(rows["query"], rows["id"], strict=True))
    for place, query in enumerate(traces):
        trial = by_query[ids[place]]
        shown = query["trials"][1][0]
        assert query["text"] == trial.query.text
        assert len(shown["steps"]) == len(trial.trace.steps)
        assert shown["stop"] == trial.trace.stop.value
        assert len(shown["verdicts"]) == len(trial.verdicts)


def test_the_page_asks_no_other_machine_for_anything(make_run: MakeRun) -> None:
    for tag, attributes in tags_of(page(full_exhibit(make_run))):
        for name in ("src", "href", "action", "data", "poster", "srcset"):
            address = attributes.get(name) or ""
            assert address == "" or address.startswith(("#", "data:")), (tag, name, address)
        assert not any(name.startswith("on") or name == "style" for name in attributes)


@pytest.mark.parametrize("live", [None, "stamp"])
def test_the_policy_names_the_script_and_the_styles_by_their_hashes_and_allows_nothing_else(
    make_run: MakeRun, live: str | None
) -> None:
    document = page(exhibit(make_run(), live=live))
    policy = html.unescape(re.search(r'Content-Security-Policy" content="([^"]*)"', document)[1])  # type: ignore[index]
    said = dict(part.split(" ", 1) for part in policy.split("; "))
    assert said["default-src"] == "'none'"
    for name, tag in (("script-src", "script"), ("style-src", "style")):
        (text,) = re.findall(rf"<{tag}>(.*?)</{tag}>", document, re.DOTALL)
        assert said[name] == f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
    assert said.get("connect-src") == (None if live is None else "'self'")
    assert "unsafe" not in policy


def test_hostile_text_in_every_field_adds_no_tag_and_no_attribute(make_run: MakeRun) -> None:
    plain = tags_of(page(full_exhibit(make_run, queries=12)))
    document = page(spoilt(full_exhibit(make_run, queries=12)))
    assert "\x00" not in document
    assert "\u202e" not in document
    said_by_us = {"span", "strong"}  # around escapes, and around a refusal that is no longer empty
    assert {tag for tag, _ in tags_of(document)} <= {tag for tag, _ in plain} | said_by_us
    assert {name for _, attributes in tags_of(document) for name in attributes} <= {
        name for _, attributes in plain for name in attributes
    }
    assert document.count("<script") == plain_scripts(document)


def plain_scripts(document: str) -> int:
    return sum(tag == "script" for tag, _ in tags_of(document))


def test_half_of_a_surrogate_pair_is_shown_as_an_escape_and_the_page_can_be_written(make_run: MakeRun) -> None:
    run = make_run(queries=3)
    trial = run.trials[0]
    trace = msgspec.structs.replace(trial.trace, final_answer="half \ud800 of a pair")
    changed = msgspec.structs.replace(run, name="a\ud800b", trials=(msgspec.structs.replace(trial, trace=trace),))
    document = page(exhibit(changed))
    assert "a \\ud800 b" in visible(document)
    assert document.encode()
    assert held(document, "chunk-0")[0]["trials"][0][0]["answer"] == "half \ud800 of a pair"


def test_the_page_of_a_run_before_its_first_trial_is_a_page(make_run: MakeRun) -> None:
    run = msgspec.structs.replace(make_run(), trials=(), planned=40)
    said = visible(page(exhibit(run)))
    assert "0 of 40 trials" in said
    assert "still to be run (40)" in said


def test_the_same_records_make_the_same_page(make_run: MakeRun) -> None:
    assert page(full_exhibit(make_run)) == page(full_exhibit(make_run))


def test_a_hundred_queries_stay_far_under_a_megabyte(make_run: MakeRun) -> None:
    assert len(page(exhibit(make_run(queries=200, long=400)))) < 400_000


def listing(**more: Any) -> Listing:
    plain: dict[str, Any] = {
        "name": "baseline_<b>",
        "page": "runs/baseline_%3Cb%3E/",
        "benchmark": "starter",
        "model": None,
        "method": "rubric",
        "trials": 30,
        "planned": 40,
        "began": "2026-05-01 10:00",
        "sopr": Estimate(0.25, 30, 0.1, 0.4),
        "api_call_score": Estimate(0.5, 30, 0.4, 0.6),
    }
    return Listing(**plain | more)


def test_the_list_of_runs_names_them_with_their_scores_and_how_far_they_are() -> None:
    document = shelf("results", [listing()], "stamp")
    said = visible(document)
    assert "baseline_<b> starter · 2026-05-01 10:00" in said
    assert "25.0 % 10.0 to 40.0 10.0 to 40.0 50.0 % rubric 30 / 40" in said
    assert ("a", {"href": "runs/baseline_%3Cb%3E/"}) in tags_of(document)
    assert "There is no run here yet" in visible(shelf("results", [], "stamp"))


def test_the_list_says_why_a_run_has_no_score() -> None:
    missing = Missing("nothing could be measured")
    assert "nobody has judged it" in visible(shelf("r", [listing(sopr=missing, method="")], "stamp"))
    assert "not read yet" in visible(shelf("r", [listing(sopr=Missing("not read yet"))], "stamp"))


def test_a_run_that_is_not_at_its_end_says_so_beside_its_score(make_run: MakeRun) -> None:
    run = msgspec.structs.replace(make_run(queries=30), planned=40)
    assert "30 of 40 trials so far; the figures are of what is there" in visible(page(exhibit(run)))
    assert "solvable pass rate (SoPR), so far" in visible(page(exhibit(run)))
    assert "so far" not in visible(page(exhibit(make_run(queries=30))))


def test_one_of_a_thing_is_not_called_several(make_run: MakeRun) -> None:
    said = visible(page(exhibit(make_run(queries=1, sets=1, broken=0.0))))
    assert "1 query" in said
    assert "1 queries" not in said


def test_nothing_is_counted_as_failed_where_nobody_has_judged(make_run: MakeRun) -> None:
    said = visible(page(exhibit(make_run(judged=False, broken=0.3))))
    assert "SoPR, errors included" not in said


def test_gold_that_leaves_a_choice_is_told_in_words(make_run: MakeRun) -> None:
    run = make_run(queries=1, broken=0.0)
    args = {
        "town": {"$one_of": ["Aldermoor", "Dunmere"]},
        "limit": {"$near": 5, "absolute": 2},
        "date": {"$pattern": "2026-.*"},
        "note": {"$any": True},
    }
    trial = run.trials[0]
    gold = trial.query.gold[0]
    calls = ({"name": plain_name(ApiId("Any", gold.tool, gold.api)), "args": args},)
    trial = msgspec.structs.replace(trial, query=msgspec.structs.replace(trial.query, calls=calls))
    document = page(exhibit(msgspec.structs.replace(run, trials=(trial,))))
    wanted = held(document, "chunk-0")[0]["trials"][0][0]["gold"][0]
    assert dict(wanted["args"]) == {
        "town": 'one of "Aldermoor", "Dunmere"',
        "limit": "5, or at most 2 away",
        "date": "text of the form 2026-.*",
        "note": "anything",
    }
    assert wanted["api"] == [gold.tool, gold.api]


def test_a_run_whose_judge_is_not_at_its_end_says_how_many_answers_wait(make_run: MakeRun) -> None:
    run = make_run(queries=30, broken=0.0)
    trials = tuple(
        msgspec.structs.replace(one, verdicts=()) if place < 4 else one for place, one in enumerate(run.trials)
    )
    said = visible(page(exhibit(msgspec.structs.replace(run, trials=trials))))
    assert "30 of 30 trials so far, 4 of them not judged yet" in said
    assert "so far" not in visible(page(exhibit(make_run(judged=False))))
