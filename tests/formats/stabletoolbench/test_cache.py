import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from proctor.catalog.index import Catalog
from proctor.catalog.recorded import answer_keys
from proctor.errors import FileError
from proctor.formats.stabletoolbench.cache import Imported, export_cache, import_cache
from proctor.formats.stabletoolbench.cache_paths import Layout
from proctor.records.answers import Answer, Provenance, Source
from proctor.records.entries import Entry, Mark
from proctor.records.queries import ApiId, ApiSpec, Parameter
from proctor.store.responses import ResponseStore
from proctor.store.sqlite import SqliteResponses

Tree = dict[str, Any]
SUNNY = {"error": "", "response": {"sky": "sunny"}}
RAINY = {"error": "", "response": "rainy"}
UPSTREAM: Tree = {
    "Data/words_for_Data/get_word.json": {
        "{}": {"error": "", "response": ["rain", 1.0, 1e300, 12345678901234567890123, None]},
        "{'n': 1}": SUNNY,
        "{'n': nan}": RAINY,
        '{"n": 1}': RAINY,
        "{'n': 1.0}": SUNNY,
        "{'n': ": RAINY,
        "": SUNNY,
    },
    "Video_Images/get_7_day_sky_for_Video_Images/is_from.json": {
        "{'a': '😀 \\x00'}": {"error": "API not working error...", "response": ""},
        "{'b': 2}": {"error": "", "response": ""},
    },
}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ResponseStore]:
    made = SqliteResponses(tmp_path / "answers.db")
    yield made
    made.close()


def write(root: Path, tree: Tree) -> Path:
    for name, content in tree.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return root


def read(root: Path) -> Tree:
    return {path.relative_to(root).as_posix(): json.loads(path.read_bytes()) for path in sorted(root.rglob("*.json"))}


def plain(tree: Tree) -> Tree:
    """The same answers in the plain layout."""
    names = {path: path.split("/") for path in tree}
    return {
        f"{category}/{tool.removesuffix(f'_for_{category}')}/{name}": tree[path]
        for path, (category, tool, name) in names.items()
    }


@pytest.mark.parametrize("layout", Layout)
def test_a_cache_comes_out_as_it_went_in(tmp_path: Path, store: ResponseStore, layout: Layout) -> None:
    tree = UPSTREAM if layout is Layout.STABLETOOLBENCH else plain(UPSTREAM)
    imported = import_cache(write(tmp_path / "in", tree), store)
    assert imported == Imported(
        files=2, entries=9, stored=9, marks={"duplicate": 2, "unreadable-key": 2, "failure": 1, "empty": 1}
    )
    exported = export_cache(store, tmp_path / "out", layout)
    assert (exported.files, exported.entries, exported.beside) == (2, 9, [])
    assert read(tmp_path / "out") == tree
    assert store.damage() == []


def test_names_as_people_write_them_survive_the_plain_layout(tmp_path: Path, store: ResponseStore) -> None:
    tree = {"Data & More/The Clique/Transfer details (v2).json": {"{'player_id': 'messi'}": SUNNY}}
    import_cache(write(tmp_path / "in", tree), store)
    export_cache(store, tmp_path / "out", Layout.PLAIN)
    assert read(tmp_path / "out") == tree


def test_what_a_file_says_first_of_a_call_is_its_answer(tmp_path: Path, store: ResponseStore) -> None:
    import_cache(write(tmp_path / "in", UPSTREAM), store)
    entry = store.get(Entry.of(ApiId("Data", "words", "get_word"), {"n": 1}, Answer(None)).key)
    assert entry is not None
    assert entry.answer == Answer({"sky": "sunny"}, "", Provenance(Source.RECORDED))
    assert (entry.raw_key, entry.mark) == ("{'n': 1}", None)


def test_importing_again_changes_nothing(tmp_path: Path, store: ResponseStore) -> None:
    root = write(tmp_path / "in", UPSTREAM)
    import_cache(root, store)
    before = store.content_id()
    again = import_cache(root, store)
    assert (again.entries, again.stored, again.known, again.kept_out) == (9, 0, 9, [])
    assert store.content_id() == before


def test_an_answer_that_stands_is_not_changed_by_another_file(tmp_path: Path, store: ResponseStore) -> None:
    import_cache(write(tmp_path / "one", {"Data/words/get.json": {"{'n': 1}": SUNNY}}), store)
    again = import_cache(write(tmp_path / "two", {"Data/words_for_Data/get.json": {"{'n': 1}": RAINY}}), store)
    assert again.kept_out == ["Data/words/get {'n': 1}"]
    assert [entry.answer.response for entry in store.entries()] == [SUNNY["response"]]


def test_two_files_about_one_api_keep_both_their_spellings(tmp_path: Path, store: ResponseStore) -> None:
    tree = {"Data/words/get.json": {"{'n': 1}": SUNNY}, "Data/words_for_Data/get.json": {'{"n":1}': RAINY}}
    assert import_cache(write(tmp_path / "in", tree), store).stored == 2
    export_cache(store, tmp_path / "out")
    assert read(tmp_path / "out") == {"Data/words_for_Data/get.json": {"{'n': 1}": SUNNY, '{"n":1}': RAINY}}


def test_with_a_catalogue_entries_get_their_documented_names(tmp_path: Path, store: ResponseStore) -> None:
    sky = ApiId("Video, Images", "7-Day Sky!", "from")
    catalog = Catalog.of_apis([ApiSpec(sky, required=(Parameter("userId"),))])
    tree = {
        "Video_Images/get_7_day_sky_for_Video_Images/is_from.json": {"{'userid': 7}": SUNNY},
        "Data/words_for_Data/get.json": {"{}": SUNNY},
    }
    imported = import_cache(write(tmp_path / "in", tree), store, catalog)
    assert imported.undocumented == 1
    assert store.get(next(answer_keys(sky, {"userId": 7}))) is not None
    export_cache(store, tmp_path / "out")
    assert read(tmp_path / "out") == tree


def test_without_a_catalogue_entries_are_found_by_their_standardised_names(
    tmp_path: Path, store: ResponseStore
) -> None:
    tree = {"Video_Images/get_7_day_sky_for_Video_Images/is_from.json": {"{'userid': 7}": SUNNY}}
    import_cache(write(tmp_path / "in", tree), store)
    keys = answer_keys(ApiId("Video, Images", "7-Day Sky!", "from"), {"userId": 7})
    assert [answer.response for key in keys if (answer := store.answer(key))] == [SUNNY["response"]]


BROKEN = {
    "Data/words/cut.json": b'{"{}": {"error": "", "resp',
    "Data/words/empty.json": b"",
    "Data/words/list.json": b"[]",
    "Data/words/latin.json": b'{"{}": {"error": "\xe9", "response": 1}}',
    "Data/words/twice.json": b'{"{}": {"error": "", "response": 1}, "{}": {"error": "", "response": 2}}',
    "Data/words/deep.json": b'{"{}": {"error": "", "response": ' + b"[" * 100_000 + b"]" * 100_000 + b"}}",
    "stray.json": b"{}",
}


def test_files_that_cannot_be_read_are_named_and_left_alone(tmp_path: Path, store: ResponseStore) -> None:
    root = write(tmp_path / "in", {**BROKEN, **UPSTREAM})
    imported = import_cache(root, store)
    assert (imported.files, imported.stored) == (2, 9)
    assert sorted(Path(one.path).name for one in imported.broken) == sorted(Path(name).name for name in BROKEN)
    assert all(one.reason for one in imported.broken)
    assert {name: (root / name).read_bytes() for name in BROKEN} == BROKEN


ODD_ENTRIES = [
    b'{"error": "", "response": NaN}',
    b'{"error": "", "response": "\\ud800"}',
    b'{"error": ""}',
    b'{"error": null, "response": 1}',
    b'{"error": "", "response": 1, "more": 2}',
    b'"text"',
]


@pytest.mark.parametrize("odd", ODD_ENTRIES, ids=range(len(ODD_ENTRIES)))
def test_an_entry_that_cannot_be_kept_is_named_and_the_rest_is_kept(
    tmp_path: Path, store: ResponseStore, odd: bytes
) -> None:
    content = b"{\"{'n': 1}\": " + odd + b', "{}": {"error": "", "response": 1}}'
    imported = import_cache(write(tmp_path / "in", {"Data/words/get.json": content}), store)
    assert (imported.files, imported.entries, imported.stored) == (1, 2, 1)
    assert len(imported.broken) == 1
    assert imported.broken[0].reason.startswith("the entry \"{'n': 1}\": ")


def test_a_folder_without_cache_files_is_an_error(tmp_path: Path, store: ResponseStore) -> None:
    with pytest.raises(FileError, match="no such folder of cache files"):
        import_cache(tmp_path / "none", store)
    write(tmp_path / "in", {"Data/stray.json": {}})
    with pytest.raises(FileError, match="no cache file here; expected <category>"):
        import_cache(tmp_path / "in", store)


@pytest.mark.skipif(os.name != "posix", reason="other systems have no such names")
def test_a_name_that_is_no_text_is_spelled_out(tmp_path: Path, store: ResponseStore) -> None:
    folder = tmp_path / "in" / "Data" / "words"
    folder.mkdir(parents=True)
    Path(os.fsdecode(os.fsencode(folder) + b"/\xff.json")).write_bytes(b'{"{}": {"error": "", "response": 1}}')
    assert import_cache(tmp_path / "in", store).stored == 1
    export_cache(store, tmp_path / "out")


def test_nothing_is_overwritten(tmp_path: Path, store: ResponseStore) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "diary.txt").write_text("dear diary")
    with pytest.raises(FileError, match="the folder is not empty; name a new one"):
        export_cache(store, tmp_path / "out")
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["diary.txt"]


def test_new_answers_are_written_as_stabletoolbench_looks_for_them(tmp_path: Path, store: ResponseStore) -> None:
    store.put(Entry.of(ApiId("Video, Images", "7-Day Sky!", "from"), {"userId": "it's 7", "x": None}, Answer("sunny")))
    export_cache(store, tmp_path / "out")
    assert read(tmp_path / "out") == {
        "Video_Images/get_7_day_sky_for_Video_Images/is_from.json": {
            str({"userId": "it's 7", "x": None}): {"error": "", "response": "sunny"}
        }
    }


def test_apis_that_share_a_path_share_its_file_unless_they_contradict_each_other(
    tmp_path: Path, store: ResponseStore
) -> None:
    for name, n, said in [("get word", 1, "a"), ("Get_Word", 1, "a"), ("get_word", 2, "b"), ("GET WORD", 1, True)]:
        store.put(Entry.of(ApiId("Data", "words", name), {"n": n}, Answer(said)))
    exported = export_cache(store, tmp_path / "out")
    assert (exported.files, exported.entries, len(exported.beside)) == (2, 3, 1)
    answers = list(read(tmp_path / "out").values())
    assert sorted(sorted(str(one["response"]) for one in file.values()) for file in answers) == [["True", "b"], ["a"]]


def test_no_name_leads_out_of_the_folder(tmp_path: Path, store: ResponseStore) -> None:
    for name in ("..", "../../x", "/etc/passwd", "a\x00b"):
        store.put(Entry.of(ApiId(name, name, name), {}, Answer(name)))
    for layout in Layout:
        export_cache(store, tmp_path / "deep" / "out" / layout.value, layout)
    outside = [path for path in tmp_path.rglob("*.json") if (tmp_path / "deep" / "out") not in path.parents]
    assert outside == []
    assert len(list(tmp_path.rglob("*.json"))) == 8


def test_marks_are_kept_with_the_entries(tmp_path: Path, store: ResponseStore) -> None:
    import_cache(write(tmp_path / "in", UPSTREAM), store)
    marks = {entry.raw_key: entry.mark for entry in store.entries()}
    assert marks["{'n': "] is Mark.UNREADABLE_KEY
    assert marks["{'n': 1.0}"] is Mark.DUPLICATE
    assert marks["{'n': nan}"] is None
    assert marks["{'b': 2}"] is Mark.EMPTY


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
ANSWERS = st.fixed_dictionaries({"error": st.text(max_size=5), "response": JSON})
TEXTS = st.text(max_size=8) | st.dictionaries(st.sampled_from("ab"), JSON, max_size=2).map(str)
SPELLINGS = st.sampled_from(["{'a': 1, 'b': 2}", "{'b': 2, 'a': 1}", '{"b": 2, "a": 1}', "{'b': 2.0, 'a': 1}"])


@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(TEXTS | SPELLINGS, ANSWERS, min_size=1, max_size=6))
def test_any_file_comes_out_as_it_went_in_and_answers_alike_when_it_goes_in_again(
    tmp_path_factory: pytest.TempPathFactory, answers: Tree
) -> None:
    root = tmp_path_factory.mktemp("cache")
    tree = {"Data/words_for_Data/get.json": answers}
    store = SqliteResponses(root / "answers.db")
    assert import_cache(write(root / "in", tree), store).stored == len(answers)
    export_cache(store, root / "out")
    assert json.dumps(read(root / "out"), sort_keys=True) == json.dumps(tree, sort_keys=True)
    again = SqliteResponses(root / "again.db")
    import_cache(root / "out", again)
    assert again.content_id() == store.content_id()
    again.close()
    store.close()


FAILED = {"error": "API not working error...", "response": ""}


def only(store: ResponseStore, arguments: dict[str, Any]) -> Any:
    answer = store.answer(Entry.of(ApiId("Data", "words", "get"), arguments, Answer(None)).key)
    return None if answer is None else (answer.error, answer.response)


def test_a_recorded_failure_hides_no_answer_that_stands_below_it(tmp_path: Path, store: ResponseStore) -> None:
    tree = {"Data/words_for_Data/get.json": {"{'n': 1, 'm': 2}": FAILED, "{'m': 2, 'n': 1}": SUNNY}}
    assert import_cache(write(tmp_path / "in", tree), store).marks == {"duplicate": 1}
    assert only(store, {"n": 1, "m": 2}) == ("", {"sky": "sunny"})
    export_cache(store, tmp_path / "out")
    assert read(tmp_path / "out") == tree


def test_a_later_file_replaces_a_recorded_failure(tmp_path: Path, store: ResponseStore) -> None:
    import_cache(write(tmp_path / "one", {"Data/words_for_Data/get.json": {"{'n': 1, 'm': 2}": FAILED}}), store)
    later = {"Data/words_for_Data/get.json": {"{'m': 2, 'n': 1}": SUNNY}}
    report = import_cache(write(tmp_path / "two", later), store)
    assert (report.replaced, report.stored, report.kept_out) == (1, 1, [])
    assert only(store, {"n": 1, "m": 2}) == ("", {"sky": "sunny"})
    export_cache(store, tmp_path / "out")
    texts = {"{'m': 2, 'n': 1}": SUNNY, "{'n': 1, 'm': 2}": FAILED}
    assert read(tmp_path / "out") == {"Data/words_for_Data/get.json": texts}


def test_of_two_files_that_contradict_each_other_the_second_does_not_replace_the_first(
    tmp_path: Path, store: ResponseStore
) -> None:
    import_cache(write(tmp_path / "one", {"Data/words_for_Data/get.json": {"{'n': 1}": FAILED}}), store)
    later = {"Data/words/get.json": {"{'n': 1}": SUNNY}, "Data/words_for_Data/get.json": {"{'n': 1}": RAINY}}
    report = import_cache(write(tmp_path / "two", later), store)
    assert (report.replaced, report.kept_out) == (1, ["Data/words/get {'n': 1}"])
    assert only(store, {"n": 1}) == ("", {"sky": "sunny"})


def test_an_answer_that_was_refreshed_is_the_one_that_is_written(tmp_path: Path, store: ResponseStore) -> None:
    tree = {"Data/words_for_Data/get.json": {'{"n": 1}': SUNNY, "{'n': 1}": RAINY}}
    import_cache(write(tmp_path / "in", tree), store)
    store.supersede(Entry.of(ApiId("Data", "words", "get"), {"n": 1}, Answer("snow")))
    export_cache(store, tmp_path / "out")
    assert read(tmp_path / "out") == {"Data/words_for_Data/get.json": {"{'n': 1}": {"error": "", "response": "snow"}}}
