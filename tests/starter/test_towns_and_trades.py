"""What the APIs of calendar, maps, shop, workshop, events, fitness, post and cinema answer, and what they refuse."""

import datetime as dt
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.records.answers import Answer
from proctor.records.queries import ApiId
from proctor.starter import functions

DAYS = st.dates(dt.date(1901, 1, 1), dt.date(2099, 12, 31)).map(dt.date.isoformat)


def said(api: str, **arguments: Any) -> Any:
    return functions()[ApiId(*api.split("/"))](**arguments)


@pytest.mark.parametrize(
    ("api", "arguments", "wanted"),
    [
        ("Calendar/Almanac/Nth Weekday", {"year": 2025, "month": 2, "weekday": "Friday", "nth": -1}, "2025-02-28"),
        ("Calendar/Velmoran Holidays/Next Holiday", {"after": "2025-12-27", "region": "Aldland"}, "2026-01-01"),
        ("Calendar/Velmoran Holidays/Holidays In Year", {"year": 2024, "page": 1}, "2024-03-29"),
        ("Calendar/Velmoran Holidays/Holiday On Date", {"date": "2025-10-06", "region": "Saltcoast"}, False),
        ("Calendar/Velmoran Holidays/Holiday On Date", {"date": "2025-10-06", "region": "Aldland"}, "Harvest Monday"),
        (
            "Calendar/Office Diary/Common Free Slots",
            {"first_id": "CAL-01", "second_id": "CAL-03", "date": "2025-10-06", "minutes": 120},
            "10:30",
        ),
        ("Maps/Velmora Roads/Shortest Route", {"from_id": "P-107", "to_id": "P-111"}, 98.0),
        ("Maps/Velmora Roads/Shortest Route", {"from_id": "P-101", "to_id": "P-103", "avoid_tolls": True}, 179.5),
        ("Maps/Velmora Roads/Shortest Route", {"from_id": "P-101", "to_id": "P-101"}, 0),
        ("Maps/Velmora Gazetteer/Straight Distance", {"from_id": "P-104", "to_id": "P-104"}, 0.0),
        ("Shop/Copperpot Prices/Basket Price", {"product_id": "CP-2204", "quantity": 4, "voucher": "lantern10"}, 56.16),
        ("Shop/Copperpot Prices/Delivery Fee", {"town": "garrow", "order_value": 150, "express": True}, 5.0),
        ("Shop/Copperpot Orders/Cancel Order", {"order_number": "O-77175", "email": "Tilde.Brock@example.org"}, 0.0),
        (
            "Workshop/Size Tables/Shoe Size",
            {"size": 39, "from_system": "european", "to_system": "centimetres"},
            24.5,
        ),
        ("Events/Ticket Office/Refund For Booking", {"booking": "BK-3317", "returned_on": "2025-11-04"}, 96.0),
        ("Events/Ticket Office/Refund For Booking", {"booking": "BK-3317", "returned_on": "2025-11-05"}, 0.0),
        ("Events/Ticket Office/Refund For Booking", {"booking": "BK-3322", "returned_on": "2025-10-06"}, 0.0),
        ("Fitness/Harbour Gym/Membership Fee", {"membership": "single", "months": 24}, 936.0),
        ("Fitness/Body Figures/Body Mass Index", {"weight_kg": 81, "height_cm": 180}, "overweight"),
        ("Post/Postage Calculator/Letter Postage", {"grams": 20, "destination": "inland"}, 0.85),
        ("Post/Postage Calculator/Letter Postage", {"grams": 20.5, "destination": "inland"}, 1.4),
        ("Post/Postage Calculator/Parcel Postage", {"weight_kg": 2.1, "zone": 3, "service": "express"}, 15.5),
        ("Cinema/Cinema Programme/Showings Of Film", {"film_id": "F-501", "page": 2}, "Astra Brinstead"),
    ],
)
def test_an_api_answers(api: str, arguments: dict[str, Any], wanted: Any) -> None:
    answer = said(api, **arguments)
    assert not isinstance(answer, Answer), answer
    assert wanted in list(leaves(answer))


@pytest.mark.parametrize(
    ("api", "arguments", "error"),
    [
        ("Calendar/Almanac/Weekday Of Date", {"date": "2025-02-30"}, "400 Bad Request: date must be a date"),
        ("Calendar/Almanac/Add Days", {"date": "2025-01-01", "days": 10**9}, "400 Bad Request: days leads out"),
        (
            "Calendar/Almanac/Nth Weekday",
            {"year": 2025, "month": 13, "weekday": "Monday", "nth": 1},
            "no month 2025-13",
        ),
        ("Calendar/Almanac/Nth Weekday", {"year": 2025, "month": 2, "weekday": "Monday", "nth": 5}, "has 4 Mondays"),
        ("Calendar/Velmoran Holidays/School Breaks", {"region": "Highfell", "year": 2031}, "no school breaks"),
        (
            "Calendar/Velmoran Holidays/Working Days Between",
            {"start_date": "2025-02-01", "end_date": "2025-01-01", "region": "Aldland"},
            "400 Bad Request: end_date must be 0 to",
        ),
        ("Calendar/Office Diary/Appointment Details", {"event_id": "E-5004"}, "403 Forbidden"),
        ("Calendar/Office Diary/Free Slots", {"calendar_id": "CAL-99", "date": "2025-10-06", "minutes": 30}, "404"),
        ("Maps/Velmora Gazetteer/Places Nearby", {"place_id": "P-101", "radius_km": 900}, "at most 200, not 900."),
        ("Maps/Velmora Gazetteer/Places In Region", {"region": "Atlantis"}, "region must be one of Aldland"),
        ("Maps/Velmora Roads/Shortest Route", {"from_id": "P-101", "to_id": "P-112", "avoid_tolls": True}, "no road"),
        ("Maps/Velmora Gazetteer/Find Place", {"name": "o", "page": 99}, "400 Bad Request: page must be between 1 and"),
        ("Shop/Copperpot Prices/Basket Price", {"product_id": "CP-2001", "quantity": 0}, "between 1 and 50, not 0."),
        (
            "Shop/Copperpot Prices/Basket Price",
            {"product_id": "CP-2001", "quantity": 2, "voucher": "SUMMER20"},
            "410 Gone: the voucher SUMMER20 ended on 2025-08-31.",
        ),
        (
            "Shop/Copperpot Prices/Basket Price",
            {"product_id": "CP-2001", "quantity": 2, "voucher": "SPADE15"},
            "409 Conflict: the voucher SPADE15 holds for garden, not kitchen.",
        ),
        (
            "Shop/Copperpot Prices/Basket Price",
            {"product_id": "CP-2105", "quantity": 1, "voucher": "SPADE15"},
            "409 Conflict: the voucher SPADE15 holds from 50 VLM.",
        ),
        (
            "Shop/Copperpot Prices/Delivery Fee",
            {"town": "Stennick", "order_value": 9},
            "does not deliver to 'Stennick'",
        ),
        ("Shop/Copperpot Stock/Reserve Piece", {"product_id": "CP-2003", "shop_id": "S-3", "quantity": 2}, "has 1 of"),
        ("Shop/Copperpot Stock/Next Delivery", {"product_id": "CP-2001", "shop_id": "S-1"}, "404 Not Found"),
        ("Shop/Copperpot Orders/Cancel Order", {"order_number": "O-77170", "email": "a@example.org"}, "403 Forbidden"),
        (
            "Shop/Copperpot Orders/Cancel Order",
            {"order_number": "O-77134", "email": "o.venn@example.org"},
            "409 Conflict: order O-77134 is shipped",
        ),
        ("Shop/Copperpot Orders/Return Until", {"order_number": "O-77134", "delivered_on": "2025-10-01"}, "shipped"),
        (
            "Workshop/Land And Sea Units/Convert Area",
            {"value": -1, "from_unit": "acre", "to_unit": "hectare"},
            "must not be negative: -1.",
        ),
        (
            "Workshop/Land And Sea Units/Convert Speed",
            {"value": 1, "from_unit": "acre", "to_unit": "knots"},
            "from_unit must be one of metres per second",
        ),
        (
            "Workshop/Size Tables/Shoe Size",
            {"size": 60, "from_system": "european", "to_system": "british"},
            "there is no 60.",
        ),
        (
            "Events/Ticket Office/Hold Tickets",
            {"event_id": "SE-806", "block": "hall", "count": 4},
            "3 tickets are left",
        ),
        ("Events/Ticket Office/Hold Tickets", {"event_id": "SE-806", "block": "hall", "count": 9}, "between 1 and 8"),
        ("Events/Ticket Office/Seats Left", {"event_id": "SE-806", "block": "moon"}, "there is no block 'moon'"),
        ("Events/Ticket Office/Refund For Booking", {"booking": "BK-3317", "returned_on": "2025-11-08"}, "was on"),
        ("Fitness/Harbour Gym/Book Class", {"member_id": "M-6050", "class_id": "GC-17"}, "403 Forbidden"),
        (
            "Fitness/Harbour Gym/Book Class",
            {"member_id": "M-6021", "class_id": "GC-13"},
            "has a place in GC-13 already",
        ),
        ("Fitness/Harbour Gym/Book Class", {"member_id": "M-6021", "class_id": "GC-12"}, "the class GC-12 is full"),
        ("Fitness/Harbour Gym/Membership Fee", {"membership": "single", "months": 40}, "between 1 and 36"),
        ("Fitness/Calorie Book/Food Energy", {"food": "apple", "grams": 0}, "grams must be above 0"),
        ("Fitness/Calorie Book/Energy Burned", {"activity": "yoga", "minutes": 10, "weight_kg": 5}, "20 to 300"),
        ("Fitness/Body Figures/Body Mass Index", {"weight_kg": 70, "height_cm": 1.75}, "height_cm 100 to 250"),
        ("Fitness/Body Figures/Target Heart Rate", {"age": 5, "percent": 70}, "age must be 10 to 100"),
        (
            "Fitness/Body Figures/Daily Energy Need",
            {"weight_kg": 70, "height_cm": 175, "age": 12, "sex": "male"},
            "age must be 18 to 100",
        ),
        ("Post/Parcel Tracker/Expected Arrival", {"parcel_id": "VP-48102317"}, "409 Conflict"),
        ("Post/Parcel Tracker/Expected Arrival", {"parcel_id": "VP-48102233"}, "not on its way: delivered"),
        ("Post/Postage Calculator/Letter Postage", {"grams": 2500, "destination": "abroad"}, "at most 2000"),
        ("Post/Postage Calculator/Parcel Postage", {"weight_kg": 31, "zone": 2}, "at most 30, not 31."),
        ("Post/Postage Calculator/Parcel Postage", {"weight_kg": 3, "zone": 9}, "zone must be between 1 and 5"),
        ("Post/Post Office Finder/Post Offices In Town", {"town": "Stennick"}, "no post office in 'Stennick'"),
        ("Post/Post Office Finder/Postcodes Of Town", {"town": "Atlantis"}, "no postcode of 'Atlantis'"),
        ("Cinema/Cinema Programme/Book Seats", {"showing_id": "SH-9006", "seats": 1}, "has 0 free seats, not 1."),
        ("Cinema/Cinema Programme/Book Seats", {"showing_id": "SH-9001", "seats": 11}, "between 1 and 10, not 11."),
        ("Cinema/Film Lexicon/Cast Of Film", {"film_id": "F-510"}, "no cast of 'Highfell'"),
    ],
)
def test_an_api_refuses_in_a_sentence(
    call: Callable[..., Answer], api: str, arguments: dict[str, Any], error: str
) -> None:
    answer = call(api, **arguments)
    assert error in answer.error
    assert answer.response == ""


@given(DAYS, st.integers(-3000, 3000))
def test_days_that_are_added_lie_between(date: str, days: int) -> None:
    later = said("Calendar/Almanac/Add Days", date=date, days=days)["date"]
    between = said("Calendar/Almanac/Days Between", start_date=date, end_date=later)
    assert between["days"] == days


@given(st.integers(1900, 2099))
def test_easter_monday_is_a_monday_in_spring(year: int) -> None:
    pages = [said("Calendar/Velmoran Holidays/Holidays In Year", year=year, page=page) for page in (1, 2, 3)]
    holidays = [holiday for page in pages for holiday in page["results"]]
    assert len(holidays) == 13
    easter = dt.date.fromisoformat(next(day["date"] for day in holidays if day["name"] == "Easter Monday"))
    assert easter.weekday() == 0
    assert dt.date(year, 3, 23) <= easter <= dt.date(year, 4, 26)


PLACES = st.sampled_from([f"P-{number}" for number in range(101, 119)])


@given(PLACES, PLACES)
def test_roads_lead_both_ways_and_are_no_shorter_than_a_crow_flies(start: str, end: str) -> None:
    there = said("Maps/Velmora Roads/Shortest Route", from_id=start, to_id=end)
    back = said("Maps/Velmora Roads/Shortest Route", from_id=end, to_id=start)
    crow = said("Maps/Velmora Gazetteer/Straight Distance", from_id=start, to_id=end)
    assert there["km"] == back["km"] >= crow["km"]


@given(
    st.floats(0, 10**6),
    st.sampled_from(["knots", "miles per hour"]),
    st.sampled_from(["metres per second", "kilometres per hour"]),
)
def test_what_is_converted_there_and_back_is_the_same(value: float, one: str, other: str) -> None:
    there = said("Workshop/Land And Sea Units/Convert Speed", value=value, from_unit=one, to_unit=other)["result"]
    back = said("Workshop/Land And Sea Units/Convert Speed", value=there, from_unit=other, to_unit=one)["result"]
    assert back == pytest.approx(value, rel=1e-4, abs=0.01)


def leaves(value: Any) -> list[Any]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [leaf for item in value for leaf in leaves(item)]
    return [value]
