"""What `make demo` shows: an exam, from nothing to its page."""

import subprocess
import sys

import proctor
from proctor.stats.intervals import Estimate


def main() -> int:
    """Set the starter to three agents, and show what comes of the third."""
    print("Proctor brings an exam along: questions about an invented country, and APIs that answer them.")
    print("Two agents mark the ends of the scale, `null` says nothing and `oracle` knows the gold:\n")
    for agent in ("null", "oracle"):
        sopr = proctor.run(agent=agent, fresh=True).figures.overall.sopr
        assert isinstance(sopr, Estimate)
        print(f"  {agent:<8}{sopr.value * 100:>5.1f} % of the exam passed")
    print("\n`baseline` asks no model: it finds APIs by the words of a question and fills in what it finds there.\n")
    print("$ proctor run --agent baseline\n", flush=True)
    command = [sys.executable, "-m", "proctor", "run", "--agent", "baseline", "--fresh"]
    return subprocess.run(command, stdin=subprocess.DEVNULL, check=False).returncode  # noqa: S603 - our own command


if __name__ == "__main__":
    sys.exit(main())
