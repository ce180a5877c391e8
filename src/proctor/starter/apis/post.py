"""Post: parcels of the Velmoran Post, what postage costs, post offices, postcodes and stamps."""

from __future__ import annotations

from typing import Any, Literal

from proctor.starter.tables import one, table
from proctor.starter.tool import Refused, Tool, paged

PARCELS = Tool("Post", "Parcel Tracker", "Where parcels of the Velmoran Post are, and what happened to them.")
POSTAGE = Tool("Post", "Postage Calculator", "What letters and parcels cost with the Velmoran Post, inland and abroad.")
OFFICES = Tool("Post", "Post Office Finder", "Post offices and postcodes of Velmora.")
STAMPS = Tool("Post", "Stamp Album", "The stamps of Velmora: years, values, designers and printings.")

Service = Literal["standard", "express", "registered"]
_EXTRA = {"standard": 0.0, "express": 6.0, "registered": 3.5}
_HEAVIEST = 30


def _post() -> Any:
    return table("post")


def _parcel(parcel_id: str) -> dict[str, Any]:
    return one(_post()["parcels"], "parcel_id", parcel_id, "parcel")


@PARCELS.api("Track Parcel", parcel_id="VP-48102290")
def track_parcel(parcel_id: str) -> dict[str, Any]:
    """How a parcel stands, and the last that happened to it.

    parcel_id: The parcel's number, such as VP-48102290.
    """
    parcel = _parcel(parcel_id)
    time, place, what = parcel["events"][-1]
    last = {"time": time, "place": place, "event": what}
    return {"parcel_id": parcel["parcel_id"], "status": parcel["status"], "last": last}


@PARCELS.api("Parcel History", parcel_id="VP-48102290")
def parcel_history(parcel_id: str, page: int = 1) -> dict[str, Any]:
    """All that happened to a parcel, the earliest first, three to a page.

    parcel_id: The parcel's number, such as VP-48102290.
    page: Which page of the list, from 1.
    """
    events = [{"time": time, "place": place, "event": what} for time, place, what in _parcel(parcel_id)["events"]]
    return paged(events, page, size=3)


@PARCELS.api("Parcel Details", parcel_id="VP-48102290")
def parcel_details(parcel_id: str) -> dict[str, Any]:
    """Weight in kilograms, service, sender's town and postcode of a parcel, and the post office where it waits.

    parcel_id: The parcel's number, such as VP-48102290.
    """
    return {key: value for key, value in _parcel(parcel_id).items() if key not in ("events", "status")}


@PARCELS.api("Expected Arrival", parcel_id="VP-48102401")
def expected_arrival(parcel_id: str) -> dict[str, Any]:
    """On which day a parcel that is on its way should arrive.

    parcel_id: The parcel's number, such as VP-48102401.
    """
    parcel = _parcel(parcel_id)
    if parcel["status"] not in ("on its way", "delayed"):
        raise Refused(f"409 Conflict: parcel {parcel['parcel_id']} is not on its way: {parcel['status']}.")
    if parcel["status"] == "delayed":
        raise Refused(f"409 Conflict: no day is known for parcel {parcel['parcel_id']}, which is delayed.")
    return {"parcel_id": parcel["parcel_id"], "service": parcel["service"], "expected": "2025-10-07"}


@POSTAGE.api("Letter Postage", grams=60, destination="inland")
def letter_postage(grams: float, destination: Literal["inland", "abroad"]) -> dict[str, Any]:
    """What a letter costs, by its weight.

    grams: The letter's weight in grams, at most 2000.
    destination: Whether it stays in Velmora.
    """
    rows = [row for row in _post()["letters"] if row["destination"] == destination and grams <= row["up_to_g"]]
    if grams <= 0 or not rows:
        raise Refused(f"400 Bad Request: grams must be above 0 and at most 2000, not {grams:g}.")
    return {"grams": grams, "destination": destination, "price": rows[0]["price"], "currency": "VLM"}


@POSTAGE.api("Parcel Postage", weight_kg=4, zone=2)
def parcel_postage(weight_kg: float, zone: int, service: Service = "standard") -> dict[str, Any]:
    """What a parcel costs, by its weight and zone.

    weight_kg: The parcel's weight in kilograms, at most 30; begun kilograms count whole.
    zone: The zone, 1 to 5: 1 same town, 2 inland, 3 mountain villages; those of countries are in Zone Of Country.
    service: The service; express costs 6 VLM more, registered 3.50 VLM.
    """
    if not 0 < weight_kg <= _HEAVIEST:
        raise Refused(f"400 Bad Request: weight_kg must be above 0 and at most {_HEAVIEST}, not {weight_kg:g}.")
    row = next((row for row in _post()["zones"] if row["zone"] == zone), None)
    if row is None:
        raise Refused(f"400 Bad Request: zone must be between 1 and 5, not {zone}.")
    price = row["base"] + row["per_kg"] * -(-weight_kg // 1) + _EXTRA[service]
    return {"weight_kg": weight_kg, "zone": row["name"], "service": service} | {
        "price": round(price, 2),
        "currency": "VLM",
    }


@POSTAGE.api("Zone Of Country", country="Norrland")
def zone_of_country(country: str) -> dict[str, Any]:
    """The postal zone of a country, how many days a parcel takes, and whether it needs a customs form.

    country: The country's name.
    """
    return dict(one(_post()["countries"], "country", country, "country"))


@OFFICES.api("Post Offices In Town", town="Aldmoor")
def post_offices_in_town(town: str) -> dict[str, Any]:
    """The post offices of a town, with the numbers that other calls need.

    town: The town.
    """
    keys = ("office_id", "name", "address")
    found = [{key: row[key] for key in keys} for row in _post()["offices"] if row["town"].casefold() == town.casefold()]
    if not found:
        raise Refused(f"404 Not Found: there is no post office in {town!r}.")
    return {"offices": found}


@OFFICES.api("Post Office Details", office_id="PO-08")
def post_office_details(office_id: str) -> dict[str, Any]:
    """Address, postcode and hours of a post office, on weekdays and on Saturday.

    office_id: The post office's number, such as PO-08.
    """
    return dict(one(_post()["offices"], "office_id", office_id, "post office"))


@OFFICES.api("Postcode Lookup", postcode="2746")
def postcode_lookup(postcode: str) -> dict[str, Any]:
    """The town and district of a postcode.

    postcode: The postcode, four digits.
    """
    return dict(one(_post()["postcodes"], "postcode", postcode, "postcode"))


@OFFICES.api("Postcodes Of Town", town="Dunhaven")
def postcodes_of_town(town: str) -> dict[str, Any]:
    """All postcodes of a town, with their districts.

    town: The town.
    """
    found = [dict(row) for row in _post()["postcodes"] if row["town"].casefold() == town.casefold()]
    if not found:
        raise Refused(f"404 Not Found: no postcode of {town!r} is known.")
    return {"town": found[0]["town"], "postcodes": [{k: row[k] for k in ("postcode", "district")} for row in found]}


@STAMPS.api("Search Stamps", words="Harrow")
def search_stamps(words: str) -> dict[str, Any]:
    """Find stamps by words of their title.

    words: Words of the title.
    """
    wanted = words.casefold().split()
    keys = ("stamp_id", "title", "year")
    found = [row for row in _post()["stamps"] if all(word in row["title"].casefold() for word in wanted)]
    return {"stamps": [{key: row[key] for key in keys} for row in found]}


@STAMPS.api("Stamp Details", stamp_id="ST-3")
def stamp_details(stamp_id: str) -> dict[str, Any]:
    """Year, face value in VLM, designer and number of printed pieces of a stamp.

    stamp_id: The stamp's number, such as ST-3.
    """
    return dict(one(_post()["stamps"], "stamp_id", stamp_id, "stamp"))
