from typing import Any

import pytest

from proctor.records.answers import Answer
from proctor.records.entries import Mark
from proctor.records.marks import mark_of

FAILURES: list[tuple[Any, str]] = [
    ("", "API not working error..."),
    ("", "Unauthorized error..."),
    ("", "Unsubscribed error..."),
    ("", "Too many requests error..."),
    ("", "Rate limit error..."),
    ("", "Gateway error..."),
    ("", "Blocked error..."),
    ("", "Message error..."),
    ("", "Request timed out"),
    ("", "request failed with status code 502"),
    ("", "404 Not Found"),
    ("", "404"),
    ("", "HTTP error 503: Service Unavailable"),
    ("", "The data source did not return useful information."),
    ({"message": "You are not subscribed to this API."}, ""),
    ({"message": "You have exceeded the MONTHLY quota for Requests on your current plan"}, ""),
    ({"message": "Too many requests"}, ""),
    ({"message": "API doesn't exists"}, ""),
    ({"message": "Endpoint '/v1/words' does not exist"}, ""),
    ({"messages": "The API is unreachable", "message": "The API is unreachable, please contact the provider"}, ""),
    ({"status": 404, "error": "Not Found", "path": "/x"}, ""),
    ({"statusCode": "500", "message": "oops"}, ""),
    ({"error": "Internal Server Error"}, ""),
    ('{"message": "You are not subscribed to this API."}', ""),
    ("<!DOCTYPE html>\n<html><head><title>502 Bad Gateway</title></head></html>", ""),
    ("Bad Gateway", ""),
]
EMPTY: list[Any] = [None, "", "  \n", {}, [], "{}", "[]", "null", '""']
SOUND: list[tuple[Any, str]] = [
    ({"id": 47401, "followers": 500000}, ""),
    ({"id": 500, "title": "404 ways to cook"}, ""),
    ([500, 404, 401], ""),
    ("500", ""),
    (404, ""),
    (0, ""),
    (False, ""),
    ("404 Main Street, Springfield", ""),
    ("500 words on unauthorised copies", ""),
    ({"status": "success", "code": 200, "message": "ok"}, ""),
    ({"message": "Not found in our records, but here are others", "items": [1], "total": 1}, ""),
    ({"data": []}, ""),
    ({"error": "", "items": [1]}, ""),
    ({"a": 1, "b": 2, "c": 3, "d": 4, "status": 404, "message": "a row of a table", "f": 6}, ""),
    ("", "the city is unknown"),
    ("", "Missing required parameter: city"),
    ("The gateway error page was redesigned in 2019. " * 20, ""),
    ("not json {", ""),
    ("{not json", ""),
    ("[" * 100_000, ""),
]


@pytest.mark.parametrize(("response", "error"), FAILURES)
def test_the_shape_of_a_failure_is_known(response: Any, error: str) -> None:
    assert mark_of(Answer(response, error)) is Mark.FAILURE


@pytest.mark.parametrize("response", EMPTY)
def test_an_answer_that_says_nothing_is_empty(response: Any) -> None:
    assert mark_of(Answer(response)) is Mark.EMPTY
    assert mark_of(Answer(response, "the city is unknown")) is None


@pytest.mark.parametrize(("response", "error"), SOUND)
def test_digits_and_words_inside_data_are_no_failure(response: Any, error: str) -> None:
    assert mark_of(Answer(response, error)) is None
