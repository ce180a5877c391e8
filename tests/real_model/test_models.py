"""`OpenAIModel` against a real llama.cpp server, structured output included."""

import asyncio
import json
from pathlib import Path

import openai
import pytest

from proctor.errors import ModelRequestError
from proctor.models.cached import CachedModel
from proctor.models.chat import OutputSchema, Request
from proctor.models.openai import OpenAIModel, Options
from proctor.models.payloads import Form
from proctor.models.scripted import ScriptedModel
from proctor.records.grades import Missing

VERDICT = OutputSchema(
    "verdict",
    {
        "type": "object",
        "properties": {"reason": {"type": "string", "maxLength": 40}, "verdict": {"type": "integer", "enum": [0, 1]}},
        "required": ["reason", "verdict"],
        "additionalProperties": False,
    },
)


def model_at(url: str, form: Form | None = None) -> OpenAIModel:
    return OpenAIModel("llamacpp/smollm2", url=url, environment={}, options=Options(output_form=form, timeout=120))


async def test_it_answers_in_words_and_says_how_many_tokens_it_took(real_url: str) -> None:
    model = model_at(real_url)
    reply = await model.reply(Request.of("What is the capital of France?", temperature=0, max_tokens=24, seed=1))
    assert reply.text.strip()
    assert reply.finish in ("stop", "length")
    assert reply.usage.prompt_tokens > 5
    assert 0 < reply.usage.completion_tokens <= 24
    assert isinstance(reply.usage.cost, Missing)
    await model.aclose()


async def test_a_shape_that_is_asked_for_by_schema_is_kept(real_url: str) -> None:
    model = model_at(real_url)
    asked = [
        Request.of(f"Is {number} even?", output=VERDICT, temperature=0.5, max_tokens=200, seed=number)
        for number in range(6)
    ]
    replies = await asyncio.gather(*(model.reply(request) for request in asked))
    assert [reply.output_form for reply in replies] == ["json_schema"] * 6
    for reply in replies:
        read = json.loads(reply.text)
        assert set(read) == {"reason", "verdict"}
        assert read["verdict"] in (0, 1)
    await model.aclose()


@pytest.mark.parametrize("form", ["function", "prompt"])
async def test_the_other_forms_come_back_as_text(real_url: str, form: Form) -> None:
    model = model_at(real_url, form)
    reply = await model.reply(Request.of("Is 4 even?", output=VERDICT, temperature=0, max_tokens=60))
    assert (reply.output_form, reply.tool_calls) == (form, ())
    assert reply.text
    await model.aclose()


async def test_a_request_that_is_too_long_is_named(real_url: str) -> None:
    model = model_at(real_url)
    with pytest.raises(ModelRequestError) as caught:
        await model.reply(Request.of("word " * 9000, max_tokens=5))
    assert caught.value.kind == "too_long"
    await model.aclose()


async def test_a_real_run_is_recorded_and_replayed_without_the_server(real_url: str, tmp_path: Path) -> None:
    asked = [Request.of(f"Say {word}.", temperature=0, max_tokens=8) for word in ("one", "two", "three")]
    recording = CachedModel(model_at(real_url), tmp_path / "real.db", "record")
    said = [(await recording.reply(request)).text for request in asked]
    await recording.aclose()
    silent = ScriptedModel([], name="llamacpp/smollm2")
    replaying = CachedModel(silent, tmp_path / "real.db", "replay", endpoint=real_url)
    assert [(await replaying.reply(request)).text for request in asked] == said
    await replaying.aclose()


async def test_the_bare_client_gets_the_same_words(real_url: str) -> None:
    model = model_at(real_url)
    ours = await model.reply(Request.of("Say hello.", temperature=0, max_tokens=8, seed=1))
    async with openai.AsyncOpenAI(base_url=real_url, api_key="none") as client:
        theirs = await client.chat.completions.create(
            model="smollm2",
            messages=[{"role": "user", "content": "Say hello."}],
            temperature=0,
            max_tokens=8,
            seed=1,
        )
    assert ours.text == theirs.choices[0].message.content
    await model.aclose()
