"""Workshop: tables of sizes, and the units of land and sea."""

from __future__ import annotations

from typing import Any, Literal

from proctor.starter.tables import one, table
from proctor.starter.tool import Refused, Tool

SIZES = Tool("Workshop", "Size Tables", "Sizes of shoes, paper and screws, from one system to another.")
SURVEYING = Tool("Workshop", "Land And Sea Units", "Areas and speeds, as surveyors and sailors give them.")

Speed = Literal["metres per second", "kilometres per hour", "miles per hour", "knots"]
Area = Literal["square metre", "hectare", "square kilometre", "acre", "square foot"]
ShoeSystem = Literal["european", "british", "centimetres"]

# How many metres per second, or square metres, each is.
_FACTORS = {
    "metres per second": 1.0,
    "kilometres per hour": 1 / 3.6,
    "miles per hour": 0.44704,
    "knots": 1852 / 3600,
    "square metre": 1.0,
    "hectare": 10_000.0,
    "square kilometre": 1_000_000.0,
    "acre": 4046.8564224,
    "square foot": 0.09290304,
}


def _converted(value: float, from_unit: str, to_unit: str) -> dict[str, Any]:
    if value < 0:
        raise Refused(f"400 Bad Request: value must not be negative: {value:g}.")
    found = value * _FACTORS[from_unit] / _FACTORS[to_unit]
    return {"value": value, "from_unit": from_unit, "result": round(found, 4), "to_unit": to_unit}


@SURVEYING.api("Convert Speed", value=20, from_unit="knots", to_unit="kilometres per hour")
def convert_speed(value: float, from_unit: Speed, to_unit: Speed) -> dict[str, Any]:
    """Convert a speed from one unit to another.

    value: How fast.
    from_unit: The unit that it is in.
    to_unit: The unit that is wanted.
    """
    return _converted(value, from_unit, to_unit)


@SURVEYING.api("Convert Area", value=40, from_unit="acre", to_unit="hectare")
def convert_area(value: float, from_unit: Area, to_unit: Area) -> dict[str, Any]:
    """Convert an area from one unit to another.

    value: How much.
    from_unit: The unit that it is in.
    to_unit: The unit that is wanted.
    """
    return _converted(value, from_unit, to_unit)


@SIZES.api("Shoe Size", size=42, from_system="european", to_system="british")
def shoe_size(size: float, from_system: ShoeSystem, to_system: ShoeSystem) -> dict[str, Any]:
    """Convert a shoe size between the European system, the British one, and the foot's length in centimetres.

    size: The size.
    from_system: The system that it is in.
    to_system: The system that is wanted.
    """
    row = next((row for row in table("workshop")["shoes"] if row[from_system] == size), None)
    if row is None:
        known = ", ".join(f"{row[from_system]:g}" for row in table("workshop")["shoes"])
        raise Refused(f"404 Not Found: the {from_system} sizes are {known}; there is no {size:g}.")
    return {"size": size, "from_system": from_system, "result": row[to_system], "to_system": to_system}


@SIZES.api("Paper Format", name="A4")
def paper_format(name: str) -> dict[str, Any]:
    """Width and height of a paper format in millimetres; the old Velmoran ones are known too.

    name: The format's name, such as A4 or Chancery.
    """
    return dict(one(table("workshop")["paper"], "name", name, "paper format"))


@SIZES.api("Screw Thread", name="M8")
def screw_thread(name: str) -> dict[str, Any]:
    """Diameter, pitch and drill of a metric screw thread, in millimetres.

    name: The thread's name, such as M8.
    """
    return dict(one(table("workshop")["screws"], "name", name, "thread"))
