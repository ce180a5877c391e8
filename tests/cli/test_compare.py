"""`proctor compare`: verdict, flips, preferences, the published table, exit codes."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from proctor.cli.compare import EXIT_CODES
from proctor.formats.stabletoolbench.preferences import read_comparisons, read_counts
from proctor.models.scripted_server import ScriptedServer
from proctor.records.grades import Status, Verdict
from proctor.records.queries import ApiId, GoldApi, Query
from proctor.records.runs import Manifest, RunSpec, TrialKey
from proctor.records.traces import CallStep, Finish, Resolution, Step, StopReason, Trace
from proctor.runs import folders
from proctor.runs.ledger import Judging, Opinion
from proctor.stats.comparisons import Outcome
from proctor.stats.preferences import Preferred

Run = Callable[..., Result]
Keep = Callable[..., str]
STATUSES = {"S": Status.SOLVED, "U": Status.UNSURE, "N": Status.UNSOLVED}


def step(called: bool) -> tuple[CallStep, ...]:
    api = ApiId("Travel", "Harbour", "Next Ferry")
    return (CallStep("next_ferry_for_harbour", {}, Resolution.RESOLVED, "at 7", api=api),) if called else ()


@pytest.fixture
def keep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Keep:
    """Keeps a run below `results`: by set a letter for each query (S, U, N; lower case: nothing was called)."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "none")

    def kept(name: str, sets: Mapping[str, Sequence[str]], judge: str = "ann", **said: Any) -> str:
        fields = {"benchmark": "town", "agent": name, "tools": "query", **said}
        identities = tuple(f"{one}/{place}" for one, letters in sets.items() for place in range(len(letters)))
        manifest = Manifest(RunSpec(test_sets=tuple(sets), **fields), "1", 5.0, name, "town", query_ids=identities)
        folder = folders.run_path("results", folders.run_name(name, "town"))
        judging = Judging(judge, "official")
        with folders.begun_folder(folder, manifest) as (_, ledger):
            if judge:
                ledger.keep_judging(judging)
            for test_set, letters in sets.items():
                for place, letter in enumerate(letters):
                    key = TrialKey(test_set, str(place))
                    need = GoldApi("Harbour", "Next Ferry", "Travel")
                    ledger.keep_queries([Query(str(place), f"When does ferry {place} leave?", (need,))], test_set)
                    finish = Finish(f"At 7, says {name}.")
                    steps: tuple[Step, ...] = (*step(letter.isupper()), finish)
                    ledger.keep_trace(key, Trace(str(place), StopReason.FINISHED, finish.answer, steps))
                    if judge:
                        opinion = Opinion(Verdict(STATUSES[letter.upper()], "so it is", judge))
                        ledger.keep_opinion(key, judging, 0, opinion)
        return str(folder)

    return kept


@pytest.fixture
def judge() -> Iterator[ScriptedServer]:
    """A judge at an address that prefers what the agent called `new` says, wherever it stands."""

    def says(body: dict[str, Any]) -> dict[str, Any]:
        text = json.dumps(body["messages"])
        return {"reason": "it is newer", "index": 0 if text.index("says new") < text.index("says old") else 1}

    with ScriptedServer(says, latency=0.01) as server:
        yield server


def test_the_better_run_has_improved(run: Run, keep: Keep) -> None:
    keep("old", {"G1": "N" * 12 + "S" * 8})
    keep("new", {"G1": "S" * 20})
    done = run("compare", "results/old_town", "results/new_town")
    assert done.exit_code == 0, done.stderr
    lines = done.stdout.splitlines()
    assert "G1   20  40.0  100.0  +60.0  +34.2 to +78.1  0.00049  improved" in lines
    assert "changed     12 better, 0 worse, 8 as before" in lines
    assert "differs     agent: 'old' in A, 'new' in B" in lines
    assert "G1/0   0.00  1.00  When does ferry 0 leave?" in lines
    assert "and 2 more (--flips 12)" in lines
    assert "verdict     new_town improved on old_town: SoPR 100.0 % against 40.0 %, +60.0" in lines


@pytest.mark.parametrize(
    ("before", "after", "verdict", "code"),
    [
        ("N" * 20, "S" * 20, "improved", 0),
        ("S" * 20, "N" * 20, "regressed", 100),
        ("SN" * 10, "NS" * 10, "not decisive", 101),
    ],
)
def test_the_gate_tells_the_verdict_by_its_exit_code(
    run: Run, keep: Keep, before: str, after: str, verdict: str, code: int
) -> None:
    places = keep("old", {"G1": before}), keep("new", {"G1": after})
    done = run("compare", *places, "--gate", "--json")
    assert done.exit_code == code
    told = json.loads(done.stdout)
    assert (told["verdict"], told["exit_code"]) == (verdict, code)
    assert run("compare", *places).exit_code == 0


def test_runs_that_nobody_judged_pass_no_gate(run: Run, keep: Keep) -> None:
    places = keep("old", {"G1": "SS"}, judge=""), keep("new", {"G1": "ss"}, judge="")
    done = run("compare", *places, "--gate")
    assert done.exit_code == 102
    assert "SoPR cannot be compared" in done.stdout
    by_calls = run("compare", *places, "--gate", "--by", "api_call_score", "--json")
    assert by_calls.exit_code == 101
    assert json.loads(by_calls.stdout)["comparison"]["overall"]["difference"]["value"] == -1.0


def test_every_verdict_has_an_exit_code_of_its_own_and_the_help_and_the_page_name_it(run: Run) -> None:
    assert set(EXIT_CODES) == {*Outcome, None}
    assert len({*EXIT_CODES.values(), 1, 130}) == len(EXIT_CODES) + 2
    said = " ".join(run("compare", "--help").stdout.split())
    page = (Path(__file__).parents[2] / "docs" / "cli.md").read_text("utf-8")
    for outcome, code in EXIT_CODES.items():
        words = outcome.value if outcome is not None else "nothing could be compared"
        assert f"{code} {words}" in said
        assert re.search(rf"^\| {code} \|.*\.", page, re.MULTILINE)


def test_several_sets_are_held_together(run: Run, keep: Keep) -> None:
    letters = {"G1": "NNNNNNSSSSSSSSSSSS", "G2": "N" * 20, "G3": "SN" * 10}
    keep("old", letters)
    keep("new", {"G1": "S" * 18, "G2": "S" * 20, "G3": "NS" * 10})
    done = run("compare", "results/old_town", "results/new_town", "--json")
    sets = json.loads(done.stdout)["comparison"]["sets"]
    assert {name: one["comparisons"] for name, one in sets.items()} == {"G1": 3, "G2": 3, "G3": 3}
    assert sets["G1"]["p"] == pytest.approx(2 * 0.5**6)
    assert sets["G1"]["adjusted_p"] == pytest.approx(2 * 2 * 0.5**6)
    assert (sets["G1"]["outcome"], sets["G2"]["outcome"]) == ("not decisive", "improved")
    shown = run("compare", "results/old_town", "results/new_town").stdout
    assert "the sets' p and verdicts hold for all 3 at once (Holm)" in shown
    assert "mean of sets" in shown
    alone = run("compare", "results/old_town", "results/new_town", "--test-set", "G1", "--json")
    assert json.loads(alone.stdout)["comparison"]["overall"]["outcome"] == "improved"


def test_a_judge_that_compares_its_own_answers_is_told_of(
    run: Run, keep: Keep, judge: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", judge.url)
    places = keep("old", {"G1": "SN"}), keep("new", {"G1": "SS"}, agent_model="openai:scripted")
    done = run("compare", *places, "--judge", "openai/scripted")
    assert done.exit_code == 0, done.stderr
    assert done.stderr.count("the judge is the model under test (openai/scripted)") == 1


def test_a_judge_says_whose_answers_are_better_and_is_asked_once(run: Run, keep: Keep, judge: ScriptedServer) -> None:
    places = keep("old", {"G1": "SSSSN"}), keep("new", {"G1": "SSSSS"})
    words = ("--judge", "openai/scripted", "--judge-url", judge.url)
    done = run("compare", *places, *words, "--preferences", "p.json", "--preferences", "p.csv")
    assert done.exit_code == 0, done.stderr
    assert len(judge.bodies) == 8  # four pairs in both orders; the fifth is settled by the verdicts
    assert re.search(r"SoWR        100\.0 % \([\d.]+ to 100\.0\) of 5 queries: B won 5, tied 0, lost 0", done.stdout)
    assert "100.0 % by wins alone, as StableToolBench counts" in done.stdout
    said = " ".join(done.stdout.split())
    assert "4 of 5 pairs were judged in both orders, which disagreed on 0.0 %; the verdicts settled the rest" in said
    counts = read_counts("p.json")
    assert {(one.for_reference, one.for_candidate) for one in counts.values()} == {(0, 1)}
    assert [row.preferred for row in read_comparisons("p.csv")] == [Preferred.CANDIDATE] * 5
    other = run("compare", *reversed(places), *words, "--json")
    assert len(judge.bodies) == 8
    told = json.loads(other.stdout)["preferences"]
    assert (told["rate"]["wins"], told["rate"]["losses"], told["usage"]["requests"]) == (0, 5, 8)
    assert {one["by"].partition(" ")[0] for one in told["compared"]} == {"preference", "verdicts"}


def test_a_judge_that_looks_at_the_position_wins_nobody_anything(run: Run, keep: Keep) -> None:
    places = keep("old", {"G1": "SSS"}), keep("new", {"G1": "SSS"})
    with ScriptedServer(lambda _: {"reason": "the first", "index": 0}) as first:
        done = run("compare", *places, "--judge", "openai/scripted", "--judge-url", first.url, "--json")
    rate = json.loads(done.stdout)["preferences"]["rate"]
    assert (rate["rate"]["value"], rate["wins_only"]["value"], rate["flips"]["value"]) == (0.5, 0.0, 1.0)


def test_pairs_on_which_the_judge_cannot_be_read_are_in_no_share_of_flips(run: Run, keep: Keep) -> None:
    places = keep("old", {"G1": "SSN"}), keep("new", {"G1": "SSS"})
    with ScriptedServer(lambda _: "I would rather not say.") as mute:
        words = ("compare", *places, "--judge", "openai/scripted", "--judge-url", mute.url)
        done, told = run(*words), run(*words, "--json")
    assert "a judge was asked about 2 of 3 pairs and could be read on none in both orders; the verdicts" in " ".join(
        done.stdout.split()
    )
    rate = json.loads(told.stdout)["preferences"]["rate"]
    assert (rate["wins"], rate["ties"], rate["losses"], rate["flips"]["type"]) == (1, 0, 0, "missing")


def test_the_published_table_stands_beside_and_says_what_is_not_comparable(run: Run, keep: Keep) -> None:
    place = keep("react", {"G1_instruction": "SN" * 10}, benchmark="stabletoolbench")
    done = run("compare", place, "--published")
    assert done.exit_code == 0, done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    assert ["MirrorAPI-Cache", "gpt-4o", "GPT-4o", "32.0", "30.9"] in lines
    assert lines.count(["run", "A", "(not", "comparable)", "react_town", "50.0"]) == 2
    said = " ".join(done.stdout.split())
    assert "of G1_instruction 20 queries were asked, the table's 163" in said
    assert "the judge is ann, the table's gpt-4o" in said
    assert "the server is no simulator" in said
    told = json.loads(run("compare", place, "--published", "--json").stdout)
    assert told["published"]["figures"]["retrieval"][0]["ndcg_1"] == 84.2
    assert [one["differs"] != [] for one in told["published"]["runs"]["react_town"]] == [True, True]


def test_everything_fits_a_terminal(run: Run, keep: Keep) -> None:
    sets = {"G1_instruction_of_some_length": "NSNSNSNSNS", "G2_category": "SSSSS"}
    long = "an-agent-with-quite-a-long-name-that-says-all-about-it"
    places = keep("old", sets), keep(long, {name: "S" * len(one) for name, one in sets.items()}, agent_model="x" * 70)
    with ScriptedServer(lambda _: {"reason": "it is the first", "index": 0}) as judge:
        judged = ("--judge", "openai/scripted", "--judge-url", judge.url)
        for words in ((), ("--published",), judged):
            done = run("compare", *places, *words)
            assert done.exit_code == 0, done.stderr
            assert [line for line in done.stdout.splitlines() if len(line) > 80] == []
            assert "\x1b" not in done.stdout


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("results/old_town",), "two runs are compared; name the second one too, or --published"),
        (("results/old_town", "--published", "--gate"), "--gate is about two runs"),
        (("results/old_town", "nowhere"), "nowhere: there is no run here; name its folder or its result file"),
        (("results/old_town", "results/new_town"), "old_town was judged by ann, new_town by bob; let one judge"),
        (("results/old_town", "results/new_town", "--preferences", "p.json"), "--preferences belongs to a judge"),
        (("results/old_town", "results/new_town", "--judge", "rubric"), "the judge 'rubric' asks no model"),
        (("results/old_town", "results/old_town", "--judge", "x/y", "--preferences", "p"), "are written as .json"),
        (("results/old_town", "results/old_town", "--level", "7"), "level"),
        (("results/old_town", "results/old_town", "--test-set", "G9"), "cannot be compared on 'G9': they share G1"),
    ],
)
def test_what_cannot_be_compared_is_a_sentence(run: Run, keep: Keep, words: tuple[str, ...], complaint: str) -> None:
    keep("old", {"G1": "SN"})
    keep("new", {"G1": "SN"}, judge="bob")
    done = run("compare", *words)
    assert (done.exit_code, done.stdout) == (1, "")
    assert complaint in " ".join(done.stderr.split())
