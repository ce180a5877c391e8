"""`proctor tools`: list, show, schema, check, search."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Run = Callable[..., Result]

DESK = {
    "tool_name": "Harbour Desk",
    "tool_description": "Berths for boats.",
    "api_list": [
        {
            "name": "bookBerth",
            "url": "https://desk.example/book",
            "description": "Reserve a berth.",
            "method": "POST",
            "required_parameters": [{"name": "length", "type": "NUMBER", "description": "in metres", "default": "9.5"}],
            "optional_parameters": [{"name": "name", "type": "STRING", "description": "", "default": ""}],
            "schema": {"berth": "int"},
        },
        {"name": "List Berths", "description": "All that are free."},
    ],
}


@pytest.fixture
def tools(tmp_path: Path) -> str:
    folder = tmp_path / "tools"
    for category, content in (
        ("Sea", DESK),
        ("Lake", {"tool_name": "Harbour Desk", "api_list": [{"name": "bookBerth"}]}),
    ):
        (folder / category).mkdir(parents=True)
        (folder / category / "harbour_desk.json").write_text(json.dumps(content))
    return str(folder)


@pytest.fixture
def broken(tools: str) -> str:
    """The path of a file that cannot be read, beside those that can."""
    file = Path(tools) / "Sea" / "broken.json"
    file.write_text("{")
    return str(file)


def test_list_has_a_line_for_each_api(run: Run, tools: str) -> None:
    done = run("tools", "list", tools)
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "Lake/Harbour Desk/bookBerth",
        "Sea/Harbour Desk/bookBerth",
        "Sea/Harbour Desk/List Berths",
    ]
    assert run("tools", "list", tools, "--category", "lake").stdout == "Lake/Harbour Desk/bookBerth\n"
    assert run("tools", "list", tools, "--tool", "Nothing").stdout == ""


def test_list_as_json_says_under_which_name_each_is_called(run: Run, tools: str) -> None:
    listed = json.loads(run("tools", "list", tools, "--json", "--category", "Lake").stdout)
    assert [(one["category"], one["tool"], one["api"]) for one in listed] == [("Lake", "Harbour Desk", "bookBerth")]
    shown = run("tools", "show", tools, listed[0]["name"])
    assert shown.stdout.startswith("Lake/Harbour Desk/bookBerth\n")


def test_show_prints_what_is_documented(run: Run, tools: str) -> None:
    done = run("tools", "show", tools, "Sea/Harbour Desk/bookBerth")
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    assert lines[0] == "Sea/Harbour Desk/bookBerth"
    assert lines[1].startswith("  function   bookberth_for_harbour_desk_")
    assert lines[2:] == [
        "  request    POST https://desk.example/book",
        "  tool       Berths for boats.",
        "  API        Reserve a berth.",
        "  required   length NUMBER (default '9.5'): in metres",
        "  optional   name STRING",
        '  answers    {"berth":"int"}',
    ]


def test_schema_prints_it_in_the_form_that_is_wanted(run: Run, tools: str) -> None:
    schema = json.loads(run("tools", "schema", tools, "list_berths_for_harbour_desk", "--form", "anthropic").stdout)
    assert schema["description"] == "List Berths (Harbour Desk): All that are free."
    assert schema["input_schema"] == {"type": "object", "properties": {}}


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("bookberth_for_harbour_desk", "may be Lake/Harbour Desk/bookBerth, Sea/Harbour Desk/bookBerth; name one"),
        ("list_berth_for_harbour_desk", "did you mean 'list_berths_for_harbour_desk'?"),
        ("zzz", "there is no API 'zzz'; `proctor tools list` and `proctor tools search` know the names."),
    ],
)
def test_a_name_that_is_not_one_api_is_an_error(run: Run, tools: str, name: str, sentence: str) -> None:
    done = run("tools", "show", tools, name)
    assert (done.exit_code, done.stdout) == (1, "")
    assert sentence in done.stderr


def test_check_is_content_when_all_can_be_read(run: Run, tools: str) -> None:
    done = run("tools", "check", tools)
    assert (done.exit_code, done.stdout) == (0, "3 APIs of 2 tools in 2 files; all could be read.\n")


def test_check_names_what_cannot_be_read(run: Run, tools: str, broken: str) -> None:
    done = run("tools", "check", tools)
    assert done.exit_code == 1
    assert done.stdout.splitlines() == [
        f"{broken}: it is not JSON: Input data was truncated",
        "3 APIs of 2 tools in 3 files; 1 problem.",
    ]
    told = json.loads(run("tools", "check", tools, "--json").stdout)
    assert (told["apis"], told["broken"][0]["path"]) == (3, broken)


@pytest.mark.usefixtures("broken")
def test_the_other_commands_say_that_something_could_not_be_read(run: Run, tools: str) -> None:
    done = run("tools", "list", tools)
    assert done.exit_code == 0
    assert len(done.stdout.splitlines()) == 3
    assert done.stderr == f"proctor: 1 problem with files below {tools}: `proctor tools check` names them.\n"


def test_search_finds_the_best_first(run: Run, tools: str) -> None:
    done = run("tools", "search", "reserving a berth", "--tools", tools, "-k", "2")
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    assert [line.split(None, 1)[1] for line in lines[::2]] == [
        "Sea/Harbour Desk/bookBerth",
        "Sea/Harbour Desk/List Berths",
    ]
    assert lines[1] == "          Reserve a berth."


def test_search_as_json_and_in_a_category(run: Run, tools: str) -> None:
    found = json.loads(run("tools", "search", "berth", "--tools", tools, "--category", "Lake", "--json").stdout)
    assert [(one["category"], one["api"]) for one in found] == [("Lake", "bookBerth")]
    assert found[0]["score"] > 0


def test_a_search_for_nothing_says_so(run: Run, tools: str) -> None:
    done = run("tools", "search", "zzz", "--tools", tools)
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "no API has a word of it.\n")


def test_an_index_is_kept_where_it_is_wanted_and_nothing_anywhere_else(run: Run, tools: str, tmp_path: Path) -> None:
    words = ["tools", "search", "berth", "--tools", tools]
    plain = run(*words)
    assert [path.name for path in tmp_path.iterdir()] == ["tools"]
    first, second = (run(*words, "--index", str(tmp_path / "cache" / "index")) for _ in range(2))
    assert plain.stdout == first.stdout == second.stdout
    assert sorted(path.name for path in (tmp_path / "cache").iterdir()) == ["index", "index.search"]


def test_a_place_without_tools_is_an_error(run: Run, tmp_path: Path) -> None:
    done = run("tools", "list", str(tmp_path / "nowhere"))
    assert (done.exit_code, done.stderr) == (
        1,
        f"proctor: {tmp_path / 'nowhere'}: no such file or folder; check the path.\n",
    )
    assert run("tools", "list", str(tmp_path)).exit_code == 1
