from __future__ import annotations

import shutil
from importlib import resources
from pathlib import Path

import pytest

from proctor.errors import FileError, OptionError
from proctor.judges.solving import SolvingJudge
from proctor.judges.templates import Template, built_in, load_template, template_from
from proctor.metrics import AgentGoalAccuracyWithReference
from proctor.models.scripted import ScriptedModel

CONFIG = """
evaluator_name: "mine"
prompt_template: "prompts.txt"
completions_kwargs:
  model: "some-model"
  max_tokens: 100
  temperature: 0.2
  functions:
    - name: "check_answer_status"
      parameters:
        type: "object"
        properties:
          answer_status:
            type: "string"
            enum: ["Unsure","Unsolved","Solved"]
        required: ["answer_status"]
"""
TEXTS = """<function>
<name>check_answer_status</name>
<description>
Is {query} met by {answer}? Write {"a": 1} with a mark like {other}.
</description>
</function>
"""
OWN = ("completeness", "goals", "meaning", "preference", "solvability", "solving", "topics")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "config.yaml").write_text(CONFIG, "utf-8")
    (tmp_path / "prompts.txt").write_text(TEXTS.replace(" with a mark like {other}", ""), "utf-8")
    return tmp_path


def test_a_folder_in_the_layout_of_stabletoolbench_is_read(folder: Path) -> None:
    template = load_template(folder)
    prompt = template.prompt("check_answer_status")
    assert (template.model, template.temperature, template.max_tokens) == ("some-model", 0.2, 100)
    assert prompt.places == {"query", "answer"}
    assert [(field.name, field.kind) for field in prompt.shape.fields] == [
        ("reason", "text"),
        ("answer_status", "choice"),
    ]


def test_a_foreign_prompt_is_filled_in_as_it_was_written(folder: Path) -> None:
    filled = load_template(folder).prompt("check_answer_status").fill(query="Q {answer}", answer="A", task="unused")
    assert filled.text == 'Is Q {answer} met by A? Write {"a": 1}.'
    assert filled.material == ("A", "Q {answer}")


def test_a_place_that_nothing_fills_is_named() -> None:
    template = template_from("mine", CONFIG, TEXTS)
    with pytest.raises(OptionError, match=r"has the place \{other\}; what can be filled in is \{answer\}, \{query\}"):
        template.prompt("check_answer_status").fill(query="q", answer="a")


def test_every_letter_of_a_prompt_counts_for_its_version(folder: Path) -> None:
    before = load_template(folder)
    (folder / "prompts.txt").write_text(TEXTS + " ", "utf-8")
    after = load_template(folder)
    assert before.version != after.version
    assert str(after) == f"{folder.name}@{after.version}"


@pytest.mark.parametrize(
    ("config", "texts", "problem"),
    [
        ("a: [", TEXTS, "this is not YAML"),
        ("- a", TEXTS, "must be a mapping"),
        ("a: 1", TEXTS, "there is no list 'functions'"),
        ("functions: [{name: x}]", TEXTS, r"functions\[0\] must have a name and parameters"),
        ("functions: []", TEXTS, "the function 'check_answer_status' has no schema .*; it has none"),
        (CONFIG, "nothing", "there is no <function>"),
        (CONFIG, "<function><name>x</name></function>", "must hold a <name> and a <description>"),
    ],
)
def test_a_broken_folder_is_named_with_the_file_and_what_is_wrong(config: str, texts: str, problem: str) -> None:
    with pytest.raises(FileError, match=problem):
        template_from("mine", config, texts)


def test_a_folder_that_is_not_there_says_what_was_expected(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"config\.yaml: cannot be read .*a judge template is a folder with config"):
        load_template(tmp_path / "nowhere")


def test_a_template_cannot_reach_outside_of_its_folder(folder: Path) -> None:
    (folder / "config.yaml").write_text(CONFIG.replace("prompts.txt", "../secret.txt"), "utf-8")
    with pytest.raises(FileError, match=r"template\.txt: cannot be read"):
        load_template(folder)


def test_a_function_that_is_not_there_is_an_error_that_lists_those_that_are(folder: Path) -> None:
    with pytest.raises(OptionError, match="has no function 'select_better_answer'; it has check_answer_status"):
        load_template(folder).prompt("select_better_answer")


@pytest.mark.parametrize("name", OWN)
def test_our_own_prompts_keep_material_between_fences(name: str) -> None:
    template: Template = built_in(name)
    for prompt in template.prompts.values():
        material = {place: f"the {place}" for place in prompt.places}
        filled = prompt.fill(**material)
        mark = filled.text.split("<<<")[1].split(">>>")[0].split()[-1]
        assert "{" not in filled.text
        assert f"carry the mark {mark}" in filled.text
        for place in prompt.places:
            assert f"<<<{place} {mark}>>>\nthe {place}\n<<<end of {place} {mark}>>>" in filled.text


@pytest.mark.parametrize("name", OWN)
def test_our_own_prompts_hold_the_judge_to_a_length_and_give_it_a_seal(name: str) -> None:
    template = built_in(name)
    assert template.max_tokens == 2000
    for prompt in template.prompts.values():
        filled = prompt.fill(**dict.fromkeys(prompt.places, "x"))
        assert filled.seal is not None
        assert filled.text.endswith(f'"seal": "{filled.seal}".')


def test_prompts_that_do_not_show_what_is_to_be_judged_are_refused(folder: Path) -> None:
    (folder / "prompts.txt").write_text(TEXTS.replace("{answer}", "the answer").replace("{other}", "x"), "utf-8")
    with pytest.raises(OptionError, match=r"'check_answer_status' has no place \{answer\}, and what it is to judge"):
        SolvingJudge(ScriptedModel([]), load_template(folder))
    (folder / "prompts.txt").write_text(TEXTS, "utf-8")
    with pytest.raises(OptionError, match=r"has the place \{other\}; what can be filled in is \{answer\}, \{query\}"):
        SolvingJudge(ScriptedModel([]), load_template(folder))


def test_a_metrics_prompts_are_read_once_and_refused_when_they_are_set(folder: Path) -> None:
    with pytest.raises(FileError, match="a judge template is a folder with config"):
        AgentGoalAccuracyWithReference(prompts=str(folder / "nowhere"))
    with pytest.raises(OptionError, match="has no function 'infer_goal'"):
        AgentGoalAccuracyWithReference(prompts=str(folder))
    own = folder / "goals"
    shutil.copytree(str(resources.files("proctor.judges").joinpath("prompts", "goals")), own)
    metric = AgentGoalAccuracyWithReference(prompts=str(own))
    assert metric.template is metric.template
    assert metric.template.version == built_in("goals").version
