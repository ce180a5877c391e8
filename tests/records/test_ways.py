"""The ways of making the calls that gold asks for."""

from proctor.records.gold import read_gold
from proctor.records.ways import ways

LOOK = {"name": "find_route_for_ferries", "args": {"to": "West"}, "label": "look"}
PRICE = {"name": "fare_for_ferries", "args": {"route_id": "FR-7"}, "label": "price", "after": ["look"]}


def test_every_way_is_gone() -> None:
    gold = read_gold([{"any_of": [LOOK, [PRICE, LOOK]]}, {"name": "x", "args": {"a": {"$one_of": [1, 2]}}}])
    assert [[call.name[:4] for call in way] + [way[-1].args["a"]] for way in ways(gold)] == [
        ["find", "x", 1],
        ["find", "x", 2],
        ["fare", "find", "x", 1],
        ["fare", "find", "x", 2],
    ]


def test_an_argument_that_may_be_anything_is_left_out_and_a_near_one_is_the_number_itself() -> None:
    gold = read_gold([{"name": "x", "args": {"a": {"$any": True}, "b": {"$near": 3, "absolute": 1}, "c": 1}}])
    assert [way[0].args for way in ways(gold)] == [{"b": 3, "c": 1}]
