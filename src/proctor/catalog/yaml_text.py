"""YAML as plain data: what JSON can hold, and no more. Pure."""

from __future__ import annotations

import re
from typing import Any

from proctor.catalog.toolfiles import UnreadableError, first_text

__all__ = ["may_be_openapi", "read_yaml"]

_OPENAPI = re.compile(rb"""^["']?(?:openapi|swagger)["']?\s*:""", re.MULTILINE)
_MOST_VALUES = 2_000_000
"""A document with more values is none: references inside YAML may stand for any number of them."""
_DEEPEST = 200


def may_be_openapi(text: bytes) -> bool:
    """Whether a YAML text says of itself that it is an OpenAPI document; other YAML is somebody else's."""
    return _OPENAPI.search(text) is not None


def read_yaml(text: bytes) -> Any:
    """The document in a YAML text. Dates and the like stay the text that they are; nothing is constructed."""
    import yaml

    kind = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        _refuse_depth(yaml, text, kind)
        return _composed(yaml, kind(text))
    except UnreadableError:
        raise
    except (yaml.YAMLError, UnicodeError, ValueError) as error:
        where = getattr(error, "problem_mark", None)
        said = first_text(getattr(error, "problem", None), str(error)).split("\n", maxsplit=1)[0]
        place = f" (line {where.line + 1})" if where is not None else ""
        raise UnreadableError(f"it is not YAML: {said}{place}") from None
    except RecursionError:
        raise UnreadableError("it is nested too deeply") from None


def _refuse_depth(yaml: Any, text: bytes, kind: Any) -> None:
    """Refuse what the fast composer, which is recursive and looks at no limit, would die of."""
    depth = 0
    for event in yaml.parse(text, Loader=kind):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > _DEEPEST:
                raise UnreadableError("it is nested too deeply")
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


def _composed(yaml: Any, loader: Any) -> Any:
    try:
        node = loader.get_single_node()
        return _Plain(loader, yaml).value(node) if node is not None else None
    finally:
        loader.dispose()


class _Plain:
    """Turns the nodes of one text into plain data, and counts what it makes."""

    def __init__(self, loader: Any, yaml: Any) -> None:
        self._loader = loader
        self._mapping = yaml.MappingNode
        self._sequence = yaml.SequenceNode
        self._made = 0

    def value(self, node: Any, depth: int = 0) -> Any:
        """What a node holds."""
        self._made += 1
        if self._made > _MOST_VALUES:
            raise UnreadableError("it holds too many values; its references stand for more than a document has")
        if depth > _DEEPEST:
            raise UnreadableError("it is nested too deeply")
        if isinstance(node, self._mapping):
            self._loader.flatten_mapping(node)
            return {self._name(key): self.value(item, depth + 1) for key, item in node.value}
        if isinstance(node, self._sequence):
            return [self.value(item, depth + 1) for item in node.value]
        kind = node.tag.removeprefix("tag:yaml.org,2002:")
        if kind in {"int", "float", "bool", "null"}:
            made = self._loader.construct_object(node)
            return made if made == made and made not in (float("inf"), float("-inf")) else node.value  # noqa: PLR0124
        return node.value

    def _name(self, node: Any) -> str:
        if not isinstance(node.value, str):
            raise UnreadableError("a key in it is no text")
        return str(node.value)
