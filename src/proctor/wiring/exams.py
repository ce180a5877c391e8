"""A run from its settings to its result file: what `proctor run` and `proctor.run` both do."""

from __future__ import annotations

import contextlib
import time
import uuid
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from proctor import __version__
from proctor.config import Benchmark, Settings
from proctor.errors import OptionError
from proctor.judges.judge import Judge
from proctor.metrics._trials import broken
from proctor.models.environment import read_environment
from proctor.models.names import address
from proctor.records.runs import Manifest, RunRecord, RunSpec
from proctor.report.summary import RunSummary, summarise
from proctor.report.terminal import overview, plain
from proctor.runs import folders
from proctor.runs.cycles import looked_for_seldom
from proctor.runs.ledger import Ledger
from proctor.runs.plan import owed, planned
from proctor.runs.running import Attempting, Exam, Pace, run_exam
from proctor.runs.schedule import State
from proctor.runs.underway import keeping
from proctor.runs.watching import Watcher, nobody
from proctor.stats.calibration import Calibration
from proctor.wiring.agents import asks_model
from proctor.wiring.benchmarks import Opened, open_benchmark
from proctor.wiring.calibrations import calibration_for, calibration_named
from proctor.wiring.clusters import on_cluster
from proctor.wiring.gateways import frozen_id, index_beside
from proctor.wiring.halls import Given, Hall, limits_of
from proctor.wiring.judges import judge_of
from proctor.wiring.models import patience_of, self_judged
from proctor.wiring.resulting import Counted, write_counted

__all__ = ["ENGINES", "Ended", "Prepared", "judges_of", "prepare", "sit"]

ENGINES = ("local", "ray")


class Prepared(msgspec.Struct, frozen=True):
    """A run that is ready to begin: its names are understood and nothing is opened yet."""

    settings: Settings
    benchmark: Opened
    manifest: Manifest
    folder: Path
    given: Given = Given()
    warning: str | None = None
    """What whoever reads the numbers should know."""


class Ended(msgspec.Struct, frozen=True):
    """A run that came to its end, or was stopped."""

    record: RunRecord
    """All that came of it, trial by trial."""
    state: State
    folder: Path
    """Where it keeps what it did."""
    result: Path
    """Its result file."""
    calibration: Calibration | None = None
    """What is known of the judge's errors."""

    @property
    def figures(self) -> RunSummary:
        """Its figures, each with what it rests on."""
        return summarise(self.record, calibration=self.calibration)

    @property
    def stopped(self) -> bool:
        """Whether it was stopped before its end."""
        return self.state.stopped

    @property
    def owed(self) -> int:
        """How many trials are left to do; the same run, asked for again, does them."""
        return self.record.planned - sum(broken(trial) is None for trial in self.record.trials)

    def __str__(self) -> str:
        return plain(overview(self.figures))


def prepare(settings: Settings, given: Given | None = None, benchmark: Opened | None = None) -> Prepared:
    """Read the benchmark, unless it is handed over, and say what the run is."""
    given = given or Given()
    calibration_named(settings.judge.calibration)  # one that cannot be read is said before anybody is asked
    benchmark = benchmark or open_benchmark(_benchmark(settings))
    spec = _spec(settings, benchmark, given)
    trials = planned(spec, benchmark.sets)
    identities = tuple(f"{trial.test_set}/{trial.query_id}" for trial in trials if trial.epoch == 0)
    config = settings.run.name or _config(settings, benchmark, spec.agent_model)
    manifest = Manifest(
        spec=spec,
        proctor_version=__version__,
        started=time.time(),
        id=uuid.uuid4().hex,
        framework=settings.agent.name,
        config=config,
        query_ids=identities,
        apis=len(benchmark.catalog),
        cache_id=frozen_id(settings.gateway.cache),
        apis_of_queries=benchmark.of_queries,
        agent_url=settings.agent.url,
    )
    folder = folders.run_path(settings.run.output, folders.run_name(settings.agent.name, config))
    own = None if given.judge is not None else self_judged(manifest, judges_of(settings), settings.judge.url)
    warning = " ".join(said for said in (benchmark.warning, own) if said is not None) or None
    return Prepared(settings, benchmark, manifest, folder, given, warning)


async def sit(prepared: Prepared, *, resume: bool = False, fresh: bool = False, watch: Watcher = nobody) -> Ended:
    """Sit the exam: all that the run owes is tried and judged, and the result file is written."""
    settings, folder = prepared.settings, prepared.folder
    if settings.run.engine not in ENGINES:
        raise OptionError(f"there is no engine {settings.run.engine!r}; engines are {' and '.join(ENGINES)}.")
    begun = folders.begun_folder(folder, prepared.manifest, resume=resume, fresh=fresh)
    with looked_for_seldom(), begun as (manifest, ledger):
        state = await _sat(prepared, manifest, ledger, watch)
        ledger.journal.sync()
        record = folders.record_of(folder.name, manifest, ledger)
        calibration = calibration_for(settings.judge.calibration, record)
        result = write_counted(folder, Counted.of(record, calibration=calibration))
    return Ended(record, state, folder, result, calibration)


async def _sat(prepared: Prepared, manifest: Manifest, ledger: Ledger, watch: Watcher) -> State:
    settings, folder = prepared.settings, prepared.folder
    hall = Hall(settings, prepared.benchmark, folder, prepared.given, manifest.id or None)
    state = None
    try:
        judge, repeats = _judge(prepared, hall), settings.judge.repeats
        here = settings.run.engine == "local"  # the workers of a cluster have keys of their own
        if here and owed(folders.plan_of(manifest), ledger.traced):
            hall.models.require_keys()
        pace = Pace(settings.run.concurrency, patience_of(settings))
        with keeping(folder) as kept:
            async with _attempting(hall, prepared.given) as attempt:
                exam = Exam(manifest, prepared.benchmark.sets, attempt, judge, repeats)
                state = await run_exam(exam, ledger, name=folder.name, pace=pace, watch=watch, kept=kept)
    finally:
        await hall.aclose(wait=state is None or not state.at_once)
    return state


@contextlib.asynccontextmanager
async def _attempting(hall: Hall, given: Given) -> AsyncIterator[Attempting]:
    """Who attempts the trials: this process, or the workers of a cluster."""
    if hall.settings.run.engine == "local":
        yield hall.attempt
        return
    async with on_cluster(hall, given) as attempt:
        yield attempt


def judges_of(settings: Settings) -> tuple[str, ...]:
    """The judges' names: where none is said, the rubric for the starter benchmark, the heuristic for others."""
    if settings.judge.name:
        return settings.judge.name
    return ("rubric",) if settings.benchmark.name == "starter" else ("heuristic",)


def _judge(prepared: Prepared, hall: Hall) -> Judge | None:
    if prepared.given.judge is not None:
        judge: Judge = prepared.given.judge
        return judge
    return judge_of(prepared.settings.judge, judges_of(prepared.settings), hall.models.role("judge"))


def _benchmark(settings: Settings) -> Benchmark:
    """The benchmark, with the index of its tools beside the cache where no other file is named for it."""
    said = settings.benchmark
    if said.tool_dir is None:
        return said
    return msgspec.structs.replace(said, index=index_beside(said.index, settings.gateway.cache))


def _spec(settings: Settings, benchmark: Opened, given: Given) -> RunSpec:
    said = settings.gateway
    faults: Mapping[str, Any] = {} if said.faults is None else {"share": said.faults, "kinds": list(said.fault)}
    if faults and said.faults_by != "call":
        faults = {**faults, "by": said.faults_by}
    return RunSpec(
        benchmark=benchmark.name,
        test_sets=tuple(benchmark.sets),
        agent=settings.agent.name,
        agent_model=_model(settings, given),
        agent_options=settings.agent.options,
        simulator=said.simulator or ", ".join(one.name for one in given.simulators) or None,
        policy=said.policy,
        tools=settings.agent.tools,
        epochs=settings.run.epochs,
        limit=settings.benchmark.limit,
        seed=settings.run.seed,
        limits=msgspec.to_builtins(limits_of(settings)),
        faults=dict(faults),
        data=benchmark.hash,
    )


def _model(settings: Settings, given: Given) -> str | None:
    """The model's name with its provider, so that a run is the same one however that was written."""
    said = settings.agent
    if said.model is None or given.model is not None or not asks_model(said.name):
        return said.model
    return address(said.model, said.url, read_environment()).name


def _config(settings: Settings, benchmark: Opened, model: str | None) -> str:
    """What a run is called beside its agent, where nobody says: its benchmark, the sets that were named, its model."""
    model = model.rsplit("/", 1)[-1] if model else ""
    return "-".join(part for part in (benchmark.name, *settings.benchmark.test_set, model) if part)
