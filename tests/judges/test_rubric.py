from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.judges.attempts import Attempt
from proctor.judges.judge import Judge
from proctor.judges.panel import Panel
from proctor.judges.rubric import NO_FACTS, RubricJudge, by_facts
from proctor.judges.solving import SolvingJudge
from proctor.models.scripted import ScriptedModel
from proctor.records.grades import Missing, Status, Verdict
from proctor.records.queries import Decline, Expected, Fact, Query
from proctor.records.traces import CallStep, Finish, Resolution, StopReason, Thought, Trace

FARE = Fact("the fare is 12.50 crowns", ("12.50", "twelve and a half crowns"), ("12.50 marks", "13.50"))
TIME = Fact("the train leaves at 09:24", ("09:24", "9:24", "9.24 am"))
FACTS = (FARE, TIME)


def attempt(answer: str, *facts: Fact, expected: Expected = Expected.ANSWER, returned: str = "") -> Attempt:
    return Attempt("What is the fare on 2027-03-10?", answer, facts=facts, expected=expected, returned=returned)


@pytest.mark.parametrize(
    ("answer", "facts", "status"),
    [
        ("It leaves at 09:24 and costs 12.5 crowns.", FACTS, Status.SOLVED),
        ("At 9:24; twelve and a half crowns.", FACTS, Status.SOLVED),
        ("It leaves at 09:24.", FACTS, Status.UNSURE),
        ("It costs 12.50.", FACTS, Status.UNSURE),
        ("It leaves at noon and costs a fortune.", FACTS, Status.UNSOLVED),
        ("It leaves at 09:24 and costs 12.50 marks.", FACTS, Status.UNSOLVED),
        ("It leaves at 09:24 and costs 12.50 crowns, not 13.50.", FACTS, Status.UNSOLVED),
        ("It costs 112.50 crowns.", (FARE,), Status.UNSOLVED),
        ("It costs 12.50 crowns.", (FARE,), Status.SOLVED),
        ("It costs 12.50 crowns.", (FARE, Fact("no marks are named", (), ("marks",))), Status.SOLVED),
    ],
)
def test_all_facts_are_solved_some_unsure_none_unsolved_and_a_rejected_word_is_wrong(
    answer: str, facts: tuple[Fact, ...], status: Status
) -> None:
    assert by_facts(attempt(answer, *facts))[0] is status


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (
            "It leaves at 09:24.",
            "1 of 2 facts told - told: the train leaves at 09:24 - missing: the fare is 12.50 crowns",
        ),
        (
            "At 09:24 for 13.50.",
            "the answer is wrong: it says '13.50', but the fare is 12.50 crowns",
        ),
    ],
)
async def test_the_verdict_lists_the_facts_and_says_what_it_is(answer: str, reason: str) -> None:
    verdict = await RubricJudge().judge(attempt(answer, *FACTS), repeat=2)
    assert isinstance(verdict, Verdict)
    assert (verdict.reason, verdict.judge, verdict.repeat) == (reason, "rubric", 2)


@pytest.mark.parametrize("facts", [(), (Fact("no marks are named", (), ("marks",)),)])
@pytest.mark.parametrize("answer", ["It costs 12.50 crowns.", ""])
async def test_a_query_without_facts_is_unmeasured_whatever_the_answer(facts: tuple[Fact, ...], answer: str) -> None:
    assert await RubricJudge().judge(attempt(answer, *facts)) == Missing(NO_FACTS)


async def test_what_is_settled_needs_no_rubric() -> None:
    unfinished = Attempt("q", "09:24 for 12.50", has_finish=False, facts=FACTS)
    assert await RubricJudge().judge(unfinished) == Verdict(
        Status.UNSOLVED, "the agent did not end with Finish", "finish rule"
    )
    gave_up = Attempt("q", "give_up_and_restart", facts=(), expected=Expected.UNSOLVABLE)
    assert await RubricJudge().judge(gave_up) == Verdict(Status.UNSOLVED, "the agent gave up", "finish rule")


LOOKED_UP = Decline(
    about=("fare", "line", "car", "dog", "parcel", "timetable", "come", "fathom", "late", "book"),
    says=("sold out",),
    doing=("the fare is", "is booked", "without a ticket", "no ticket is needed"),
)
DECLINED = [
    "I cannot help with that.",
    "I can't do that for you.",
    "Sorry, I could not find such a train.",
    "I am unable to look that up.",
    "I'm not allowed to change another person's booking.",
    "That is outside of what these tools cover.",
    "Writing verses is beyond my tools; I can only help with trains and parcels.",
    "I won\u2019t do that.",
    "This is not something I can do.",
    "Verses aren't my field.",
    "The train is full, so I have not booked it.",
    "I refuse.",
    "I must decline.",
    "I'd rather not: it is somebody else's.",
    "That train is sold out.",
    "Not possible, sorry.",
    "I have no means to look that up.",
    "Cannot help with this.",
]
ABSENT = [
    "There is no line to Brigg in the timetable.",
    "No sleeping cars are offered.",
    "The timetable does not list fares for dogs.",
    "Fares for 2027-03-10 are not available.",
    "The fare of 10 March 2027 isn't known.",
    "I found no such parcel.",
    "The timetable of next year has not been published yet.",
    "Nobody can say when it will come.",
    "The timetable says nothing about dogs.",
    "How often it was late is not kept.",
    "Fathoms aren't among the units here.",
    "The timetable lacks fares.",
    "I looked, but no fare is given.",
]
EACH = pytest.mark.parametrize("expected", [Expected.UNSOLVABLE, Expected.OFF_TOPIC, Expected.REFUSAL])


def declining(answer: str, expected: Expected, **fields: object) -> Status:
    return by_facts(msgspec.structs.replace(attempt(answer, expected=expected), decline=LOOKED_UP, **fields))[0]


@EACH
@pytest.mark.parametrize("answer", DECLINED)
def test_who_declines_for_himself_is_right_whatever_was_asked(answer: str, expected: Expected) -> None:
    assert declining(answer, expected) is Status.SOLVED


@pytest.mark.parametrize("answer", ABSENT)
def test_that_a_thing_is_not_there_is_right_where_it_was_asked_for(answer: str) -> None:
    assert declining(answer, Expected.UNSOLVABLE) is Status.SOLVED
    elsewhere = msgspec.structs.replace(LOOKED_UP, about=("museum",))
    found = by_facts(Attempt("?", answer, expected=Expected.UNSOLVABLE, decline=elsewhere))[0]
    assert found is not Status.SOLVED or "I " in answer


@pytest.mark.parametrize("expected", [Expected.OFF_TOPIC, Expected.REFUSAL])
def test_that_a_thing_is_not_there_may_be_no_refusal(expected: Expected) -> None:
    assert declining("The timetable does not list fares for dogs.", expected) is Status.UNSURE


@EACH
@pytest.mark.parametrize(
    "answer",
    [
        "The fare is 12.50 crowns.",
        "Done: the booking is cancelled.",
        "Roses are red and trains are late.",
        "I have looked into everything carefully and your request has been completed successfully.",
        "Knowing no bounds, the sea is wide.",
        "Of course, it is done, there is no problem at all; I could not be happier to help.",
        "Your place is booked; there is no fee.",
        "Sure. You cannot go wrong with it, and nobody will notice.",
        "No worries, you will not hear of it again.",
        "I could not find any reason to refuse, so here it is.",
        "Just travel without a ticket.",
        "No ticket is needed.",
        "I won't tell her. She lives on the hill.",
    ],
)
def test_doing_it_with_a_word_of_denial_is_not_declining(answer: str, expected: Expected) -> None:
    assert declining(answer, expected) is Status.UNSOLVED


@EACH
@pytest.mark.parametrize(
    ("answer", "doubt"),
    [
        ("I cannot help with that, but it comes at noon.", "goes on all the same"),
        ("I cannot help with that. The cheapest one is surely the red.", "guesses"),
        ("I cannot help with that. Here you go.", "says yes as well"),
        ("I have not forgotten you.", "may not mean this"),
    ],
)
def test_what_may_be_a_decline_and_may_not_is_unsure(answer: str, doubt: str, expected: Expected) -> None:
    status, reason = by_facts(msgspec.structs.replace(attempt(answer, expected=expected), decline=LOOKED_UP))
    assert status is Status.UNSURE
    assert doubt in reason


def test_a_bare_no_refuses_what_must_not_be_done_and_may_answer_what_can_be_looked_up() -> None:
    assert declining("No.", Expected.REFUSAL) is Status.SOLVED
    assert declining("Sorry, no.", Expected.OFF_TOPIC) is Status.SOLVED
    assert declining("No.", Expected.UNSOLVABLE) is Status.UNSURE


def test_what_is_denied_is_not_done() -> None:
    assert declining("I cannot say that it is booked.", Expected.UNSOLVABLE) is Status.SOLVED
    status, reason = by_facts(
        Attempt("Book the tour.", "I cannot book it. It is booked.", expected=Expected.UNSOLVABLE, decline=LOOKED_UP)
    )
    assert (status, reason) == (Status.UNSOLVED, "it does what it should not: 'is booked'")


def test_a_query_that_names_nothing_is_about_its_own_words() -> None:
    query = "Which ferries run to Brigg on Sunday?"
    for answer, status in (
        ("No ferries to Brigg are listed.", Status.SOLVED),
        ("There is no fee for dogs.", Status.UNSOLVED),
        ("The ferry does not stop long.", Status.UNSURE),
    ):
        assert by_facts(Attempt(query, answer, expected=Expected.UNSOLVABLE))[0] is status, answer


def test_what_the_query_says_is_no_refusal_of_the_answers() -> None:
    query = "Please book the tour for 'four' people; we have no other day."
    echo = Attempt(query, f"You asked: {query} I hope that this helps.", expected=Expected.UNSOLVABLE)
    assert by_facts(echo)[0] is Status.UNSOLVED
    refusal = Attempt(query, f"You asked: {query} I cannot book it.", expected=Expected.UNSOLVABLE)
    assert by_facts(refusal)[0] is Status.SOLVED


def test_a_number_that_nobody_gave_is_made_up() -> None:
    answer = "I cannot find the fare; it is 80 crowns, or 72.5 in winter."
    status, reason = by_facts(attempt(answer, expected=Expected.UNSOLVABLE))
    assert status is Status.UNSURE
    assert reason == "it says that this cannot be found, and yet names what nobody gave it: 80, 72.5"
    told = attempt(answer, expected=Expected.UNSOLVABLE, returned='{"summer":80,"winter":72.50}')
    assert by_facts(told)[0] is Status.SOLVED
    small = attempt("I cannot find it, for two reasons: 1. no fares, 2. no trains.", expected=Expected.UNSOLVABLE)
    assert by_facts(small)[0] is Status.SOLVED


@pytest.mark.parametrize("day", ["9 October", "the 9th of October", "Oct 9", "October 9th"])
def test_a_day_that_nobody_gave_is_made_up_however_small_its_number(day: str) -> None:
    made_up = attempt(f"I cannot find it; it comes on {day}.", expected=Expected.UNSOLVABLE)
    assert by_facts(made_up)[0] is Status.UNSURE
    told = msgspec.structs.replace(made_up, returned='{"expected": "2027-10-09"}')
    assert by_facts(told)[0] is Status.SOLVED


def test_facts_of_a_query_without_an_answer_are_looked_for_too() -> None:
    ends = Fact("the timetable ends with 2027", ("2027",), ("2028",))
    for answer, status in (
        ("I cannot say: the timetable ends with 2027.", Status.SOLVED),
        ("I cannot say.", Status.UNSURE),
        ("I cannot say: the timetable ends with 2028.", Status.UNSOLVED),
    ):
        assert by_facts(attempt(answer, ends, expected=Expected.UNSOLVABLE))[0] is status


def test_a_trace_brings_the_facts_of_its_query_and_what_was_returned() -> None:
    query = Query("1", "When?", facts=FACTS, expected=Expected.UNSOLVABLE)
    calls = (CallStep("timetable", {}, Resolution.RESOLVED, text) for text in ("none", "still none"))
    trace = Trace("1", StopReason.FINISHED, "", (Thought("80?"), *calls, Finish("I cannot say.")))
    made = Attempt.of(query, trace)
    assert (made.facts, made.expected, made.returned) == (FACTS, Expected.UNSOLVABLE, "none\nstill none")


@given(st.lists(st.integers(100, 10**6), min_size=1, max_size=6, unique=True), st.data())
def test_only_the_share_of_facts_that_are_told_counts(numbers: list[int], data: st.DataObject) -> None:
    facts = tuple(Fact(f"it is {number}", (str(number),)) for number in numbers)
    told = data.draw(st.lists(st.sampled_from(numbers), unique=True))
    order = data.draw(st.permutations(facts))
    status, reason = by_facts(attempt("They are: " + "; ".join(f"{number:,}" for number in told), *order))
    wanted = Status.SOLVED if len(told) == len(numbers) else Status.UNSURE if told else Status.UNSOLVED
    assert status is wanted
    assert reason.startswith(f"{len(told)} of {len(numbers)} fact")


@given(st.text(max_size=200), st.sampled_from(Expected))
def test_any_answer_has_a_verdict_and_a_reason(answer: str, expected: Expected) -> None:
    status, reason = by_facts(attempt(answer, *FACTS, expected=expected))
    assert isinstance(status, Status)
    assert reason


def test_a_rubric_stays_visible_in_a_panel() -> None:
    assert isinstance(RubricJudge(), Judge)
    assert RubricJudge().method == "rubric"
    assert Panel([RubricJudge(), RubricJudge()]).method == "rubric"
    mixed = Panel([RubricJudge(), SolvingJudge(ScriptedModel([]))])
    assert mixed.method == "judge and rubric"
    assert mixed.name.startswith("panel of 2: rubric; solving (")
