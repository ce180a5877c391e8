"""What `make demo` shows: recorded conversations, scored by the command that everybody uses."""

import subprocess
import sys
from pathlib import Path

CONVERSATIONS = Path(__file__).parent / "conversations.jsonl"
SCORE = ["score", "examples/conversations.jsonl", "--metric", "tool_call_accuracy", "--metric", "tool_call_f1"]


def main() -> int:
    """Score the example's conversations, and say what to do next."""
    talks = sum(1 for line in CONVERSATIONS.read_text("utf-8").splitlines() if line.strip())
    print(f"The travel desk of a small railway left {talks} conversations in examples/conversations.jsonl.")
    print("Some of its calls were right and some were not. How many?\n")
    print(f"$ proctor {' '.join(SCORE)}\n", flush=True)
    done = subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "-c", "from proctor.cli import main; main()", *SCORE],
        cwd=CONVERSATIONS.parents[1],
        stdin=subprocess.DEVNULL,
        check=False,
    )
    if done.returncode:
        return done.returncode
    print("\nOne conversation has no reference, so there is nothing to score it against: it is unmeasured, not 0.\n")
    print("Next, with conversations of your own (OpenAI messages will do, one conversation a line):\n")
    print("  . .venv/bin/activate")
    print("  proctor metrics                                   what can be measured, and what each metric needs")
    print("  proctor score yours.jsonl --metric tool_call_f1   the figures, with their error bars")
    return 0


if __name__ == "__main__":
    sys.exit(main())
