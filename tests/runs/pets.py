"""A small exam: three queries about pets, one API, an agent that does as it is told."""

from pathlib import Path
from typing import Any

from proctor.records.queries import ApiId, ApiSpec, GoldApi, Query
from proctor.records.runs import Manifest, RunSpec, TrialKey
from proctor.records.traces import CallStep, Failure, Fault, Finish, Resolution, StopReason, Trace, Usage
from proctor.runs.folders import JOURNAL

DOG = ApiId("Animals", "Pets", "Find Dog")


def query(number: int) -> Query:
    return Query(str(number), f"Which dog is number {number}?", (GoldApi("Pets", "Find Dog"),), (ApiSpec(DOG),), "pets")


def trace(number: int | str, answer: str = "It is Rex, of course.", **more: Any) -> Trace:
    call = CallStep("find_dog_for_pets", {}, Resolution.RESOLVED, "Rex", api=DOG)
    known = {"usage": Usage(2, 100, 10, 0.5), "seconds": 1.0, "offered": 1, **more}
    return Trace(str(number), StopReason.FINISHED, answer, (call, Finish(answer)), **known)


def broken(number: int | str) -> Trace:
    down = Failure("ModelBusyError", "scripted: too many requests.", Fault.ENVIRONMENT)
    return Trace(str(number), StopReason.FAILED, failure=down)


def manifest(**spec: Any) -> Manifest:
    known = {"benchmark": "pets", "test_sets": ("pets",), "agent": "scripted", **spec}
    return Manifest(RunSpec(**known), "0.1.0", 1_000.0, "scripted", "pets", ("pets/1", "pets/2", "pets/3"))


def key(number: int, epoch: int = 0) -> TrialKey:
    return TrialKey("pets", str(number), epoch)


def damage(folder: Path, kind: str, number: int) -> None:
    """Spoil a character of the journal's line of that kind about a query."""
    journal = folder / JOURNAL
    lines = journal.read_bytes().splitlines(keepends=True)
    place = next(n for n, line in enumerate(lines) if f'"{kind}",["pets","{number}"'.encode() in line)
    lines[place] = lines[place].replace(b"Rex", b"Max") if b"Rex" in lines[place] else lines[place][:-3] + b"x]\n"
    journal.write_bytes(b"".join(lines))
