"""The waist by which every source is asked: what comes back is a sound answer, or why there is none."""

from __future__ import annotations

import msgspec

from proctor.errors import ProctorError
from proctor.gateway.policy import refusal, shortened
from proctor.gateway.source import AnswerSource, Call, Unanswered
from proctor.records.answers import Answer, Source

__all__ = ["judged_answer"]


async def judged_answer(source: AnswerSource, call: Call) -> Answer | Unanswered:
    """What a source answers, held against the rule of failures, which is the same for all of them.

    What the cache holds was judged when it was stored, and the policy decides about it. A source that raises has
    failed, unless what it raises is an error of Proctor's own: then nothing further can be asked.
    """
    try:
        outcome = await source.answer(call)
    except ProctorError:
        raise
    except Exception as error:  # noqa: BLE001 - a source of somebody's own raises what it likes
        return Unanswered("failed", shortened(f"{type(error).__name__}: {error}"))
    if isinstance(outcome, Unanswered) or source.source is Source.RECORDED:
        return outcome
    refused = refusal(outcome)
    if refused is None or outcome.provenance is None:
        return refused or outcome
    return msgspec.structs.replace(refused, usage=outcome.provenance.usage)
