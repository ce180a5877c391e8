"""Railway: the timetable of Velmora's three lines, what travel costs, tickets and seats, notices and lost things."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from typing import Any, Literal

from proctor.starter.tables import one, table
from proctor.starter.tool import Date, Refused, Time, Tool, paged
from proctor.starter.values import day

TIMETABLE = Tool("Railway", "Velmora Timetable", "Stations, trains and connections of the Velmora railways.")
FARES = Tool("Railway", "Railway Fares", "What a journey by train costs: fares, railcards, groups and bicycles.")
COUNTER = Tool("Railway", "Ticket Counter", "Seats, reservations and refunds of train tickets.")
REPORTS = Tool("Railway", "Line Reports", "Works, disturbances and punctuality of the railway lines.")
LOST = Tool("Railway", "Railway Lost Property", "What was left in trains, and how it is fetched.")

Line = Literal["Capital Line", "Northern Line", "Isker Line"]
TravelClass = Literal["first", "second"]
Railcard = Literal["none", "Student Card", "Senior Card", "Velmora Half", "Highfell Card"]
_TODAY = "2025-10-06"
_CHANGE = 5
"""Minutes that a change of trains takes at least."""
_DAY = 24 * 60


def _railway() -> Any:
    return table("railway")


def _station(station_id: str) -> dict[str, Any]:
    return one(_railway()["stations"], "station_id", station_id, "station")


def _train(train_id: str) -> dict[str, Any]:
    return one(_railway()["trains"], "train_id", train_id, "train")


def _name(station_id: str) -> str:
    return str(_station(station_id)["name"])


@TIMETABLE.api("Find Station", name="Aldmoor")
def find_station(name: str, page: int = 1) -> dict[str, Any]:
    """Find railway stations by the name of the station or of its town; gives the numbers that other calls need.

    name: The name of the station or the town, or a part of it.
    page: Which page of the list, from 1.
    """
    wanted = name.casefold()
    found = [s for s in _railway()["stations"] if wanted in s["name"].casefold() or wanted in s["town"].casefold()]
    return paged([{key: s[key] for key in ("station_id", "name", "town")} for s in found], page)


@TIMETABLE.api("Station Details", station_id="RS-04")
def station_details(station_id: str) -> dict[str, Any]:
    """Platforms, step-free access, hours of the ticket office and lockers of a railway station, and its lines.

    station_id: The station's number, such as RS-04.
    """
    station = _station(station_id)
    lines = [row["line"] for row in _railway()["lines"] if station["station_id"] in dict(row["stations"])]
    return dict(station) | {"lines": lines}


@TIMETABLE.api("Departures", station_id="RS-04", date="2025-10-10")
def departures(station_id: str, date: Date, after: Time = "00:00", page: int = 1) -> dict[str, Any]:
    """The trains that leave a station on a date, the earliest first, five to a page.

    station_id: The station's number, such as RS-04.
    date: The day of travel.
    after: Only trains that leave at this time or later.
    page: Which page of the list, from 1.
    """
    station = _station(station_id)["station_id"]
    found = []
    for train in _running(date):
        for at, time in train["stops"][:-1]:
            if at == station and time >= after:
                found.append({"departs": time, "train_id": train["train_id"], "to": _name(train["stops"][-1][0])})
    return paged(sorted(found, key=lambda row: row["departs"]), page)


@TIMETABLE.api("Train Stops", train_id="CL-105")
def train_stops(train_id: str) -> dict[str, Any]:
    """Kind, days and stops of a train. A time is that of departure; at the last stop, that of arrival.

    train_id: The train's number, such as CL-105.
    """
    train = _train(train_id)
    stops = [{"station_id": at, "name": _name(at), "time": time} for at, time in train["stops"]]
    return {key: train[key] for key in ("train_id", "line", "kind", "runs")} | {"stops": stops}


@TIMETABLE.api("Connections", from_id="RS-02", to_id="RS-04", date="2025-10-10")
def connections(from_id: str, to_id: str, date: Date, after: Time = "00:00") -> dict[str, Any]:
    """The next three ways to travel between two stations on a date, with one change at most, by their departure.

    from_id: The number of the station where the journey begins.
    to_id: The number of the station where it ends.
    date: The day of travel.
    after: Only journeys that begin at this time or later.
    """
    start, end = _station(from_id), _station(to_id)
    if start is end:
        raise Refused("400 Bad Request: from_id and to_id are the same station.")
    earliest = _minutes(after)
    best: dict[int, list[dict[str, Any]]] = {}
    for legs in _journeys(start["station_id"], end["station_id"], date):
        departs = legs[0]["_departs"]
        if departs >= earliest and (departs not in best or legs[-1]["_arrives"] < best[departs][-1]["_arrives"]):
            best[departs] = legs
    shown = [_journey(best[departs]) for departs in sorted(best)[:3]]
    return {"from": start["name"], "to": end["name"], "date": date, "journeys": shown}


@TIMETABLE.api("Trains On Line", line="Isker Line")
def trains_on_line(line: Line, page: int = 1) -> dict[str, Any]:
    """The trains of a line with their kind and the days on which they run, five to a page.

    line: The line.
    page: Which page of the list, from 1.
    """
    keys = ("train_id", "kind", "runs")
    return paged([{key: t[key] for key in keys} for t in _railway()["trains"] if t["line"] == line], page)


@FARES.api("Single Fare", from_id="RS-02", to_id="RS-01")
def single_fare(
    from_id: str, to_id: str, travel_class: TravelClass = "second", railcard: Railcard = "none"
) -> dict[str, Any]:
    """What one grown person pays for a journey one way.

    from_id: The number of the station where the journey begins.
    to_id: The number of the station where it ends.
    travel_class: The class.
    railcard: A railcard that takes something off.
    """
    start, end = _station(from_id), _station(to_id)
    if start is end:
        raise Refused("400 Bad Request: from_id and to_id are the same station.")
    km = _km(start["station_id"], end["station_id"])
    full = max(2.5, km * 0.15 * (1.6 if travel_class == "first" else 1))
    card = _card(railcard, travel_class)
    fare = round(full * (1 - card) + 1e-9, 1)
    named = {"from": start["name"], "to": end["name"], "km": km, "class": travel_class, "railcard": railcard}
    return named | {"fare": fare, "currency": "VLM"}


@FARES.api("Group Fare", from_id="RS-01", to_id="RS-04", adults=2, children=3)
def group_fare(from_id: str, to_id: str, adults: int, children: int = 0) -> dict[str, Any]:
    """What a group pays together one way in second class: children half, and from six people a fifth off.

    from_id: The number of the station where the journey begins.
    to_id: The number of the station where it ends.
    adults: How many grown people, 1 to 30.
    children: How many children of 6 to 15 years, 0 to 30; smaller ones cost nothing.
    """
    if not 1 <= adults <= 30 or not 0 <= children <= 30:
        raise Refused("400 Bad Request: adults must be between 1 and 30, and children between 0 and 30.")
    fare = single_fare(from_id, to_id)["fare"]
    total = fare * adults + fare / 2 * children
    group = adults + children >= 6
    return {"adults": adults, "children": children, "single_fare": fare, "group_discount": group} | {
        "total": round(total * (0.8 if group else 1), 2),
        "currency": "VLM",
    }


@FARES.api("Railcard Details", railcard="Senior Card")
def railcard_details(railcard: Literal["Student Card", "Senior Card", "Velmora Half", "Highfell Card"]) -> Any:
    """What a railcard takes off, what it costs a year, for which ages and in which classes.

    railcard: The railcard.
    """
    return dict(one(_railway()["railcards"], "name", railcard, "railcard"))


@FARES.api("Bicycle Fare", train_id="IL-503", date="2025-10-11")
def bicycle_fare(train_id: str, date: Date) -> dict[str, Any]:
    """What a bicycle costs on a train, and whether it may come along: not on expresses from Monday to Friday.

    train_id: The train's number, such as IL-503.
    date: The day of travel.
    """
    train = _runs_on(train_id, date)
    allowed = train["kind"] == "regional" or (train["kind"] == "express" and day(date).weekday() >= 5)
    price = (4.5 if train["kind"] == "express" else 3.0) if allowed else None
    return {"train_id": train["train_id"], "date": date, "allowed": allowed, "price": price, "currency": "VLM"}


@COUNTER.api("Seats Free", train_id="CL-107", date="2025-10-10")
def seats_free(train_id: str, date: Date) -> dict[str, Any]:
    """How many seats can still be reserved on a train, by class.

    train_id: The train's number, such as CL-107.
    date: The day on which it leaves its first station.
    """
    train = _runs_on(train_id, date)
    rows = [r for r in _railway()["booked"] if r["train_id"] == train["train_id"] and r["date"] == date]
    taken = rows[0] if rows else {"first": 0, "second": 0}
    first, second = train["seats"]
    return {"train_id": train["train_id"], "date": date} | {
        "first": first - taken["first"],
        "second": second - taken["second"],
    }


@COUNTER.api("Reserve Seat", train_id="CL-107", date="2025-10-10", travel_class="second", seats=2)
def reserve_seat(train_id: str, date: Date, travel_class: TravelClass, seats: int = 1) -> dict[str, Any]:
    """Reserve seats on a train; returns the number of the reservation and its price, 3.50 a seat.

    train_id: The train's number, such as CL-107.
    date: The day on which it leaves its first station.
    travel_class: The class.
    seats: How many seats, 1 to 8.
    """
    if not 1 <= seats <= 8:
        raise Refused(f"400 Bad Request: seats must be between 1 and 8, not {seats}.")
    if date < _TODAY:
        raise Refused(f"400 Bad Request: {date} is over.")
    free = seats_free(train_id, date)
    if free[travel_class] < seats:
        raise Refused(f"409 Conflict: {free['train_id']} has {free[travel_class]} seats left in {travel_class} class.")
    number = f"{free['train_id']}/{date[5:].replace('-', '')}/{travel_class[0].upper()}{seats}"
    return {"reservation": number, "train_id": free["train_id"], "date": date, "price": 3.5 * seats, "currency": "VLM"}


@COUNTER.api("Ticket Details", ticket="RT-4408")
def ticket_details(ticket: str) -> dict[str, Any]:
    """Train, stations, day, class and price of a train ticket that was sold.

    ticket: The ticket's number, such as RT-4408.
    """
    row = one(_railway()["tickets"], "ticket", ticket, "ticket")
    return dict(row) | {"from": _name(row["from_id"]), "to": _name(row["to_id"])}


@COUNTER.api("Refund For Ticket", ticket="RT-4408", returned_on="2025-10-08")
def refund_for_ticket(ticket: str, returned_on: Date) -> dict[str, Any]:
    """What is paid back for a train ticket that is returned: nearly all of a flexible one, half of others in good time.

    ticket: The ticket's number, such as RT-4408.
    returned_on: The day on which it is given back.
    """
    row = one(_railway()["tickets"], "ticket", ticket, "ticket")
    days = (day(row["date"]) - day(returned_on)).days
    if days < 0:
        raise Refused(f"409 Conflict: the journey of {row['ticket']} was on {row['date']}.")
    if row["flexible"]:  # all but 2.00 before the day of travel, half of it on the day
        refund = row["price"] - 2 if days > 0 else row["price"] / 2
    else:  # half of it up to a week before, then nothing
        refund = row["price"] / 2 if days >= 7 else 0.0
    return {"ticket": row["ticket"], "price": row["price"], "refund": round(max(refund, 0), 2), "currency": "VLM"}


@REPORTS.api("Notices On Date", line="Northern Line", date="2025-10-08")
def notices_on_date(line: Line, date: Date) -> dict[str, Any]:
    """The numbers and places of works and disturbances on a line that hold on a date.

    line: The line.
    date: The day.
    """
    found = [n for n in _railway()["notices"] if n["line"] == line and n["first"] <= date <= n["last"]]
    return {"line": line, "date": date, "notices": [{key: n[key] for key in ("notice_id", "between")} for n in found]}


@REPORTS.api("Notice Details", notice_id="LN-71")
def notice_details(notice_id: str) -> dict[str, Any]:
    """Days, reason, replacement and delay in minutes of works or a disturbance on a line.

    notice_id: The notice's number, such as LN-71.
    """
    return dict(one(_railway()["notices"], "notice_id", notice_id, "notice"))


@REPORTS.api("Punctuality Of Line", line="Capital Line", month="2025-09")
def punctuality_of_line(line: Line, month: str) -> dict[str, Any]:
    """How many percent of a line's trains were punctual in a month, and how many were cancelled.

    line: The line.
    month: The month as YYYY-MM.
    """
    for row in _railway()["punctuality"]:
        if row["line"] == line and row["month"] == month:
            return dict(row)
    raise Refused(f"404 Not Found: there are no figures for {month!r}; they go from 2025-05 to 2025-09.")


@LOST.api("Search Lost Property", what="umbrella")
def search_lost_property(what: str, page: int = 1) -> dict[str, Any]:
    """Find things that were left in trains, the latest first.

    what: What was lost, in a word, such as umbrella.
    page: Which page of the list, from 1.
    """
    found = [row for row in _railway()["found"] if what.casefold() in row["what"]]
    keys = ("item_id", "what", "look", "found_on")
    return paged([{key: row[key] for key in keys} for row in sorted(found, key=lambda r: r["found_on"])[::-1]], page)


@LOST.api("Lost Item Details", item_id="FI-903")
def lost_item_details(item_id: str) -> dict[str, Any]:
    """In which train a thing was found, at which station it waits, and until when: thirty days.

    item_id: The thing's number, such as FI-903.
    """
    row = one(_railway()["found"], "item_id", item_id, "item")
    until = day(row["found_on"]) + dt.timedelta(days=30)
    return dict(row) | {"waits_at": _name(row["station_id"]), "until": until.isoformat()}


def _minutes(time: str) -> int:
    return int(time[:2]) * 60 + int(time[3:])


def _clock(minutes: int) -> str:
    return f"{minutes // 60 % 24:02d}:{minutes % 60:02d}"


def _running(date: str) -> list[dict[str, Any]]:
    """The trains that run on a date."""
    if not "2024-12-15" <= date <= "2025-12-13":
        raise Refused(f"404 Not Found: the timetable holds from 2024-12-15 to 2025-12-13, not on {date}.")
    days = ("daily", "weekends" if day(date).weekday() >= 5 else "weekdays")
    return [train for train in _railway()["trains"] if train["runs"] in days]


def _runs_on(train_id: str, date: str) -> dict[str, Any]:
    train = _train(train_id)
    if train not in _running(date):
        raise Refused(f"404 Not Found: {train['train_id']} does not run on {date}, but on {train['runs']}.")
    return train


def _card(railcard: str, travel_class: str) -> float:
    """The share that a railcard takes off."""
    if railcard == "none":
        return 0.0
    row = one(_railway()["railcards"], "name", railcard, "railcard")
    if travel_class not in row["classes"]:
        raise Refused(f"400 Bad Request: the {row['name']} holds in {row['classes']} class only.")
    percent: float = row["percent"]
    return percent / 100


def _km(start: str, end: str) -> float:
    """The way along the lines; between lines, by Aldmoor Central."""
    for row in _railway()["lines"]:
        at = dict(row["stations"])
        if start in at and end in at:
            km: float = round(abs(at[start] - at[end]), 1)
            return km
    return round(_km(start, "RS-01") + _km("RS-01", end), 1)


def _legs(start: str, end: str, date: str) -> Iterator[dict[str, Any]]:
    """The trains that go from one station to the other on a date."""
    for train in _running(date):
        times: dict[str, int] = {}
        for at, time in train["stops"]:
            minutes = _minutes(time)
            times[at] = minutes + _DAY if times and minutes < max(times.values()) else minutes
        if start in times and end in times and times[start] < times[end]:
            named = {"train_id": train["train_id"], "from": _name(start), "to": _name(end)}
            yield named | {"_departs": times[start], "_arrives": times[end]}


def _journeys(start: str, end: str, date: str) -> Iterator[list[dict[str, Any]]]:
    for leg in _legs(start, end, date):
        yield [leg]
    if "RS-01" in (start, end):
        return
    onward = sorted(_legs("RS-01", end, date), key=lambda leg: leg["_departs"])
    for leg in _legs(start, "RS-01", date):
        for after in onward:
            if after["_departs"] >= leg["_arrives"] + _CHANGE:
                yield [leg, after]
                break


def _journey(legs: list[dict[str, Any]]) -> dict[str, Any]:
    departs, arrives = legs[0]["_departs"], legs[-1]["_arrives"]
    trains = [{"train_id": leg["train_id"], "from": leg["from"], "departs": _clock(leg["_departs"])} for leg in legs]
    return {"departs": _clock(departs), "arrives": _clock(arrives), "minutes": arrives - departs, "trains": trains}
