"""A large exam that one HTTP endpoint plays: an agent with every bad habit, a simulator and a judge that are fickle.

What each of them says follows from what it was asked, and from how often: the same run can be played again.
"""

import hashlib
import json
from collections import Counter
from typing import Any

from proctor.messages import ToolCall
from proctor.models.chat import Reply
from proctor.models.scripted_server import HttpReply
from proctor.records.traces import Usage

PRICES = {"noted": "2026-11", "models": {f"vllm/{name}": {"prompt": n, "completion": 2 * n} for n, name in
          enumerate(("agent", "judge", "simulator"), 1)}}  # fmt: skip
"""US dollars for a million tokens."""
_ENDLESS, _WORDS, _INVENTS, _SPOILS, _BAD_FINISH, _GIVES_UP, _PARALLEL, _EARLY, _TOO_LONG, _DOWN = range(10)
"""Habits, by the remainder of a query's number; who has none of them calls an API or three, and finishes."""


def queries(count: int) -> list[dict[str, Any]]:
    """Queries, each with up to five APIs at hand, of which it needs up to three, or none that it names."""
    return [
        {
            "query_id": number,
            "query": f"What is there to know about matter {number}?",
            "api_list": [_api(number % 7, place) for place in range(1 + number % 5)],
            "relevant APIs": [
                [f"Tool {number % 7}", f"Find {place}"] for place in range(min(number % 4, 1 + number % 5))
            ],
        }
        for number in range(count)
    ]


def _api(tool: int, place: int) -> dict[str, Any]:
    parameter = {"name": "about", "type": "STRING", "description": "What to find.", "default": "all"}
    return {
        "category_name": "Knowledge",
        "tool_name": f"Tool {tool}",
        "api_name": f"Find {place}",
        "api_description": "Finds something.",
        "required_parameters": [parameter],
        "optional_parameters": [],
        "method": "GET",
    }


class Player:
    """Says what each of the three says, and counts how often each was asked."""

    def __init__(self) -> None:
        self.asked = Counter[str]()
        self.refused = Counter[str]()
        """Questions that were answered by an error."""
        self._times = Counter[str]()

    def __call__(self, body: dict[str, Any]) -> Reply | HttpReply:
        """The answer to one question."""
        model = body["model"]
        self.asked[model] += 1
        question = json.dumps([model, body["messages"]])
        self._times[question] += 1
        said = {"agent": self._agent, "judge": self._judge, "simulator": self._simulator}[model](body, question)
        self.refused[model] += isinstance(said, HttpReply)
        return said

    def _agent(self, body: dict[str, Any], question: str) -> Reply | HttpReply:
        query = next(one["content"] for one in body["messages"] if one["role"] == "user")
        turn = sum(one["role"] == "assistant" for one in body["messages"])
        names = [tool["function"]["name"] for tool in body["tools"] if tool["function"]["name"] != "Finish"]
        number, usage = _number(query), Usage(1, 100 + turn, 10)
        call = ToolCall(names[turn % len(names)], {"about": str(number % 3)}, id="1")
        if body["tools"][-1]["function"]["name"] != "Finish":
            call = ToolCall("Finish", {}, id="1")
        finish = ToolCall("Finish", {"return_type": "give_answer", "final_answer": f"It is {number}."}, id="2")
        habit = number % 20
        if habit == _DOWN and self._times[question] == 1 and not turn:
            return HttpReply(400, {"error": {"message": "something is wrong here today"}})
        if habit == _TOO_LONG and turn:
            return HttpReply(400, {"error": {"message": "the context length is exceeded"}})
        if habit == _WORDS:
            return Reply(text=f"I say {turn}", usage=usage)
        odd = {
            _INVENTS: (ToolCall("find_everything", {"a": 1}, id="1"),),
            _SPOILS: (ToolCall(names[0], {}, id="1", malformed="{about:"),),
            _BAD_FINISH: (ToolCall("Finish", {"return_type": "perhaps"}, id="1"),),
            _PARALLEL: tuple(ToolCall(name, {"about": "x"}, id=name) for name in names),
            _EARLY: (call, finish, call),
        }
        if habit in odd and not turn:
            return Reply(tool_calls=odd[habit], usage=usage)
        if habit == _GIVES_UP and turn:
            return Reply(tool_calls=(ToolCall("Finish", {"return_type": "give_up_and_restart"}, id="1"),), usage=usage)
        goes_on = habit == _ENDLESS or turn < 1 + number % 3
        return Reply(tool_calls=(call if goes_on else finish,), usage=usage)

    def _simulator(self, body: dict[str, Any], question: str) -> Reply:
        number = _number(question)
        said = json.dumps({"error": "" if number % 5 else "nothing is known", "response": {"value": number}})
        return Reply(text="I would rather not." if number % 7 == 0 else said, usage=Usage(1, 50, 5))

    def _judge(self, body: dict[str, Any], question: str) -> Reply:
        status = ["Solved", "Unsolved", "Unsure", "Solved", ""][_number(question, self._times[question]) % 5]
        said = json.dumps({"answer_status": status, "reason": "so it seems"})
        return Reply(text=said if status else "Who can tell?", usage=Usage(1, 200, 20))


def _number(*of: Any) -> int:
    return int(hashlib.sha256(json.dumps(of).encode()).hexdigest()[:8], 16)
