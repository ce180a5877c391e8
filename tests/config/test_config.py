"""Settings: from options, from a file, and what is wrong with either in a sentence."""

from pathlib import Path

import pytest

from proctor.cli.run import command
from proctor.config import NAMES, Settings, read_settings, settings_of
from proctor.errors import FileError, OptionError

HERE = {"config", "display", "resume", "fresh", "no_page"}


def test_every_setting_is_an_option_and_every_option_a_setting() -> None:
    options = {parameter.name for parameter in command.params}
    assert options - HERE == set(NAMES)


def test_what_is_not_said_leaves_what_was_there() -> None:
    base = settings_of({"agent": "react", "limit": 5})
    over = settings_of({"agent": None, "limit": 7, "judge": (), "agent_options": {}}, base)
    assert (over.agent.name, over.benchmark.limit, over.judge.name) == ("react", 7, ())


def test_one_text_is_a_list_of_one() -> None:
    assert settings_of({"judge": "rubric", "test_set": ["a", "b"]}).judge.name == ("rubric",)


def test_an_option_that_there_is_not_names_the_nearest() -> None:
    with pytest.raises(OptionError, match=r"there is no option 'judges'; did you mean 'judge'\?"):
        settings_of({"judges": "rubric"})


def test_an_option_of_another_type_is_refused() -> None:
    with pytest.raises(OptionError, match="judge_repeats: expected `int`, got `str`"):
        settings_of({"judge_repeats": "three"})


def test_a_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "proctor.toml"
    path.write_text(
        '[agent]\nname = "react"\noptions = {tries = 3}\n[judge]\nname = "rubric"\n[limits]\nmax_steps = 9\n'
    )
    settings = read_settings(path)
    assert (settings.agent.options, settings.judge.name, settings.limits.max_steps) == ({"tries": 3}, ("rubric",), 9)


def test_the_file_of_the_working_folder_is_read_unasked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert read_settings() == Settings()
    (tmp_path / "proctor.toml").write_text("[run]\nepochs = 4\n")
    assert read_settings().run.epochs == 4


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[agents]\n", "there is no table [agents]; did you mean 'agent'?"),
        ("[agent]\nmodle = 'x'\n", "[agent] has no setting 'modle'; did you mean 'model'?"),
        ("[run]\nepochs = 'two'\n", "[run] epochs: expected `int`, got `str`."),
        ("agent = 'react'\n", "[agent] is a table of settings, not str."),
        ("[agent\n", "this is not TOML"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_with_its_place(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "proctor.toml"
    path.write_text(text)
    with pytest.raises(FileError) as wrong:
        read_settings(path)
    assert sentence in str(wrong.value)
    assert str(wrong.value).startswith(f"{path}: ")


def test_a_file_that_is_named_has_to_be_there(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="cannot be read"):
        read_settings(tmp_path / "nothing.toml")
