from typing import Any

import pytest

from proctor.errors import SampleError
from proctor.records.entries import entry_key, raw_text_key
from proctor.records.keys import call_key
from proctor.records.queries import ApiId

SKY = ApiId("Weather", "Sky", "Get")
NAN = float("nan")
INF = float("inf")


def test_the_key_of_an_entry_is_that_of_its_call() -> None:
    assert entry_key(SKY, {"day": 1.0}) == call_key("Weather", "Sky", "Get", {"day": 1})


def test_calls_with_nan_have_keys_and_every_other_call_has_another() -> None:
    values = [NAN, INF, -INF, "NaN", "nan", None, "Infinity"]
    assert len({entry_key(SKY, {"lat": value}) for value in values}) == len(values)
    assert entry_key(SKY, {"lat": NAN, "lon": 1.0}) == entry_key(SKY, {"lon": 1, "lat": NAN})
    assert entry_key(SKY, {"at": [NAN, 2.0]}) != entry_key(SKY, {"at": [2, NAN]})
    assert entry_key(SKY, {"at": [NAN, None]}) != entry_key(SKY, {"at": [None, NAN]})


@pytest.mark.parametrize("arguments", [{"lat": NAN, 1: 2}, {"lat": NAN, "name": "\ud800"}, {1: 2}])
def test_what_has_no_key_is_refused(arguments: dict[Any, Any]) -> None:
    with pytest.raises(SampleError):
        entry_key(SKY, arguments)


def test_texts_of_one_api_have_keys_that_differ() -> None:
    assert raw_text_key(SKY, "{") != raw_text_key(SKY, "{'a'")
    assert raw_text_key(SKY, "{") != raw_text_key(ApiId("Weather", "Sky", "Put"), "{")
