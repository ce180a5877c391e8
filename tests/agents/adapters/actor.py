"""A process that plays moves: it speaks the protocol of commands, as an agent in any language would."""

import json
import os
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any


def say(**message: Any) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def heard() -> Any:
    line = sys.stdin.readline()
    return json.loads(line) if line else None


class Actor:
    """Plays each move by the method of its name; a task that no move has ended ends without an answer."""

    def __init__(self, task: dict[str, Any]) -> None:
        self.task = task
        self.answer: str | None = None

    def call(self, name: str, arguments: Any) -> None:
        say(call={"id": "1", "name": name, "arguments": arguments})
        heard()

    def both(self, *calls: Any) -> None:
        say(calls=[{"id": str(at), "name": one[0], "arguments": one[1]} for at, one in enumerate(calls)])
        heard()

    def bad_finish(self) -> None:
        self.call("Finish", {"return_type": "done"})

    def crash(self) -> None:
        raise ZeroDivisionError("the agent divided by zero")

    def hang(self) -> None:
        time.sleep(30)

    def leave(self, code: int) -> None:
        os._exit(code)

    def write(self, text: str) -> None:
        sys.stdout.write(text + "\n")
        sys.stdout.flush()

    def child(self, place: str) -> None:
        started = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        Path(place).write_text(str(started.pid), "utf-8")

    def think(self, text: str) -> None:
        say(thought=text, usage={"requests": 1, "prompt_tokens": 7, "completion_tokens": 3})

    def post(self, body: Any) -> None:
        """Call an API through the door of the task, and think aloud what came back."""
        asked = json.dumps(body).encode()
        headers = {"content-type": "application/json"}
        request = urllib.request.Request(self.task["session"]["virtual"], asked, headers)  # noqa: S310 - this machine
        with urllib.request.urlopen(request, timeout=20) as answer:  # noqa: S310 - of this machine
            say(thought=answer.read().decode())

    def finish(self, text: str) -> None:
        self.answer = text

    def pid(self) -> None:
        self.answer = str(os.getpid())

    def give_up(self) -> None:
        self.answer = '{"return_type": "give_up_and_restart"}'

    def huge(self, length: int) -> None:
        self.answer = "a" * length


def main() -> None:
    moves = json.loads(sys.argv[1])
    while (message := heard()) is not None:
        if "task" in message:
            actor = Actor(message["task"])
            for kind, *what in moves:
                getattr(actor, kind.replace(" ", "_"))(*what)
            say(answer=actor.answer)


main()
