"""Links between the pages resolve: files and headings. mkdocs looks at the site's; here are all of them."""

import re
from pathlib import Path, PurePosixPath

LINK = re.compile(r"\[[^\]\n]*\]\((?P<to>[^)\s]+)\)")
HEADING = re.compile(r"^#{1,6} +(?P<text>.+?) *#*$", re.MULTILINE)
DECISION = re.compile(r"docs/decisions/([a-z0-9-]+\.md)")
BLOCK = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)


def broken_links(path: str, pages: dict[str, str], root: Path) -> list[str]:
    """The links of a page that lead nowhere."""
    found = []
    for match in LINK.finditer(BLOCK.sub("", pages[path])):
        to, _, heading = match["to"].partition("#")
        if re.match(r"[a-z]+:", to):
            continue
        target = _joined(path, to) if to else path
        exists = target in pages or (root / target).exists()
        if not exists or (heading and heading not in anchors(pages.get(target, ""))):
            found.append(f"{path}: {match['to']}")
    return found


def anchors(page: str) -> set[str]:
    """The names by which the headings of a page can be linked to."""
    plain = (re.sub(r"[^\w\s-]", "", match["text"].lower()) for match in HEADING.finditer(BLOCK.sub("", page)))
    return {re.sub(r"[\s-]+", "-", text.strip()) for text in plain}


def _joined(path: str, to: str) -> str:
    parts: list[str] = []
    for part in (PurePosixPath(path).parent / to).parts:
        if part == ".." and parts:
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)


def test_links_lead_somewhere(pages: dict[str, str], root: Path) -> None:
    assert [link for path in pages for link in broken_links(path, pages, root)] == []


def test_a_link_to_nowhere_is_found(root: Path) -> None:
    pages = {"docs/a.md": "# One thing\n[x](b.md) [y](#one-thing) [z](#two) [w](../README.md) [v](https://example.org)"}
    assert broken_links("docs/a.md", pages, root) == ["docs/a.md: b.md", "docs/a.md: #two"]


def test_decisions_and_the_code_that_they_govern_know_each_other(pages: dict[str, str], root: Path) -> None:
    code = "".join(path.read_text("utf-8") for path in (root / "src").rglob("*.py"))
    cited = set(DECISION.findall(code))
    written = {PurePosixPath(path).name for path in pages if path.startswith("docs/decisions/")} - {"index.md"}
    assert cited == written
