"""The published figures, and runs beside them."""

from typing import Any

import pytest

from proctor.judges.templates import built_in
from proctor.records.grades import Missing, Status, Verdict
from proctor.records.queries import Query
from proctor.records.runs import Manifest, RunRecord, RunSpec, Trial, TrialKey
from proctor.records.traces import Finish, StopReason, Trace
from proctor.report.published import Beside, beside, published
from proctor.report.summary import summarise

JUDGE = "solving (openai/gpt-4-turbo-2024-04-09, prompts tooleval_normalized@0123456789ab)"


def run(judge: str = JUDGE, sets: dict[str, int] | None = None, *, method: str = "official", **said: Any) -> RunRecord:
    """A run in which every second query is solved, judged three times."""
    trials = []
    for name, count in (sets or published().sets).items():
        for number in range(count):
            status = Status.SOLVED if number % 2 else Status.UNSOLVED
            trace = Trace(str(number), StopReason.FINISHED, "yes", (Finish("yes"),))
            verdicts = tuple(Verdict(status, "so it is", judge, repeat) for repeat in range(3))
            query = Query(str(number), "Is it?", test_set=name)
            trials.append(Trial(TrialKey(name, str(number)), query, trace, verdicts))
    fields = {"benchmark": "stabletoolbench", "agent": "react", "simulator": "model:openai/gpt-4", "tools": "query"}
    spec = RunSpec(**{**fields, "test_sets": tuple(sets or published().sets), **said})
    identities = tuple(f"{trial.key.test_set}/{trial.key.query_id}" for trial in trials)
    manifest = Manifest(spec, "1", 0.0, "react", "base", query_ids=identities)
    return RunRecord("react_base", manifest, tuple(trials), len(trials), judge, method)


def both(record: RunRecord) -> tuple[Beside, Beside]:
    one, other = beside(record, summarise(record))
    return one, other


def test_the_figures_are_those_of_the_tables() -> None:
    found = published()
    assert sum(found.sets.values()) == 765
    first, second = found.tables
    assert {row.model: row.tree for row in first.rows}["GPT-3.5-0613"] == (63.0, 1.1)
    assert {row.model: row.chain for row in second.rows}["GPT-4o"] == (32.0, None)
    assert (len(first.rows), len(second.rows)) == (5, 3)
    assert {one.retriever: one.ndcg_1 for one in found.retrieval}["BM25"] == 18.4


def test_a_run_under_the_same_conditions_is_comparable_with_that_table_alone() -> None:
    same, other = both(run())
    assert same.differs == ()
    assert not isinstance(same.rate, Missing)
    assert same.rate == pytest.approx(100 * sum(count // 2 / count for count in published().sets.values()) / 6)
    assert other.differs == (
        f"the judge is {JUDGE}, the table's gpt-4o",
        "the server is model:openai/gpt-4 under the policy 'cache', the table's MirrorAPI-Cache",
    )
    mirrored = run(JUDGE.replace("gpt-4-turbo-2024-04-09", "gpt-4o"), simulator="mirror:MirrorAPI-Cache")
    assert [one.differs != () for one in both(mirrored)] == [True, False]


@pytest.mark.parametrize(
    ("record", "complaint"),
    [
        (run("rubric", method="rubric"), "the judge is rubric, the table's gpt-4-turbo-2024-04-09"),
        (run("", method=""), "nobody has judged the run; the table's judge is gpt-4-turbo-2024-04-09"),
        (run(JUDGE.replace("04-09", "04-09-mini")), "the judge is solving (openai/gpt-4-turbo-2024-04-09-mini"),
        (run(JUDGE.replace("tooleval_normalized@0123456789ab", str(built_in("solving")))), "read Proctor's prompts"),
        (run(simulator="template"), "the server is template under the policy 'cache', the table's GPT-simulated"),
        (run(simulator=None, policy="live"), "the server is no simulator under the policy 'live'"),
        (run(policy="recorded"), "which server answered is not known"),
        (run(tools="all"), "the tools at hand were 'all'"),
        (run(sets={"G1_instruction": 163}), "the run lacks 5 of the 6 sets that the table averages: G1_category"),
        (run(sets={**published().sets, "G1_tool": 10}), "of G1_tool 10 queries were asked, the table's 158"),
        (run(sets={**published().sets, "mine": 2}), "the set 'mine' is none of StableToolBench's"),
        (run(benchmark="starter"), "the run is over the benchmark 'starter'"),
    ],
)
def test_what_is_not_comparable_is_said(record: RunRecord, complaint: str) -> None:
    (said,) = [sentence for sentence in both(record)[0].differs if complaint in sentence]
    assert said


def test_one_set_has_its_deviation_over_repeats() -> None:
    one, _ = both(run(sets={"G1_instruction": 163}))
    assert one.sd == 0.0
    assert both(run())[0].sd is None
