"""Peers to measure against, each in an environment of its own under `bench/.peers/`.

A benchmark asks for a peer's interpreter and runs a script with it, so that Proctor's environment never holds the
peer's packages. An environment is made once; it is made again when its requirements change or when making it was cut
short.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

HOME = Path(__file__).parent / ".peers"
_FINISHED = "requirements.txt"


def peer_python(name: str, requirements: list[str]) -> Path:
    """The interpreter of the peer's own environment, which is made first if it is not there.

    `requirements` are what pip is given: `["agentevals==0.0.9"]`.
    """
    home = HOME / name
    python = home / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    wanted = "\n".join(requirements) + "\n"
    finished = home / _FINISHED
    if finished.is_file() and finished.read_text() == wanted and python.exists():
        return python
    if home.exists():
        shutil.rmtree(home)
    print(f"installing {', '.join(requirements)} into {home} …", file=sys.stderr, flush=True)
    subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
    subprocess.run(
        [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *requirements], check=True
    )
    finished.write_text(wanted)
    return python


def run_peer(python: Path, script: Path, data: Any, *arguments: str) -> Any:
    """Run a script with a peer's interpreter: JSON goes in by standard input and comes out by standard output.

    What the peer writes to standard error is shown.
    """
    done = subprocess.run(
        [str(python), str(script), *arguments], input=json.dumps(data), stdout=subprocess.PIPE, text=True, check=True
    )
    return json.loads(done.stdout)
