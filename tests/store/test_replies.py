import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from proctor.errors import FileError, StorageError
from proctor.store.replies import ReplyStore

ABOUT = ("tiny", "here", b"{}")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "replies.db"


def test_the_first_reply_stays_unless_it_is_to_be_replaced(path: Path) -> None:
    store = ReplyStore(path)
    store.put("a", b"one", about=ABOUT)
    store.put("a", b"two", about=ABOUT)
    assert store.get("a") == b"one"
    store.put("a", b"three", about=ABOUT, replace=True)
    assert store.get("a") == b"three"
    assert store.get("b") is None
    assert store.counts() == {("tiny", "here"): 1}
    store.close()


def test_a_closed_recording_is_one_file_and_opens_again(path: Path) -> None:
    store = ReplyStore(path)
    store.put("a", b"one", about=ABOUT)
    store.close()
    store.close()
    assert [file.name for file in path.parent.iterdir()] == ["replies.db"]
    assert store.get("a") == b"one"
    store.close()


def test_a_recording_is_read_without_being_changed(path: Path) -> None:
    with_one = ReplyStore(path)
    with_one.put("a", b"one", about=ABOUT)
    with_one.close()
    store = ReplyStore(path, read_only=True)
    assert store.get("a") == b"one"
    with pytest.raises(StorageError, match="readonly"):
        store.put("b", b"two", about=ABOUT)
    store.close()


def test_a_recording_that_is_not_there_is_named(path: Path) -> None:
    with pytest.raises(FileError, match=r"replies\.db: there is no recording here"):
        ReplyStore(path, read_only=True).get("a")
    assert not path.exists()


@pytest.mark.parametrize("read_only", [True, False])
def test_a_file_of_another_kind_is_left_alone(path: Path, read_only: bool) -> None:
    path.write_bytes(b"dear diary, " * 100)
    with pytest.raises(FileError, match="is not a recording of model replies"):
        ReplyStore(path, read_only=read_only).get("a")
    assert path.read_bytes() == b"dear diary, " * 100


def test_another_database_is_left_alone(path: Path) -> None:
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE diary (day TEXT)")
    other.close()
    with pytest.raises(FileError, match="a database, but not a recording"):
        ReplyStore(path).put("a", b"one", about=ABOUT)


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="cannot be read or written"):
        ReplyStore(tmp_path / "none" / "replies.db").get("a")


WRITER = """
import sys
from proctor.store.replies import ReplyStore
store = ReplyStore(sys.argv[1])
for number in range(200):
    store.put(str(number), sys.argv[2].encode(), about=("tiny", "here", b"{}"))
store.close()
"""


def test_several_processes_write_at_once_and_agree(path: Path) -> None:
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(path), name]) for name in "abc"]  # noqa: S603 - ours
    assert [writer.wait(60) for writer in writers] == [0, 0, 0]
    store = ReplyStore(path)
    assert store.counts() == {("tiny", "here"): 200}
    assert {store.get(str(number)) for number in range(200)} <= {b"a", b"b", b"c"}
    store.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_a_forked_process_opens_the_file_for_itself(path: Path) -> None:
    store = ReplyStore(path)
    store.put("a", b"one", about=ABOUT)
    child = os.fork()
    if child == 0:
        fine = store.get("a") == b"one"
        store.put("b", b"two", about=ABOUT)
        os._exit(0 if fine else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert store.get("b") == b"two"
    store.close()
