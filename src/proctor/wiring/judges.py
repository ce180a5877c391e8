"""Judges by name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from proctor.config import Judge as Said
from proctor.errors import OptionError
from proctor.judges.completeness import CompletenessJudge
from proctor.judges.heuristic import HeuristicJudge
from proctor.judges.judge import Judge
from proctor.judges.panel import Panel
from proctor.judges.rubric import RubricJudge
from proctor.judges.solving import SolvingJudge
from proctor.judges.templates import Template, load_template
from proctor.models.chat import ChatModel

__all__ = ["RULES", "judge_named", "judge_of", "model_of_judge"]

RULES: dict[str, Callable[[], Judge]] = {"heuristic": HeuristicJudge, "rubric": RubricJudge}
"""The judges that ask no model, by name."""
NOBODY = "none"
"""What is said for a run that nobody is to judge."""
ASKING: dict[str, Callable[[ChatModel, Template | None], Judge]] = {
    "solving": SolvingJudge,
    "completeness": CompletenessJudge,
}
"""The judges that ask a model, by name: `completeness:openai/gpt-4o`. A model alone is asked by the first."""

ModelMaker = Callable[[str, str | None], ChatModel]


def model_of_judge(name: str) -> str | None:
    """The model that a judge of that name asks; None for one that asks none.

    >>> model_of_judge("solving:openai/gpt-4o"), model_of_judge("openai/gpt-4o"), model_of_judge("heuristic")
    ('openai/gpt-4o', 'openai/gpt-4o', None)
    """
    if name in RULES or name == NOBODY:
        return None
    asking, _, model = name.partition(":")
    if asking in ASKING and not model:
        raise OptionError(
            f"the judge {asking!r} asks a model; say which: --judge {asking}:openai/gpt-4o (the model under test never "
            "judges unasked)."
        )
    return model if asking in ASKING else name


def judge_of(said: Said, names: tuple[str, ...], make: ModelMaker) -> Judge | None:
    """The judge of a run; several names are a panel. None where nobody is to judge."""
    if NOBODY in names:
        if len(names) > 1:
            raise OptionError("--judge none is nobody; leave the other judges out, or leave it out.")
        return None
    template = None if said.template is None else load_template(Path(said.template))
    if template is not None and all(model_of_judge(name) is None for name in names):
        raise OptionError("--judge-template holds prompts for a model; name one: --judge openai/gpt-4o.")
    judges = [judge_named(name, template, said.url, make) for name in names]
    return judges[0] if len(judges) == 1 else Panel(judges)


def judge_named(name: str, template: Template | None, url: str | None, make: ModelMaker) -> Judge:
    """One judge: `heuristic`, `rubric`, `solving:MODEL`, `completeness:MODEL`, or the name of a model."""
    model = model_of_judge(name)
    if model is None:
        return RULES[name]()
    return ASKING.get(name.partition(":")[0], SolvingJudge)(make(model, url), template)
