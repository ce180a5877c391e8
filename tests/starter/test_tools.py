"""Tool files and functions say the same, and every API answers."""

import inspect
import shutil
from pathlib import Path

import msgspec
import pytest

from proctor.catalog.loader import load_catalog
from proctor.catalog.names import plain_name
from proctor.records.answers import Answer
from proctor.starter import fingerprint, folder, functions, tools
from proctor.starter.documents import documents, shape, slug
from proctor.starter.tool import Api

APIS = [api for tool in tools() for api in tool.apis]


def test_the_files_are_those_that_the_functions_make() -> None:
    root = folder() / "tools"
    written = {
        path.relative_to(root).as_posix(): msgspec.json.decode(path.read_bytes()) for path in root.rglob("*.json")
    }
    assert written == msgspec.to_builtins(documents(tools())), "run: python -m proctor.starter"


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
