"""The figures of a run, counted again from the lines of its journal with nothing but arithmetic: no code of Proctor's.

One set, one epoch, every trial with a trace.
"""

import json
import math
import statistics
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from scipy import stats

POINTS = {"Solved": 1.0, "Unsure": 0.5, "Unsolved": 0.0}
STOPS = ["finished", "gave_up", "step_limit", "call_limit", "token_limit", "time_limit", "no_answer", "failed"]
PRICES = {"agent": 1e-6, "judge": 2e-6, "simulator": 3e-6}
"""US dollars for a token of a prompt; one of a completion costs twice as much."""
Plain = dict[str, Any]


class Trial(NamedTuple):
    """One trial as the journal tells it."""

    query: Plain
    trace: Plain
    opinions: list[Plain]

    @property
    def statuses(self) -> list[str | None]:
        """What each repeat said; None where it could not be read."""
        return [one["verdict"].get("status") for one in self.opinions]

    @property
    def read(self) -> list[str]:
        """What was said, as far as it could be read."""
        return [one for one in self.statuses if one is not None]

    @property
    def points(self) -> float | None:
        """What the trial is worth."""
        return statistics.fmean(POINTS[one] for one in self.read) if self.read else None

    @property
    def status(self) -> str:
        """What most say; Unsure where the first place is shared."""
        votes = Counter(self.read).most_common()
        if not votes:
            return "Unmeasured"
        return "Unsure" if len(votes) > 1 and votes[0][1] == votes[1][1] else votes[0][0]

    @property
    def calls(self) -> list[Plain]:
        """The calls, those of functions that are none too."""
        return [step for step in self.trace.get("steps", []) if step["type"] == "call"]

    @property
    def gold(self) -> set[tuple[str, str]]:
        """What the query needs."""
        return {(one["tool"], one["api"]) for one in self.query.get("gold", [])}

    @property
    def called(self) -> set[tuple[str, str]]:
        """Which APIs were named in calls."""
        return {(one["api"]["tool"], one["api"]["api"]) for one in self.calls if "api" in one}

    @property
    def reached(self) -> set[tuple[str, str]]:
        """Which of them answered, or were missed."""
        return {(one["api"]["tool"], one["api"]["api"]) for one in self.calls if "api" in one and "answer" in one}

    @property
    def recall(self) -> float:
        """The API call score."""
        return len(self.called & self.gold) / len(self.gold) if self.gold else 0.0

    @property
    def finished(self) -> bool:
        """Whether the last act was Finish."""
        acts = [step for step in self.trace.get("steps", []) if step["type"] != "thought"]
        return bool(acts) and acts[-1]["type"] == "finish"

    @property
    def gave_up(self) -> bool:
        """Whether that Finish gave up."""
        return self.finished and self.trace["steps"][-1].get("gave_up", False)

    @property
    def seconds(self) -> float:
        """How long judging took."""
        return math.fsum(one.get("seconds", 0.0) for one in self.opinions)


def read(journal: Path) -> tuple[list[Trial], float]:
    """The trials by the order of their queries, and how long the run was at work."""
    kinds: dict[str, dict[tuple[Any, ...], Plain]] = {
        "query": {},
        "trace": {},
        "verdict": {},
        "failure": {},
        "judging": {},
    }
    at_work = 0.0
    for line in journal.read_text().splitlines():
        _, kind, key, note, body = json.loads(line)
        kinds[kind][tuple(key)] = body
        at_work = max(at_work, float(note.partition(" ")[2] or 0))
    repeats = kinds["judging"]["now",].get("repeats", 1)
    (judge,) = {key[3] for key in kinds["verdict"]}
    return [
        Trial(query, kinds["trace"][*key, 0], [kinds["verdict"][*key, 0, judge, place] for place in range(repeats)])
        for key, query in kinds["query"].items()
    ], at_work


def estimate(values: Sequence[float]) -> Plain:
    """A mean with its interval of 95 %: Wilson's for shares, Student's for other scores."""
    n, value = len(values), statistics.fmean(values)
    if set(values) <= {0.0, 1.0}:
        z = stats.norm.ppf(0.975)
        middle, half = value + z * z / (2 * n), z * math.sqrt(value * (1 - value) / n + z * z / (4 * n * n))
        low, high = (middle - half) / (1 + z * z / n), (middle + half) / (1 + z * z / n)
        se, method = math.sqrt(value * (1 - value) / n), "wilson"
    else:
        se, method = statistics.stdev(values) / math.sqrt(n), "t"
        half = stats.t.ppf(0.975, n - 1) * se
        low, high = max(0.0, value - half), min(1.0, value + half)
    return {
        "type": "estimate",
        "value": value,
        "n": n,
        "low": low,
        "high": high,
        "level": 0.95,
        "method": method,
        "se": se,
    }


def alone(one: Plain) -> Plain:
    """The mean over sets, of one set."""
    return {key: value for key, value in one.items() if key != "se"} | {"method": "macro", "groups": 1}


def pass_rate(trials: Sequence[Trial], denominator: str) -> Plain:
    """The rate of each repeat, their mean and their spread."""
    repeats = [
        statistics.fmean(POINTS[one] for one in of_repeat if one is not None)
        for of_repeat in zip(*(trial.statuses for trial in trials), strict=True)
    ]
    said = [one for trial in trials for one in trial.opinions]
    return {
        "type": "pass rate",
        "mean": statistics.fmean(repeats),
        "sd": statistics.pstdev(repeats),
        "repeats": repeats,
        "counts": {status: sum(trial.read.count(status) for trial in trials) for status in POINTS},
        "unmeasured": counted(one["verdict"]["reason"] for one in said if "status" not in one["verdict"]),
        "unanswered": 0,
        "queries": len(trials),
        "denominator": denominator,
        "judged": sum(bool(trial.read) for trial in trials),
    }


def counted(words: Any) -> dict[str, int]:
    """How often each word is there."""
    return dict(Counter(words))


def figures(trials: Sequence[Trial]) -> Plain:
    """What stands in the summary and, once more, with each set."""
    calls = [call for trial in trials for call in trial.calls]
    answers = [call["answer"] for call in calls if "answer" in call]
    worth = [trial.points for trial in trials if trial.points is not None]
    lost = [trial.opinions[0]["verdict"]["reason"] for trial in trials if not trial.read]
    broken = sum("failure" in trial.trace for trial in trials)
    return {
        "sopr": estimate(worth),
        "pass_rate": pass_rate(trials, "all queries; one without an answer is unsolved"),
        "api_call_score": estimate([trial.recall for trial in trials if trial.gold]),
        "finish": estimate([float(trial.finished) for trial in trials]),
        "denominators": {"type": "denominators", "planned": len(trials), "answered": len(trials), "scored": len(worth)}
        | ({"unmeasured": counted(lost)} if lost else {})
        | ({"failed_by_agent": broken} if broken else {}),
        "selection": {
            "needed": sum(len(trial.gold) for trial in trials),
            "offered": sum(len(trial.gold & offered(trial)) for trial in trials),
            "chosen": sum(len(trial.gold & trial.called) for trial in trials),
            "called": sum(len(trial.gold & trial.reached) for trial in trials),
        },
        "calls": {
            "total": len(calls),
            "sources": counted(one["provenance"]["source"] for one in answers),
            "unanswered": len(calls) - len(answers),
            "resolutions": counted(one["resolution"] for one in calls),
            "malformed": sum("malformed" in one for one in calls),
            "errors": sum(bool(one.get("error")) for one in answers),
            "spoilt": {},
        },
    }


def offered(trial: Trial) -> set[tuple[str, str]]:
    """The APIs at hand."""
    return {(one["tool"], one["api"]) for one in trial.trace["offered"]}


def usage(party: str, bills: Sequence[Plain]) -> Plain:
    """What one party has cost: the requests and tokens of all its bills."""
    total = {name: sum(bill[name] for bill in bills) for name in ("requests", "prompt_tokens", "completion_tokens")}
    return total | {"cost": PRICES[party] * (total["prompt_tokens"] + 2 * total["completion_tokens"])}


def spent(trials: Sequence[Trial], at_work: float) -> Plain:
    """What the run has cost; each answer of the simulator's once."""
    made = {
        (one.get("entry"), one["at"]): one["usage"]
        for trial in trials
        for call in trial.calls
        if "answer" in call and "usage" in (one := call["answer"]["provenance"])
    }
    parties = {
        "agent": usage("agent", [trial.trace["usage"] for trial in trials if "usage" in trial.trace]),
        "judge": usage("judge", [one["usage"] for trial in trials for one in trial.opinions if "usage" in one]),
        "simulator": usage("simulator", list(made.values())),
    }
    return {
        **parties,
        "cost": math.fsum(one["cost"] for one in parties.values()),
        "seconds": at_work,
        "trial_seconds": statistics.fmean(trial.trace["seconds"] for trial in trials),
        "grading_seconds": math.fsum(trial.seconds for trial in trials),
    }


def summary(trials: Sequence[Trial], at_work: float, name: str) -> Plain:
    """The whole summary of the result file."""
    worth = [trial.points for trial in trials if trial.points is not None]
    of_set = figures(trials)
    chosen = of_set["selection"]
    split = [float(len(set(trial.read)) > 1) for trial in trials if len(trial.read) > 1]
    answers = sum(of_set["calls"]["sources"].values())
    finished = sum(trial.finished for trial in trials)
    return {
        "total_queries": len(trials),
        "total_evaluations": len(trials),
        "solved_count": worth.count(1.0),
        "solved_percentage": 100 * worth.count(1.0) / len(worth),
        "finish_count": finished,
        "finish_percentage": 100 * finished / len(trials),
        "average_sopr_score": statistics.fmean(worth),
        "average_api_call_score": statistics.fmean(trial.recall for trial in trials),
        "total_evaluation_time": math.fsum(trial.seconds for trial in trials),
        "average_evaluation_time": statistics.fmean(trial.seconds for trial in trials),
        "unsure_count": sum(0 < one < 1 for one in worth),
        "unsolved_count": worth.count(0.0),
        "unmeasured_count": len(trials) - len(worth),
        "majority_solved_count": [trial.status for trial in trials].count("Solved"),
        "unmeasured_api_call_count": 0,
        "vacuous_api_call_count": sum(not trial.gold for trial in trials),
        "denominator": "all queries; one without an answer is unsolved",
        **of_set,
        "sopr_corrected": None,
        "solved_rate_corrected": None,
        "flips": estimate(split),
        "pass_rate_by_other_denominator": pass_rate(
            [trial for trial in trials if "failure" not in trial.trace],
            "queries with an answer (as StableToolBench counts)",
        ),
        "sets": {name: of_set},
        "mean_of_sets": alone(of_set["sopr"]),
        "mean_of_sets_published": of_set["pass_rate"]["mean"],
        "means_of_sets": {
            "api_call_score": alone(of_set["api_call_score"]),
            "finish": alone(of_set["finish"]),
            **{stage: chosen[stage] / chosen["needed"] for stage in ("offered", "chosen", "called")},
            "sources": {source: count / answers for source, count in of_set["calls"]["sources"].items()},
        },
        "stops": {stop: sum(trial.trace["stop"] == stop for trial in trials) for stop in STOPS},
        "spent": spent(trials, at_work),
    }


def result(trial: Trial) -> Plain:
    """The numbers of one result, and the words that they rest on."""
    return {
        "query_id": trial.query["id"],
        "gold": sorted(map(list, trial.gold)),
        "final_answer": "give_up_and_restart" if trial.gave_up else trial.trace.get("final_answer", ""),
        "sopr_score": trial.points,
        "sopr_repeats": [None if one is None else POINTS[one] for one in trial.statuses],
        "api_call_score": trial.recall,
        "answer_status": trial.status,
        "has_finish": trial.finished,
        "evaluation_time": trial.seconds,
        "called_apis": sorted(map(list, trial.called)),
        "stop_reason": trial.trace["stop"],
        "seconds": trial.trace["seconds"],
        "calls_shown": len(trial.calls) + trial.finished,
    }
