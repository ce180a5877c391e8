"""The page about StableToolBench's words has a heading for each of them."""

import re

from proctor import stabletoolbench

METHODS = (
    "load_queries",
    "extract_gold_tool_calls",
    "extract_available_tools",
    "format_result",
    "calculate_summary",
    "format_final_results",
)


def test_every_name_has_a_heading(pages: dict[str, str]) -> None:
    headings = re.findall(r"^#+ `(\w+)`", pages["docs/stabletoolbench.md"], re.MULTILINE)
    assert set(headings) == {*stabletoolbench.__all__, *METHODS}
