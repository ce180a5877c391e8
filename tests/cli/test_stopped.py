"""Ctrl-C on `proctor run`, a process like any other: once, twice, and what goes on afterwards."""

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.runs import played

from proctor.models.chat import Reply
from proctor.models.scripted_server import Hang, ScriptedServer
from proctor.runs.folders import find_run, read_run

QUERIES = 12
STOPPED = 130


class Playing:
    """The played exam; the process is sent signals when so many questions were put."""

    def __init__(self, after: int, hangs: float = 0.0) -> None:
        self.process: subprocess.Popen[str] | None = None
        self._after = after
        self._hangs = hangs

    def __call__(self, body: dict[str, Any]) -> Reply | Hang:
        self._after -= 1
        if self._after == 0 and self.process is not None:
            self.process.send_signal(signal.SIGINT)
        return Hang(self._hangs) if self._hangs and self._after <= 0 else played.play(body)


def started(words: list[str]) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "proctor", *words, "--concurrency", "3", "--display", "plain"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)  # noqa: S603 - ourselves


@pytest.mark.slow
def test_ctrl_c_finishes_what_is_at_work_and_the_same_command_goes_on(tmp_path: Path) -> None:
    playing = Playing(after=8)
    with ScriptedServer(playing, latency=0.05) as server:
        options = played.settings(played.benchmark(tmp_path / "animals", QUERIES), server.url, tmp_path / "out")
        playing.process = started(played.words(options))
        out, said = playing.process.communicate(timeout=120)
        assert playing.process.returncode == STOPPED, said
        assert "trials at work are finished; Ctrl-C again leaves them" in said
        done = len(read_run(find_run(tmp_path / "out")).trials)
        assert 3 <= done < QUERIES
        assert f"proctor: stopped with {QUERIES - done} of {QUERIES} trials to do; the same command goes on." in said
        assert "judged by" in out
        again = started(played.words(options))
        _, said = again.communicate(timeout=120)
        assert again.returncode == 0, said
        assert f"{QUERIES} trials, {done} of them done before" in said
        models = [body["model"] for body in server.bodies]
    # Nothing was cut off, so nothing was asked twice.
    assert (models.count("agent"), models.count("judge")) == (2 * QUERIES, 2 * QUERIES)


@pytest.mark.slow
def test_a_second_ctrl_c_waits_for_nobody(tmp_path: Path) -> None:
    playing = Playing(after=4, hangs=300)
    with ScriptedServer(playing) as server:
        options = played.settings(played.benchmark(tmp_path / "animals", QUERIES), server.url, tmp_path / "out")
        process = playing.process = started(played.words(options))
        assert process.stderr is not None
        for line in process.stderr:
            if "Ctrl-C again" in line:
                break
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
        answered = server.bodies[:3]
    assert process.returncode == STOPPED, said
    assert "the same command goes on" in said
    assert "Traceback" not in said
    with ScriptedServer(played.play) as server:
        # Elsewhere now: where a model is asked is no part of what the run is.
        again = started(
            played.words({**options, "model_url": server.url, "simulator_url": server.url, "judge_url": server.url})
        )
        _, said = again.communicate(timeout=120)
        assert not [body for body in answered if body in server.bodies]
    assert again.returncode == 0, said
    assert len(read_run(find_run(tmp_path / "out")).trials) == QUERIES
