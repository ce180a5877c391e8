from __future__ import annotations

import pytest

from proctor.errors import OptionError
from proctor.judges.asking import UNREADABLE
from proctor.judges.attempts import Attempt, settled
from proctor.judges.completeness import CompletenessJudge
from proctor.judges.heuristic import HeuristicJudge, by_form
from proctor.judges.judge import Judge
from proctor.judges.solvability import Solvability, SolvabilityJudge, SolvabilityVerdict
from proctor.judges.solving import SolvingJudge
from proctor.judges.templates import template_from
from proctor.models.scripted import ScriptedModel
from proctor.records.grades import Missing, Status, Verdict
from proctor.records.queries import ApiId, ApiSpec, Query
from proctor.records.traces import CallStep, Finish, Resolution, StopReason, Thought, Trace

ATTEMPT = Attempt("When is the next train?", "At 09:24.", "timetable -> 09:24; Finish: At 09:24.")


def says(*statuses: str) -> ScriptedModel:
    return ScriptedModel([{"reason": f"it is {status}", "answer_status": status} for status in statuses])


@pytest.mark.parametrize(
    ("attempt", "why"),
    [
        (Attempt("q", "An answer.", has_finish=False), "the agent did not end with Finish"),
        (Attempt("q", ""), "the final answer is empty"),
        (Attempt("q", " \n"), "the final answer is empty"),
        (Attempt("q", '{"return_type": "give_up_and_restart"}'), "the agent gave up"),
    ],
)
async def test_what_is_settled_is_unsolved_and_nobody_is_asked(attempt: Attempt, why: str) -> None:
    model = says()
    verdict = await SolvingJudge(model).judge(attempt, 2)
    assert verdict == Verdict(Status.UNSOLVED, why, "finish rule", 2)
    assert model.requests == []


@pytest.mark.parametrize("status", ["Solved", "Unsolved"])
async def test_a_sure_first_verdict_stands(status: str) -> None:
    model = says(status)
    verdict = await SolvingJudge(model).judge(ATTEMPT)
    assert isinstance(verdict, Verdict)
    assert (verdict.status.value, verdict.reason) == (status, f"it is {status}")
    assert verdict.judge.startswith("solving (scripted, prompts solving@")
    assert verdict.raw == f'{{"reason":"it is {status}","answer_status":"{status}"}}'
    assert ATTEMPT.whole not in model.requests[0].text


@pytest.mark.parametrize("second", ["Solved", "Unsolved", "Unsure"])
async def test_an_unsure_one_is_looked_at_again_with_the_whole_answer_and_that_stands(second: str) -> None:
    model = says("Unsure", second)
    verdict = await SolvingJudge(model).judge(ATTEMPT, repeat=1)
    assert isinstance(verdict, Verdict)
    assert (verdict.status.value, verdict.repeat) == (second, 1)
    assert ATTEMPT.whole in model.requests[1].text
    assert [request.repeat for request in model.requests] == [1, 1]


async def test_a_pass_that_cannot_be_read_is_unmeasured() -> None:
    first = await SolvingJudge(ScriptedModel(["Solved!", "Solved, I say."])).judge(ATTEMPT)
    assert first == Missing(UNREADABLE, "it holds no JSON object.\nSolved, I say.")
    second = await SolvingJudge(ScriptedModel([{"answer_status": "Unsure"}, "?", "?"])).judge(ATTEMPT)
    assert isinstance(second, Missing)


async def test_upstreams_folders_are_judged_by() -> None:
    schema = '{type: object, properties: {answer_status: {type: string, enum: ["Unsure", "Unsolved", "Solved"]}}}'
    config = "completions_kwargs: {temperature: 0.2, functions: ["
    config += ", ".join(
        f"{{name: {name}, parameters: {schema}}}" for name in ("check_answer_status", "parse_answer_status")
    )
    places = "Query:\n{query}\nAnswer:\n{answer}"
    texts = "".join(
        f"<function><name>{name}</name><description>{word} {places}</description></function>"
        for name, word in (("check_answer_status", "Check."), ("parse_answer_status", "Parse."))
    )
    model = ScriptedModel([{"content": "hm", "answer_status": "Unsure"}, {"answer_status": "Solved"}])
    verdict = await SolvingJudge(model, template_from("theirs", config + "]}", texts)).judge(ATTEMPT)
    assert isinstance(verdict, Verdict)
    assert verdict.status is Status.SOLVED
    assert "prompts theirs@" in verdict.judge
    assert model.requests[0].text == "Check. Query:\nWhen is the next train?\nAnswer:\nAt 09:24."
    assert model.requests[0].temperature == 0.2


def test_a_template_whose_words_are_no_statuses_is_refused() -> None:
    config = (
        "functions: [{name: check_answer_status, parameters: {properties: {x: {type: string, enum: [Good, Bad]}}}}]"
    )
    texts = "<function><name>check_answer_status</name><description>{query} {answer}</description></function>"
    with pytest.raises(OptionError, match="must have one field that is a choice"):
        SolvingJudge(says(), template_from("odd", config, texts))


async def test_completeness_looks_at_the_final_answer_alone_and_reads_the_field() -> None:
    model = ScriptedModel([{"reason": "not unsolved at all", "answer_status": "Solved"}])
    verdict = await CompletenessJudge(model).judge(ATTEMPT)
    assert isinstance(verdict, Verdict)
    assert verdict.status is Status.SOLVED
    assert ATTEMPT.whole not in model.requests[0].text
    empty = await CompletenessJudge(says()).judge(Attempt("q", " "))
    assert isinstance(empty, Verdict)
    assert empty.status is Status.UNSOLVED
    assert isinstance(await CompletenessJudge(says("Unsure", "Unsure")).judge(ATTEMPT), Missing)


async def test_solvability_is_judged_of_the_query_with_its_apis() -> None:
    query = Query("1", "Find a train.", apis=(ApiSpec(ApiId("Travel", "rail", "timetable"), "All trains."),))
    model = ScriptedModel([{"reason": "there is one", "task_status": "solvable"}, "?", "?"])
    verdict = await SolvabilityJudge(model).judge(query)
    assert isinstance(verdict, SolvabilityVerdict)
    assert (verdict.status, verdict.reason) == (Solvability.SOLVABLE, "there is one")
    assert '"description": "All trains."' in model.requests[0].text
    assert isinstance(await SolvabilityJudge(model).judge(query), Missing)


def test_a_trace_becomes_what_a_judge_is_shown() -> None:
    call = CallStep("timetable", {"to": "Ostend"}, Resolution.RESOLVED, '{"at": "09:24"}')
    trace = Trace("1", StopReason.FINISHED, "", (Thought("Look."), call, Finish("At 09:24."), Thought("Done.")))
    attempt = Attempt.of(Query("1", "When?"), trace)
    assert (attempt.query, attempt.final_answer, attempt.has_finish) == ("When?", "At 09:24.", True)
    assert '"message": "Look."' in attempt.whole
    assert '"name": "timetable"' in attempt.whole
    assert settled(attempt) is None


def test_a_trace_that_does_not_end_with_finish_or_gives_up_is_settled() -> None:
    call = CallStep("timetable", {}, Resolution.RESOLVED, "")
    unfinished = Trace("1", StopReason.STEP_LIMIT, "At nine.", (Finish("no"), call))
    assert settled(Attempt.of(Query("1", "When?"), unfinished)) == "the agent did not end with Finish"
    gave_up = Trace("1", StopReason.GAVE_UP, "", (Finish("sorry", gave_up=True),))
    assert settled(Attempt.of(Query("1", "When?"), gave_up)) == "the agent gave up"


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        ('{"error":"","response":{"leaves":"09:24"}}', Status.UNSURE),
        ("{'error': None, 'response': 'The ferry leaves at 9.'}", Status.SOLVED),
        ('{"error":"no such ferry at all","response":""}', Status.UNSOLVED),
        ("The next train leaves at 09:24.", Status.SOLVED),
        ("I'm sorry, but I could not find a train.", Status.UNSOLVED),
        ("Unfortunately there was no data found.", Status.UNSOLVED),
        ("Error: timetable not available", Status.UNSOLVED),
        ("The train leaves at nine. " * 20 + "I was unable to find the fare.", Status.UNSURE),
        ("Which day do you mean?", Status.UNSURE),
        ("Yes", Status.UNSURE),
        ("", Status.UNSOLVED),
        ("You can take the train; 404 people did.", Status.SOLVED),
    ],
)
async def test_the_heuristic_looks_at_the_form_and_says_so(answer: str, status: Status) -> None:
    assert by_form(Attempt("q", answer))[0] is status
    verdict = await HeuristicJudge().judge(Attempt("q", answer))
    assert verdict.judge == "heuristic"
    assert verdict.reason.startswith("heuristic: ")


def test_every_judge_says_who_it_is_and_how_it_judges() -> None:
    judges: list[Judge] = [SolvingJudge(says()), CompletenessJudge(says()), HeuristicJudge()]
    assert [judge.method for judge in judges] == ["judge", "completeness", "heuristic"]
    assert all(isinstance(judge, Judge) for judge in judges)
    assert repr(judges[0]) == f"<{judges[0].name}>"
