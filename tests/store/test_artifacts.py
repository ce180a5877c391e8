import os
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from proctor.errors import StorageError
from proctor.store.artifacts import artifact, write_whole

FILES_MAY_HAVE_A_THOUSAND_BYTES = """
import resource, signal, sys
from proctor.errors import StorageError
from proctor.store.artifacts import artifact
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    with artifact(sys.argv[1]) as file:
        for _ in range(int(sys.argv[2])):
            file.write(b"x" * 10)
except StorageError as error:
    print(error)
"""


def test_a_file_is_written(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    with artifact(path) as file:
        file.write(b"one\n")
        file.write_text("zwei ü\n")
        assert not path.exists()
    assert path.read_bytes() == "one\nzwei ü\n".encode()
    assert [found.name for found in tmp_path.iterdir()] == ["out.jsonl"]


def test_a_file_is_replaced_in_one_step_and_keeps_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.write_bytes(b"old")
    path.chmod(0o640)
    write_whole(path, b"new")
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_new_file_has_the_permissions_that_the_umask_leaves(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_whole(tmp_path / "out", b"")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o640


@pytest.mark.parametrize("interruption", [ValueError("broken"), KeyboardInterrupt()])
def test_what_was_there_stays_when_writing_is_interrupted(tmp_path: Path, interruption: BaseException) -> None:
    path = tmp_path / "out"
    path.write_bytes(b"old")

    def interrupted() -> None:
        with artifact(path) as file:
            file.write(b"half")
            raise interruption

    with pytest.raises(type(interruption)):
        interrupted()
    assert path.read_bytes() == b"old"
    assert [found.name for found in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("pieces", [150, 100_000])
def test_what_was_there_stays_when_there_is_no_room(tmp_path: Path, pieces: int) -> None:
    path = tmp_path / "out"
    path.write_bytes(b"old")
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-c", FILES_MAY_HAVE_A_THOUSAND_BYTES, str(path), str(pieces)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    assert done.stdout == f"{path}: cannot be written: File too large. What was there before is unchanged.\n"
    assert path.read_bytes() == b"old"
    assert [found.name for found in tmp_path.iterdir()] == ["out"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize("size", [10, 1_000_000])
def test_a_full_device_is_an_error_and_stays_a_device(size: int) -> None:
    with pytest.raises(StorageError, match="cannot be written: No space left on device"):
        write_whole("/dev/full", b"x" * size)
    assert Path("/dev/full").is_char_device()


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(path.read_bytes()))
    reader.start()
    write_whole(path, b"through")
    reader.join(timeout=10)
    assert read == [b"through"]
    assert path.is_fifo()


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to("real")
    write_whole(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


def test_a_place_where_no_file_can_be_is_an_error_with_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    for place, why in [
        (tmp_path / "no" / "out", "its folder does not exist; make the folder or name another file."),
        (tmp_path / "file" / "out", "its folder does not exist; make the folder or name another file."),
        (tmp_path, "this is a folder; name a file in it."),
    ]:
        with pytest.raises(StorageError) as caught:
            write_whole(place, b"")
        assert str(caught.value) == f"{place}: {why}"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_file_or_folder_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.write_bytes(b"old")
    path.chmod(0o400)
    with pytest.raises(StorageError, match="cannot be written: the file is read-only"):
        write_whole(path, b"new")
    path.chmod(0o600)
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(StorageError, match="cannot be written: Permission denied"):
            write_whole(path, b"new")
    finally:
        tmp_path.chmod(0o700)
    assert path.read_bytes() == b"old"


def test_a_file_with_a_very_long_name_is_written(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 250)
    write_whole(path, b"new")
    assert path.read_bytes() == b"new"


def test_text_that_no_file_can_hold_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="half of a surrogate pair"), artifact(tmp_path / "out") as file:
        file.write_text("\ud800")
    assert list(tmp_path.iterdir()) == []


def test_a_killed_writer_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.write_bytes(b"old")
    program = (
        "import os, signal, sys\nfrom proctor.store.artifacts import artifact\n"
        "with artifact(sys.argv[1]) as file:\n    file.write(b'x' * 100000)\n    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(path)], check=False)  # noqa: S603 - our own program
    assert done.returncode == -signal.SIGKILL
    assert path.read_bytes() == b"old"
