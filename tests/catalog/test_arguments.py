"""Arguments back under their documented names."""

from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.catalog.arguments import ArgumentNames, Restored
from proctor.catalog.names import standardise, unreserved


def test_arguments_under_standardised_names_get_their_documented_ones_back() -> None:
    names = ArgumentNames(["userId", "from", "2faCode", "Page-Size"])
    given_names = {"userid": 1, "is_from": "here", "get_2facode": "x", "page_size": 5}
    assert names.restore(given_names) == Restored(
        {"userId": 1, "from": "here", "2faCode": "x", "Page-Size": 5},
        {"userid": "userId", "is_from": "from", "get_2facode": "2faCode", "page_size": "Page-Size"},
    )


def test_documented_names_and_shown_names_are_taken_as_they_are() -> None:
    names = ArgumentNames(["array[]", "array"])
    assert names.shown == {"array[]": "array_2", "array": "array"}
    assert names.restore({"array": 1, "array_2": 2}).arguments == {"array": 1, "array[]": 2}


def test_a_name_that_fits_two_parameters_is_reported_and_left() -> None:
    restored = ArgumentNames(["UserId", "userID"]).restore({"userid": 1})
    assert restored == Restored({"userid": 1}, collisions=("userid",))


def test_a_parameter_that_is_given_twice_is_reported_and_nothing_is_lost() -> None:
    names = ArgumentNames(["UserId"])
    assert names.restore({"UserId": 1, "userid": 2}) == Restored({"UserId": 1, "userid": 2}, collisions=("userid",))
    both = names.restore({"userid": 1, "user_id": 2})
    assert (both.arguments, both.unknown) == ({"UserId": 1, "user_id": 2}, ("user_id",))


def test_an_unknown_argument_is_reported_and_kept() -> None:
    assert ArgumentNames(["a"]).restore({"b": 1}) == Restored({"b": 1}, unknown=("b",))


documented = st.lists(st.text(st.sampled_from("aB1_-[]é") | st.characters(codec="utf-8"), max_size=12), max_size=8)


@settings(deadline=None, max_examples=100)
@given(documented)
def test_what_is_shown_comes_back_as_what_is_documented(names: list[str]) -> None:
    parameters = ArgumentNames(names)
    arguments = {shown: number for number, shown in enumerate(parameters.shown.values())}
    restored = parameters.restore(arguments)
    assert restored.arguments == {name: number for number, name in enumerate(parameters.shown)}
    assert not restored.unknown
    assert not restored.collisions


@settings(deadline=None, max_examples=100)
@given(documented, st.dictionaries(st.text(max_size=5), st.integers(), max_size=5))
def test_no_value_is_ever_lost(names: list[str], others: dict[str, int]) -> None:
    arguments = {**{unreserved(standardise(name)): index for index, name in enumerate(names)}, **others}
    restored = ArgumentNames(names).restore(arguments)
    assert sorted(restored.arguments.values()) == sorted(arguments.values())
