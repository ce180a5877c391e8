from proctor.catalog.recorded import answer_keys, recorded_ids, standard_arguments, standard_id
from proctor.records.keys import call_key
from proctor.records.queries import ApiId

SKY = ApiId("Video, Images", "7-Day Sky!", "from")


def test_a_standard_id_is_its_own() -> None:
    assert standard_id(standard_id(SKY)) == standard_id(SKY)


def test_an_api_is_found_under_its_own_names_first_then_as_files_spell_it() -> None:
    ids = list(recorded_ids(SKY))
    assert ids[:2] == [SKY, ApiId("Video_Images", "get_7_day_sky", "is_from")]
    assert ApiId("Video_Images", "7_day_sky", "from") in ids, "older files lack the prefixes"
    assert len(ids) == len(set(ids))


def test_an_api_with_plain_names_has_one_spelling() -> None:
    plain = ApiId("Data", "words", "get_word")
    assert list(recorded_ids(plain)) == [plain]
    assert list(answer_keys(plain, {"a": 1})) == [call_key("Data", "words", "get_word", {"a": 1})]


def test_the_first_key_is_the_identity_and_the_others_are_those_of_recordings() -> None:
    arguments = {"userId": 7, "from": "here"}
    keys = list(answer_keys(SKY, arguments))
    assert keys[0] == call_key(SKY.category, SKY.tool, SKY.api, arguments)
    standard = standard_id(SKY)
    assert call_key(standard.category, standard.tool, standard.api, {"userid": 7, "is_from": "here"}) in keys
    assert call_key(standard.category, standard.tool, standard.api, arguments) in keys
    assert len(keys) == len(set(keys))


def test_arguments_that_would_come_out_alike_are_left_as_they_are() -> None:
    assert standard_arguments({"a b": 1, "a-b": 2}) == {"a b": 1, "a-b": 2}
    assert standard_arguments({"!": 1}) == {"!": 1}
