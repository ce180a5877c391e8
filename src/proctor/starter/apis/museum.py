"""Museum: what the museums of Velmora hold, who made it, exhibitions, and how one visits."""

from __future__ import annotations

from typing import Any, Literal

from proctor.starter.tables import one, table
from proctor.starter.tool import Date, Refused, Tool, paged
from proctor.starter.values import day

COLLECTION = Tool("Museum", "Museum Collections", "The objects in the museums of Velmora, and where they stand.")
MAKERS = Tool("Museum", "Register Of Makers", "Painters, weavers, clockmakers and other makers of what museums hold.")
EXHIBITIONS = Tool("Museum", "Exhibition Calendar", "Exhibitions in the museums of Velmora and what they show.")
VISITS = Tool(
    "Museum", "Museum Visits", "Museums of Velmora: opening hours, admission, guided tours and the way there."
)

Weekday = Literal["any", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_TODAY = "2025-10-06"


def _museum() -> Any:
    return table("museum")


def _house(museum_id: str) -> dict[str, Any]:
    return one(_museum()["museums"], "museum_id", museum_id, "museum")


def _object(object_id: str) -> dict[str, Any]:
    return one(_museum()["objects"], "object_id", object_id, "object")


def _brief(thing: dict[str, Any]) -> dict[str, Any]:
    return {key: thing[key] for key in ("object_id", "title", "kind", "year")}


@COLLECTION.api("Search Objects", words="Harrow")
def search_objects(words: str, page: int = 1) -> dict[str, Any]:
    """Find objects in all museums by words of their title or kind; gives the numbers that other calls need.

    words: Words that stand in the title or the kind, in any order.
    page: Which page of the list, from 1.
    """
    wanted = words.casefold().split()
    found = [o for o in _museum()["objects"] if all(w in f"{o['title']} {o['kind']}".casefold() for w in wanted)]
    return paged([_brief(o) for o in found], page)


@COLLECTION.api("Object Details", object_id="MO-1203")
def object_details(object_id: str) -> dict[str, Any]:
    """Year, material, room, museum's number and maker's number of an object.

    object_id: The object's number, such as MO-1203.
    """
    thing = _object(object_id)
    return {key: value for key, value in thing.items() if key != "inventory_value"}


@COLLECTION.api("Objects By Maker", maker_id="MK-03")
def objects_by_maker(maker_id: str, page: int = 1) -> dict[str, Any]:
    """The objects of a maker in all museums, the oldest first, five to a page.

    maker_id: The maker's number, such as MK-03.
    page: Which page of the list, from 1.
    """
    maker = one(_museum()["makers"], "maker_id", maker_id, "maker")
    found = [thing for thing in _museum()["objects"] if thing["maker_id"] == maker["maker_id"]]
    return {"maker": maker["name"]} | paged([_brief(o) for o in sorted(found, key=lambda o: o["year"])], page)


@COLLECTION.api("Objects In Museum", museum_id="MU-4")
def objects_in_museum(museum_id: str, room: str = "any", page: int = 1) -> dict[str, Any]:
    """The objects of a museum, by their numbers, five to a page.

    museum_id: The museum's number, such as MU-4.
    room: Only objects in this room, such as 2 or hall.
    page: Which page of the list, from 1.
    """
    house = _house(museum_id)
    found = [o for o in _museum()["objects"] if o["museum_id"] == house["museum_id"] and room in ("any", o["room"])]
    return {"museum": house["name"]} | paged([_brief(o) | {"room": o["room"]} for o in found], page)


@MAKERS.api("Find Maker", name="Aamund")
def find_maker(name: str) -> dict[str, Any]:
    """Find makers by their name or a part of it; gives the numbers that other calls need.

    name: The maker's name, or a part of it.
    """
    found = [row for row in _museum()["makers"] if name.casefold() in row["name"].casefold()]
    return {"makers": [{key: row[key] for key in ("maker_id", "name", "craft")} for row in found]}


@MAKERS.api("Maker Details", maker_id="MK-03")
def maker_details(maker_id: str) -> dict[str, Any]:
    """Craft, home town, and years of birth and death of a maker.

    maker_id: The maker's number, such as MK-03.
    """
    return dict(one(_museum()["makers"], "maker_id", maker_id, "maker"))


@EXHIBITIONS.api("Exhibitions On Date", date="2025-10-12")
def exhibitions_on_date(date: Date, museum_id: str = "any") -> dict[str, Any]:
    """The exhibitions that can be seen on a date, with their last days.

    date: The day.
    museum_id: Only exhibitions of the museum with this number, such as MU-1.
    """
    house = "any" if museum_id == "any" else _house(museum_id)["museum_id"]
    found = [
        row
        for row in _museum()["exhibitions"]
        if row["first"] <= date <= row["last"] and house in ("any", row["museum_id"])
    ]
    keys = ("exhibition_id", "title", "museum_id", "last")
    return {"date": date, "exhibitions": [{key: row[key] for key in keys} for row in found]}


@EXHIBITIONS.api("Exhibition Details", exhibition_id="XH-31")
def exhibition_details(exhibition_id: str) -> dict[str, Any]:
    """Museum, days, numbers of the objects shown, and what an exhibition costs beside the admission.

    exhibition_id: The exhibition's number, such as XH-31.
    """
    row = one(_museum()["exhibitions"], "exhibition_id", exhibition_id, "exhibition")
    return dict(row) | {"museum": _house(row["museum_id"])["name"]}


@EXHIBITIONS.api("Exhibitions With Object", object_id="MO-1203")
def exhibitions_with_object(object_id: str) -> dict[str, Any]:
    """The exhibitions in which an object is shown, past ones and coming ones.

    object_id: The object's number, such as MO-1203.
    """
    thing = _object(object_id)
    keys = ("exhibition_id", "title", "museum_id", "first", "last")
    found = [row for row in _museum()["exhibitions"] if thing["object_id"] in row["objects"]]
    return {"object": thing["title"], "exhibitions": [{key: row[key] for key in keys} for row in found]}


@VISITS.api("Museums In Town", town="Aldmoor")
def museums_in_town(town: str) -> dict[str, Any]:
    """The museums of a town; gives the numbers that other calls need.

    town: The town.
    """
    found = [row for row in _museum()["museums"] if row["town"].casefold() == town.casefold()]
    if not found:
        raise Refused(f"404 Not Found: there is no museum in {town!r}.")
    return {"museums": [{key: row[key] for key in ("museum_id", "name", "address")} for row in found]}


@VISITS.api("Museum Details", museum_id="MU-1")
def museum_details(museum_id: str) -> dict[str, Any]:
    """Town, address, step-free access, nearest railway station and free day of a museum.

    museum_id: The museum's number, such as MU-1.
    """
    keys = ("museum_id", "name", "town", "address", "step_free", "free_day", "station_id", "walk_minutes")
    house = _house(museum_id)
    return {key: house[key] for key in keys}


@VISITS.api("Museum Hours", museum_id="MU-1", date="2025-10-12")
def museum_hours(museum_id: str, date: Date) -> dict[str, Any]:
    """When a museum is open on a date, days on which it is closed for once included.

    museum_id: The museum's number, such as MU-1.
    date: The day.
    """
    house = _house(museum_id)
    weekday = _WEEKDAYS[day(date).weekday()]
    closed = [row for row in _museum()["closed"] if row["museum_id"] == house["museum_id"] and row["date"] == date]
    hours, reason = ("closed", closed[0]["reason"]) if closed else (house["opens"][weekday], None)
    return {"museum": house["name"], "date": date, "weekday": weekday, "hours": hours, "reason": reason}


@VISITS.api("Admission Price", museum_id="MU-1", adults=2, children=1)
def admission_price(museum_id: str, adults: int, children: int = 0) -> dict[str, Any]:
    """What admission to a museum costs: single tickets, or family tickets (two adults, three children) where cheaper.

    museum_id: The museum's number, such as MU-1.
    adults: How many grown people, 0 to 20.
    children: How many children of 6 to 17 years, 0 to 20.
    """
    if not 0 <= adults <= 20 or not 0 <= children <= 20 or adults + children == 0:
        raise Refused("400 Bad Request: adults and children must be between 0 and 20, and one of them above 0.")
    house = _house(museum_id)
    totals = []
    for families in range(11):
        singles = max(0, adults - 2 * families) * house["adult"] + max(0, children - 3 * families) * house["child"]
        totals.append((round(families * house["family"] + singles, 2), families))
    total, families = min(totals)
    return {"museum": house["name"], "adult": house["adult"], "child": house["child"]} | {
        "family_tickets": families,
        "total": total,
        "currency": "VLM",
    }


@VISITS.api("Guided Tours", museum_id="MU-1")
def guided_tours(museum_id: str, weekday: Weekday = "any") -> dict[str, Any]:
    """The guided tours of a museum, with their numbers, hours and languages.

    museum_id: The museum's number, such as MU-1.
    weekday: Only tours on this day of the week.
    """
    house = _house(museum_id)
    rows = [row for row in _museum()["tours"] if row["museum_id"] == house["museum_id"]]
    keys = ("tour_id", "title", "weekday", "start", "language", "price")
    found = [{key: row[key] for key in keys} for row in rows if weekday in ("any", row["weekday"])]
    return {"museum": house["name"], "tours": found}


@VISITS.api("Book Guided Tour", tour_id="GT-51", date="2025-10-11", people=2)
def book_guided_tour(tour_id: str, date: Date, people: int) -> dict[str, Any]:
    """Book places on a guided tour; returns the number of the booking and the price.

    tour_id: The tour's number, such as GT-51.
    date: The day of the tour.
    people: For how many people, 1 to 20.
    """
    tour = one(_museum()["tours"], "tour_id", tour_id, "tour")
    if not 1 <= people <= 20:
        raise Refused(f"400 Bad Request: people must be between 1 and 20, not {people}.")
    if date < _TODAY:
        raise Refused(f"400 Bad Request: {date} is over.")
    if _WEEKDAYS[day(date).weekday()] != tour["weekday"]:
        raise Refused(f"400 Bad Request: {tour['tour_id']} is on {tour['weekday']}s, and {date} is none.")
    taken = sum(r["people"] for r in _museum()["booked"] if r["tour_id"] == tour["tour_id"] and r["date"] == date)
    left = tour["places"] - taken
    if people > left:
        raise Refused(f"409 Conflict: {left} places are left on {tour['tour_id']} on {date}.")
    number = f"{tour['tour_id']}/{date[5:].replace('-', '')}/{people}"
    return {"booking": number, "title": tour["title"], "start": tour["start"], "price": tour["price"] * people}
