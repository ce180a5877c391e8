from typing import Any

import pytest

from proctor.errors import OptionError, ScriptEndedError
from proctor.gateway.canned import CannedSource, FunctionSource
from proctor.gateway.source import Call, Unanswered
from proctor.records.answers import Answer, Provenance, Source
from proctor.records.queries import ApiId

WORDS = ApiId("Data", "Random Words", "Get Word")
CALL = Call.of(WORDS, {"length": 3})


async def test_a_script_is_said_in_its_order() -> None:
    source = CannedSource([{"a": 1}, Answer("x", "e"), Unanswered("busy")])
    assert [await source.answer(CALL) for _ in range(3)] == [Answer({"a": 1}), Answer("x", "e"), Unanswered("busy")]
    assert source.calls == [CALL] * 3


async def test_a_script_that_is_used_up_is_an_error() -> None:
    with pytest.raises(ScriptEndedError, match="0 answers and was asked 1 times; the last call was Data/Random Words"):
        await CannedSource([]).answer(CALL)


async def test_a_script_may_be_a_function_and_may_raise() -> None:
    async def script(call: Call) -> Any:
        return ValueError("no") if call.arguments else len(call.arguments)

    with pytest.raises(ValueError, match="no"):
        await CannedSource(script).answer(CALL)
    assert await CannedSource(script).answer(Call.of(WORDS, {})) == Answer(0)


def test_a_script_is_no_single_answer() -> None:
    with pytest.raises(OptionError, match="put a single answer into a list"):
        CannedSource("sunny")


async def test_a_function_is_called_with_the_arguments_by_their_names() -> None:
    source = FunctionSource({WORDS: lambda length, kind="any": f"{kind}{length}"})
    assert await source.answer(CALL) == Answer("any3", provenance=Provenance(Source.COMPUTED, "function"))


async def test_a_function_may_wait_and_may_give_a_whole_answer() -> None:
    async def play(length: int) -> Answer:
        return Answer("", error=f"no word of {length} letters")

    answer = await FunctionSource({WORDS: play}).answer(CALL)
    assert isinstance(answer, Answer)
    assert answer.error == "no word of 3 letters"


async def test_arguments_that_a_function_does_not_take_are_the_apis_error() -> None:
    for function, said in (
        (lambda: "x", "there is no parameter 'length'; it takes none"),
        (lambda size="x": size, "there is no parameter 'length'; known are size"),
        (lambda length, size: size + length, "the parameter size must be given"),
        (lambda size, kind: size + kind, "the parameters size, kind must be given"),
        (lambda length, /: length, "was passed as a keyword"),
    ):
        answer = await FunctionSource({WORDS: function}).answer(CALL)
        assert isinstance(answer, Answer)
        assert answer.error.startswith("400 Bad Request: ")
        assert said in answer.error
        assert answer.provenance == Provenance(Source.COMPUTED, "function")


async def test_an_api_without_a_function_is_missed() -> None:
    assert await FunctionSource({}).answer(CALL) == Unanswered("missed")


async def test_a_function_that_raises_has_failed() -> None:
    def play(length: int) -> Any:
        raise KeyError(length)

    assert await FunctionSource({WORDS: play}).answer(CALL) == Unanswered("failed", "KeyError: 3")


async def test_what_json_does_not_have_is_no_answer() -> None:
    outcome = await FunctionSource({WORDS: lambda length: length * float("nan")}).answer(CALL)
    assert isinstance(outcome, Unanswered)
    assert outcome.kind == "unreadable"
