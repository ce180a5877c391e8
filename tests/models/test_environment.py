import pickle
from pathlib import Path

import pytest

from proctor.models.environment import Secret, parse_env, read_environment

WRITTEN = r"""
# a comment
PLAIN=value
 export SPACED =  some text   # why
SINGLE='as $it \n is # here'
DOUBLE="two\nlines \"quoted\""
EMPTY=
ONLY_COMMENT= # nothing
URL=https://host/#anchor
not a line
2BAD=x
"""


def test_the_lines_of_an_env_file_are_read_as_documented() -> None:
    assert parse_env(WRITTEN) == {
        "PLAIN": "value",
        "SPACED": "some text",
        "SINGLE": r"as $it \n is # here",
        "DOUBLE": 'two\nlines "quoted"',
        "EMPTY": "",
        "ONLY_COMMENT": "",
        "URL": "https://host/#anchor",
    }


def test_the_first_file_upward_is_read_and_the_environment_wins(tmp_path: Path) -> None:
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    (tmp_path / ".env").write_text("FAR=1\nNEAR=far\n")
    (tmp_path / "a" / ".env").write_text("\ufeffNEAR=near\nSAID=file\n", "utf-8")
    assert read_environment(deep, {"SAID": "environment"}) == {"NEAR": "near", "SAID": "environment"}


def test_without_a_file_there_is_the_environment_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROCTOR_TEST_WORD", "here")
    assert read_environment(tmp_path)["PROCTOR_TEST_WORD"] == "here"


def test_a_secret_is_neither_shown_nor_written_down() -> None:
    secret = Secret("sk-private")
    assert "sk-private" not in f"{secret!r} {secret}"
    assert secret.reveal() == "sk-private"
    assert secret.hide_in("the sk-private is out") == "the (the key) is out"
    with pytest.raises(TypeError, match="not written down"):
        pickle.dumps(secret)
