"""Units: conversion of today's units, of the measures of old Velmora, and of sizes."""

from __future__ import annotations

from typing import Any, Literal

from proctor.starter.tables import one, table
from proctor.starter.tool import Refused, Tool

CONVERTER = Tool("Units", "Unit Converter", "Converts lengths, masses, volumes, speeds, areas and temperatures.")
OLD = Tool("Units", "Old Velmoran Measures", "The measures that were used in Velmora before 1874, and their regions.")
SIZES = Tool("Units", "Size Tables", "Sizes of shoes, paper and screws, from one system to another.")

Length = Literal["millimetre", "centimetre", "metre", "kilometre", "inch", "foot", "yard", "mile", "nautical mile"]
Mass = Literal["gram", "kilogram", "tonne", "ounce", "pound", "stone"]
Volume = Literal["millilitre", "litre", "cubic metre", "pint", "gallon", "fluid ounce"]
Speed = Literal["metres per second", "kilometres per hour", "miles per hour", "knots"]
Area = Literal["square metre", "hectare", "square kilometre", "acre", "square foot"]
Temperature = Literal["celsius", "fahrenheit", "kelvin"]
OldKind = Literal["length", "mass", "volume", "area"]
ShoeSystem = Literal["european", "british", "centimetres"]

# How much of the first unit of its kind each is.
_FACTORS = {
    "metre": 1.0,
    "millimetre": 0.001,
    "centimetre": 0.01,
    "kilometre": 1000.0,
    "inch": 0.0254,
    "foot": 0.3048,
    "yard": 0.9144,
    "mile": 1609.344,
    "nautical mile": 1852.0,
    "kilogram": 1.0,
    "gram": 0.001,
    "tonne": 1000.0,
    "ounce": 0.028349523125,
    "pound": 0.45359237,
    "stone": 6.35029318,
    "litre": 1.0,
    "millilitre": 0.001,
    "cubic metre": 1000.0,
    "pint": 0.56826125,
    "gallon": 4.54609,
    "fluid ounce": 0.0284130625,
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
_ZEROS = {"celsius": (1.0, 0.0), "kelvin": (1.0, 273.15), "fahrenheit": (1.8, 32.0)}


def _converted(value: float, from_unit: str, to_unit: str) -> dict[str, Any]:
    if value < 0:
        raise Refused(f"400 Bad Request: value must not be negative: {value:g}.")
    found = value * _FACTORS[from_unit] / _FACTORS[to_unit]
    return {"value": value, "from_unit": from_unit, "result": round(found, 4), "to_unit": to_unit}


@CONVERTER.api("Convert Length", value=12, from_unit="mile", to_unit="kilometre")
def convert_length(value: float, from_unit: Length, to_unit: Length) -> dict[str, Any]:
    """Convert a length or distance from one unit to another.

    value: How much.
    from_unit: The unit that it is in.
    to_unit: The unit that is wanted.
    """
    return _converted(value, from_unit, to_unit)


@CONVERTER.api("Convert Mass", value=3, from_unit="stone", to_unit="kilogram")
def convert_mass(value: float, from_unit: Mass, to_unit: Mass) -> dict[str, Any]:
    """Convert a mass or weight from one unit to another.

    value: How much.
    from_unit: The unit that it is in.
    to_unit: The unit that is wanted.
    """
    return _converted(value, from_unit, to_unit)


@CONVERTER.api("Convert Volume", value=5, from_unit="gallon", to_unit="litre")
def convert_volume(value: float, from_unit: Volume, to_unit: Volume) -> dict[str, Any]:
    """Convert a volume from one unit to another; pints and gallons are the imperial ones.

    value: How much.
    from_unit: The unit that it is in.
    to_unit: The unit that is wanted.
    """
    return _converted(value, from_unit, to_unit)


@CONVERTER.api("Convert Speed", value=20, from_unit="knots", to_unit="kilometres per hour")
def convert_speed(value: float, from_unit: Speed, to_unit: Speed) -> dict[str, Any]:
    """Convert a speed from one unit to another.

    value: How fast.
    from_unit: The unit that it is in.
    to_unit: The unit that is wanted.
    """
    return _converted(value, from_unit, to_unit)


@CONVERTER.api("Convert Area", value=40, from_unit="acre", to_unit="hectare")
def convert_area(value: float, from_unit: Area, to_unit: Area) -> dict[str, Any]:
    """Convert an area from one unit to another.

    value: How much.
    from_unit: The unit that it is in.
    to_unit: The unit that is wanted.
    """
    return _converted(value, from_unit, to_unit)


@CONVERTER.api("Convert Temperature", value=-4, from_unit="celsius", to_unit="fahrenheit")
def convert_temperature(value: float, from_unit: Temperature, to_unit: Temperature) -> dict[str, Any]:
    """Convert a temperature from one scale to another; nothing is colder than -273.15 degrees Celsius.

    value: How many degrees.
    from_unit: The scale that it is on.
    to_unit: The scale that is wanted.
    """
    (slope, zero), (wanted, shift) = _ZEROS[from_unit], _ZEROS[to_unit]
    celsius = (value - zero) / slope
    if celsius < -273.15 - 1e-9:
        raise Refused(f"400 Bad Request: {value:g} {from_unit} is below absolute zero.")
    return {"value": value, "from_unit": from_unit, "result": round(celsius * wanted + shift, 2), "to_unit": to_unit}


@OLD.api("Old Units", kind="length")
def old_units(kind: OldKind) -> dict[str, Any]:
    """The old Velmoran measures of a kind, with the numbers that other calls need.

    kind: What was measured.
    """
    found = [unit for unit in table("units")["old"] if unit["kind"] == kind]
    return {"kind": kind, "units": [{key: unit[key] for key in ("unit_id", "name", "region")} for unit in found]}


@OLD.api("Old Unit Details", unit_id="OU-02")
def old_unit_details(unit_id: str) -> dict[str, Any]:
    """What an old Velmoran measure is in today's units, where it was used, and until when.

    unit_id: The measure's number, such as OU-02.
    """
    return dict(one(table("units")["old"], "unit_id", unit_id, "old measure"))


@OLD.api("Convert Old Measure", value=7, unit_id="OU-02")
def convert_old_measure(value: float, unit_id: str) -> dict[str, Any]:
    """Convert an amount in an old Velmoran measure to today's units.

    value: How much.
    unit_id: The measure's number, such as OU-02.
    """
    if value < 0:
        raise Refused(f"400 Bad Request: value must not be negative: {value:g}.")
    unit = one(table("units")["old"], "unit_id", unit_id, "old measure")
    return {"value": value, "unit": unit["name"], "result": round(value * unit["is"], 4), "to_unit": unit["of"]}


@SIZES.api("Shoe Size", size=42, from_system="european", to_system="british")
def shoe_size(size: float, from_system: ShoeSystem, to_system: ShoeSystem) -> dict[str, Any]:
    """Convert a shoe size between the European system, the British one, and the foot's length in centimetres.

    size: The size.
    from_system: The system that it is in.
    to_system: The system that is wanted.
    """
    row = next((row for row in table("units")["shoes"] if row[from_system] == size), None)
    if row is None:
        known = ", ".join(f"{row[from_system]:g}" for row in table("units")["shoes"])
        raise Refused(f"404 Not Found: the {from_system} sizes are {known}; there is no {size:g}.")
    return {"size": size, "from_system": from_system, "result": row[to_system], "to_system": to_system}


@SIZES.api("Paper Format", name="A4")
def paper_format(name: str) -> dict[str, Any]:
    """Width and height of a paper format in millimetres; the old Velmoran ones are known too.

    name: The format's name, such as A4 or Chancery.
    """
    return dict(one(table("units")["paper"], "name", name, "paper format"))


@SIZES.api("Screw Thread", name="M8")
def screw_thread(name: str) -> dict[str, Any]:
    """Diameter, pitch and drill of a metric screw thread, in millimetres.

    name: The thread's name, such as M8.
    """
    return dict(one(table("units")["screws"], "name", name, "thread"))
