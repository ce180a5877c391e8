"""One catalogue of tool files and of what queries document."""

import msgspec

from proctor.catalog.index import Catalog
from proctor.catalog.joining import joined
from proctor.records.queries import ApiId, ApiSpec, ToolSpec


def api(category: str, tool: str, name: str, told: str = "") -> ApiSpec:
    return ApiSpec(ApiId(category, tool, name), told)


PLAY = api("Video, Images", "Film Box", "Play Film", "from a query")


def files(category: str = "Video_Images", tool: str = "Film Box", *names: str) -> Catalog:
    apis = tuple(api(category, tool, name, "from a file") for name in names or ("Play Film", "Stop"))
    return Catalog([ToolSpec(category, tool, "Films.", apis)], stamp=b"x" * 32)


def test_files_that_have_everything_stay_as_they_are() -> None:
    known = files("Video, Images")
    whole = joined(known, [PLAY, PLAY])
    assert whole.catalog is known
    assert (whole.of_files, whole.of_queries) == (2, 0)


def test_what_only_queries_document_is_added() -> None:
    whole = joined(files("Video, Images"), [PLAY, api("Food", "Oven", "Bake"), api("Food", "Oven", "Bake")])
    assert [str(one.id) for one in whole.catalog] == [
        "Video, Images/Film Box/Play Film",
        "Video, Images/Film Box/Stop",
        "Food/Oven/Bake",
    ]
    assert (whole.of_files, whole.of_queries) == (2, 1)
    assert whole.catalog[PLAY.id].description == "from a file"
    assert (whole.catalog.report.tools, whole.catalog.report.apis) == (2, 3)


def test_an_api_more_of_a_known_tool_stands_under_it() -> None:
    whole = joined(files("Video, Images"), [PLAY, api("Video, Images", "Film Box", "Rewind")])
    assert [tool.name for tool in whole.catalog.tools] == ["Film Box"]
    assert whole.catalog.tools[0].description == "Films."
    assert whole.of_queries == 1


def test_a_tool_whose_folder_is_spelled_otherwise_has_the_name_that_queries_give_it() -> None:
    whole = joined(files("Video_Images", "film_box", "play_film", "Stop"), [PLAY])
    assert [str(one.id) for one in whole.catalog] == ["Video, Images/Film Box/Play Film", "Video, Images/Film Box/Stop"]
    assert whole.catalog[PLAY.id].description == "from a file"
    assert whole.of_queries == 0


def test_two_apis_of_a_tool_that_are_spelled_alike_stay_two() -> None:
    whole = joined(files("Video, Images", "Film Box", "Play Film", "play-film"), [PLAY, api("Food", "Oven", "Bake")])
    assert {one.id.api for one in whole.catalog} == {"Play Film", "play-film", "Bake"}


def test_without_files_it_is_what_the_queries_document() -> None:
    twice = msgspec.structs.replace(PLAY, description="otherwise")
    whole = joined(Catalog(()), [PLAY, api("Food", "Oven", "Bake"), twice])
    assert (whole.of_files, whole.of_queries, len(whole.catalog)) == (0, 2, 2)
    assert "documented a second time, and differently" in whole.catalog.report.broken[0].reason
    assert whole.catalog.stamp is None


def test_an_index_of_the_files_alone_is_none_of_the_whole() -> None:
    known = files("Video, Images")
    stamps = {
        joined(known, [one]).catalog.stamp for one in (PLAY, api("Food", "Oven", "Bake"), api("Food", "Pan", "Fry"))
    }
    assert len(stamps) == 3
    assert known.stamp in stamps
