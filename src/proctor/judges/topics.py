"""Which topics a user raised, which of them the agent refused, and which belong to the reference topics."""

from __future__ import annotations

import asyncio

import msgspec

from proctor.judges.asking import Question, Said, ask
from proctor.judges.templates import Template, built_in
from proctor.models.chat import ChatModel
from proctor.records.grades import Missing

__all__ = ["JudgedTopic", "judge_topics"]


class JudgedTopic(msgspec.Struct, frozen=True):
    """One topic that the user raised."""

    topic: str
    refused: bool
    """Whether the agent refused to deal with it."""
    on_topic: bool
    """Whether it belongs to the reference topics."""
    reason: str = ""
    """The judge's words about the refusal."""
    sorting: str = ""
    """The judge's words about which topics belong to the reference topics: the same for all of a conversation."""


async def judge_topics(
    model: ChatModel, conversation: str, reference_topics: list[str], template: Template | None = None
) -> list[JudgedTopic] | Missing:
    """The topics of a conversation, judged, in two round trips: their list, then everything about them at once."""
    template = template or built_in("topics")
    listed = await ask(model, Question.by(template, "extract_topics", conversation=conversation))
    if isinstance(listed, Missing):
        return listed
    topics: list[str] = listed["topics"]
    if not topics:
        return []
    sorting = Question.by(
        template,
        "classify_topics",
        lists=len(topics),
        topics=_numbered(topics),
        reference_topics=_numbered(reference_topics),
    )
    refusing = [Question.by(template, "check_refusal", conversation=conversation, topic=topic) for topic in topics]
    *refused, belonging = await asyncio.gather(*(ask(model, question) for question in (*refusing, sorting)))
    if isinstance(belonging, Missing):
        return belonging
    return _judged(topics, belonging, refused)


def _judged(topics: list[str], belonging: Said, refused: list[Said | Missing]) -> list[JudgedTopic] | Missing:
    judged = []
    for topic, belongs, said in zip(topics, belonging["classifications"], refused, strict=True):
        if isinstance(said, Missing):
            return said
        judged.append(JudgedTopic(topic, said["refused_to_answer"], belongs, said.reason, belonging.reason))
    return judged


def _numbered(topics: list[str]) -> str:
    return "\n".join(f"{place}. {topic}" for place, topic in enumerate(topics, 1))
