"""The parts of the pages that are read from the code. cog writes them into the pages: `make docs`."""

import csv
import enum
import importlib
import inspect
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import types
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import click

from proctor import errors, starter
from proctor.cli import proctor
from proctor.formats.stabletoolbench.queries import read_queries
from proctor.metrics import registry
from proctor.metrics.options import Option
from proctor.records.gold import read_gold
from proctor.records.queries import Expected
from proctor.records.ways import ways
from proctor.runs.selftest import KNOWN, PROBES, Grader

ROOT = Path(__file__).parents[1]
WIDTH = 100
SEAMS = (
    "proctor",
    "proctor.dataset_schema",
    "proctor.messages",
    "proctor.metrics",
    "proctor.metrics.base",
    "proctor.metrics.collections",
    "proctor.judges.judge",
    "proctor.models.chat",
    "proctor.models.openai",
    "proctor.models.cached",
    "proctor.models.scripted",
    "proctor.models.adapt",
    "proctor.agents.agent",
    "proctor.agents.scripted",
    "proctor.gateway.gateway",
    "proctor.gateway.source",
    "proctor.gateway.canned",
    "proctor.records.queries",
    "proctor.records.gold",
    "proctor.records.traces",
    "proctor.records.answers",
    "proctor.records.grades",
    "proctor.records.runs",
    "proctor.stats.intervals",
    "proctor.stats.estimates",
    "proctor.stats.comparisons",
    "proctor.stats.agreement",
    "proctor.stats.calibration",
    "proctor.starter",
    "proctor.pytest_plugin",
)
"""The modules that people write code against."""
LONGEST_SIGNATURE = 90
_SECONDS = re.compile(r"(?<=spent       )[\d.]+ s$")
"""What differs each time."""


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
        needs = ", ".join(f"`{field}`".replace(" or ", "` or `") for field in entry.needs)
        options = "; ".join(f"`{option.name}`: {_values(option)}" for option in entry.options.values())
        rows.append(f"| `{name}` | {entry.says}{asks} | {needs} | {options} |")
    rows += [f"| `{one.name}` | {one.says} | {one.needs}: `{one.given_by}` |  |" for one in registry.OF_RUNS]
    return "\n".join(["", *rows, "", ""])


def _values(option: Option) -> str:
    default = "" if option.default is None else f" (`{option.default}`)"
    return f"{option.allowed}{default}".replace("|", "\\|")


def command_help() -> str:
    """What every command says of itself."""
    parts = [""]
    for name, text in _helps(proctor, "proctor", None):
        parts += [f"## `{name}`", "", "```text", text, "```", ""]
    return "\n".join([*parts, ""])


def _helps(command: click.Command, name: str, parent: click.Context | None) -> Iterator[tuple[str, str]]:
    context = click.Context(command, info_name=name, parent=parent, terminal_width=WIDTH)
    yield context.command_path, command.get_help(context)
    if isinstance(command, click.Group):
        for verb in command.list_commands(context):
            within = command.get_command(context, verb)
            assert within is not None
            yield from _helps(within, verb, context)


def printed(line: str) -> str:
    """A command, and what it prints: `proctor …` as if it stood alone in a terminal of a hundred columns."""
    words = shlex.split(line)
    commands = {
        "proctor": [sys.executable, "-c", "from proctor.cli import main; main()", *words[1:]],
        "make": [sys.executable, str(ROOT / "examples/demo.py")],
    }
    with tempfile.TemporaryDirectory() as empty:
        done = subprocess.run(  # noqa: S603 - our own commands
            commands[words[0]],
            cwd=empty if words[0] == "make" else ROOT,
            env={**os.environ, "COLUMNS": str(WIDTH), "NO_COLOR": "1"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
    if done.returncode not in {0, 100}:
        raise SystemExit(f"{line} failed: {done.stderr}")
    said = "\n".join(_SECONDS.sub("… s", part.rstrip()) for part in done.stdout.splitlines())
    return f"\n```text\n$ {line}\n{said}\n```\n"


def selftest_probes() -> str:
    """The probes of `proctor selftest`, with what each grader should say of them."""
    rows = ["| Probe | What it does | Judge | API calls | Trajectory |", "|---|---|---|---|---|"]
    words = {True: "accepts", False: "rejects", None: ""}
    for probe in PROBES:
        expected = " | ".join(words[probe.expected(grader)] for grader in Grader)
        rows.append(f"| `{probe.name}` | {probe.says} | {expected} |")
    return "\n".join(["", *rows, "", ""])


def selftest_known() -> str:
    """What graders are known to mistake."""
    rows = ["| Grader | Probes | Why |", "|---|---|---|"]
    reasons: dict[tuple[str, str], list[str]] = {}
    for (grader, probe), reason in KNOWN.items():
        reasons.setdefault((grader, reason), []).append(f"`{probe}`")
    rows += [f"| {grader} | {', '.join(probes)} | {reason} |" for (grader, reason), probes in reasons.items()]
    return "\n".join(["", *rows, "", ""])


def starter_categories() -> str:
    """The starter's categories with their tools, how many APIs each has, and how many there are in all."""
    rows = ["| Category | Tools, with their APIs | APIs |", "|---|---|---|"]
    tools = starter.tools()
    categories = sorted({tool.category for tool in tools})
    for category in categories:
        own = [tool for tool in tools if tool.category == category]
        named = ", ".join(f"{tool.name} ({len(tool.apis)})" for tool in own)
        rows.append(f"| {category} | {named} | {sum(len(tool.apis) for tool in own)} |")
    apis = sum(len(tool.apis) for tool in tools)
    queries = sum(len(read_queries(path)) for path in starter.sets().values())
    total = f"{len(categories)} categories, {len(tools)} tools, {apis} APIs, {queries} queries."
    return "\n".join(["", total, "", *rows, "", ""])


def starter_sets() -> str:
    """The starter's test sets: what they ask for, and how many queries and calls there are."""
    rows = ["| Set | What it asks for | Queries | Gold calls |", "|---|---|---|---|"]
    for name, path in starter.sets().items():
        queries = read_queries(path)
        lengths = [
            min(sum(not call.optional for call in way) for way in ways(read_gold(list(query.calls))))
            for query in queries
        ]
        calls = f"{min(lengths)} to {max(lengths)}" if max(lengths) else "none"
        rows.append(f"| `{name}` | {_SETS[name]} | {len(queries)} | {calls} |")
    return "\n".join(["", *rows, "", ""])


_SETS = {
    "single": "what one tool has",
    "multi": "what several tools of a category have together",
    "mixed": "what lies across categories",
    "unsolvable": "what no API has: it is not held, or nothing can do it",
    "off-topic": "what the tools are not there for",
    "refusal": "what must not be done: other people's private data, harm",
}


def python_reference() -> str:
    """What each module that people write code against offers: signature, and what it says of itself."""
    parts = [""]
    for path in SEAMS:
        module = importlib.import_module(path)
        parts += [f"## `{path}`", "", _doc(module), ""]
        for name in offered(module):
            value = getattr(module, name)
            if callable(value) and not isinstance(value, types.GenericAlias | types.UnionType):
                parts += [f"### `{name}`", "", "```text", _signature(name, value), "```", "", _doc(value), ""]
    return "\n".join(parts)


def offered(module: types.ModuleType) -> list[str]:
    """The names that a module offers: those of its list, or what was made in it."""
    listed = getattr(module, "__all__", None)
    if listed is not None:
        return [name for name in listed if not name.startswith("__")]
    own = vars(module).items()
    return sorted(
        name
        for name, value in own
        if not name.startswith("_") and getattr(value, "__module__", None) == module.__name__ and callable(value)
    )


def _signature(name: str, value: object) -> str:
    if inspect.isclass(value) and issubclass(value, enum.Enum):
        return f"{name}: {', '.join(member.name for member in value)}"
    if inspect.isclass(value) and getattr(value, "_is_protocol", False):
        return f"{name} (a protocol)"
    try:
        parameters = [
            one.replace(annotation=inspect.Parameter.empty)
            for one in inspect.signature(value).parameters.values()  # type: ignore[arg-type]
        ]
    except (TypeError, ValueError):
        return name
    # What depends on the machine (an address in memory, a path) says nothing to a reader.
    words = [f"{one.name}=…" if re.search("<|Path\\(", str(one)) else str(one) for one in parameters]
    flat = f"{name}({', '.join(words)})"
    return flat if len(flat) <= LONGEST_SIGNATURE else f"{name}(\n    " + ",\n    ".join(words) + ",\n)"


def _doc(value: object) -> str:
    """What it says of itself: the first paragraphs, without lists and examples."""
    doc = inspect.getdoc(value) or ""
    if doc.startswith("Create a new instance"):
        doc = ""
    paragraphs = [part for part in doc.split("\n\n") if ">>>" not in part and "\n " not in part]
    return " ".join(" ".join(part.split()) for part in paragraphs[:2])


def starter_conversations() -> str:
    """What the starter's conversations show, and how many reach their goal."""
    talks = [json.loads(line) for line in starter.conversations().read_text("utf-8").splitlines()]
    notes = [talk["user_input"][0]["metadata"] for talk in talks]
    rows = ["| Shows | Conversations | Goal reached |", "|---|---|---|"]
    for kind, count in Counter(note["shows"] for note in notes).most_common():
        reached = sum(note["shows"] == kind and note["goal"] == "reached" for note in notes)
        rows.append(f"| {kind} | {count} | {reached} |")
    total = sum(note["goal"] == "reached" for note in notes)
    return "\n".join(["", *rows, f"| all | {len(notes)} | {total} |", "", ""])


_SHOWN = 3
"""So many answers of a kind have a line of their own."""


def starter_labels() -> str:
    """How the rubric stands to the labels of the starter's answers, by batch and by what the answers are."""
    rows = list(csv.DictReader(starter.labels().read_text("utf-8").splitlines()))
    wanted = {query.id: query.expected for path in starter.sets().values() for query in read_queries(path)}
    counts = Counter(row["kind"] for row in rows)
    for row in rows:
        row["kind"] = row["kind"] if counts[row["kind"]] >= _SHOWN else "others that tempt"
        row["asked"] = "that want an answer" if wanted[row["query_id"]] is Expected.ANSWER else "rightly declined"
    lines = ["| Answers | Labelled | Good ones that pass | Bad ones that pass | Agreement |", "|---|---|---|---|---|"]
    groups = [("batch", name, f"the batch `{name}`") for name in dict.fromkeys(row["batch"] for row in rows)]
    groups += [("asked", name, f"to queries {name}") for name in ("that want an answer", "rightly declined")]
    groups += [("kind", name, name) for name, _ in Counter(row["kind"] for row in rows).most_common()]
    for field, name, shown in groups:
        here = [row for row in rows if row[field] == name]
        good = [row["judge"] == "Solved" for row in here if row["human"] == "Solved"]
        bad = [row["judge"] == "Solved" for row in here if row["human"] != "Solved"]
        agreed = sum(good) + len(bad) - sum(bad)
        shares = f"{sum(good)} of {len(good)} | {sum(bad)} of {len(bad)}"
        lines.append(f"| {shown} | {len(here)} | {shares} | {agreed / len(here):.0%} |")
    return "\n".join(["", *lines, "", ""])
