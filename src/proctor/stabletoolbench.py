"""The vocabulary of StableToolBench's evaluation: loading queries, running an agent over them, results in its form.

Each name is a short way to what Proctor does under its own names; `proctor.run` and `proctor run` do the same and more.
"""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from proctor import json_text
from proctor.agents.agent import Agent
from proctor.catalog.index import Catalog
from proctor.errors import FileError, OptionError
from proctor.formats.stabletoolbench.converted import ConvertedAnswer, read_converted_answer
from proctor.formats.stabletoolbench.pass_rates import RECORDED, status_of
from proctor.formats.stabletoolbench.queries import query_of, read_query_documents, read_query_ids
from proctor.formats.stabletoolbench.query_folders import query_files
from proctor.formats.stabletoolbench.results import available_tools, gold_pairs, result_of, written_results
from proctor.formats.stabletoolbench.traced import trace_of
from proctor.gateway.policy import of_flag
from proctor.metrics.blocking import wait_for
from proctor.models.chat import ChatModel
from proctor.records.grades import Missing, Verdict
from proctor.records.queries import ApiId, ApiSpec, Query
from proctor.records.runs import Trial, TrialKey
from proctor.runs.resulting import graded, summary_of
from proctor.store.artifacts import unwritable, write_whole
from proctor.wiring.agents import AGENTS
from proctor.wiring.exams import Ended
from proctor.wiring.outsiders import maker_of_kind
from proctor.wiring.sitting import Options, arun

__all__ = ["AnswerValidator", "QAPipeline", "QueryLoader", "ResultFormatter", "ResultSaver"]

Place = str | os.PathLike[str]
_IDS = "test_query_ids"
_NOBODY = Missing("nobody has judged it yet")


class QueryLoader:
    """Reads query files, `<set>.json`, and leaves out what no id file names.

    The folders may be those themselves, or `solvable_queries` with both in it.
    """

    def __init__(self, query_instruction_dir: Place, query_ids_dir: Place | None = None) -> None:
        self.query_instruction_dir = Path(query_instruction_dir)
        self.query_ids_dir = None if query_ids_dir is None else Path(query_ids_dir)

    def load_queries(self, test_set: str, max_queries: int | None = None) -> list[dict[str, Any]]:
        """The queries of a set as their file has them, each with its `query_id` as text; the first so many of them."""
        files = query_files(self.query_instruction_dir)
        if test_set not in files:
            known = ", ".join(sorted(files))
            raise FileError(
                f"there is no test set {test_set!r} here; sets are {known}.", path=str(self.query_instruction_dir)
            )
        ids = None if self.query_ids_dir is None else read_query_ids(_id_file(self.query_ids_dir, test_set))
        if max_queries is not None and max_queries < 1:
            raise OptionError(f"max_queries is at least 1 query, or None for all, not {max_queries}.")
        return read_query_documents(files[test_set], ids=ids)[:max_queries]

    @staticmethod
    def extract_gold_tool_calls(query: Mapping[str, Any] | Query) -> list[list[str]]:
        """The APIs that a query needs, each once, as `[tool, API]`."""
        return gold_pairs(query_of(query))

    @staticmethod
    def extract_available_tools(query: Mapping[str, Any] | Query) -> list[dict[str, Any]]:
        """The tools of a query's own list: `{"category", "tool_name", "apis": [{"api_name", "api_description"}]}`."""
        return available_tools(query_of(query))


class QAPipeline:
    """Sets an agent the queries of a benchmark, its calls answered by the gateway.

    `model` is a framework (an object with `setup_tools(all_tools)` and `answer(query)`, its class, or what makes one),
    an agent, the name of either, or a model, which then acts by function calling. `tool_dir` holds the tool files; with
    None, the tools are those that the queries document. With `use_mirrorapi_cache`, calls are answered from the cache
    and by a simulator; without it, by the live API.
    """

    def __init__(self, tool_dir: Place | None, query_dir: Place, model: Any, use_mirrorapi_cache: bool = True) -> None:
        self.tool_dir = tool_dir
        self.query_dir = Path(query_dir)
        self.model = model
        self.use_mirrorapi_cache = use_mirrorapi_cache
        self.ended: Ended | None = None
        """The last run, with its record and its figures."""

    def run(self, test_set: str | Sequence[str] = (), max_queries: int | None = None, **options: Any) -> dict[str, Any]:
        """Run the agent over these sets (all that there are without one), and return the document of the result file.

        `options` are those of `proctor.run`, such as `simulator`, `cache` and `judge`.
        """
        return wait_for(lambda: self.arun(test_set, max_queries, **options))

    async def arun(
        self, test_set: str | Sequence[str] = (), max_queries: int | None = None, **options: Any
    ) -> dict[str, Any]:
        """`run` for code that is async."""
        said: dict[str, Any] = {"benchmark": "stabletoolbench", "data": self.query_dir, "tool_dir": self.tool_dir}
        said |= {"test_set": test_set, "limit": max_queries, "policy": of_flag(self.use_mirrorapi_cache).name}
        places = (self.query_dir / _IDS, self.query_dir / "solvable_queries" / _IDS)
        said["ids"] = next((place for place in places if place.is_dir()), None)
        self.ended = await arun(**{**said, **_sitting(self.model), **options})
        document: dict[str, Any] = msgspec.json.decode(self.ended.result.read_bytes())
        return document


class AnswerValidator:
    """Looks whether an answer has the form that StableToolBench wants."""

    @staticmethod
    def check_has_finish(answer: Any) -> bool:
        """Whether the last call that an answer's `answer_details` tell of is Finish.

        The answer may be `{"answer": {…}}`, the inner part alone, or text, which tells of no call.
        """
        return _converted(answer, "").has_finish


class ResultFormatter:
    """Makes results, their summary, and the whole document of a result file."""

    @staticmethod
    def format_result(
        query: Mapping[str, Any] | Query,
        answer: Any,
        verdict: Verdict | Missing | str = _NOBODY,
        evaluation_method: str = "official",
        evaluation_time: float = 0.0,
    ) -> dict[str, Any]:
        """One result: the query with its gold, the answer as it was given, its scores and the verdict on it.

        A verdict is a judge's, or the status alone: `Solved`, `Unsure` or `Unsolved`.
        """
        asked = query_of(query)
        given = _converted(answer, asked.id)
        said = Verdict(status_of(verdict), "", RECORDED) if isinstance(verdict, str) else verdict
        trace = trace_of(given, asked, _catalog(asked)).value
        trial = Trial(TrialKey(asked.test_set, asked.id), asked, trace, (said,), evaluation_time)
        kept = {"final_answer": given.final_answer, "answer_details": _details(answer), "has_finish": given.has_finish}
        return result_of(asked, msgspec.structs.replace(graded(trial, evaluation_method), **kept))

    @staticmethod
    def calculate_summary(results: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """The summary of results: counts, percentages and means over what was measured, null where nothing was."""
        return summary_of(results)

    @staticmethod
    def format_final_results(
        results: Sequence[Mapping[str, Any]],
        framework: str,
        config: Mapping[str, Any] | None = None,
        overall_time: float | None = None,
        timestamp: str | None = None,
    ) -> dict[str, Any]:
        """The document of a result file: `metadata`, `summary` and `results`."""
        summary = summary_of(results)
        known = {"num_queries": summary["total_queries"], **(config or {})}
        timestamp = timestamp or dt.datetime.now(dt.UTC).isoformat()
        metadata = {"framework": framework, "config": known, "overall_time": overall_time, "timestamp": timestamp}
        return written_results(metadata, summary, results)


class ResultSaver:
    """Keeps documents in a folder."""

    def __init__(self, results_dir: Place) -> None:
        self.results_dir = Path(results_dir)

    def save(self, data: Any, filename: str) -> Path:
        """Write a document as JSON, whole or not at all, and return where it stands. `.json` may be left out.

        InputError for what JSON does not have: NaN, infinity.
        """
        if not filename or Path(filename).name != filename:
            raise OptionError(f"a file's name is wanted, such as react_default.json, not {filename!r}.")
        plain = msgspec.to_builtins(data, str_keys=True, enc_hook=json_text.plain)
        json_text.refuse_foreign(plain)
        path = self.results_dir / (filename if filename.endswith(".json") else f"{filename}.json")
        try:
            self.results_dir.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise unwritable(str(self.results_dir), error) from None
        write_whole(path, msgspec.json.format(msgspec.json.encode(plain)) + b"\n")
        return path


def _details(answer: Any) -> Any:
    """What an answer says that it did, as it was given; nothing where it is text alone."""
    inner = answer.get("answer", answer) if isinstance(answer, Mapping) else None
    return (inner.get("answer_details") if isinstance(inner, Mapping) else None) or []


def _converted(answer: Any, query_id: str) -> ConvertedAnswer:
    inner = answer.get("answer", answer) if isinstance(answer, Mapping) else answer
    known = dict(inner) if isinstance(inner, Mapping) else {"final_answer": inner}
    return read_converted_answer({"answer": {**known, "answer_details": _details(answer)}}, query_id)


def _catalog(query: Query) -> Catalog:
    """The APIs that a query documents, and those that it needs, documented or not."""
    known = {(api.id.tool, api.id.api) for api in query.apis}
    needed = [ApiId(gold.category or "", gold.tool, gold.api) for gold in query.gold]
    return Catalog.of_apis([*query.apis, *(ApiSpec(api) for api in needed if (api.tool, api.api) not in known)])


def _id_file(folder: Path, test_set: str) -> Path:
    inside = folder / _IDS / f"{test_set}.json"
    return inside if inside.is_file() else folder / f"{test_set}.json"


def _sitting(model: Any) -> Options:
    """Who sits the exam, as `proctor.run` is told it."""
    if isinstance(model, str):
        known = model in AGENTS or maker_of_kind(model) is not None
        return {"agent": model} if known else {"agent": "react", "model": model}
    if isinstance(model, ChatModel) and not isinstance(model, Agent):
        return {"agent": "react", "model": model}
    return {"agent": model}
