"""Tool files and functions say the same, and every API answers."""

import inspect
import shutil
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from proctor import json_text
from proctor.catalog.loader import load_catalog
from proctor.catalog.names import plain_name
from proctor.records.answers import Answer
from proctor.starter import fingerprint, folder, functions, tools
from proctor.starter.__main__ import main
from proctor.starter.documents import documents, shape, slug
from proctor.starter.tool import Api

APIS = [api for tool in tools() for api in tool.apis]


def test_the_files_are_those_that_the_functions_make() -> None:
    root = folder() / "tools"
    written = {
        path.relative_to(root).as_posix(): msgspec.json.decode(path.read_bytes()) for path in root.rglob("*.json")
    }
    assert written == msgspec.to_builtins(documents(tools())), "run: python -m proctor.starter --write"


def test_the_catalogue_loads_without_complaints_and_holds_what_the_functions_answer() -> None:
    catalog = load_catalog(folder() / "tools")
    assert catalog.report.broken == ()
    assert {api.id for api in catalog} == set(functions())
    for api in catalog:
        signature = inspect.signature(functions()[api.id])
        required = [name for name, one in signature.parameters.items() if one.default is one.empty]
        assert [parameter.name for parameter in api.required] == required
        optional = {parameter.name: parameter.default for parameter in api.optional}
        assert optional == {n: one.default for n, one in signature.parameters.items() if one.default is not one.empty}


@pytest.mark.parametrize("api", APIS, ids=lambda api: str(api.id))
def test_an_api_answers_its_example_always_alike_and_as_documented(api: Api) -> None:
    said = api.function(**api.example)
    assert not isinstance(said, Answer), said
    assert msgspec.json.encode(said) == msgspec.json.encode(api.function(**api.example))
    spec = load_catalog(folder() / "tools")[api.id]
    assert spec.template_response == shape(said)
    assert spec.description
    assert all(parameter.description for parameter in spec.parameters)


def test_the_fingerprint_is_another_one_when_data_are(tmp_path: Path) -> None:
    for part in ("apis", "data"):
        shutil.copytree(folder() / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__"))
    for module in folder().glob("*.py"):
        shutil.copy(module, tmp_path)
    assert fingerprint(tmp_path) == fingerprint()
    fares = tmp_path / "data" / "railway.json"
    fares.write_text(fares.read_text("utf-8").replace("31.7", "31.8"), "utf-8")
    assert fingerprint(tmp_path) != fingerprint()


def test_no_two_apis_have_the_same_plain_name() -> None:
    names = [plain_name(api.id) for api in APIS]
    assert len(set(names)) == len(names)
    assert names == [f"{slug(api.id.api)}_for_{slug(api.id.tool)}" for api in APIS]


def test_there_are_at_least_twelve_categories_forty_tools_and_150_apis() -> None:
    assert len({tool.category for tool in tools()}) >= 12
    assert len(tools()) >= 40
    assert len(APIS) >= 150


@pytest.mark.parametrize(
    ("api", "arguments", "said"),
    [
        ("Calendar/Almanac/Week Number", {"date": "9999-12-31"}, "date must be a date of the years 1000 to 2999"),
        ("Library/Loans Desk/Loan Until", {"kind": "adult", "lent_on": "9999-12-31"}, "lent_on must be a date of the"),
        (
            "Workshop/Land And Sea Units/Convert Speed",
            {"value": 1e308, "from_unit": "knots", "to_unit": "miles per hour"},
            "value must be a number between -1e+12 and 1e+12, not 1e+308",
        ),
        ("Calendar/Almanac/Week Number", {}, "the parameter date must be given"),
        (
            "Calendar/Almanac/Week Number",
            {"date": "2025-10-06", "day": 1},
            "there is no parameter 'day'; known are date",
        ),
    ],
)
def test_what_cannot_be_reckoned_or_is_not_asked_for_is_refused(
    call: Callable[..., Answer], api: str, arguments: dict[str, object], said: str
) -> None:
    answer = call(api, **arguments)
    assert answer.error.startswith("400 Bad Request: ")
    assert said in answer.error


STRANGE: list[object] = [
    "",
    None,
    0,
    -1,
    1e308,
    float("nan"),
    10**30,
    "9" * 400,
    "2025-02-30",
    "0001-01-01",
    "9999-12-31",
    "24:00",
]
STRANGE += ["\x00", [], {}, True, "1.5", "1e5", -0.0, "\u00b2", "RS-01", "Aldmoor", {"a": 1}, 2**63, "1_000"]


def test_no_api_raises_or_says_what_is_no_number_whatever_it_is_given() -> None:
    for api in APIS:
        for name in (parameter["name"] for parameter in (*api.required, *api.optional)):
            for value in STRANGE:
                said = api.function(**{**api.example, name: value})
                json_text.refuse_foreign(said.response if isinstance(said, Answer) else said)


def test_the_files_are_checked_without_a_change_and_written_on_demand(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(folder() / "tools", tmp_path, dirs_exist_ok=True)
    assert main(["--check"], tmp_path) == 0
    almanac = tmp_path / "Calendar" / "almanac.json"
    almanac.write_text("{}")
    (tmp_path / "Calendar" / "old.json").write_text("{}")
    (tmp_path / "mine.txt").write_text("kept")
    assert main(["--check"], tmp_path) == 1
    assert capsys.readouterr().out.splitlines() == [
        "tools/Calendar/old.json: no tool is so called.",
        "tools/Calendar/almanac.json: it is not what the functions make; --write writes it.",
    ]
    assert almanac.read_text() == "{}"
    assert main(["--write"], tmp_path) == 0
    assert main(["--check"], tmp_path) == 0
    assert not (tmp_path / "Calendar" / "old.json").exists()
    assert (tmp_path / "mine.txt").read_text() == "kept"


@pytest.mark.parametrize(("words", "code"), [(["--help"], 0), ([], 2), (["--chekc"], 2), (["--check", "--write"], 2)])
def test_words_that_ask_for_nothing_change_nothing(words: list[str], code: int, tmp_path: Path) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words, tmp_path)
    assert ended.value.code == code
    assert list(tmp_path.iterdir()) == []
