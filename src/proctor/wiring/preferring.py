"""Whose answers a judge prefers, by names: who compares, and where what it said is kept."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from proctor.config import Settings
from proctor.errors import OptionError
from proctor.judges.preference import PreferenceJudge
from proctor.judges.templates import load_template
from proctor.records.runs import RunRecord
from proctor.runs.preferring import Preferences, journal_path, pairs_of, prefer
from proctor.store.artifacts import unwritable
from proctor.store.journal import Journal
from proctor.wiring.judges import model_of_judge
from proctor.wiring.models import Models

__all__ = ["comparing_model", "preferences"]


def comparing_model(names: Sequence[str]) -> str:
    """The model that compares answers, by the judge's name. OptionError where there is not one."""
    if len(names) != 1:
        raise OptionError(f"one judge compares two answers, not {len(names)}; name one: --judge openai/gpt-4o.")
    model = model_of_judge(names[0])
    if model is None:
        raise OptionError(
            f"the judge {names[0]!r} asks no model, and only a model can say which answer is better: "
            "--judge openai/gpt-4o."
        )
    return model


async def preferences(
    runs: tuple[RunRecord, RunRecord],
    results: Path,
    settings: Settings,
    *,
    rounds: int = 1,
    test_sets: Collection[str] | None = None,
    advance: Callable[[int, int], object] = lambda _, __: None,
) -> Preferences:
    """Ask the settings' judge whose answers are better, in both orders. `advance` is told how many of how many stand.

    What was said is kept below `results`, and is not asked again.
    """
    name = comparing_model(settings.judge.name)
    template = None if settings.judge.template is None else load_template(settings.judge.template)
    pairs = pairs_of(*runs, rounds=rounds, test_sets=test_sets)
    asked = sum(pair.settled is None for pair in pairs)
    done = 0

    def count(number: int) -> None:
        nonlocal done
        done += number
        advance(done, asked)

    models = Models(settings)
    try:
        judge = PreferenceJudge(models.plain(name, url=settings.judge.url), template)
        with Journal(_place(results, runs)) as journal:
            found = await prefer(runs, pairs, judge, journal, concurrency=settings.run.concurrency, advance=count)
            journal.sync()
    finally:
        await models.aclose()
    return found


def _place(results: Path, runs: tuple[RunRecord, RunRecord]) -> Path:
    path = journal_path(results, *runs)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unwritable(str(path.parent), error) from None
    return path
