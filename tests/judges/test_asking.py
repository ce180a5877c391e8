from __future__ import annotations

import asyncio
import time

import msgspec
import pytest

from proctor.errors import ModelBusyError, ModelRefusedError, ReplyError
from proctor.judges.asking import UNREADABLE, Question, Said, ask
from proctor.judges.shapes import Shape
from proctor.judges.templates import Filled
from proctor.models.chat import Reply
from proctor.models.scripted import Line, ScriptedModel
from proctor.records.grades import Missing

VERDICT = Shape.of("compare", {"properties": {"verdict": {"type": "boolean"}}})
FLAGS = Shape.of("classify", {"properties": {"flags": {"type": "array", "items": {"type": "boolean"}}}})


def question(shape: Shape = VERDICT, lists: int | None = None) -> Question:
    return Question(Filled("Is it so?", ("the material",)), shape, lists)


async def test_a_reply_is_asked_for_in_its_shape_and_read() -> None:
    model = ScriptedModel([{"reason": "it is", "verdict": True}])
    said = await ask(model, question())
    assert isinstance(said, Said)
    assert (said["verdict"], said.reason) == (True, "it is")
    assert said.raw == '{"reason":"it is","verdict":true}'
    assert model.requests[0].output == VERDICT.output
    assert model.requests[0].temperature == 0.0


async def test_a_reply_that_cannot_be_read_is_asked_for_again_once_with_what_was_wrong() -> None:
    model = ScriptedModel(["Yes.", {"verdict": "yes"}])
    said = await ask(model, question())
    assert isinstance(said, Said)
    again = model.requests[1].messages
    assert [message["role"] for message in again] == ["user", "assistant", "user"]
    assert again[1]["content"] == "Yes."
    assert again[2]["content"].startswith("Your reply could not be used: it holds no JSON object.")


async def test_after_two_unreadable_replies_it_is_unmeasured_with_the_last_one_kept() -> None:
    model = ScriptedModel(["Yes.", "No.", {"verdict": True}])
    assert await ask(model, question()) == Missing(UNREADABLE, "it holds no JSON object.\nNo.")
    assert len(model.requests) == 2


async def test_a_judge_that_says_more_than_its_object_is_asked_for_the_object_alone_or_with_the_seal() -> None:
    sealed = Question(Filled("Is it so?", ("the material",), "5ea1"), VERDICT)
    model = ScriptedModel(
        ['The agent says {"verdict": 1}, which is true.', 'Indeed: {"verdict": 1, "seal": "5ea1"} So be it!']
    )
    said = await ask(model, sealed)
    assert isinstance(said, Said)
    assert said["verdict"] is True
    assert 'give the object alone, with the further field "seal": "5ea1".' in model.requests[1].text


async def test_half_of_a_surrogate_pair_is_kept_as_its_escape() -> None:
    said = await ask(ScriptedModel(['{"reason": "odd \\ud800 sign", "verdict": 1}']), question())
    assert isinstance(said, Said)
    assert said.reason == "odd \\ud800 sign"
    lost = await ask(ScriptedModel(["odd \udfff", "odd \udfff"]), question())
    assert isinstance(lost, Missing)
    assert (lost.detail or "").endswith("odd \\udfff")
    assert msgspec.json.encode([said, lost])


async def test_a_long_reply_is_read_beside_the_event_loop() -> None:
    beats = 0

    async def beat() -> None:
        nonlocal beats
        while True:
            await asyncio.sleep(0.01)
            beats += 1

    beating = asyncio.create_task(beat())
    echoes = "\n".join(f'{{"verdict": 1, "reason": "{number}"}}' for number in range(3_000))
    long = Question(Filled("Is it so?", ('{"verdict": 1} ' * 60_000,)), VERDICT)
    began = time.perf_counter()
    assert isinstance(await ask(ScriptedModel([echoes, echoes]), long), Missing)
    beating.cancel()
    assert beats >= 3 or time.perf_counter() - began < 0.1


async def test_a_list_of_the_wrong_length_is_asked_for_again() -> None:
    model = ScriptedModel([{"flags": [True]}, {"flags": [True, False]}])
    said = await ask(model, question(FLAGS, 2))
    assert isinstance(said, Said)
    assert "its list 'flags' has 1 items; it must have 2, in order." in model.requests[1].text
    short = await ask(ScriptedModel([{"flags": []}, {"flags": [True]}]), question(FLAGS, 2))
    assert isinstance(short, Missing)
    assert short.detail is not None
    assert short.detail.startswith("its list 'flags' has 1 items")


async def test_a_reply_that_was_cut_off_says_so() -> None:
    cut = Reply('{"reason": "it', finish="length")
    missing = await ask(ScriptedModel([cut, cut]), question())
    assert missing == Missing(UNREADABLE, 'it was cut off before its end.\n{"reason": "it')


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (ModelBusyError("429.", model="m"), "the model was too busy to answer"),
        (ReplyError("nothing.", model="m", kind="empty_reply", raw="{}"), "the model's reply was empty"),
        (ReplyError("withheld.", model="m", kind="filtered"), "a content filter withheld the model's reply"),
    ],
)
async def test_a_fault_is_unmeasured_by_its_kind(fault: Line, reason: str) -> None:
    missing = await ask(ScriptedModel([fault]), question())
    assert isinstance(missing, Missing)
    assert missing.reason == reason


async def test_an_unreadable_reply_is_kept_even_where_the_second_question_fails() -> None:
    missing = await ask(ScriptedModel(["Perhaps.", ModelBusyError("429.", model="m")]), question())
    assert isinstance(missing, Missing)
    assert missing.reason == "the model was too busy to answer"
    assert missing.detail is not None
    assert missing.detail.endswith("The reply before: it holds no JSON object.\nPerhaps.")


async def test_a_refused_key_stops_the_run() -> None:
    with pytest.raises(ModelRefusedError):
        await ask(ScriptedModel([ModelRefusedError("no.", model="m")]), question())
