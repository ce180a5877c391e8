"""All metrics by name, for the command line: how to make one with options, and what to say of it.

A metric is added by one line in `ENTRIES`. Nothing is imported before a metric is looked at.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from proctor.errors import OptionError, close_to
from proctor.metrics.base import Metric, MetricType
from proctor.metrics.options import Option, options_of, read_options


class Entry(msgspec.Struct, frozen=True):
    """One metric that the command line knows."""

    name: str
    """The name that it is asked for by."""
    place: str
    """Where its class is: `module:Class`, the module counted from `proctor.metrics`."""
    says: str
    """What it says, in one sentence."""

    def load(self) -> type[Metric]:
        """The metric's class."""
        module, _, name = self.place.partition(":")
        kind: type[Metric] = getattr(importlib.import_module(f"proctor.metrics.{module}"), name)
        return kind

    @property
    def needs(self) -> list[str]:
        """The fields that a sample must have for it; of some, one is enough: `gold or reference_tool_calls`."""
        needed = self.load().needs
        either = " or ".join(sorted(name.partition(":")[0] for name in needed if ":" in name))
        return [*([either] if either else []), *sorted(name for name in needed if ":" not in name)]

    @property
    def sample_type(self) -> MetricType:
        """The kind of sample that it looks at."""
        return self.load().sample_type

    @property
    def asks_model(self) -> bool:
        """Whether it asks a model."""
        return self.load().asks_model

    @property
    def options(self) -> dict[str, Option]:
        """What can be set by `-M option=value`."""
        return options_of(self.load())

    def make(self, options: Mapping[str, str] | None = None) -> Metric:
        """The metric, with the options as text; an option of a metric inside it is written `outer.inner`."""
        kind = self.load()
        return kind(**read_options(self.name, kind, options or {}, make))


# fmt: off - one line a metric
ENTRIES = (
    Entry(
        "agent_goal_accuracy_with_reference",
        "_goal_accuracy:AgentGoalAccuracyWithReference",
        "Whether the conversation came to what the reference says.",
    ),
    Entry(
        "agent_goal_accuracy_without_reference",
        "_goal_accuracy:AgentGoalAccuracyWithoutReference",
        "Whether the conversation came to what the user wanted.",
    ),
    Entry("bleu_score", "_bleu_score:BleuScore", "How many runs of words the response shares with the reference."),
    Entry("chrf_score", "_chrf_score:ChrfScore", "How many runs of characters the response shares with the reference."),
    Entry("exact_match", "_string:ExactMatch", "Whether the response is the reference, to the letter."),
    Entry("non_llm_string_similarity", "_string:NonLLMStringSimilarity", "How like the reference the response is."),
    Entry("rouge_score", "_rouge_score:RougeScore", "How many words the response shares with the reference, in order."),
    Entry("same_meaning", "_same_meaning:SameMeaning", "Whether a judge finds that the response means the reference."),
    Entry("string_present", "_string:StringPresence", "Whether the reference stands somewhere in the response."),
    Entry(
        "tool_call_accuracy",
        "_tool_call_accuracy:ToolCallAccuracy",
        "How many arguments of the wanted calls are right.",
    ),
    Entry("tool_call_f1", "_tool_call_f1:ToolCallF1", "How well the calls made cover the calls wanted, in any order."),
    Entry("trajectory_match", "_trajectory:TrajectoryMatch", "Whether the calls made are the calls wanted."),
    Entry("topic_adherence", "_topic_adherence:TopicAdherenceScore", "How well the agent keeps to its topics."),
)
# fmt: on


class OfRuns(msgspec.Struct, frozen=True):
    """A metric of whole runs, which files of samples do not hold enough for."""

    name: str
    says: str
    """What it says, in one sentence."""
    needs: str
    given_by: str
    """The commands that give it."""


OF_RUNS = (
    OfRuns(
        "api_call_score",
        "The share of the APIs that a query needs which were called.",
        "a trace, and a query that names the APIs that it needs",
        "proctor run, proctor grade",
    ),
    OfRuns(
        "pass_rate",
        "The share of the queries that a judge found solved (SoPR).",
        "a judge's verdicts",
        "proctor run, proctor grade",
    ),
    OfRuns(
        "win_rate",
        "How often a judge prefers one agent's answers to another's (SoWR).",
        "two runs, and a judge",
        "proctor compare",
    ),
)


def names() -> list[str]:
    """The names of all metrics, sorted."""
    return sorted(entry.name for entry in ENTRIES)


def entry(name: str) -> Entry:
    """The metric of that name: `tool_call_accuracy`, `tool-call-accuracy` and `ToolCallAccuracy` are one."""
    wanted = _bare(name)
    for known in ENTRIES:
        if wanted in (_bare(known.name), _bare(known.place.partition(":")[2])):
            return known
    of_runs = next((known for known in OF_RUNS if _bare(known.name) == wanted), None)
    if of_runs is not None:
        raise OptionError(f"{of_runs.name!r} is a metric of runs, not of samples: see {of_runs.given_by}.")
    close = close_to(wanted, [_bare(known.name) for known in ENTRIES])
    meant = next((known.name for known in ENTRIES if _bare(known.name) == close), None)
    raise OptionError(
        f"there is no metric {name!r}; "
        + (f"did you mean {meant!r}?" if meant else f"known are {', '.join(names())}."),
    )


def make(name: str, options: Mapping[str, str] | None = None) -> Metric:
    """The metric of that name with these options, as text."""
    return entry(name).make(options)


def make_all(wanted: Sequence[str], options: Mapping[str, str] | None = None) -> list[Metric]:
    """The metrics of these names, with options that each takes as far as it has them.

    `metric.option` is for that metric alone, and goes before an `option` for all. One that none of them has is an
    error.
    """
    chosen = [entry(name) for name in wanted]
    own: list[dict[str, str]] = [{} for _ in chosen]
    common: list[dict[str, str]] = [{} for _ in chosen]
    for option, value in (options or {}).items():
        first, _, rest = option.partition(".")
        named = [index for index, known in enumerate(chosen) if rest and _bare(first) in _spellings(known)]
        having = [index for index, known in enumerate(chosen) if first in known.options]
        if not named and not having:
            raise _unknown(option, chosen)
        for index in named:
            own[index][rest] = value
        for index in having if not named else ():
            common[index][option] = value
    return [known.make({**rest, **first}) for known, first, rest in zip(chosen, own, common, strict=True)]


def _unknown(option: str, chosen: Sequence[Entry]) -> OptionError:
    known = sorted({name for metric in chosen for name in metric.options})
    who = " and ".join(metric.name for metric in chosen)
    close = close_to(option, known)
    has = f"options are {', '.join(known)}." if known else "there are no options."
    return OptionError(f"{who}: unknown option {option!r}; " + (f"did you mean {close!r}?" if close else has))


def _spellings(known: Entry) -> tuple[str, str]:
    return _bare(known.name), _bare(known.place.partition(":")[2])


def _bare(name: Any) -> str:
    return str(name).replace("_", "").replace("-", "").replace(" ", "").lower()
