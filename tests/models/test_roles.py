import pytest

from proctor.errors import OptionError
from proctor.models.roles import Role, Roles, judge_role, self_judging


def test_nobody_steps_in_for_a_judge_who_is_not_named() -> None:
    with pytest.raises(OptionError, match="the model under test never does unasked"):
        judge_role(Roles(agent=Role("gpt-4o-mini")))
    assert judge_role(Roles(judge=Role("gpt-4o"))) == Role("gpt-4o")


@pytest.mark.parametrize(
    ("agent", "judge", "same"),
    [
        (Role("gpt-4o-mini"), Role("openai:gpt-4o-mini"), True),
        (Role("openai/gpt-4o-mini"), Role("gpt-4o-mini", "https://api.openai.com/v1/"), True),
        (Role("azure/mine"), Role("azure/mine"), True),
        (Role("m", "http://localhost:1/v1"), Role("m", "http://localhost:2/v1"), False),
        (Role("m", "http://localhost:1/v1"), Role("m", "http://127.0.0.1:1/v1/"), True),
        (Role("gpt-4o-mini"), Role("gpt-4o"), False),
        (Role("gpt-4o-mini"), None, False),
        (None, Role("gpt-4o-mini"), False),
    ],
)
def test_a_model_that_judges_itself_is_seen_however_it_is_written(
    agent: Role | None, judge: Role | None, same: bool
) -> None:
    warning = self_judging(Roles(agent=agent, judge=judge, simulator=Role("gpt-4o-mini")))
    assert (warning is not None) is same
    if warning is not None and judge is not None:
        assert f"the judge is the model under test ({judge.model})" in warning
