from typing import Any

import pytest
from hypothesis import strategies as st

from proctor.dataset_schema import MultiTurnSample, SingleTurnSample
from proctor.messages import AIMessage, HumanMessage, SystemMessage, ToolCall, ToolMessage

odd_text = st.sampled_from(
    ["", '""', '"', "null", "[]", "{}", "NaN", "1", '["a"]', "\r", "\n", "a,b", "\0", "é\u2028😀", " x "]
)
text = odd_text | st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
optional = st.none() | text
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=6,
)
objects = st.dictionaries(text, json_values, max_size=3)
calls = st.builds(ToolCall, name=text, args=objects, id=optional, malformed=optional)
some_calls = st.none() | st.lists(calls, max_size=2)
metadata = st.none() | objects
texts = st.none() | st.lists(text, max_size=3)
rubrics = st.none() | st.dictionaries(text, text, max_size=2)
identifiers = st.none() | st.lists(text, max_size=3) | st.lists(text | st.integers(), max_size=3)

singles = st.builds(
    SingleTurnSample,
    user_input=optional,
    retrieved_contexts=texts,
    retrieved_context_ids=identifiers,
    reference_context_ids=st.none() | st.lists(st.integers(), max_size=2),
    response=optional,
    multi_responses=texts,
    reference=optional,
    rubrics=rubrics,
)


@st.composite
def conversation(draw: st.DrawFn) -> list[Any]:
    messages: list[Any] = []
    may_answer = False
    for _ in range(draw(st.integers(0, 5))):
        kinds = ["human", "system", "ai"] + ["tool"] * may_answer
        kind = draw(st.sampled_from(kinds))
        content, more = draw(text), draw(metadata)
        if kind == "ai":
            made = draw(some_calls)
            messages.append(AIMessage(content, more, tool_calls=made))
            may_answer = bool(made)
        elif kind == "tool":
            status: Any = draw(st.sampled_from([None, "success", "error"]))
            messages.append(ToolMessage(content, more, tool_call_id=draw(optional), name=draw(optional), status=status))
        else:
            messages.append((HumanMessage if kind == "human" else SystemMessage)(content, more))
            may_answer = False
    return messages


multis = st.builds(
    MultiTurnSample,
    user_input=conversation(),
    reference=optional,
    reference_tool_calls=some_calls,
    rubrics=rubrics,
    reference_topics=texts,
)
lists_of_samples = st.lists(singles, max_size=4) | st.lists(multis, max_size=4)


@pytest.fixture(scope="session")
def samples_of_one_kind() -> Any:
    return lists_of_samples
