"""Processes that write overlapping answers into one store and are killed at random: what was acknowledged stays.

8 writers put 10,000 answers each under the same keys; 12 are killed with SIGKILL and others take their place. Each says
what `put` returned, a line each, after the store has acknowledged it. Then all that was ever said is held against the
store. Exits with 1 when an answer is lost or changed, or the store does not open or is damaged. `--store` names another
store than a new SQLite file.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from proctor.records.answers import Answer
from proctor.records.entries import Entry
from proctor.records.queries import ApiId
from proctor.store.responses import open_responses

API = ApiId("Weather", "Sky Report", "Get Forecast")


def write(where: str, worker: str, answers: int, pause: float) -> None:
    """Put answers under the same keys as all the others, in an order of one's own, with a pause after each."""
    store = open_responses(where)
    numbers = list(range(answers))
    random.Random(worker).shuffle(numbers)
    for number in numbers:
        stored = store.put(Entry.of(API, {"day": number}, Answer(f"worker {worker}: {number}")))
        sys.stdout.write(f"{stored.key} {stored.answer.response}\n")
        sys.stdout.flush()
        time.sleep(pause)
    store.close()


def acknowledged(
    where: str, folder: Path, *, workers: int, answers: int, kills: int, pause: float = 0.0
) -> dict[str, set[str]]:
    """Start writers, kill some of them and start others in their place; what each key was ever said to hold.

    Only processes that this started are killed.
    """
    dice = random.Random(0)
    logs: list[Path] = []
    running: list[subprocess.Popen[bytes]] = []

    def start() -> None:
        logs.append(folder / f"writer-{len(logs)}.log")
        with logs[-1].open("wb") as log:
            words = [sys.executable, __file__, "write", where, str(len(logs)), str(answers), str(pause)]
            running.append(subprocess.Popen(words, stdout=log))

    for _ in range(workers):
        start()
    killed = 0
    while killed < kills and any(writer.poll() is None for writer in running):
        time.sleep(dice.uniform(0.05, 0.3))
        victim = dice.choice([writer for writer in running if writer.poll() is None] or running)
        if victim.poll() is None and logs[running.index(victim)].stat().st_size:
            victim.kill()
            victim.wait()
            killed += 1
            start()
    codes = [writer.wait(600) for writer in running]
    if any(code not in {0, -9} for code in codes):
        raise RuntimeError(f"a writer failed by itself: {codes}")
    if killed < kills:
        raise RuntimeError(f"only {killed} writers could be killed before all were done")
    said: dict[str, set[str]] = {}
    for log in logs:
        for line in log.read_text().split("\n")[:-1]:  # a killed writer may have left half a line
            key, _, answer = line.partition(" ")
            said.setdefault(key, set()).add(answer)
    return said


def complaints(where: str, said: dict[str, set[str]], answers: int) -> list[str]:
    """What is wrong with the store after all that, a sentence each."""
    store = open_responses(where)
    found = [f"{key} was said to be {sorted(values)}" for key, values in said.items() if len(values) > 1]
    stored = {entry.key: str(entry.answer.response) for entry in store.entries()}
    found += [f"{key} is lost" for key in said if key not in stored]
    found += [f"{key} has changed" for key, values in said.items() if key in stored and stored[key] not in values]
    found += store.damage()
    if len(stored) != answers:
        found.append(f"there are {len(stored)} entries, not {answers}")
    store.close()
    return found


def main() -> int:
    """Write, kill, compare, and say whether all is as it should be."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--writers", type=int, default=8)
    parser.add_argument("--answers", type=int, default=10_000)
    parser.add_argument("--kills", type=int, default=12)
    parser.add_argument("--store", help="an address or a path; a new SQLite file without it")
    wish = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        where = wish.store or str(Path(name) / "answers.db")
        begun = time.perf_counter()
        said = acknowledged(where, Path(name), workers=wish.writers, answers=wish.answers, kills=wish.kills)
        taken = time.perf_counter() - begun
        wrong = complaints(where, said, wish.answers)
    print(f"{wish.writers} writers of {wish.answers:,} answers, {wish.kills} killed, in {taken:.0f} s: ", end="")
    print(f"{len(wrong)} complaints" if wrong else "nothing lost, nothing changed, the store is sound")
    for complaint in wrong[:10]:
        print(f"  {complaint}")
    return 1 if wrong else 0


if __name__ == "__main__":
    if len(sys.argv) == 6 and sys.argv[1] == "write":
        write(sys.argv[2], sys.argv[3], int(sys.argv[4]), float(sys.argv[5]))
    else:
        sys.exit(main())
