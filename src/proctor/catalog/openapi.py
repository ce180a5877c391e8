"""An OpenAPI 3 document as a tool: every operation is an API."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from proctor.catalog.references import resolved
from proctor.catalog.toolfiles import UnreadableError, first_text
from proctor.records.queries import ApiId, ApiSpec, Parameter, ToolSpec

CATEGORY = "OpenAPI"
"""The category of a tool that comes from an OpenAPI document, unless another is named."""

_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
_PLACES = frozenset({"path", "query", "header", "cookie"})


def is_openapi(document: Any) -> bool:
    """Whether plain data says of itself that it is an OpenAPI (or Swagger) document."""
    return isinstance(document, dict) and ("openapi" in document or "swagger" in document)


def read_openapi(document: Mapping[str, Any], stem: str, category: str = CATEGORY) -> tuple[ToolSpec, list[str]]:
    """Read an OpenAPI 3 document, and say which of its operations could not be read."""
    version = str(document.get("openapi", document.get("swagger")))
    if not version.startswith("3."):
        raise UnreadableError(f"it is OpenAPI {version}; only version 3 is read, so convert it first")
    paths = document.get("paths")
    if not isinstance(paths, dict):
        raise UnreadableError("its 'paths' must be an object")
    info = document.get("info")
    info = info if isinstance(info, dict) else {}
    tool = ToolSpec(category, first_text(info.get("title")) or stem, first_text(info.get("description")))
    apis: dict[str, ApiSpec] = {}
    problems: list[str] = []
    for path, method, shared, operation in _operations(document, paths):
        try:
            api = _api(document, tool, (path, method, shared, operation))
        except UnreadableError as error:
            problems.append(f"{method.upper()} {path}: {error}")
            continue
        if apis.setdefault(api.id.api, api) is not api:
            problems.append(f"{method.upper()} {path}: the name {api.id.api!r} is taken by another operation")
    return ToolSpec(tool.category, tool.name, tool.description, tuple(apis.values())), problems


_Operation = tuple[str, str, list[Any], dict[str, Any]]


def _operations(document: Mapping[str, Any], paths: dict[str, Any]) -> Iterator[_Operation]:
    for path, written in paths.items():
        item = resolved(written, document, depth=1)
        if not isinstance(item, dict):
            continue
        shared = item.get("parameters")
        for method in _METHODS:
            if isinstance(operation := item.get(method), dict):
                yield path, method, shared if isinstance(shared, list) else [], operation


def _api(document: Mapping[str, Any], tool: ToolSpec, described: _Operation) -> ApiSpec:
    path, method, shared, operation = described
    own = operation.get("parameters")
    merged: dict[tuple[str, str], tuple[bool, Parameter]] = {}
    for written in [*shared, *(own if isinstance(own, list) else [])]:
        needed, parameter = _parameter(resolved(written, document))
        merged[parameter.place, parameter.name] = needed, parameter
    parameters = [*merged.values(), *_body(resolved(operation.get("requestBody"), document))]
    name = first_text(operation.get("operationId")) or f"{method.upper()} {path}"
    return ApiSpec(
        id=ApiId(tool.category, tool.name, name),
        description=_description(operation),
        required=tuple(parameter for needed, parameter in parameters if needed),
        optional=tuple(parameter for needed, parameter in parameters if not needed),
        method=method.upper(),
        template_response=_example(resolved(operation.get("responses"), document)),
        url=_server(operation, document) + path,
    )


def _description(operation: Mapping[str, Any]) -> str:
    summary, text = first_text(operation.get("summary")), first_text(operation.get("description"))
    return text if summary in text else f"{summary}\n{text}".strip()


def _server(operation: Mapping[str, Any], document: Mapping[str, Any]) -> str:
    servers = operation.get("servers") or document.get("servers")
    first = servers[0] if isinstance(servers, list) and servers else None
    return first_text(first.get("url")).rstrip("/") if isinstance(first, dict) else ""


def _parameter(written: Any) -> tuple[bool, Parameter]:
    if not isinstance(written, dict) or not isinstance(written.get("name"), str):
        raise UnreadableError(f"a parameter has no name: {str(written)[:60]}")
    place = written.get("in")
    if not isinstance(place, str) or place not in _PLACES:
        raise UnreadableError(f"the parameter {written['name']!r} stands in {place!r}, which OpenAPI 3 does not know")
    schema = written.get("schema")
    if schema is None and isinstance(content := written.get("content"), dict):
        schema = next((media.get("schema") for media in content.values() if isinstance(media, dict)), None)
    parameter = _described(written["name"], schema, first_text(written.get("description")), place)
    return place == "path" or written.get("required") is True, parameter


def _body(body: Any) -> Iterator[tuple[bool, Parameter]]:
    """The properties of a JSON body as parameters; a body of another kind is one parameter, `body`."""
    if not isinstance(body, dict) or not isinstance(content := body.get("content"), dict) or not content:
        return
    kind = next((kind for kind in content if "json" in kind), next(iter(content)))
    media = content[kind]
    schema = media.get("schema") if isinstance(media, dict) else None
    needed = body.get("required") is True
    if isinstance(schema, dict) and isinstance(properties := schema.get("properties"), dict):
        required = schema.get("required")
        for name, described in properties.items():
            must = needed and isinstance(required, list) and name in required
            yield must, _described(name, described, "", "body")
    else:
        yield needed, _described("body", schema, first_text(body.get("description")), "body")


def _described(name: str, schema: Any, description: str, place: str) -> Parameter:
    plain = json_schema(schema) if isinstance(schema, dict) else {}
    return Parameter(
        name=name,
        type=_type_word(plain),
        description=description or first_text(plain.get("description")),
        default=plain.get("default"),
        schema=plain,
        place=place,
    )


def _type_word(schema: Mapping[str, Any]) -> str:
    kind = schema.get("type")
    named = [word for word in (kind if isinstance(kind, list) else [kind]) if isinstance(word, str) and word != "null"]
    return named[0].upper() if named else "ANY"


def json_schema(schema: Any) -> Any:
    """OpenAPI 3.0's own dialect as JSON Schema: `nullable`, exclusive bounds that are flags, and `example`."""
    if isinstance(schema, list):
        return [json_schema(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    plain = {
        key: value if key in ("default", "enum", "const", "examples") else json_schema(value)
        for key, value in schema.items()
        if key not in ("nullable", "example", "xml", "discriminator", "externalDocs")
    }
    if isinstance(schema.get("properties"), dict):
        plain["properties"] = {name: json_schema(value) for name, value in schema["properties"].items()}
    if schema.get("nullable") is True and isinstance(plain.get("type"), str):
        plain["type"] = [plain["type"], "null"]
    for bound, limit in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if isinstance(plain.get(bound), bool):
            exclusive = plain.pop(bound)
            if exclusive and limit in plain:
                plain[bound] = plain.pop(limit)
    return plain


def _example(responses: Any) -> Any:
    """What a successful answer looks like: its example, else a skeleton of its schema."""
    if not isinstance(responses, dict):
        return None
    code = next((code for code in sorted(responses) if code.startswith("2")), "default")
    response = responses.get(code)
    content = response.get("content") if isinstance(response, dict) else None
    media = (
        next((kind for name, kind in content.items() if "json" in name), None) if isinstance(content, dict) else None
    )
    if not isinstance(media, dict):
        return None
    if "example" in media:
        return media["example"]
    if isinstance(examples := media.get("examples"), dict) and examples:
        first = next(iter(examples.values()))
        return first.get("value") if isinstance(first, dict) else None
    return skeleton(media.get("schema"))


def skeleton(schema: Any, depth: int = 6) -> Any:
    """A value of the schema's shape in which every leaf is its own example or the word for its type."""
    if not isinstance(schema, dict) or depth == 0:
        return None
    if "example" in schema:
        return schema["example"]
    if isinstance(properties := schema.get("properties"), dict):
        return {name: skeleton(value, depth - 1) for name, value in properties.items()}
    if schema.get("type") == "array":
        return [skeleton(schema.get("items"), depth - 1)]
    words = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "object": {}}
    kind = schema.get("type")
    return words.get(kind) if isinstance(kind, str) else None
