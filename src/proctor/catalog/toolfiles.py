"""The documents of the ToolBench family, from plain data to records.

A tool's file and a query's `api_list` describe an API in the same way under different keys (`name`, `api_name`); both
are read here. Real files leave things out and mistype others, so every field is looked at before it is believed, and
an API that cannot be read is named with its reason while the rest of its file is kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from proctor.records.queries import ApiId, ApiSpec, Parameter, ToolSpec

MAX_EXAMPLE_BYTES = 4096
"""A longer example of a response is not kept: it would be most of the catalogue."""


class ToolDocument(msgspec.Struct):
    """A tool's file, as far as it is looked at; the APIs stay JSON text until each is read for itself."""

    tool_name: Any = None
    name: Any = None
    title: Any = None
    standardized_name: Any = None
    tool_description: Any = None
    description: Any = None
    category: Any = None
    category_name: Any = None
    api_list: list[msgspec.Raw] | None = None


class ApiDocument(msgspec.Struct):
    """One API's document, under the keys of tool files and of query files."""

    name: Any = None
    api_name: Any = None
    tool_name: Any = None
    category_name: Any = None
    description: Any = None
    api_description: Any = None
    tool_description: Any = None
    required_parameters: Any = None
    optional_parameters: Any = None
    method: Any = None
    url: Any = None
    schema: Any = None
    template_response: Any = None
    test_endpoint: msgspec.Raw = msgspec.Raw(b"null")


class UnreadableError(ValueError):
    """A document is not what it has to be; the text is the reason, and ends up in the `LoadReport`."""


_tool_document = msgspec.json.Decoder(ToolDocument)
_api_document = msgspec.json.Decoder(ApiDocument)


def tool_document(text: bytes) -> ToolDocument | None:
    """The document of a tool, decoded; None for a document of another kind."""
    try:
        document: ToolDocument = decoded(text, _tool_document)
    except UnreadableError:
        return None
    return document if document.api_list is not None else None


def read_tool(document: ToolDocument, category: str, stem: str) -> tuple[ToolSpec, list[str]]:
    """Read the file of one tool, and say which of its APIs could not be read.

    The category is the folder's where there is a folder, else the document's own; a tool without a name has the file's.
    """
    category = category or first_text(document.category, document.category_name)
    name = first_text(document.tool_name, document.name, document.title, document.standardized_name) or stem
    apis: list[ApiSpec] = []
    problems: list[str] = []
    for index, item in enumerate(document.api_list or ()):
        try:
            apis.append(api_spec(decoded(bytes(item), _api_document), category, name))
        except UnreadableError as error:
            problems.append(f"api_list[{index}]: {error}")
    description = first_text(document.tool_description, document.description)
    return ToolSpec(category, name, description, tuple(apis)), problems


def read_single_api(text: bytes, category: str, tool: str, stem: str) -> tuple[str, ApiSpec]:
    """Read a file that holds one API; also says what it has to say about its tool."""
    document = decoded(text, _api_document)
    if first_text(document.name, document.api_name) == "" and document.description is document.api_description is None:
        raise UnreadableError("it has neither a name nor a description, so it is no API's file")
    tool = first_text(document.tool_name) or tool
    return first_text(document.tool_description), api_spec(document, category, tool, stem)


def read_listed_api(item: bytes | Mapping[str, Any]) -> ApiSpec:
    """Read one item of a query's `api_list`, from JSON text or from plain data."""
    text = item if isinstance(item, bytes) else msgspec.json.encode(item)
    document = decoded(text, _api_document)
    return api_spec(document, first_text(document.category_name), first_text(document.tool_name))


def api_spec(document: ApiDocument, category: str, tool: str, stem: str = "") -> ApiSpec:
    """The record of an API whose document has been decoded."""
    name = first_text(document.api_name, document.name) or stem
    if not name:
        raise UnreadableError("it has no name")
    if not tool:
        raise UnreadableError(f"the API {name!r} belongs to no tool")
    return ApiSpec(
        id=ApiId(category, tool, name),
        description=first_text(document.api_description, document.description),
        required=_parameters(document.required_parameters, "required_parameters"),
        optional=_parameters(document.optional_parameters, "optional_parameters"),
        method=first_text(document.method) or "GET",
        template_response=_template(document),
        url=first_text(document.url) or None,
    )


def read_response_examples(text: bytes) -> dict[str, Any]:
    """Read a file of `response_examples`: what the answers of a tool's APIs look like, by the API's name."""
    document = decoded(text, _examples)
    examples: dict[str, Any] = {}
    for item in document.api_list or ():
        name, schema = item.get("name"), item.get("schema")
        if isinstance(name, str) and not _is_empty(schema):
            examples[name] = schema
    return examples


class _Examples(msgspec.Struct):
    api_list: list[dict[str, Any]] | None = None


_examples = msgspec.json.Decoder(_Examples)


def with_examples(tool: ToolSpec, examples: Mapping[str, Any]) -> ToolSpec:
    """The tool, with `template_response` where its own file had none or a poorer one."""
    return msgspec.structs.replace(
        tool,
        apis=tuple(
            msgspec.structs.replace(api, template_response=examples[api.id.api]) if api.id.api in examples else api
            for api in tool.apis
        ),
    )


def decoded(text: bytes, decoder: msgspec.json.Decoder[Any]) -> Any:
    """Decode JSON; what is wrong with it becomes the reason of an `UnreadableError`."""
    if not text.strip():
        raise UnreadableError("it is empty")
    try:
        return decoder.decode(text.removeprefix(b"\xef\xbb\xbf"))
    except msgspec.ValidationError as error:
        raise UnreadableError(f"it is not shaped as it should be: {error}") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UnreadableError(f"it is not JSON: {error}") from None
    except RecursionError:
        raise UnreadableError("it is nested too deeply") from None


def first_text(*values: Any) -> str:
    """The first value that is text with something in it, else nothing."""
    return next((value for value in values if isinstance(value, str) and value.strip()), "")


def _parameters(listed: Any, where: str) -> tuple[Parameter, ...]:
    if listed is None or listed == {}:
        return ()
    if not isinstance(listed, list):
        raise UnreadableError(f"{where} must be a list, not {type(listed).__name__}")
    return tuple(_parameter(item, f"{where}[{index}]") for index, item in enumerate(listed) if item)


def _parameter(item: Any, where: str) -> Parameter:
    if not isinstance(item, dict):
        raise UnreadableError(f"{where} must be an object, not {type(item).__name__}")
    name = item.get("name")
    if not isinstance(name, str):
        raise UnreadableError(f"{where} has no name")
    return Parameter(
        name=name,
        type=first_text(item.get("type")) or "STRING",
        description=first_text(item.get("description")),
        default=item.get("default"),
    )


def _template(document: ApiDocument) -> Any:
    """What an answer looks like: a schema before an example, and nothing rather than an empty one."""
    for shown in (document.schema, document.template_response):
        if not _is_empty(shown):
            return shown
    example = bytes(document.test_endpoint)
    if len(example) > MAX_EXAMPLE_BYTES:
        return None
    value = msgspec.json.decode(example)
    return None if _is_empty(value) else value


def _is_empty(value: Any) -> bool:
    return value is None or value in ("", {}, [])
