"""`proctor` as a process of its own that begins at once: forked from one that has imported all that a run imports.

A process that is killed fifty times spends its life on imports otherwise. What is forked is the command as it is, in a
process that has an id of its own and dies like any other.
"""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_PARENT = """
import json, os, sys
import aiohttp, openai, proctor.cli.run, proctor.report.page, proctor.wiring.clusters
from openai.resources.chat import completions
from proctor.cli import proctor
for line in sys.stdin:
    words, log = json.loads(line)
    child = os.fork()
    if not child:
        out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        for stream in (1, 2):
            os.dup2(out, stream)
        proctor(words, prog_name="proctor")
    print(child, flush=True)
    ended = os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
    print(ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status, flush=True)
    sys.stdin.readline()  # until then the id is nobody else's
    os.waitpid(child, 0)
"""


class Forked:
    """A process that was forked."""

    def __init__(self, parent: "subprocess.Popen[str]") -> None:
        assert parent.stdout is not None
        self._parent = parent
        self._lock = threading.Lock()
        self.over = False
        self.pid = int(parent.stdout.readline())

    def kill(self) -> None:
        """SIGKILL; nothing where it is over."""
        with self._lock:
            if not self.over:
                os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> int:
        """Its exit code; less than 0 where a signal ended it."""
        assert self._parent.stdin is not None
        assert self._parent.stdout is not None
        code = int(self._parent.stdout.readline())
        with self._lock:
            self.over = True
        self._parent.stdin.write("\n")
        self._parent.stdin.flush()
        return code


class Forking:
    """Begins the command, one process at a time."""

    def __init__(self, parent: "subprocess.Popen[str]") -> None:
        self._parent = parent

    def begin(self, words: list[str], log: Path) -> Forked:
        """The command with these words; what it prints is added to the log."""
        assert self._parent.stdin is not None
        self._parent.stdin.write(json.dumps([words, str(log)]) + "\n")
        self._parent.stdin.flush()
        return Forked(self._parent)


@contextmanager
def forking() -> Iterator[Forking]:
    """The process from which others are forked, while the block lasts."""
    command = [sys.executable, "-c", _PARENT]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as parent:  # noqa: S603 - ourselves
        yield Forking(parent)
        parent.communicate()
