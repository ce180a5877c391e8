"""What is read from the code into the pages is up to date. `make docs` brings it there."""

import os
import subprocess
import sys
from pathlib import Path

import proctor


def test_generated_parts_are_up_to_date(root: Path) -> None:
    pages = [path.relative_to(root).as_posix() for path in [root / "README.md", *sorted(root.glob("docs/*.md"))]]
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "-m", "cogapp", "--check", "--diff", "-I", "docs", *pages],
        cwd=root,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, f"{done.stdout}{done.stderr}\nRun make docs."


def test_a_part_that_is_out_of_date_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("<!-- [[[cog cog.out('new') ]]] -->\nold\n<!-- [[[end]]] -->\n", "utf-8")
    command = [sys.executable, "-m", "cogapp", "--check", str(page)]
    assert subprocess.run(command, check=False, capture_output=True, timeout=60).returncode != 0  # noqa: S603


def test_the_reference_tells_of_every_name_that_the_front_door_offers(pages: dict[str, str]) -> None:
    names = [name for name in proctor.__all__ if not name.startswith("__")]
    assert [name for name in names if f"### `{name}`" not in pages["docs/python.md"]] == []
