"""Answers as samples for metrics, and back.

Finish is no tool, so it is no call of the sample: its answer is the agent's last words, and its arguments stand in the
message's metadata. Names are those that the agent called. What a sample has no place for stands in the metadata of its
first message, under `stabletoolbench`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from proctor.catalog.names import offered_names
from proctor.catalog.resolver import Resolver
from proctor.dataset_schema import MultiTurnSample, Sample
from proctor.errors import SampleError
from proctor.formats.stabletoolbench.conversions import Conversion
from proctor.formats.stabletoolbench.converted import ConvertedAnswer
from proctor.formats.stabletoolbench.turns import Called, Said, Turn, json_text_of
from proctor.messages import AIMessage, AnyMessage, HumanMessage, ToolCall, ToolMessage, read_tool_call
from proctor.records.finishing import FINISH, finish_of
from proctor.records.gold import read_gold
from proctor.records.queries import ApiId, GoldApi, Query
from proctor.records.traces import Finish

_BESIDE = "stabletoolbench"
_FINISH = "finish"
_WRITTEN = "arguments"
_RESPONSE = "response"


def sample_of(answer: ConvertedAnswer, query: Query | None = None) -> Conversion[MultiTurnSample]:
    """An answer as a conversation. With its query, the sample says which calls should have been made."""
    header = {"query_id": answer.query_id, "method": answer.method, "functions": answer.function_names}
    messages: list[AnyMessage] = [HumanMessage(answer.query, metadata={_BESIDE: header})]
    lost = ["what the functions that were offered say and take"] if answer.functions else []
    if answer.facts:
        lost.append("what Proctor knows of the whole answer: why it stopped, what it used")
    for number, turn in enumerate(answer.turns, 1):
        messages.extend(_messages(turn, f"call_{number}"))
        if isinstance(turn, Called) and not turn.complete:
            lost.append("the arguments of calls whose message was cut: they count as wrong")
        if isinstance(turn, Called) and turn.facts is not None:
            lost.append("which API a call meant, its whole answer and where it came from")
    gold = None if query is None else list(_gold(answer, query)) or None
    return Conversion(MultiTurnSample(user_input=messages, gold=gold), tuple(dict.fromkeys(lost)))


def answer_of_sample(sample: Sample, query_id: str) -> Conversion[ConvertedAnswer]:
    """A conversation as a converted answer. `query_id` is its name where the sample itself says none."""
    if not isinstance(sample, MultiTurnSample):
        raise SampleError("only a conversation can become an answer; this sample has a question and an answer alone.")
    asked = next((one for one in sample.user_input if isinstance(one, HumanMessage)), None)
    header = _header(asked)
    lost: list[str] = []
    turns = tuple(_turns(sample.user_input, asked, lost))
    finish = next((turn for turn in reversed(turns) if isinstance(turn, Called)), None)
    ended = finish is not None and finish.name == FINISH
    if turns and isinstance(turns[-1], Said):
        lost.append("the agent's last words are no Finish, without which no answer counts as solved")
    answer = ConvertedAnswer(
        query_id=str(header.get("query_id", query_id)),
        query=asked.content if asked is not None else "",
        functions=tuple({"name": name} for name in header.get("functions", ())),
        method=str(header.get("method", "")),
        final_answer=finish.written_arguments if finish is not None and ended else "",
        turns=turns,
    )
    return Conversion(answer, tuple(dict.fromkeys(lost)))


def _header(asked: HumanMessage | None) -> Mapping[str, Any]:
    """What `sample_of` wrote beside the query."""
    said = (asked.metadata or {}).get(_BESIDE) if asked is not None else None
    return said if isinstance(said, dict) else {}


def _messages(turn: Turn, identifier: str) -> Iterator[AnyMessage]:
    if isinstance(turn, Said):
        yield AIMessage(turn.text)
        return
    finish = finish_of(turn.arguments) if turn.name == FINISH else None
    if isinstance(finish, Finish):
        said = {_RESPONSE: turn.response} if turn.response else {}
        yield AIMessage(finish.answer, metadata={_FINISH: turn.arguments, **said})
        return
    call = _call(turn, identifier)
    same = call.malformed is not None or json_text_of(call.args) == turn.arguments
    yield AIMessage("", tool_calls=[call], metadata=None if same else {_WRITTEN: turn.arguments})
    yield ToolMessage(turn.response, tool_call_id=identifier, name=turn.name)


def _call(turn: Called, identifier: str) -> ToolCall:
    if not turn.complete:
        return ToolCall(turn.name, {}, identifier, turn.text)
    read = read_tool_call({"name": turn.name, "arguments": turn.arguments})
    return ToolCall(turn.name, read.args, identifier, read.malformed)


def _gold(answer: ConvertedAnswer, query: Query) -> Iterator[Any]:
    """The calls that the query's file wants; where it names APIs alone, their arguments may be whatever they like.

    An API has the name by which the agent called it, else the one by which it was offered: whatever was at hand, all
    that is wanted is asked for, in the query's order.
    """
    if query.calls:
        yield from read_gold(list(query.calls))
        return
    documented = {api.id: None for api in query.apis}
    wanted = dict.fromkeys(api for gold in query.gold if gold.api != FINISH for api in _meant(gold, documented))
    resolver = Resolver(dict.fromkeys((*documented, *wanted)))
    plain = offered_names({**documented, **wanted})
    known = {api: plain[api] for api in wanted}
    for name in (*answer.function_names, *(call.name for call in reversed(answer.calls))):
        api = resolver.resolve(name).api
        if api in known:
            known[api] = name
    for name in known.values():
        yield {"name": name, "args": {}, "args_mode": "ignore"}


def _meant(gold: GoldApi, documented: Iterable[ApiId]) -> list[ApiId]:
    """The APIs that gold stands for; one of which nobody has a document stands for itself."""
    found = [api for api in documented if (api.tool, api.api) == (gold.tool, gold.api)]
    found = [api for api in found if gold.category in (None, api.category)]
    return found or [ApiId(gold.category or "", gold.tool, gold.api)]


def _turns(messages: list[AnyMessage], asked: HumanMessage | None, lost: list[str]) -> Iterator[Turn]:
    responses: dict[str | None, str] = {
        one.tool_call_id: one.content for one in messages if isinstance(one, ToolMessage) and one.tool_call_id
    }
    in_order = iter([one.content for one in messages if isinstance(one, ToolMessage) and not one.tool_call_id])
    for message in messages:
        if isinstance(message, AIMessage):
            yield from _said(message, responses, in_order)
        elif not isinstance(message, ToolMessage) and message is not asked:
            lost.append(f"left out: a message of the {message.type} amid the conversation")


def _said(message: AIMessage, responses: Mapping[str | None, str], in_order: Iterator[str]) -> Iterator[Turn]:
    beside = message.metadata or {}
    if _FINISH in beside:
        yield Called(FINISH, beside[_FINISH], beside.get(_RESPONSE, ""))
        return
    calls = message.tool_calls or []
    if message.content or not calls:
        yield Said(message.content)
    for call in calls:
        response = responses[call.id] if call.id in responses else next(in_order, "")
        written = beside.get(_WRITTEN, json_text_of(call.args)) if call.malformed is None else call.malformed
        yield Called(call.name, written, response)
