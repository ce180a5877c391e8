"""Maps: the gazetteer of Velmora, its roads, and its mountains, rivers and trails."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator
from typing import Any, Literal

from proctor.starter.tables import one, table
from proctor.starter.tool import Refused, Tool, paged

GAZETTEER = Tool("Maps", "Velmora Gazetteer", "Cities, towns and villages of Velmora: where they are and how large.")
ROADS = Tool("Maps", "Velmora Roads", "Roads of Velmora: routes, driving times, tolls and speed limits.")
TERRAIN = Tool("Maps", "Velmora Terrain", "Mountains, rivers and walking trails of Velmora.")

Region = Literal["Aldland", "Saltcoast", "Isker Valley", "Northmark", "Highfell"]
Kind = Literal["any", "city", "town", "village"]
Grade = Literal["any", "easy", "medium", "hard"]
_EARTH_KM = 6371.0
_SPEEDS = {"car": 1.0, "lorry": 0.75}


def _maps() -> Any:
    return table("maps")


def _place(place_id: str) -> dict[str, Any]:
    return one(_maps()["places"], "place_id", place_id, "place")


def _brief(place: dict[str, Any]) -> dict[str, Any]:
    return {key: place[key] for key in ("place_id", "name", "kind", "region")}


@GAZETTEER.api("Find Place", name="Garrow")
def find_place(name: str, page: int = 1) -> dict[str, Any]:
    """Find places by their name or a part of it; gives the numbers that other calls need.

    name: The name of the place, or a part of it.
    page: Which page of the list, from 1.
    """
    return paged([_brief(place) for place in _maps()["places"] if name.casefold() in place["name"].casefold()], page)


@GAZETTEER.api("Place Details", place_id="P-104")
def place_details(place_id: str) -> dict[str, Any]:
    """Population, elevation in metres, region and coordinates of a place.

    place_id: The place's number, such as P-104.
    """
    return dict(_place(place_id))


@GAZETTEER.api("Places In Region", region="Highfell")
def places_in_region(region: Region, kind: Kind = "any", page: int = 1) -> dict[str, Any]:
    """The places of a region, the largest first, five to a page.

    region: The region.
    kind: Only places of this kind.
    page: Which page of the list, from 1.
    """
    found = [place for place in _maps()["places"] if place["region"] == region and kind in ("any", place["kind"])]
    found.sort(key=lambda place: -place["population"])
    return paged([_brief(place) | {"population": place["population"]} for place in found], page)


@GAZETTEER.api("Places Nearby", place_id="P-104", radius_km=50)
def places_nearby(place_id: str, radius_km: float) -> dict[str, Any]:
    """The places within a distance as the crow flies, the nearest first.

    place_id: The number of the place in the middle, such as P-104.
    radius_km: How far away they may be, in kilometres; at most 200.
    """
    if not 0 < radius_km <= 200:
        raise Refused(f"400 Bad Request: radius_km must be above 0 and at most 200, not {radius_km:g}.")
    centre = _place(place_id)
    far = [(_crow(centre, place), place) for place in _maps()["places"] if place is not centre]
    near = sorted((km, place["place_id"], place["name"]) for km, place in far if km <= radius_km)
    return {"centre": centre["name"], "places": [{"place_id": p, "name": n, "km": km} for km, p, n in near]}


@GAZETTEER.api("Straight Distance", from_id="P-101", to_id="P-104")
def straight_distance(from_id: str, to_id: str) -> dict[str, Any]:
    """The distance between two places as the crow flies, in kilometres.

    from_id: The number of the one place, such as P-101.
    to_id: The number of the other place, such as P-104.
    """
    start, end = _place(from_id), _place(to_id)
    return {"from": start["name"], "to": end["name"], "km": _crow(start, end)}


@ROADS.api("Shortest Route", from_id="P-101", to_id="P-107")
def shortest_route(from_id: str, to_id: str, avoid_tolls: bool = False) -> dict[str, Any]:
    """The shortest way by road between two places: its length and the roads in their order.

    from_id: The number of the place where it begins, such as P-101.
    to_id: The number of the place where it ends, such as P-107.
    avoid_tolls: Whether roads with a toll are left out.
    """
    start, end = _place(from_id), _place(to_id)
    roads = _route(start["place_id"], end["place_id"], avoid_tolls=avoid_tolls)
    return {
        "from": start["name"],
        "to": end["name"],
        "km": round(sum(road["km"] for road in roads), 1),
        "roads": [road["road_id"] for road in roads],
    }


@ROADS.api("Driving Time", from_id="P-101", to_id="P-107")
def driving_time(from_id: str, to_id: str, vehicle: Literal["car", "lorry"] = "car") -> dict[str, Any]:
    """How long the shortest way by road takes at the speed limits, in minutes.

    from_id: The number of the place where it begins, such as P-101.
    to_id: The number of the place where it ends, such as P-107.
    vehicle: What is driven; a lorry does three quarters of a car's speed.
    """
    start, end = _place(from_id), _place(to_id)
    hours = sum(road["km"] / road["limit"] for road in _route(start["place_id"], end["place_id"]))
    return {
        "from": start["name"],
        "to": end["name"],
        "vehicle": vehicle,
        "minutes": round(hours / _SPEEDS[vehicle] * 60),
    }


@ROADS.api("Route Toll", from_id="P-101", to_id="P-102")
def route_toll(from_id: str, to_id: str) -> dict[str, Any]:
    """What the tolls on the shortest way by road cost together, in VLM.

    from_id: The number of the place where it begins, such as P-101.
    to_id: The number of the place where it ends, such as P-102.
    """
    start, end = _place(from_id), _place(to_id)
    roads = _route(start["place_id"], end["place_id"])
    paid = [road["road_id"] for road in roads if road["toll"]]
    toll = round(sum(road["toll"] for road in roads), 2)
    return {"from": start["name"], "to": end["name"], "toll": toll, "currency": "VLM", "toll_roads": paid}


@ROADS.api("Road Details", road_id="R17")
def road_details(road_id: str) -> dict[str, Any]:
    """Name, surface, length, speed limit in km/h and toll of a road.

    road_id: The road's number, such as R17.
    """
    road = one(_maps()["roads"], "road_id", road_id, "road")
    ends = {"from": _place(road["from_id"])["name"], "to": _place(road["to_id"])["name"]}
    return {key: value for key, value in road.items() if key not in ("from_id", "to_id")} | ends


@TERRAIN.api("Peaks In Region", region="Highfell")
def peaks_in_region(region: Region, page: int = 1) -> dict[str, Any]:
    """The mountains of a region, the highest first, five to a page.

    region: The region.
    page: Which page of the list, from 1.
    """
    found = sorted((p for p in _maps()["peaks"] if p["region"] == region), key=lambda peak: -peak["height"])
    return paged([{key: peak[key] for key in ("peak_id", "name", "height")} for peak in found], page)


@TERRAIN.api("Peak Details", peak_id="K-01")
def peak_details(peak_id: str) -> dict[str, Any]:
    """Height in metres, first ascent, hut and nearest village of a mountain.

    peak_id: The mountain's number, such as K-01.
    """
    peak = one(_maps()["peaks"], "peak_id", peak_id, "peak")
    return dict(peak) | {"nearest": _place(peak["nearest"])["name"]}


@TERRAIN.api("River Details", name="Isker")
def river_details(name: str) -> dict[str, Any]:
    """Length in kilometres, source, mouth and places along a river.

    name: The river's name.
    """
    river = one(_maps()["rivers"], "name", name, "river")
    return dict(river) | {"through": [_place(place)["name"] for place in river["through"]]}


@TERRAIN.api("Trails From Place", place_id="P-115")
def trails_from_place(place_id: str, grade: Grade = "any") -> dict[str, Any]:
    """The walking trails that begin at a place, with length in kilometres and climb in metres.

    place_id: The number of the place, such as P-115.
    grade: Only trails of this grade.
    """
    start = _place(place_id)
    mine = [trail for trail in _maps()["trails"] if trail["start_id"] == start["place_id"]]
    found = [{k: v for k, v in trail.items() if k != "start_id"} for trail in mine if grade in ("any", trail["grade"])]
    return {"start": start["name"], "trails": found}


@TERRAIN.api("Trail Details", trail_id="T-32")
def trail_details(trail_id: str) -> dict[str, Any]:
    """Start, length, climb, walking hours and grade of a walking trail.

    trail_id: The trail's number, such as T-32.
    """
    trail = one(_maps()["trails"], "trail_id", trail_id, "trail")
    return {k: v for k, v in trail.items() if k != "start_id"} | {"start": _place(trail["start_id"])["name"]}


def _crow(start: dict[str, Any], end: dict[str, Any]) -> float:
    """The great-circle distance of two places."""
    one_, other = math.radians(start["latitude"]), math.radians(end["latitude"])
    across = math.radians(end["longitude"] - start["longitude"])
    half = math.sin((other - one_) / 2) ** 2 + math.cos(one_) * math.cos(other) * math.sin(across / 2) ** 2
    return round(2 * _EARTH_KM * math.asin(math.sqrt(half)), 1)


def _route(start: str, end: str, *, avoid_tolls: bool = False) -> list[dict[str, Any]]:
    """The roads of the shortest way (Dijkstra)."""
    queue: list[tuple[float, str, tuple[str, ...]]] = [(0.0, start, ())]
    seen: set[str] = set()
    while queue:
        km, here, taken = heapq.heappop(queue)
        if here == end:
            return [one(_maps()["roads"], "road_id", road_id, "road") for road_id in taken]
        if here in seen:
            continue
        seen.add(here)
        for there, road in _roads_from(here):
            if not (avoid_tolls and road["toll"]):
                heapq.heappush(queue, (km + road["km"], there, (*taken, road["road_id"])))
    raise Refused("404 Not Found: no road leads there.")


def _roads_from(place_id: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for road in _maps()["roads"]:
        if road["from_id"] == place_id:
            yield road["to_id"], road
        elif road["to_id"] == place_id:
            yield road["from_id"], road
