"""`proctor run --agent …`: agents of every kind sit an exam; their calls stand in the trace with their provenance."""

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Run

from proctor.records.answers import Source
from proctor.records.runs import RunRecord
from proctor.records.traces import CallStep, Finish, StopReason
from proctor.runs.folders import read_run

DOG = {
    "category_name": "Animals",
    "tool_name": "Pets",
    "api_name": "Find Dog",
    "api_description": "Finds a dog by its name.",
    "required_parameters": [{"name": "name", "type": "STRING", "description": "", "default": "Rex"}],
    "optional_parameters": [],
    "method": "GET",
    "template_response": {"dog": "Rex", "age": 4},
}

AGENTS = '''
import asyncio
import json
import urllib.request


class Handed:
    """Calls the functions that it was handed."""

    def setup_tools(self, all_tools):
        (self.tool,) = all_tools.values()

    def answer(self, query):
        return "The tool says: " + self.tool["callable"](name="Bella")


class Http:
    """Calls over HTTP, as clients of StableToolBench do."""

    def setup_tools(self, all_tools):
        (self.tool,) = all_tools.values()

    def setup_session(self, session):
        self.url = session["virtual"]

    def answer(self, query):
        names = {"category": "category_name", "tool_name": "tool_name", "api_name": "api_name"}
        asked = {name: self.tool[field] for name, field in names.items()}
        asked |= {"tool_input": json.dumps({"name": "Bella"}), "strip": "truncate", "toolbench_key": ""}
        request = urllib.request.Request(self.url, json.dumps(asked).encode(), {"content-type": "application/json"})
        with urllib.request.urlopen(request, timeout=30) as said:
            return "The server says: " + said.read().decode()


class Mcp:
    """Calls by the SDK of the Model Context Protocol."""

    def setup_session(self, session):
        self.url = session["mcp"]

    async def answer(self, query):
        from mcp import Client

        async with Client(self.url) as client:
            tools = (await client.list_tools()).tools
            said = await client.call_tool(tools[0].name, {"name": "Bella"})
            return "The client says: " + said.content[0].text


class Details:
    """Tells in the end what it did."""

    def answer(self, query):
        finish = {"role": "tool", "message": {"name": "Finish", "arguments": {"return_type": "give_answer",
                  "final_answer": "Four."}, "response": ""}, "next": []}
        call = {"role": "tool", "message": {"name": "find_dog_for_pets", "arguments": {"name": "Bella"},
                "response": "4"}, "next": [finish]}
        return {"answer": {"final_answer": "Four.", "answer_details": [{"role": "system", "message": "",
                "next": [call]}]}}
'''


@pytest.fixture
def words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A benchmark of three queries, in a folder with a module of agents."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "zoo_agents", raising=False)
    (tmp_path / "zoo_agents.py").write_text(AGENTS)
    (tmp_path / "zoo").mkdir()
    queries = [
        {"query_id": n, "query": f"How old is Bella {n}?", "relevant APIs": [["Pets", "Find Dog"]], "api_list": [DOG]}
        for n in (1, 2, 3)
    ]
    (tmp_path / "zoo" / "dogs.json").write_text(json.dumps(queries))
    return ["run", "--benchmark", "zoo", "--simulator", "template", "--display", "none"]


def record() -> RunRecord:
    (folder,) = Path("results/runs").iterdir()
    return read_run(folder)


@pytest.mark.parametrize(
    ("agent", "speaker"),
    [("zoo_agents:Handed", "tool"), ("zoo_agents:Http", "server"), ("zoo_agents:Mcp", "client")],
)
def test_a_frameworks_calls_come_by_the_gateway_whichever_way_they_are_made(
    run: Run, words: list[str], agent: str, speaker: str
) -> None:
    done = run(*words, "--agent", agent)
    assert done.exit_code == 0, done.output
    for trial in record().trials:
        (call, _) = trial.trace.steps
        assert isinstance(call, CallStep)
        assert (str(call.api), call.arguments) == ("Animals/Pets/Find Dog", {"name": "Bella"})
        assert call.answer is not None
        assert call.answer.provenance is not None
        assert call.answer.provenance.source in {Source.SIMULATED, Source.RECORDED}
        assert call.observation == '{"error":"","response":{"dog":"Rex","age":4}}'
        assert trial.trace.final_answer == f"The {speaker} says: {call.observation}"


def test_what_a_framework_tells_of_itself_are_its_steps_where_no_call_came_by(run: Run, words: list[str]) -> None:
    assert run(*words, "--agent", "zoo_agents:Details").exit_code == 0
    for trial in record().trials:
        call, finish = trial.trace.steps
        assert isinstance(call, CallStep)
        assert (str(call.api), call.answer) == ("Animals/Pets/Find Dog", None)
        assert finish == Finish("Four.")


def test_a_command_sits_the_exam(run: Run, words: list[str], tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    said = json.loads(line)\n"
        "    if 'setup' in said:\n"
        "        (name,) = said['setup']['tools']\n"
        "    elif 'task' in said:\n"
        "        print(json.dumps({'call': {'name': name, 'arguments': {'name': 'Bella'}}}), flush=True)\n"
        "    else:\n"
        "        print(json.dumps({'answer': said['results'][0]['observation']}), flush=True)\n"
    )
    done = run(*words, "--agent", "command:" + shlex.join([sys.executable, "agent.py"]), "--name", "it")
    assert done.exit_code == 0, done.output
    assert [trial.trace.final_answer for trial in record().trials] == [
        '{"error":"","response":{"dog":"Rex","age":4}}'
    ] * 3


def test_a_script_sits_the_exam(run: Run, words: list[str], tmp_path: Path) -> None:
    lines = [{"name": "find_dog_for_pets", "args": {"name": "Bella"}}, {"finish": "Four."}]
    (tmp_path / "script.json").write_text(json.dumps({"1": lines, "2": [{"give_up": ""}], "3": ["Hm."]}))
    done = run(*words, "--agent", "scripted", "-A", "script=script.json")
    assert done.exit_code == 0, done.output
    stops = [trial.trace.stop for trial in record().trials]
    assert stops == [StopReason.FINISHED, StopReason.GAVE_UP, StopReason.NO_ANSWER]


def answers(tmp_path: Path) -> Path:
    """Converted answers to two of the three queries."""

    def answer(text: str) -> dict[str, Any]:
        finish = {"name": "Finish", "arguments": {"return_type": "give_answer", "final_answer": text}, "response": ""}
        call = {"name": "find_dog_for_pets", "arguments": {"name": "Luna"}, "response": '{"error": "", "response": 7}'}
        nodes: list[dict[str, Any]] = []
        for message in (finish, call):
            nodes = [{"role": "tool", "message": message, "next": nodes}]
        root = [{"role": "system", "message": "", "next": [{"role": "user", "message": "", "next": nodes}]}]
        body = {"method": "cot", "total_steps": 4, "final_answer": json.dumps(finish["arguments"])}
        return {"query": "?", "available_tools": [], "answer": {**body, "answer_details": root}}

    path = tmp_path / "some_model" / "dogs.json"
    path.parent.mkdir()
    path.write_text(json.dumps({"1": answer("Seven."), "3": answer("Eight.")}))
    return path.parent


def test_recorded_answers_sit_the_exam_as_they_are_and_need_nobody_to_answer(
    run: Run, words: list[str], tmp_path: Path
) -> None:
    words = [word for word in words if word not in {"--simulator", "template"}]
    done = run(*words, "--agent", "recorded", "-A", f"answers={answers(tmp_path)}")
    assert done.exit_code == 0, done.output
    one, two, three = (trial.trace for trial in record().trials)
    assert (one.final_answer, three.final_answer) == ("Seven.", "Eight.")
    assert isinstance(one.steps[0], CallStep)
    assert (str(one.steps[0].api), one.steps[0].answer and one.steps[0].answer.response) == ("Animals/Pets/Find Dog", 7)
    assert two.failure is not None
    assert two.failure.message == "no answer was recorded to the query '2'."


def test_recorded_calls_are_made_again_where_that_is_wanted(run: Run, words: list[str], tmp_path: Path) -> None:
    done = run(*words, "--agent", "recorded", "-A", f"answers={answers(tmp_path)}", "-A", "calls=again")
    assert done.exit_code == 0, done.output
    call = record().trials[0].trace.steps[0]
    assert isinstance(call, CallStep)
    assert call.arguments == {"name": "Luna"}
    assert call.answer is not None
    assert call.answer.response == {"dog": "Rex", "age": 4}
    assert call.answer.provenance is not None


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (["--agent", "zoo_agents:Handed", "-A", "k=1"], "has no option 'k'; it has none."),
        (["--agent", "zoo_agents:Handed", "--model", "openai/x"], "asks no model of Proctor's"),
        (["--agent", "zoo_agents:Hnded"], "did you mean 'Handed'?"),
        (["--agent", "no_such_module:Handed"], "there is no module 'no_such_module'"),
        (["--agent", "command:"], "needs a command"),
        (["--agent", "command:x", "-A", "once=maybe"], "is true or false, not 'maybe'"),
        (["--agent", "http:/x"], "expected one such as http://localhost:8000/agent"),
        (["--agent", "recorded"], "say which: -A answers=DIR"),
        (["--agent", "recorded", "-A", "answers=nowhere"], "nowhere: "),
        (["--agent", "recorded", "-A", "answers=zoo", "-A", "calls=never"], "is recorded or again, not 'never'"),
        (["--agent", "scripted"], "say which: -A script=FILE"),
        (["--agent", "scripted", "-A", "script=zoo/dogs.json"], "a script is an object from query ids to lists"),
    ],
)
def test_what_is_wrong_with_an_agent_is_said_in_a_sentence(
    run: Run, words: list[str], more: list[str], sentence: str
) -> None:
    done = run(*words, *more)
    assert done.exit_code == 1, done.output
    assert sentence in done.stderr
    assert "Traceback" not in done.output
