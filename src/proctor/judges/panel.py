"""Several judges, or one asked several times: the majority decides, and every ballot is kept."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Sequence

from proctor.errors import OptionError
from proctor.judges.attempts import Attempt
from proctor.judges.judge import Judge
from proctor.records.grades import Missing, Status, Verdict
from proctor.stats.intervals import Estimate, proportion

__all__ = ["Panel", "flip_rate", "majority"]


class Panel:
    """A judge made of judges, each asked `repeats` times.

    The status with the most ballots is the verdict; where the first place is shared it is Unsure. Ballots that could
    not be read do not count; where they are half or more, the attempt is unmeasured.
    """

    def __init__(self, judges: Sequence[Judge], repeats: int = 1) -> None:
        if not judges or repeats < 1:
            raise OptionError("a panel needs at least one judge, and each is asked at least once.")
        self.judges = list(judges)
        self.repeats = repeats

    @property
    def name(self) -> str:
        """All members, and how often each is asked."""
        times = f", {self.repeats} times each" if self.repeats > 1 else ""
        return f"panel of {len(self.judges)}{times}: {'; '.join(judge.name for judge in self.judges)}"

    @property
    def method(self) -> str:
        """What all members are; where they differ, each: `heuristic and judge`, so that no rule passes for a model."""
        return " and ".join(sorted({judge.method for judge in self.judges}))

    async def judge(self, attempt: Attempt, repeat: int = 0) -> Verdict | Missing:
        """Ask every member, and count."""
        first = repeat * self.repeats
        asked = [judge.judge(attempt, number) for judge in self.judges for number in range(first, first + self.repeats)]
        return majority(await asyncio.gather(*asked), self.name, repeat)


def majority(ballots: Sequence[Verdict | Missing], name: str, repeat: int = 0) -> Verdict | Missing:
    """The verdict of the ballots together."""
    read = [ballot for ballot in ballots if isinstance(ballot, Verdict)]
    lost = [ballot for ballot in ballots if isinstance(ballot, Missing)]
    if len(lost) >= len(read):
        reasons = Counter(ballot.reason for ballot in lost)
        said = "; ".join(f"{reason} ({count})" for reason, count in reasons.most_common())
        details = "".join(f"\n{ballot.detail}" for ballot in lost if ballot.detail)
        return Missing("too few ballots of the panel could be read", f"{len(read)} of {len(ballots)}; {said}{details}")
    votes = Counter(ballot.status for ballot in read)
    (status, most), *rest = votes.most_common()
    if rest and rest[0][1] == most:
        status = Status.UNSURE
    counted = ", ".join(f"{votes[one]} {one.value}" for one in Status if votes[one])
    words = next((ballot.reason for ballot in read if ballot.status is status), "the first place is shared")
    unread = f", {len(lost)} unread" if lost else ""
    return Verdict(status, f"{counted}{unread}: {words}", name, repeat, ballots=tuple(ballots))


def flip_rate(verdicts: Iterable[Verdict | Missing]) -> Estimate | Missing:
    """The share of a panel's verdicts on which not all ballots agreed."""
    split = [
        len({ballot.status for ballot in verdict.ballots if isinstance(ballot, Verdict)}) > 1
        for verdict in verdicts
        if isinstance(verdict, Verdict) and verdict.ballots
    ]
    return proportion(sum(split), len(split))
