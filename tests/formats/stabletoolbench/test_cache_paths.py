from pathlib import PurePosixPath

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.formats.stabletoolbench.cache_paths import Layout, api_at, path_beside, path_of
from proctor.records.queries import ApiId

SKY = ApiId("Video, Images", "7-Day Sky!", "from")


def test_the_two_layouts() -> None:
    assert str(path_of(SKY, Layout.PLAIN)) == "Video, Images/7-Day Sky!/from.json"
    expected = "Video_Images/get_7_day_sky_for_Video_Images/is_from.json"
    assert str(path_of(SKY, Layout.STABLETOOLBENCH)) == expected


@pytest.mark.parametrize(
    "path",
    ["Data/weather_for_Data/get_x.json", "Data/7_day_for_Data/90s.json", "Data/a_for_b_for_Data/x_for_y.json"],
)
def test_a_path_of_stabletoolbench_comes_back_as_it_was(path: str) -> None:
    category, tool, name = path.split("/")
    api = api_at(category, tool, name.removesuffix(".json"))
    assert str(path_of(api, Layout.STABLETOOLBENCH)) == path


def test_a_tool_that_is_called_like_the_ending_keeps_a_name() -> None:
    assert api_at("Data", "_for_Data", "x").tool == "_for_Data"


@settings(deadline=None, max_examples=200)
@given(
    st.tuples(*[st.text(max_size=12) | st.sampled_from(["..", ".", "../..", "/etc", "a/../b", "\x00", "x" * 500])] * 3),
    st.sampled_from(Layout),
)
def test_no_name_leads_out_of_the_folder(names: tuple[str, str, str], layout: Layout) -> None:
    path = path_of(ApiId(*names), layout)
    assert len(path.parts) == 3
    assert not path.is_absolute()
    for part in path.parts:
        assert part not in {".", ".."}
        assert not part.startswith(".")
        assert not set(part) & set('/\\\x00:*?"<>|')
        assert len(part.encode()) <= 255


@settings(deadline=None, max_examples=200)
@given(st.lists(st.tuples(*[st.text(max_size=4) | st.sampled_from(["a/b", "a_b", ".a", "_a", ""])] * 3), min_size=2))
def test_plain_paths_of_different_apis_differ(names: list[tuple[str, str, str]]) -> None:
    apis = {ApiId(*one) for one in names}
    assert len({path_of(api, Layout.PLAIN) for api in apis}) == len(apis)


def test_a_path_beside_another_differs_by_api() -> None:
    path = PurePosixPath("a/b/c.json")
    assert path_beside(path, SKY) != path_beside(path, ApiId("a", "b", "c"))
    assert path_beside(path, SKY).parent == path.parent
