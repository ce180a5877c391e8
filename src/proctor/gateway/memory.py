"""Answers in memory, in front of the store: what was given once is given again by one look into a dictionary."""

from __future__ import annotations

from proctor.records.answers import Answer

__all__ = ["Memory"]


class Memory:
    """Answers by the key of their call, at most so many; those that came first leave first.

    Without a limit it is a store of its own, for as long as the process lives. Only answers that never change are to
    be put here. Any thread may use it.
    """

    def __init__(self, limit: int | None = 100_000) -> None:
        self._limit = limit
        self._answers: dict[str, Answer] = {}
        self.get = self._answers.get

    def __len__(self) -> int:
        return len(self._answers)

    def put(self, key: str, answer: Answer) -> None:
        """Keep an answer."""
        answers = self._answers
        if self._limit is not None and len(answers) >= self._limit and key not in answers:
            for oldest in list(answers)[: max(1, self._limit // 10)]:
                answers.pop(oldest, None)
        if self._limit != 0:
            answers[key] = answer
