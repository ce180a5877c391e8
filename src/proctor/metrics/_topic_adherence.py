"""Whether an agent keeps to its topics: answers what belongs to them, and refuses the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import msgspec

from proctor.dataset_schema import MultiTurnSample
from proctor.errors import OptionError
from proctor.judges.topics import JudgedTopic, judge_topics
from proctor.judges.transcripts import transcript
from proctor.metrics.judged import JudgedMetric
from proctor.records.grades import Missing, Score

Mode = Literal["f1", "precision", "recall"]


@dataclass(eq=False)
class TopicAdherenceScore(JudgedMetric):
    """How well an agent keeps to the reference topics, by the topics that the user raised.

    `precision`: the share of the topics it dealt with that belong to the reference topics. `recall`: the share of
    those that belong that it dealt with. `f1`: their harmonic mean.
    """

    name: str = "topic_adherence"
    mode: Mode = "f1"

    needs = frozenset({"user_input", "reference_topics"})
    own_prompts = "topics"

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_mode(self.mode)

    async def ameasure(self, sample: MultiTurnSample, callbacks: Any = None) -> Score | Missing:
        """Ask which topics there are, then everything about them at once."""
        _check_mode(self.mode)
        if sample.reference_topics is None:
            return Missing("the sample has no reference_topics")
        judged = await judge_topics(self.model(), transcript(sample.user_input), sample.reference_topics, self.template)
        return judged if isinstance(judged, Missing) else adherence(judged, self.mode)


def adherence(judged: list[JudgedTopic], mode: Mode) -> Score | Missing:
    """The score of judged topics; unmeasured where it would be 0 divided by 0."""
    kept = sum(topic.on_topic and not topic.refused for topic in judged)
    strayed = sum(not topic.on_topic and not topic.refused for topic in judged)
    denied = sum(topic.on_topic and topic.refused for topic in judged)
    if not judged:
        return Missing("the judge found no topic in the conversation")
    shares = {
        "precision": (kept, kept + strayed, "the agent dealt with no topic"),
        "recall": (kept, kept + denied, "no topic of the conversation belongs to the reference topics"),
        "f1": (2 * kept, 2 * kept + strayed + denied, "every topic was off topic and refused"),
    }
    part, whole, nothing = shares[mode]
    sorting = next((topic.sorting for topic in judged if topic.sorting), None)
    topics = [msgspec.to_builtins(msgspec.structs.replace(topic, sorting="")) for topic in judged]
    details: dict[str, Any] = {
        "topics": [{name: said for name, said in topic.items() if name != "sorting"} for topic in topics]
    }
    details |= {} if sorting is None else {"sorting": sorting}
    if whole == 0:
        return Missing(nothing, msgspec.json.encode(details).decode())
    return Score(
        part / whole,
        reason=f"on topic and answered: {kept}, off topic and answered: {strayed}, on topic and refused: {denied}",
        details=details,
    )


def _check_mode(mode: object) -> None:
    if mode not in get_args(Mode):
        raise OptionError(f"mode must be one of f1, precision, recall, not {mode!r}.")
