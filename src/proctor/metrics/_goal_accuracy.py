"""Whether the agent reached the goal: by a reference, or by what the user wanted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from proctor.dataset_schema import MultiTurnSample
from proctor.judges.goals import JudgedGoal, judge_goal
from proctor.judges.transcripts import transcript
from proctor.metrics.judged import JudgedMetric
from proctor.records.grades import Missing, Score


@dataclass(eq=False)
class AgentGoalAccuracyWithReference(JudgedMetric):
    """1 when the conversation came to what the reference says, else 0."""

    name: str = "agent_goal_accuracy_with_reference"

    needs = frozenset({"user_input", "reference"})
    binary = True
    own_prompts = "goals"

    async def ameasure(self, sample: MultiTurnSample, callbacks: Any = None) -> Score | Missing:
        """Ask what the user wanted and how it ended, then whether that is what the reference says."""
        if sample.reference is None:
            return Missing("the sample has no reference")
        return _score(await judge_goal(self.model(), transcript(sample.user_input), sample.reference, self.template))


@dataclass(eq=False)
class AgentGoalAccuracyWithoutReference(JudgedMetric):
    """1 when the conversation came to what the user wanted, else 0."""

    name: str = "agent_goal_accuracy_without_reference"

    needs = frozenset({"user_input"})
    binary = True
    own_prompts = "goals"

    async def ameasure(self, sample: MultiTurnSample, callbacks: Any = None) -> Score | Missing:
        """Ask what the user wanted and how it ended, then whether the two are one."""
        return _score(await judge_goal(self.model(), transcript(sample.user_input), None, self.template))


def _score(judged: JudgedGoal | Missing) -> Score | Missing:
    if isinstance(judged, Missing):
        return judged
    details = {"user_goal": judged.user_goal, "end_state": judged.end_state}
    return Score(float(judged.reached), reason=judged.reason or None, details=details)
