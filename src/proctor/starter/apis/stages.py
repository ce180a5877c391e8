"""Events: what is on in the halls of Velmora, who plays, and the ticket office."""

from __future__ import annotations

from typing import Any, Literal

from proctor.starter.tables import one, table
from proctor.starter.tool import Date, Refused, Tool, paged
from proctor.starter.values import day

WHATS_ON = Tool("Events", "What Is On", "Concerts, plays, operas and shows in the towns of Velmora, with their halls.")
TICKETS = Tool("Events", "Ticket Office", "Prices, seats, holds and refunds of tickets for events in Velmora.")
ARTISTS = Tool("Events", "Artist Register", "Bands, companies and soloists of Velmora, and where they perform.")

Kind = Literal["any", "concert", "opera", "theatre", "dance", "comedy", "exhibition"]
_MOST = 8
"""More tickets are not held at once."""


def _stages() -> Any:
    return table("stages")


def _event(event_id: str) -> dict[str, Any]:
    return one(_stages()["events"], "event_id", event_id, "event")


def _venue(venue_id: str) -> dict[str, Any]:
    return one(_stages()["venues"], "venue_id", venue_id, "venue")


def _brief(event: dict[str, Any]) -> dict[str, Any]:
    shown = {key: event[key] for key in ("event_id", "title", "kind", "date")}
    return shown | {"town": _venue(event["venue_id"])["town"]}


@WHATS_ON.api("Events In Town", town="Dunhaven", month="2025-11")
def events_in_town(town: str, month: str, kind: Kind = "any", page: int = 1) -> dict[str, Any]:
    """What is on in a town in a month, the earliest first, five to a page.

    town: The town.
    month: The month as YYYY-MM.
    kind: Only events of this kind.
    page: Which page of the list, from 1.
    """
    found = [
        brief
        for brief in map(_brief, sorted(_stages()["events"], key=lambda event: event["date"]))
        if brief["town"].casefold() == town.casefold() and brief["date"].startswith(f"{month}-")
    ]
    return paged([brief for brief in found if kind in ("any", brief["kind"])], page)


@WHATS_ON.api("Search Events", words="Salt Bride")
def search_events(words: str, page: int = 1) -> dict[str, Any]:
    """Find events by words of their title; five to a page, with the numbers that other calls need.

    words: Words of the title.
    page: Which page of the list, from 1.
    """
    wanted = words.casefold().split()
    return paged([_brief(e) for e in _stages()["events"] if all(w in e["title"].casefold() for w in wanted)], page)


@WHATS_ON.api("Event Details", event_id="SE-804")
def event_details(event_id: str) -> dict[str, Any]:
    """Title, artist, day, hour, length in minutes, lowest age and hall of an event.

    event_id: The event's number, such as SE-804.
    """
    return dict(_event(event_id))


@WHATS_ON.api("Venue Details", venue_id="VN-5")
def venue_details(venue_id: str) -> dict[str, Any]:
    """Address, capacity, tram stop and step-free access of a hall.

    venue_id: The hall's number, such as VN-5.
    """
    return dict(_venue(venue_id))


@TICKETS.api("Ticket Prices", event_id="SE-804")
def ticket_prices(event_id: str) -> dict[str, Any]:
    """The blocks of an event with the price of a ticket in VLM.

    event_id: The event's number, such as SE-804.
    """
    event = _event(event_id)
    blocks = [{"block": block["block"], "price": block["price"]} for block in _blocks(event)]
    return {"event_id": event["event_id"], "title": event["title"], "blocks": blocks, "currency": "VLM"}


@TICKETS.api("Seats Left", event_id="SE-804", block="stalls")
def seats_left(event_id: str, block: str) -> dict[str, Any]:
    """How many tickets are left in a block.

    event_id: The event's number, such as SE-804.
    block: The block's name, as Ticket Prices gives it.
    """
    event = _event(event_id)
    found = one(_blocks(event), "block", block, "block")
    return {"event_id": event["event_id"], "block": found["block"], "left": found["left"]}


@TICKETS.api("Hold Tickets", event_id="SE-804", block="balcony", count=2)
def hold_tickets(event_id: str, block: str, count: int) -> dict[str, Any]:
    """Hold tickets for half an hour; returns the number of the hold and what is to be paid.

    event_id: The event's number, such as SE-804.
    block: The block's name, as Ticket Prices gives it.
    count: How many tickets, 1 to 8.
    """
    event = _event(event_id)
    found = one(_blocks(event), "block", block, "block")
    if not 1 <= count <= _MOST:
        raise Refused(f"400 Bad Request: count must be between 1 and {_MOST}, not {count}.")
    if count > found["left"]:
        raise Refused(f"409 Conflict: {found['left']} tickets are left in block {found['block']}, not {count}.")
    place = _blocks(event).index(found) + 1
    number = f"H-{event['event_id'][3:]}{place}{count}"
    return {
        "hold": number,
        "title": event["title"],
        "count": count,
        "to_pay": found["price"] * count,
        "currency": "VLM",
    }


@TICKETS.api("Booking Details", booking="BK-3317")
def booking_details(booking: str) -> dict[str, Any]:
    """The event, block and number of tickets of a booking, and whether it is paid.

    booking: The booking's number, such as BK-3317.
    """
    return dict(one(_stages()["bookings"], "booking", booking, "booking"))


@TICKETS.api("Refund For Booking", booking="BK-3317", returned_on="2025-10-20")
def refund_for_booking(booking: str, returned_on: Date) -> dict[str, Any]:
    """What is paid back when a booking is given back on a day: all until two weeks before, half until three days.

    booking: The booking's number, such as BK-3317.
    returned_on: The day on which it is given back.
    """
    found = one(_stages()["bookings"], "booking", booking, "booking")
    event = _event(found["event_id"])
    days = (day(event["date"]) - day(returned_on)).days
    if days < 0:
        raise Refused(f"409 Conflict: the event was on {event['date']}.")
    percent = 100 if days >= 14 else 50 if days >= 3 else 0
    paid = one(_blocks(event), "block", found["block"], "block")["price"] * found["count"] if found["paid"] else 0.0
    return {"booking": found["booking"], "days_before": days, "percent": percent} | {
        "refund": round(paid * percent / 100, 2),
        "currency": "VLM",
    }


@ARTISTS.api("Artist Details", artist="Kestrel Dance")
def artist_details(artist: str) -> dict[str, Any]:
    """What an artist or a company does, where they come from, since when, and their greatest prize.

    artist: The whole name.
    """
    return dict(one(_stages()["artists"], "artist", artist, "artist"))


@ARTISTS.api("Performances Of Artist", artist="Kestrel Dance")
def performances_of_artist(artist: str, page: int = 1) -> dict[str, Any]:
    """When and where an artist or a company performs, the earliest first, five to a page.

    artist: The whole name.
    page: Which page of the list, from 1.
    """
    name = one(_stages()["artists"], "artist", artist, "artist")["artist"]
    found = sorted((e for e in _stages()["events"] if e["artist"] == name), key=lambda event: event["date"])
    return paged([_brief(event) for event in found], page)


def _blocks(event: dict[str, Any]) -> list[dict[str, Any]]:
    return [block for block in _stages()["blocks"] if block["event_id"] == event["event_id"]]
