"""Loading a catalogue from files, in every layout, and from broken ones."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from proctor.catalog.files import find_documents
from proctor.catalog.index import Broken
from proctor.catalog.loader import load_catalog
from proctor.errors import FileError
from proctor.records.queries import ApiId, ApiSpec, Parameter

Write = Callable[[str, Any], Path]


def test_a_tool_s_file_below_its_category(write: Write, weather_tool: dict[str, Any], forecast: ApiSpec) -> None:
    catalog = load_catalog(write("Weather/sky_report.json", weather_tool))
    assert catalog.apis == (forecast, ApiSpec(ApiId("Weather", "Sky Report", "List Ports")))
    assert catalog.tools[0].description == "Weather for sailors."
    assert (catalog.report.files, catalog.report.tools, catalog.report.apis, catalog.report.broken) == (1, 1, 2, ())


def test_a_flat_tool_s_file_has_the_category_that_it_says(write: Write, weather_tool: dict[str, Any]) -> None:
    write("plain.json", {"api_list": [{"name": "x"}]})
    catalog = load_catalog(write("sky_report.json", {**weather_tool, "category": "Weather"}))
    assert [str(api.id) for api in catalog] == [
        "/plain/x",
        "Weather/Sky Report/Get Forecast",
        "Weather/Sky Report/List Ports",
    ]


def test_a_file_for_each_api_below_category_and_tool(write: Write) -> None:
    write("Weather/sky_report/forecast.json", {"api_name": "Get Forecast", "tool_name": "Sky Report"})
    write(
        "Weather/sky_report/ports.json", {"name": "List Ports", "tool_name": "Sky Report", "tool_description": "Sea."}
    )
    catalog = load_catalog(write("Weather/tides/high.json", {"description": "Next high tide."}))
    assert [str(api.id) for api in catalog] == [
        "Weather/Sky Report/Get Forecast",
        "Weather/Sky Report/List Ports",
        "Weather/tides/high",
    ]
    assert [tool.description for tool in catalog.tools] == ["Sea.", ""]


def test_the_apis_that_queries_document(write: Write) -> None:
    item = {
        "category_name": "Weather",
        "tool_name": "Sky Report",
        "api_name": "Get Forecast",
        "api_description": "Wind.",
        "required_parameters": [{"name": "port", "type": "STRING", "description": "", "default": 7}],
        "template_response": {"wind": "int"},
    }
    older = {"category_name": "Data", "tool_name": "Words", "api_name": "Any"}
    queries = [{"query": "q", "api_list": [item, older]}, {"query": "r", "api_list": [item]}, {"query": "s"}]
    folder = write("G1_instruction.json", queries)
    for path in (folder, folder / "G1_instruction.json"):
        catalog = load_catalog(path)
        assert [str(api.id) for api in catalog] == ["Weather/Sky Report/Get Forecast", "Data/Words/Any"]
        assert catalog.apis[0].required == (Parameter("port", default=7),)
        assert catalog.apis[0].template_response == {"wind": "int"}
        assert [broken.reason for broken in catalog.report.broken] == ["[2]: it has no api_list"]


def test_examples_of_responses_are_found_beside_the_tools(
    write: Write, weather_tool: dict[str, Any], tmp_path: Path
) -> None:
    folder = write("Weather/sky_report.json", weather_tool)
    examples = tmp_path / "response_examples" / "Weather"
    examples.mkdir(parents=True)
    schemas = {"api_list": [{"name": "Get Forecast", "schema": {"wind": "int"}}, {"name": "List Ports", "schema": ""}]}
    (examples / "sky_report.json").write_text(json.dumps(schemas), "utf-8")
    (examples / "nothing.json").write_bytes(b"")
    (examples / "none.json").write_text('{"api_list": []}', "utf-8")
    for catalog in (load_catalog(folder), load_catalog(folder, examples=tmp_path / "response_examples")):
        assert [api.template_response for api in catalog] == [{"wind": "int"}, None]
        assert catalog.report.broken == (Broken(str(examples / "nothing.json"), "it is empty"),)


BROKEN = {
    "empty.json": (b"", "it is empty"),
    "blank.json": (b" \n", "it is empty"),
    "cut.json": (b'{"tool_name": "x", "api_list": [{"name"', "it is not JSON: "),
    "page.json": (b"<html>", "it is not JSON: "),
    "bytes.json": (b'{"tool_name": "\xff\xfe"}', "it is not JSON: "),
    "number.json": (b"7", "it holds int, not an object with an api_list"),
    "strings.json": (b'["a"]', "it is a list, but neither of queries with an api_list nor of MCP tools"),
    "other.json": (b'{"a": 1}', "it has neither a name nor a description, so it is no API's file"),
    "lonely.json": (b'{"name": "x"}', "the API 'x' belongs to no tool"),
    "text.json": (b'{"tool_name": "x", "name": "y", "api_list": "z"}', "its api_list must be a list, not str"),
    "deep.json": (b"[" * 100_000, "it is nested too deeply"),
    "old.json": (b'{"swagger": "2.0"}', "it is OpenAPI 2.0; only version 3 is read, so convert it first"),
}


def test_broken_files_are_named_with_the_reason_and_the_rest_is_loaded(
    write: Write, weather_tool: dict[str, Any]
) -> None:
    for name, (content, _) in BROKEN.items():
        write(name, content)
    catalog = load_catalog(write("Weather/sky_report.json", weather_tool))
    assert len(catalog) == 2
    reasons = {Path(broken.path).name: broken.reason for broken in catalog.report.broken}
    assert set(reasons) == set(BROKEN)
    for name, (_, reason) in BROKEN.items():
        assert reasons[name].startswith(reason)
    assert catalog.report.files == len(BROKEN) + 1


def test_a_broken_api_does_not_take_its_tool_along(write: Write) -> None:
    apis = [
        {"name": "good", "optional_parameters": None, "required_parameters": {}},
        {"description": "no name"},
        {"name": "a", "required_parameters": "none"},
        {"name": "b", "optional_parameters": ["x"]},
        {"name": "c", "optional_parameters": [{"type": "STRING"}]},
        7,
        {"name": "good", "description": "again"},
    ]
    catalog = load_catalog(write("Data/t.json", {"tool_name": "t", "api_list": apis}))
    assert [api.id.api for api in catalog] == ["good"]
    assert [broken.reason for broken in catalog.report.broken] == [
        "Data/t/good is documented a second time, and differently; the first counts",
        "api_list[1]: it has no name",
        "api_list[2]: required_parameters must be a list, not str",
        "api_list[3]: optional_parameters[0] must be an object, not str",
        "api_list[4]: optional_parameters[0] has no name",
        "api_list[5]: it is not shaped as it should be: Expected `object`, got `int`",
    ]


def test_code_beside_the_files_is_never_run(write: Write, weather_tool: dict[str, Any], tmp_path: Path) -> None:
    trap = f"open({str(tmp_path / 'ran')!r}, 'w')".encode()
    write("Weather/sky_report/api.py", trap)
    write("Weather/__init__.py", trap)
    write("Weather/.hidden.json", b"{")
    write("README.md", b"# Tools")
    catalog = load_catalog(write("Weather/sky_report.json", weather_tool))
    assert not (tmp_path / "ran").exists()
    assert (catalog.report.files, catalog.report.broken) == (1, ())


def test_links_in_a_circle_end_and_links_to_files_are_read(
    write: Write, weather_tool: dict[str, Any], tmp_path: Path
) -> None:
    blob = tmp_path / "blob"
    blob.write_text(json.dumps(weather_tool), "utf-8")
    folder = write("Data/t.json", {"api_list": [{"name": "x"}]})
    (folder / "Weather").mkdir()
    (folder / "Weather" / "sky_report.json").symlink_to(blob)
    (folder / "Weather" / "again").symlink_to(folder)
    (folder / "Weather" / "lost.json").symlink_to(tmp_path / "nothing")
    catalog = load_catalog(folder)
    assert [tool.name for tool in catalog.tools] == ["t", "Sky Report"]
    assert [Path(broken.path).name for broken in catalog.report.broken] == ["lost.json"]


def test_what_is_no_regular_file_is_not_opened(write: Write, weather_tool: dict[str, Any]) -> None:
    folder = write("Weather/sky_report.json", weather_tool)
    os.mkfifo(folder / "Weather" / "pipe.json")
    report = load_catalog(folder).report
    assert [broken.reason for broken in report.broken] == ["is no regular file, so it was not opened"]


def test_names_that_are_no_utf_8_are_shown(write: Write, weather_tool: dict[str, Any], tmp_path: Path) -> None:
    folder = write("Weather/sky_report.json", weather_tool)
    odd = os.fsdecode(os.fsencode(folder) + b"/Weather/\xff.json")
    Path(odd).write_bytes(b'{"api_list": [{"name": "x"}]}')
    index = tmp_path / "index"
    for _ in range(2):
        assert [tool.name for tool in load_catalog(folder, index=index).tools] == ["Sky Report", "\\xff"]


def test_what_lies_too_deep_is_named(write: Write, weather_tool: dict[str, Any]) -> None:
    catalog = load_catalog(write("a/b/c/d.json", weather_tool))
    assert len(catalog) == 0
    assert "lies deeper than" in catalog.report.broken[0].reason


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read everything")
def test_a_file_that_may_not_be_read_is_named(write: Write, weather_tool: dict[str, Any]) -> None:
    folder = write("Weather/sky_report.json", weather_tool)
    (folder / "Weather" / "sky_report.json").chmod(0)
    assert "cannot be read" in load_catalog(folder).report.broken[0].reason


def test_a_place_without_tools_is_an_error_that_says_what_was_expected(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no such file or folder"):
        load_catalog(tmp_path / "nothing")
    with pytest.raises(FileError, match=r"there is no tool file here; expected <category>/<tool>\.json"):
        load_catalog(tmp_path)
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "a.json").write_bytes(b"{}")
    with pytest.raises(FileError, match="no such folder of response examples"):
        load_catalog(tmp_path / "tools", examples=tmp_path / "nothing")


PETS = """
openapi: 3.0.0
info: {title: Pet Store, version: 1.0, description: Pets, by name.}
x-shared: &named
  in: query
  required: true
paths:
  /pets/{id}:
    get:
      operationId: Find Pet
      description: |
        Finds a pet,
        by its number.
      parameters:
        - {name: id, in: path, required: true, schema: {type: integer, default: 12}}
        - <<: *named
          name: born
          schema: {type: string, default: 2024-01-31}
      responses:
        200: {description: no}
"""


def test_an_openapi_document_in_yaml_is_read_as_one_in_json_is(tmp_path: Path) -> None:
    document = tmp_path / "tools" / "petstore.yaml"
    document.parent.mkdir()
    document.write_text(PETS.replace("Pets, by name.", "'Pets, by name.'"), "utf-8")
    (tmp_path / "tools" / "compose.yml").write_text("services: {a: {image: b}}", "utf-8")
    for where in (document, document.parent):
        catalog = load_catalog(where)
        assert catalog.report.broken == ()
        (api,) = catalog.apis
        assert (api.id.tool, api.id.api, api.method) == ("Pet Store", "Find Pet", "GET")
        defaults = {parameter.name: parameter.default for parameter in api.parameters}
        assert defaults == {"id": 12, "born": "2024-01-31"}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("services: {}", "it is YAML and no OpenAPI document; write other documents as JSON"),
        ("openapi: 3.0.0", "its 'paths' must be an object"),
        ("openapi: [", "it is not YAML:"),
        ("openapi: 3.0.0\n? [a]\n: b", "a key in it is no text"),
        ("openapi: 3.0.0\nx: " + "[" * 1000 + "]" * 1000, "it is nested too deeply"),
        ("openapi: 3.0.0\nx: " + "[" * 300_000, "it is nested too deeply"),
        ("openapi: 3.0.0\nx: &a [*a]", "it is nested too deeply"),
        (
            "a: &a [1,1,1,1,1,1,1,1,1,1]\n"
            + "".join(
                f"{two}: &{two} [{', '.join([f'*{one}'] * 10)}]\n" for one, two in zip("abcdef", "bcdefg", strict=True)
            )
            + "openapi: 3.0.0",
            "it holds too many values",
        ),
        ("openapi: 3.0.0\nx: !!python/object/apply:os.system [ls]", "its 'paths' must be an object"),
    ],
)
def test_yaml_that_cannot_be_read_is_named_with_the_reason(tmp_path: Path, text: str, reason: str) -> None:
    document = tmp_path / "petstore.yaml"
    document.write_text(text, "utf-8")
    (broken,) = load_catalog(document).report.broken
    assert broken.reason.startswith(reason)


def test_the_order_of_files_is_fixed(write: Write) -> None:
    folder = write("Data/c.json", {"api_list": [{"name": "x"}]})
    for name in ("a", "b"):
        write(f"Data/{name}.json", {"api_list": [{"name": "x"}]})
    assert [found.stem for found in find_documents(folder)[0]] == ["a", "b", "c"]


def test_the_second_load_comes_from_the_index(write: Write, weather_tool: dict[str, Any], tmp_path: Path) -> None:
    write("Weather/broken.json", b"{")
    folder = write("Weather/sky_report.json", weather_tool)
    index = tmp_path / "cache" / "catalogue.index"
    first = load_catalog(folder, index=index)
    second = load_catalog(folder, index=index)
    assert (first.report.from_index, second.report.from_index) == (False, True)
    assert first.tools == second.tools
    assert first.report.broken == second.report.broken
    assert second.report.broken
    assert first.content_id == second.content_id


def test_any_change_of_a_file_is_noticed(write: Write, weather_tool: dict[str, Any], tmp_path: Path) -> None:
    folder = write("Weather/sky_report.json", weather_tool)
    file, index = folder / "Weather" / "sky_report.json", tmp_path / "index"
    load_catalog(folder, index=index)
    before = file.stat()
    file.write_text(json.dumps(weather_tool).replace("Sky", "Sea"), "utf-8")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    changed = load_catalog(folder, index=index)
    assert (changed.report.from_index, changed.tools[0].name) == (False, "Sea Report")
    write("Weather/another.json", {"api_list": [{"name": "x"}]})
    assert len(load_catalog(folder, index=index)) == 3
    file.unlink()
    assert len(load_catalog(folder, index=index)) == 1


def test_an_index_that_is_broken_anywhere_is_made_again(
    write: Write, weather_tool: dict[str, Any], tmp_path: Path
) -> None:
    folder = write("Weather/sky_report.json", weather_tool)
    index = tmp_path / "index"
    expected = load_catalog(folder, index=index).tools
    whole = index.read_bytes()
    for position in range(0, len(whole), 7):
        damaged = bytearray(whole)
        damaged[position] ^= 0xFF
        for content in (bytes(damaged), whole[:position]):
            index.write_bytes(content)
            catalog = load_catalog(folder, index=index)
            assert catalog.report.from_index is False
            assert catalog.tools == expected
    assert load_catalog(folder, index=index).report.from_index is True


def test_an_index_that_cannot_be_written_is_a_note_and_no_error(
    write: Write, weather_tool: dict[str, Any], tmp_path: Path
) -> None:
    folder = write("Weather/sky_report.json", weather_tool)
    (tmp_path / "file").write_bytes(b"")
    catalog = load_catalog(folder, index=tmp_path / "file" / "index")
    assert len(catalog) == 2
    assert "could not be written" in catalog.report.note
    assert "could not be written" in load_catalog(folder, index=folder).report.note
    assert list(tmp_path.glob(".*")) == []
