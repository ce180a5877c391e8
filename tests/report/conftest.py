"""Runs of any size, made from a seed: what tables and pages are tried on."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from proctor.records.answers import Answer, Provenance, Source
from proctor.records.grades import Missing, Status, Verdict
from proctor.records.queries import ApiId, ApiSpec, Expected, Fact, GoldApi, Query
from proctor.records.runs import Manifest, RunRecord, RunSpec, Trial, TrialKey
from proctor.records.traces import (
    CallStep,
    Failure,
    Fault,
    Finish,
    Resolution,
    Step,
    StopReason,
    Thought,
    Trace,
    Usage,
)

if TYPE_CHECKING:
    from playwright.sync_api import Browser

TOOLS = {
    "Railway": ("Travel", ("find_trains", "get_fares", "station_info")),
    "Weather Archive": ("Weather", ("day_report", "monthly_means", "extremes")),
    "Currency Table": ("Finance", ("rate_on", "convert", "list_currencies")),
    "City Museum": ("Culture", ("search_objects", "opening_hours", "object_details")),
    "Cook Book": ("Food", ("search_recipes", "ingredients", "nutrition")),
    "Public Library": ("Books", ("search_catalogue", "availability", "reserve")),
    "Unit Converter": ("Science", ("convert_length", "convert_mass", "convert_temperature")),
    "Corner Shop": ("Commerce", ("find_item", "stock", "place_order")),
}
SETS = ("single_tool", "multi_tool", "conversation", "edge_cases")


class Made(msgspec.Struct, frozen=True):
    """How a run is made."""

    queries: int = 40
    sets: int = 3
    epochs: int = 1
    repeats: int = 1
    seed: int = 0
    skill: float = 0.7
    agent: str = "baseline"
    method: str = "rubric"
    faults: float = 0.0
    broken: float = 0.03
    judged: bool = True
    panel: bool = False
    priced: bool = True
    long: int = 0
    """So many characters more in each answer."""


def run_of(**how: Any) -> RunRecord:
    """A run, the same for the same words."""
    made = Made(**how)
    queries = [_query(number, made) for number in range(made.queries)]
    trials = tuple(
        _trial(query, epoch, made, random.Random(f"{made.seed}/{made.agent}/{query.id}/{epoch}"))  # noqa: S311 - no secret
        for epoch in range(made.epochs)
        for query in queries
    )
    spec = RunSpec(
        "starter",
        SETS[: made.sets],
        made.agent,
        agent_model="small-model" if made.agent == "react" else None,
        epochs=made.epochs,
        seed=made.seed,
        faults={"share": made.faults} if made.faults else {},
    )
    manifest = Manifest(
        spec,
        "0.1.0",
        1_790_000_000.0,
        framework=made.agent,
        config=f"seed{made.seed}",
        query_ids=tuple(query.id for query in queries),
        apis=24,
    )
    return RunRecord(
        f"{made.agent}_seed{made.seed}",
        manifest,
        trials,
        planned=len(trials),
        judge=made.method if made.judged else "",
        method=made.method if made.judged else "",
        judge_usage=Usage(len(trials), 900 * len(trials), 40 * len(trials), 0.0002 * len(trials)),
        seconds=len(trials) * 0.4,
    )


def _apis(tool: str) -> list[ApiId]:
    category, names = TOOLS[tool]
    return [ApiId(category, tool, name) for name in names]


def _query(number: int, made: Made) -> Query:
    dice = random.Random(f"query {number}")  # noqa: S311 - no secret
    needed = [
        dice.choice(_apis(tool))
        for tool in dice.sample(sorted(TOOLS), dice.choice([1, 1, 1, 2, 2, 3]))
        for _ in range(dice.choice([1, 1, 2]))
    ]
    unique = list(dict.fromkeys(needed))
    distractors = [api for tool in dice.sample(sorted(TOOLS), 2) for api in _apis(tool)]
    expected = dice.choices(list(Expected), [20, 2, 1, 1])[0]
    town = dice.choice(["Aldermoor", "Brackwater", "Cinderford", "Dunmere"])
    return Query(
        id=f"q{number:04d}",
        text=f"I am going to {town} on {dice.randint(1, 28)} May. What do I need to know about "
        f"{' and '.join(api.api.replace('_', ' ') for api in unique)}, and what will it cost for {dice.randint(1, 6)}?",
        gold=tuple(GoldApi(api.tool, api.api, api.category) for api in unique),
        apis=tuple(ApiSpec(api, f"Documentation of {api.api}.") for api in dict.fromkeys([*unique, *distractors])),
        test_set=SETS[number % made.sets],
        calls=tuple({"name": f"{api.api}_for_{api.tool}", "args": {"town": town, "limit": 5}} for api in unique),
        facts=(Fact(f"It costs {number} crowns.", (f"{number} crowns",)),),
        expected=expected,
    )


def _call(api: ApiId, dice: random.Random, made: Made) -> CallStep:
    town = dice.choice(["Aldermoor", "Brackwater", "Cinderford"])
    arguments = {"town": town, "limit": dice.choice([5, 5, 10]), "date": "2026-05-12"}
    roll = dice.random()
    if roll < 0.03:
        return CallStep(f"{api.api}_now", arguments, Resolution.HALLUCINATED, "There is no function of this name.")
    if roll < 0.05:
        return CallStep(
            api.api, {}, Resolution.RESOLVED, "The arguments are no JSON object.", api=api, malformed='{"town": '
        )
    source = dice.choices([Source.RECORDED, Source.SIMULATED, Source.LIVE, Source.MISSED], [70, 22, 4, 4])[0]
    spoilt = "timeout" if dice.random() < made.faults else None
    error = "API not working error: 503." if spoilt or source is Source.MISSED or dice.random() < 0.05 else ""
    response = (
        ""
        if error
        else {
            "results": [{"id": dice.randint(100, 999), "town": town, "price": dice.randint(3, 90)} for _ in range(3)],
            "more": "x" * made.long,
        }
    )
    made_by = Provenance(
        source,
        model="mirror-small" if source is Source.SIMULATED else None,
        at=1_789_000_000.0,
        entry=f"{dice.getrandbits(64):016x}",
        fault=spoilt,
    )
    answer = Answer(response, error, made_by)
    return CallStep(
        f"{api.api}_for_{api.tool}",
        arguments,
        dice.choices([Resolution.RESOLVED, Resolution.REPAIRED], [19, 1])[0],
        error or msgspec.json.encode(response).decode()[:1024],
        api=api,
        answer=answer,
        seconds=dice.random() / 3,
    )


def _trial(query: Query, epoch: int, made: Made, dice: random.Random) -> Trial:
    steps: list[Step] = []
    wanted = [ApiId(gold.category or "", gold.tool, gold.api) for gold in query.gold]
    skill = made.skill - 0.08 * (len(wanted) - 1) - made.faults * 0.6
    for api in wanted:
        steps.append(Thought(f"I should look up {api.api.replace('_', ' ')} in {api.tool} first."))
        chosen = api if dice.random() < skill + 0.2 else dice.choice([spec.id for spec in query.apis])
        steps.append(_call(chosen, dice, made))
    solved = dice.random() < skill
    stop, failure = StopReason.FINISHED, None
    roll = dice.random()
    if roll < made.broken:
        stop = StopReason.FAILED
        failure = Failure("ModelUnavailableError", "the model could not be reached", Fault.ENVIRONMENT)
    elif roll < made.broken + 0.02:
        stop, failure = StopReason.FAILED, Failure("ValueError", "the agent broke", Fault.AGENT)
    elif roll < made.broken + 0.08:
        stop = dice.choice([StopReason.STEP_LIMIT, StopReason.NO_ANSWER, StopReason.TOKEN_LIMIT])
    elif roll < made.broken + 0.11:
        stop = StopReason.GAVE_UP
    answer = f"It costs {int(query.id[1:])} crowns, and the train leaves at 9:40." if solved else "I could not find it."
    if stop in (StopReason.FINISHED, StopReason.GAVE_UP):
        steps.append(Finish(answer, gave_up=stop is StopReason.GAVE_UP))
    solved = solved and stop is StopReason.FINISHED
    trace = Trace(
        query.id,
        stop,
        answer if stop is StopReason.FINISHED else "",
        tuple(steps),
        offered=tuple(spec.id for spec in query.apis),
        usage=Usage(
            len(steps),
            dice.randint(500, 3000),
            dice.randint(50, 400),
            dice.random() / 100 if made.priced else Missing("the model's price is not known"),
        ),
        seconds=dice.random() * 3,
        failure=failure,
    )
    said = tuple(_verdict(solved, repeat, made, dice) for repeat in range(made.repeats)) if made.judged else ()
    return Trial(TrialKey(query.test_set, query.id, epoch), query, trace, said, grading_seconds=0.01)


def _verdict(solved: bool, repeat: int, made: Made, dice: random.Random) -> Verdict | Missing:
    roll = dice.random()
    if roll < 0.02:
        return Missing("the judge's reply could not be read", "no JSON object in: I think that …")
    status = Status.UNSURE if roll < 0.1 else Status.SOLVED if solved else Status.UNSOLVED
    reason = "All facts stand in the answer." if status is Status.SOLVED else "The price is not in the answer."
    ballots: tuple[Verdict | Missing, ...] = ()
    if made.panel:
        ballots = (
            Verdict(status, reason, "judge one"),
            Verdict(dice.choice(list(Status)), "I see it otherwise.", "judge two"),
            Missing("the judge's reply could not be read"),
        )
    return Verdict(status, reason, made.method, repeat, ballots=ballots)


@pytest.fixture(scope="session")
def make_run() -> Callable[..., RunRecord]:
    return run_of


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A real browser. It ends with the module: while it runs, no test of the same process can have a loop."""
    names = ("chromium", "chromium-browser", "google-chrome", "chrome")
    found = os.environ.get("PROCTOR_CHROMIUM") or next((path for name in names if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip(f"there is no browser on this machine ({', '.join(names)}); PROCTOR_CHROMIUM may name one")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield launched
        launched.close()
