"""`proctor.run`: an exam from Python, with objects in place of names, and the same numbers as the command's."""

import asyncio
import json
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner
from tests.runs.played import timeless

import proctor
from proctor.agents.scripted import ScriptedAgent
from proctor.cli import proctor as command
from proctor.config import NAMES
from proctor.errors import OptionError
from proctor.gateway.canned import CannedSource
from proctor.judges.heuristic import HeuristicJudge
from proctor.judges.solving import SolvingJudge
from proctor.messages import ToolCall
from proctor.models.chat import Reply, Request
from proctor.models.scripted import ScriptedModel
from proctor.records.answers import Answer
from proctor.records.grades import Status, Verdict
from proctor.records.traces import CallStep, StopReason
from proctor.wiring.sitting import Options

DOG = {
    "category_name": "Animals",
    "tool_name": "Pets",
    "api_name": "Find Dog",
    "required_parameters": [{"name": "name", "type": "STRING", "description": "", "default": "Rex"}],
    "optional_parameters": [],
    "template_response": {"dog": "Rex", "age": 4},
}
FUNCTION = "find_dog_for_pets"


@pytest.fixture(autouse=True)
def zoo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A benchmark of three queries in the working folder."""
    monkeypatch.chdir(tmp_path)
    queries = [
        {"query_id": n, "query": f"How old is dog {n}?", "relevant APIs": [["Pets", "Find Dog"]], "api_list": [DOG]}
        for n in (1, 2, 3)
    ]
    Path("zoo.json").write_text(json.dumps(queries))


class Keeper:
    """A framework."""

    def setup_tools(self, all_tools: dict[str, dict[str, Any]]) -> None:
        self.tools = all_tools

    def answer(self, query: str) -> str:
        return f"I asked: {self.tools[FUNCTION]['callable'](name='Bella')}"


def acting(request: Request) -> Reply:
    """A model that calls the one function, and then finishes."""
    if request.messages[-1]["role"] == "tool":
        final = {"return_type": "give_answer", "final_answer": "It is four years old."}
        return Reply(tool_calls=(ToolCall(name="Finish", args=final),))
    return Reply(tool_calls=(ToolCall(name=FUNCTION, args={"name": "Bella"}),))


def test_the_options_are_those_of_the_command() -> None:
    assert set(Options.__annotations__) == set(NAMES)
    with click.Context(command) as context:
        verb = command.get_command(context, "run")
    assert verb is not None
    switches = {"config", "display", "resume", "fresh", "no_page"}
    assert {parameter.name for parameter in verb.params} - switches == set(NAMES)


def test_a_run_gives_its_record_its_figures_and_its_places() -> None:
    ended = proctor.run(benchmark="zoo.json", agent="oracle", simulator="template", judge="heuristic")
    assert [str(trial.key) for trial in ended.record.trials] == ["zoo/1#0", "zoo/2#0", "zoo/3#0"]
    assert ended.figures.overall.solved == 3
    assert (ended.stopped, ended.owed) == (False, 0)
    assert ended.folder == Path("results/runs/oracle_zoo")
    assert json.loads(ended.result.read_text())["summary"]["average_api_call_score"] == 1.0
    assert str(ended).startswith("oracle_zoo: oracle on zoo")


def test_the_command_comes_to_the_same_numbers() -> None:
    options = {"benchmark": "zoo.json", "agent": "baseline", "simulator": "template", "epochs": 2}
    mine = proctor.run(**options, output="mine")  # type: ignore[arg-type] # plain names and numbers
    words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    done = CliRunner().invoke(command, ["run", *words, "--output", "theirs", "--display", "none"])
    assert done.exit_code == 0, done.output
    known = [json.loads((Path(place) / "tools/baseline_zoo.json").read_text()) for place in ("mine", "theirs")]
    summaries = [timeless(one)["summary"] for one in known]
    assert summaries[0] == summaries[1]
    assert known[0]["metadata"]["config"] == known[1]["metadata"]["config"]
    assert str(mine).splitlines()[0] in done.stdout


def test_asked_again_a_run_does_nothing_twice() -> None:
    asked: list[str] = []

    class Counting(Keeper):
        def answer(self, query: str) -> str:
            asked.append(query)
            return super().answer(query)

    for _ in range(2):
        proctor.run(benchmark="zoo.json", agent=Counting, simulator="template")
    assert len(asked) == 3


@pytest.mark.parametrize("keeper", [Keeper, Keeper()], ids=["class", "object"])
def test_a_framework_is_handed_over(keeper: Any) -> None:
    ended = proctor.run(benchmark="zoo.json", agent=keeper, simulator="template")
    assert ended.record.manifest.framework == "Keeper"
    for trial in ended.record.trials:
        call = trial.trace.steps[0]
        assert isinstance(call, CallStep)
        assert call.answer is not None
        assert call.answer.provenance is not None


def test_an_agent_is_handed_over() -> None:
    agent = ScriptedAgent(lambda _: [{"give_up": ""}], name="lazy")
    ended = proctor.run(benchmark="zoo.json", agent=agent, simulator="template")
    assert ended.record.manifest.framework == "lazy"
    assert {trial.trace.stop for trial in ended.record.trials} == {StopReason.GAVE_UP}


def test_models_are_handed_over_for_agent_judge_and_simulator() -> None:
    model = ScriptedModel(acting, name="player")
    judge = ScriptedModel(lambda _: {"reason": "It says how old.", "answer_status": "Solved"}, name="reader")
    simulator = ScriptedModel(lambda _: {"error": "", "response": {"age": 4}}, name="zoo-keeper")
    ended = proctor.run(benchmark="zoo.json", agent="react", model=model, judge=judge, simulator=simulator)
    spec = ended.record.manifest.spec
    assert (spec.agent_model, spec.simulator) == ("player", "zoo-keeper")
    assert [trial.trace.final_answer for trial in ended.record.trials] == ["It is four years old."] * 3
    assert ended.figures.overall.solved == 3
    assert len(model.requests) == ended.figures.spent.agent.requests == 6
    assert len(judge.requests) == ended.figures.spent.judge.requests == 3
    assert len(simulator.requests) == 1, "the other two are recorded by then"


def test_judges_are_handed_over() -> None:
    replies = ScriptedModel(lambda _: {"reason": "So.", "answer_status": "Unsure"}, name="reader")
    panel = [SolvingJudge(replies), HeuristicJudge()]
    options: Any = {"benchmark": "zoo.json", "agent": "oracle", "simulator": "template"}
    ended = proctor.run(judge=panel, **options)
    assert ended.record.judge.startswith("panel of 2: ")
    assert ended.figures.spent.judge.requests == len(replies.requests) > 0
    alone = proctor.run(judge=HeuristicJudge(), **options)
    verdicts = [one for trial in alone.record.trials for one in trial.verdicts]
    assert {one.status for one in verdicts if isinstance(one, Verdict)} == {Status.SOLVED}


def test_a_source_is_handed_over() -> None:
    source = CannedSource(lambda _: Answer({"age": 9}))
    ended = proctor.run(benchmark="zoo.json", agent=Keeper, simulator=source)
    assert '"age":9' in ended.record.trials[0].trace.final_answer


async def test_it_works_inside_a_running_loop_and_has_a_twin_that_is_async() -> None:
    options: Any = {"benchmark": Path("zoo.json"), "agent": "oracle", "simulator": "template"}
    inside = proctor.run(**options, name="inside")
    twins = await asyncio.gather(*(proctor.arun(**options, name=f"twin-{number}") for number in range(2)))
    assert [one.figures.overall.solved for one in (inside, *twins)] == [3, 3, 3]


def test_settings_come_from_a_file_and_arguments_go_before_it() -> None:
    Path("proctor.toml").write_text('[agent]\nname = "oracle"\n[benchmark]\nname = "zoo.json"\nlimit = 1\n')
    ended = proctor.run(simulator="template", limit=2)
    assert len(ended.record.trials) == 2
    Path("other.toml").write_text('[agent]\nname = "null"\n[benchmark]\nname = "zoo.json"\n')
    assert proctor.run("other.toml", simulator="template").record.manifest.framework == "null"


def test_a_judge_that_is_the_model_under_test_is_warned_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with pytest.warns(UserWarning, match="the judge is the model under test"), pytest.raises(OptionError):
        proctor.run(benchmark="zoo.json", agent="react", model="openai/x", judge="openai/x", policy="frozen")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"agnet": "oracle"}, "there is no option 'agnet'; did you mean 'agent'?"),
        ({"agent": 7}, "int is no agent: int has no answer(query)"),
        ({"judge": 7}, "a judge is a name, a Judge, a ChatModel, or a list of one kind of these, not int"),
        ({"judge": ["heuristic", HeuristicJudge()]}, "or a list of one kind of these, not str"),
        ({"simulator": 7}, "a simulator is a name, an AnswerSource or a ChatModel, not int"),
        ({"model": 7, "agent": "react"}, "this cannot be asked for replies: int"),
        ({"limit": "two"}, "limit: expected `int"),
        ({"epochs": 2.5}, "epochs: expected `int`"),
    ],
)
def test_what_cannot_be_run_is_said_in_a_sentence(options: Any, sentence: str) -> None:
    with pytest.raises(OptionError) as caught:
        proctor.run(benchmark="zoo.json", **{"simulator": "template", **options})
    assert sentence in str(caught.value)
