"""What the APIs of railway, weather, currency, museum and recipes answer, and what they refuse."""

import datetime as dt
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.starter.test_towns_and_trades import leaves, said

from proctor.records.answers import Answer
from proctor.records.queries import ApiId
from proctor.starter import functions
from proctor.starter.checking import LONGEST
from proctor.starter.tables import table

STATIONS = st.sampled_from([f"RS-{number:02d}" for number in range(1, 12)])
TRAVEL_DAYS = st.dates(dt.date(2024, 12, 15), dt.date(2025, 12, 13)).map(dt.date.isoformat)
BANK_DAYS = st.sampled_from(sorted(table("currency")["rates"]))
CODES = st.sampled_from(["VLM", "NKR", "ESM", "TOL", "EUR", "USD", "CAD"])


@pytest.mark.parametrize(
    ("api", "arguments", "wanted"),
    [
        ("Railway/Velmora Timetable/Find Station", {"name": "dunhaven"}, "RS-02"),
        ("Railway/Velmora Timetable/Departures", {"station_id": "RS-04", "date": "2025-10-10", "page": 2}, "15:41"),
        (
            "Railway/Velmora Timetable/Connections",
            {"from_id": "RS-06", "to_id": "RS-07", "date": "2025-10-11", "after": "11:00"},
            "IL-505",
        ),
        ("Railway/Railway Fares/Single Fare", {"from_id": "RS-02", "to_id": "RS-01"}, 19.8),
        (
            "Railway/Railway Fares/Single Fare",
            {"from_id": "RS-02", "to_id": "RS-04", "railcard": "student card"},
            22.1,
        ),
        ("Railway/Railway Fares/Single Fare", {"from_id": "RS-01", "to_id": "RS-11"}, 2.5),
        ("Railway/Railway Fares/Group Fare", {"from_id": "RS-01", "to_id": "RS-04", "adults": 4, "children": 4}, 56.64),
        ("Railway/Railway Fares/Bicycle Fare", {"train_id": "CL-105", "date": "2025-10-10"}, False),
        ("Railway/Railway Fares/Bicycle Fare", {"train_id": "CL-105", "date": "2025-10-11"}, 4.5),
        ("Railway/Ticket Counter/Seats Free", {"train_id": "CL-107", "date": "2025-10-11"}, 260),
        ("Railway/Ticket Counter/Refund For Ticket", {"ticket": "RT-4408", "returned_on": "2025-10-10"}, 15.85),
        ("Railway/Ticket Counter/Refund For Ticket", {"ticket": "RT-4415", "returned_on": "2025-10-12"}, 0.0),
        ("Railway/Line Reports/Notices On Date", {"line": "capital line", "date": "2025-10-12"}, "LN-72"),
        ("Railway/Railway Lost Property/Lost Item Details", {"item_id": "fi-902"}, "Caldry North Gate"),
        ("Weather/Weather Archive/Find Weather Station", {"town": "highfell"}, "Stennick"),
        ("Weather/Sky And Tide/Moon Phase", {"date": "2025-03-14"}, "full moon"),
        ("Weather/Sky And Tide/Sunrise And Sunset", {"station_id": "WS-1", "date": "2025-06-21"}, "WS-1"),
        ("Weather/Storm Warnings/Warnings In Region", {"region": "Isker Valley", "date": "2025-10-06"}, "Isker Valley"),
        ("Currency/State Bank Rates/Bank Day", {"date": "2025-10-06", "direction": "after"}, "2025-10-07"),
        ("Currency/State Bank Rates/Bank Day", {"date": "2025-10-06", "direction": "before"}, "2025-10-03"),
        (
            "Currency/Money Transfers/Transfer Fee",
            {"country": "japan", "amount": 2000, "speed": "express"},
            43.0,
        ),
        (
            "Currency/Money Transfers/Transfer Arrival",
            {"country": "Republic of Tolm", "sent_on": "2025-10-01"},
            "2025-10-09",
        ),
        ("Museum/Museum Visits/Museum Hours", {"museum_id": "MU-4", "date": "2025-10-11"}, "high water"),
        ("Museum/Museum Visits/Admission Price", {"museum_id": "MU-1", "adults": 2, "children": 4}, 40.0),
        ("Museum/Museum Visits/Admission Price", {"museum_id": "MU-2", "adults": 1, "children": 4}, 16.5),
        ("Museum/Museum Collections/Objects In Museum", {"museum_id": "MU-3", "room": "hall"}, "MO-1219"),
        ("Museum/Exhibition Calendar/Exhibitions With Object", {"object_id": "MO-1201"}, "Time Ashore"),
        ("Recipes/Velmoran Recipes/Recipes For Diet", {"diet": "vegetarian", "max_minutes": 35}, "Samphire omelette"),
        ("Recipes/Velmoran Recipes/Ingredients Of Recipe", {"recipe_id": "RC-601", "servings": 6}, 900.0),
        ("Recipes/Pantry Guide/Substitute For", {"ingredient_id": "IG-06", "grams": 400}, 280.0),
        ("Recipes/Pantry Guide/Ingredients Without", {"allergen": "milk", "page": 3}, "IG-28"),
        ("Recipes/Market Stalls/Price At Stall", {"stall_id": "MS-1", "ingredient_id": "IG-06", "grams": 400}, 7.56),
    ],
)
def test_an_api_answers(api: str, arguments: dict[str, Any], wanted: Any) -> None:
    answer = said(api, **arguments)
    assert not isinstance(answer, Answer), answer
    assert wanted in [*leaves(answer), *arguments.values()]


@pytest.mark.parametrize(
    ("api", "arguments", "error"),
    [
        ("Railway/Velmora Timetable/Departures", {"station_id": "RS-99", "date": "2025-10-10"}, "no station 'RS-99'"),
        (
            "Railway/Velmora Timetable/Departures",
            {"station_id": "RS-01", "date": "2026-01-10"},
            "holds from 2024-12-15",
        ),
        (
            "Railway/Velmora Timetable/Connections",
            {"from_id": "RS-01", "to_id": "RS-01", "date": "2025-10-10"},
            "are the same station",
        ),
        (
            "Railway/Railway Fares/Single Fare",
            {"from_id": "RS-01", "to_id": "RS-04", "travel_class": "first", "railcard": "Student Card"},
            "holds in second class only",
        ),
        ("Railway/Railway Fares/Group Fare", {"from_id": "RS-01", "to_id": "RS-04", "adults": 0}, "between 1 and 30"),
        ("Railway/Railway Fares/Bicycle Fare", {"train_id": "IL-571", "date": "2025-10-10"}, "does not run on"),
        (
            "Railway/Ticket Counter/Reserve Seat",
            {"train_id": "CL-107", "date": "2025-10-10", "travel_class": "first"},
            "has 0 seats left in first class",
        ),
        (
            "Railway/Ticket Counter/Reserve Seat",
            {"train_id": "CL-107", "date": "2025-10-03", "travel_class": "first"},
            "2025-10-03 is over",
        ),
        (
            "Railway/Ticket Counter/Refund For Ticket",
            {"ticket": "RT-4377", "returned_on": "2025-10-06"},
            "409 Conflict: the journey of RT-4377 was on 2025-09-30",
        ),
        ("Railway/Line Reports/Notices On Date", {"line": "Coast Line", "date": "2025-10-06"}, "line must be one of"),
        ("Railway/Line Reports/Punctuality Of Line", {"line": "Isker Line", "month": "2025-10"}, "no figures"),
        ("Weather/Weather Archive/Weather On Day", {"station_id": "WS-1", "date": "2025-10-01"}, "holds 2025-07 to"),
        ("Weather/Climate Normals/Monthly Normal", {"station_id": "WS-1", "month": 13}, "between 1 and 12, not 13"),
        ("Weather/Sky And Tide/High Water", {"port": "Aldmoor", "date": "2025-10-06"}, "port must be one of Dunhaven"),
        (
            "Currency/State Bank Rates/Rate On Date",
            {"currency": "NKR", "date": "2025-09-08"},
            "day before is 2025-09-05",
        ),
        ("Currency/State Bank Rates/Rate On Date", {"currency": "NKR", "date": "2025-10-20"}, "rates are held from"),
        (
            "Currency/State Bank Rates/Rate History",
            {"currency": "EUR", "first": "2025-09-12", "last": "2025-09-01"},
            "last must not be before first",
        ),
        ("Currency/Exchange Counters/Counters In Town", {"town": "Garrow"}, "there is no counter in 'Garrow'"),
        (
            "Currency/Exchange Counters/Cash Quote",
            {"counter_id": "EX-5", "velmar": 100, "currency": "JPY", "date": "2025-09-19"},
            "Caldry Savings Bank has no JPY, only NKR, EUR",
        ),
        (
            "Currency/Money Transfers/Transfer Fee",
            {"country": "Republic of Tolm", "amount": 100, "speed": "express"},
            "there is no express transfer to Republic of Tolm",
        ),
        ("Currency/Money Transfers/Transfer Fee", {"country": "Japan", "amount": 10001}, "at most 10000, not 10001"),
        ("Museum/Museum Visits/Museums In Town", {"town": "Skerrick"}, "there is no museum in 'Skerrick'"),
        (
            "Museum/Museum Visits/Book Guided Tour",
            {"tour_id": "GT-51", "date": "2025-10-11", "people": 4},
            "3 places are left",
        ),
        (
            "Museum/Museum Visits/Book Guided Tour",
            {"tour_id": "GT-51", "date": "2025-10-12", "people": 1},
            "GT-51 is on Saturdays, and 2025-10-12 is none",
        ),
        ("Museum/Museum Visits/Admission Price", {"museum_id": "MU-1", "adults": 0}, "one of them above 0"),
        ("Recipes/Velmoran Recipes/Ingredients Of Recipe", {"recipe_id": "RC-601", "servings": 0}, "between 1 and 100"),
        (
            "Recipes/Pantry Guide/Substitute For",
            {"ingredient_id": "IG-15", "grams": 10},
            "nothing is known that stands",
        ),
        (
            "Recipes/Market Stalls/Price At Stall",
            {"stall_id": "MS-1", "ingredient_id": "IG-16", "grams": 10},
            "Inga's Fish does not sell walnut",
        ),
    ],
)
def test_an_api_refuses_in_a_sentence(
    call: Callable[..., Answer], api: str, arguments: dict[str, Any], error: str
) -> None:
    answer = call(api, **arguments)
    assert error in answer.error
    assert answer.response == ""


@given(STATIONS, STATIONS, TRAVEL_DAYS, st.sampled_from(["00:00", "09:00", "16:00"]))
def test_every_connection_can_be_travelled_and_is_shown_whole(start: str, end: str, date: str, after: str) -> None:
    answer = said("Railway/Velmora Timetable/Connections", from_id=start, to_id=end, date=date, after=after)
    if start == end:
        assert isinstance(answer, Answer)
        return
    assert len(msgspec.json.encode(answer)) <= LONGEST
    assert [journey["departs"] for journey in answer["journeys"]] == sorted(j["departs"] for j in answer["journeys"])
    for journey in answer["journeys"]:
        assert journey["departs"] >= after
        times = {
            train["train_id"]: said("Railway/Velmora Timetable/Train Stops", train_id=train["train_id"])
            for train in journey["trains"]
        }
        first, last = times[journey["trains"][0]["train_id"]], times[journey["trains"][-1]["train_id"]]
        assert (start, journey["departs"]) in [(stop["station_id"], stop["time"]) for stop in first["stops"]]
        assert (end, journey["arrives"]) in [(stop["station_id"], stop["time"]) for stop in last["stops"]]


@given(STATIONS, STATIONS)
def test_a_fare_is_the_same_both_ways(start: str, end: str) -> None:
    there = said("Railway/Railway Fares/Single Fare", from_id=start, to_id=end)
    back = said("Railway/Railway Fares/Single Fare", from_id=end, to_id=start)
    assert isinstance(there, Answer) == (start == end)
    if start != end:
        assert (there["fare"], there["km"]) == (back["fare"], back["km"])


def test_what_a_ticket_cost_is_its_fare() -> None:
    for ticket in table("railway")["tickets"]:
        ends = {key: ticket[key] for key in ("from_id", "to_id", "travel_class")}
        fares = [
            said("Railway/Railway Fares/Single Fare", **ends, railcard=card)["fare"]
            for card in ("none", "Student Card")
            if card == "none" or ticket["travel_class"] == "second"
        ]
        assert ticket["price"] in fares, ticket["ticket"]


@given(st.floats(1, 10**6), CODES, CODES, BANK_DAYS)
def test_money_that_is_converted_there_and_back_is_nearly_the_same(
    amount: float, one: str, other: str, date: str
) -> None:
    convert = "Currency/State Bank Rates/Convert On Date"
    there = said(convert, amount=amount, from_currency=one, to_currency=other, date=date)["result"]
    if there > 0:
        back = said(convert, amount=there, from_currency=other, to_currency=one, date=date)["result"]
        assert back == pytest.approx(amount, rel=0.01, abs=0.8)


@given(TRAVEL_DAYS, st.sampled_from([f"WS-{number}" for number in range(1, 8)]))
def test_the_sun_rises_before_it_sets_and_days_are_longest_in_june(date: str, station: str) -> None:
    sun = "Weather/Sky And Tide/Sunrise And Sunset"
    here, midsummer = said(sun, station_id=station, date=date), said(sun, station_id=station, date="2025-06-21")
    assert here["rises"] < here["sets"]
    assert 440 < here["minutes"] <= midsummer["minutes"] + 1


def test_the_records_of_a_station_are_records() -> None:
    for station in table("weather")["stations"]:
        found = said("Weather/Climate Normals/Station Records", station_id=station["station_id"])
        for month in ("2025-07", "2025-08", "2025-09"):
            asked = {"station_id": station["station_id"], "month": month}
            extreme = "Weather/Weather Archive/Extreme Day Of Month"
            assert said(extreme, **asked, extreme="hottest")["high"] < found["highest"]
            assert said(extreme, **asked, extreme="coldest")["low"] > found["lowest"]
            assert said(extreme, **asked, extreme="wettest")["rain_mm"] < found["wettest_mm"]


def test_what_one_category_names_of_another_is_there() -> None:
    for museum in table("museum")["museums"]:
        station = said("Railway/Velmora Timetable/Station Details", station_id=museum["station_id"])
        assert station["town"] == museum["town"]
    for recipe in table("recipes")["recipes"]:
        for product in recipe["equipment"]:
            assert said("Shop/Copperpot Catalogue/Product Details", product_id=product)["category"] == "kitchen"
        if recipe["book_id"] is not None:
            book = said("Library/Aldmoor City Library/Book Details", book_id=recipe["book_id"])
            assert book["subject"] == "cookery"
    towns = {place["name"] for place in table("maps")["places"]}
    rows = [*table("railway")["stations"], *table("museum")["museums"], *table("recipes")["recipes"]]
    rows += [*table("currency")["counters"], *table("weather")["stations"], *table("recipes")["stalls"]]
    assert {row["town"] for row in rows} <= towns


def test_every_id_that_data_name_is_there() -> None:
    museum, kitchen = table("museum"), table("recipes")
    objects = {row["object_id"] for row in museum["objects"]}
    makers = {row["maker_id"] for row in museum["makers"]} | {None}
    ingredients = {row["ingredient_id"] for row in kitchen["ingredients"]}
    assert {name for row in museum["exhibitions"] for name in row["objects"]} <= objects
    assert {row["maker_id"] for row in museum["objects"]} <= makers
    assert {name for row in kitchen["recipes"] for name, _ in row["ingredients"]} <= ingredients
    assert {name for row in kitchen["stalls"] for name in row["sells"]} <= ingredients
    assert {row["instead_id"] for row in kitchen["substitutes"]} <= ingredients
    assert ApiId("Recipes", "Market Stalls", "Stall Details") in functions()
