"""A small exam about dogs that one HTTP endpoint plays: the agent's model, the simulator's and the judge's."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

from proctor.messages import ToolCall
from proctor.models.chat import Reply
from proctor.models.scripted_server import ScriptedServer

NAMES = 5
"""The dogs have so many names: several queries lead to the same call."""
_API = {
    "category_name": "Animals",
    "tool_name": "Pets",
    "api_name": "Find Dog",
    "api_description": "Finds a dog by its name.",
    "required_parameters": [{"name": "name", "type": "STRING", "description": "", "default": "Rex"}],
    "optional_parameters": [],
    "method": "GET",
}


def benchmark(folder: Path, queries: int) -> Path:
    """A benchmark of one set, `dogs`."""
    folder.mkdir(exist_ok=True)
    asked = [
        {"query_id": n, "query": f"How old is dog {n}?", "relevant APIs": [["Pets", "Find Dog"]], "api_list": [_API]}
        for n in range(queries)
    ]
    (folder / "dogs.json").write_text(json.dumps(asked))
    return folder


def settings(folder: Path, url: str, output: Path) -> dict[str, Any]:
    """The options of the run, as `proctor run` calls them."""
    return {
        "benchmark": str(folder),
        "agent": "react",
        "model": "vllm/agent",
        "model_url": url,
        "simulator": "model:vllm/simulator",
        "simulator_url": url,
        "judge": ["vllm/judge"],
        "judge_url": url,
        "judge_repeats": 2,
        "tools": "query",
        "output": str(output),
    }


def words(options: dict[str, Any]) -> list[str]:
    """The same as words of the command line."""
    pairs = [(name, one) for name, said in options.items() for one in (said if isinstance(said, list) else [said])]
    return ["run", *(word for name, said in pairs for word in (f"--{name.replace('_', '-')}", str(said)))]


def play(body: dict[str, Any]) -> Reply:
    """What each of the three says."""
    said = json.dumps(body["messages"])
    if body["model"] == "simulator":
        name = re.findall(r"dog-\d+", said)[-1]
        return Reply(text=json.dumps({"error": "", "response": {"name": name, "age": len(name) + int(name[4:])}}))
    if body["model"] == "judge":
        right = re.search(r"It is \d+ years old", said)
        return Reply(text=json.dumps({"answer_status": "Solved" if right else "Unsolved", "reason": "so it is"}))
    told = [message["content"] for message in body["messages"] if message["role"] == "tool"]
    if told:
        age = json.loads(told[-1])["response"]["age"]
        answer = {"return_type": "give_answer", "final_answer": f"It is {age} years old."}
        return Reply(tool_calls=(ToolCall(name="Finish", args=answer, id="2"),))
    name = body["tools"][0]["function"]["name"]
    number = int(re.findall(r"dog (\d+)", said)[-1])
    return Reply(tool_calls=(ToolCall(name=name, args={"name": f"dog-{number % NAMES}"}, id="1"),))


def asked(server: ScriptedServer) -> Counter[tuple[str, str]]:
    """How often each question was put, by the model that it was put to."""
    return Counter((body["model"], json.dumps(body, sort_keys=True)) for body in server.bodies)


def timeless(document: dict[str, Any]) -> dict[str, Any]:
    """A result file without what depends on the clock."""
    times = {
        "overall_time",
        "timestamp",
        "seconds",
        "trial_seconds",
        "grading_seconds",
        "evaluation_time",
        "total_evaluation_time",
        "average_evaluation_time",
    }

    def bare(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: bare(one) for key, one in value.items() if key not in times}
        return [bare(one) for one in value] if isinstance(value, list) else value

    return dict(bare(document))
