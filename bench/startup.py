"""How long it takes to start: `import proctor` and `proctor --help`, above a Python that does nothing.

The three are measured in turn, many times, in one run, so that a busy machine slows all of them; the quickest of each
are compared, because whatever is above them was somebody else's work. Bytecode is present, as after any installation.
Exits with 1 when a limit is passed.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time

ROUNDS = 25
NOTHING = "pass"
IMPORT = "import proctor"
HELP = "import sys; sys.argv = ['proctor', '--help']; from proctor.cli import main; main()"
LIMITS = {IMPORT: 0.06, HELP: 0.15}
LABELS = {NOTHING: "python -c pass", IMPORT: "import proctor", HELP: "proctor --help"}


def seconds(code: str) -> float:
    """How long a fresh Python takes for some code."""
    begun = time.perf_counter()
    done = subprocess.run([sys.executable, "-I", "-c", code], stdout=subprocess.DEVNULL, check=False)
    taken = time.perf_counter() - begun
    if done.returncode:
        raise SystemExit(f"{code!r} failed.")
    return taken


def quickest() -> dict[str, float]:
    """The quickest of each, after one round that does not count."""
    taken: dict[str, list[float]] = {code: [] for code in LABELS}
    for round_ in range(ROUNDS + 1):
        for code, times in taken.items():
            measured = seconds(code)
            if round_:
                times.append(measured)
    return {code: min(times) for code, times in taken.items()}


def dearest(code: str, most: int = 8) -> list[tuple[float, str]]:
    """The modules that take longest to load by themselves, in milliseconds."""
    done = subprocess.run(
        [sys.executable, "-I", "-X", "importtime", "-c", code], capture_output=True, text=True, check=False
    )
    found = re.findall(r"import time:\s+(\d+) \|\s+\d+ \|\s+(\S+)", done.stderr)
    return sorted(((int(own) / 1000, name) for own, name in found), reverse=True)[:most]


def main() -> int:
    """Measure, print, and say whether the limits are kept."""
    measured = quickest()
    bare = measured[NOTHING]
    print(f"{LABELS[NOTHING]:<16} {bare:.3f} s")
    kept = True
    for code, limit in LIMITS.items():
        more = measured[code] - bare
        kept &= more <= limit
        print(f"{LABELS[code]:<16} {measured[code]:.3f} s, {more:.3f} s more; at most {limit:.2f} s")
    print("The dearest modules of proctor --help, in ms:", ", ".join(f"{name} {ms:.1f}" for ms, name in dearest(HELP)))
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
