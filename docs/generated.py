"""The parts of the pages that are read from the code. cog writes them into the pages: `make docs`."""

import inspect
from collections.abc import Iterator

from proctor import errors
from proctor.metrics import registry
from proctor.metrics.options import Option


def error_table() -> str:
    """Every error with what it says of itself, the branches of the tree in the order of the code."""
    rows = ["| Error | When | Is also |", "|---|---|---|"]
    for kind in _branches(errors.ProctorError):
        parents = [
            f"`{parent.__name__}`" for parent in kind.__bases__ if parent not in {Exception, errors.ProctorError}
        ]
        rows.append(f"| `{kind.__name__}` | {_first_sentence(kind)} | {', '.join(parents)} |")
    return "\n".join(["", *rows, "", ""])


def _branches(kind: type[Exception]) -> Iterator[type[Exception]]:
    yield kind
    for branch in kind.__subclasses__():
        yield from _branches(branch)


def _first_sentence(kind: type) -> str:
    paragraph = (inspect.getdoc(kind) or "").split("\n\n")[0]
    return " ".join(paragraph.split()).rstrip(".")


def metric_table() -> str:
    """Every metric that the command line knows."""
    rows = ["| Metric | What it says | It needs | Options |", "|---|---|---|---|"]
    for name in registry.names():
        entry = registry.entry(name)
        asks = " It asks a model." if entry.asks_model else ""
        needs = ", ".join(f"`{field}`" for field in entry.needs)
        options = "; ".join(f"`{option.name}`: {_values(option)}" for option in entry.options.values())
        rows.append(f"| `{name}` | {entry.says}{asks} | {needs} | {options} |")
    return "\n".join(["", *rows, "", ""])


def _values(option: Option) -> str:
    default = "" if option.default is None else f" (`{option.default}`)"
    return f"{option.allowed}{default}".replace("|", "\\|")
