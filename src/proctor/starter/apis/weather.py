"""Weather: an archive of days, what is usual and what was extreme, warnings, and the sky with its tides."""

from __future__ import annotations

import calendar
import datetime as dt
import math
from typing import Any, Literal

from proctor.starter.tables import one, table
from proctor.starter.tool import Date, Refused, Tool, paged
from proctor.starter.values import day

ARCHIVE = Tool("Weather", "Weather Archive", "Measured weather of past days at the stations of Velmora.")
NORMALS = Tool("Weather", "Climate Normals", "What weather is usual at the stations of Velmora, and its records.")
SKY = Tool("Weather", "Sky And Tide", "Sunrise, sunset, the moon and the tides of Velmora.")
WARNINGS = Tool("Weather", "Storm Warnings", "Warnings of the weather service by region.")

Region = Literal["Aldland", "Saltcoast", "Isker Valley", "Northmark", "Highfell"]
Extreme = Literal["hottest", "coldest", "wettest", "sunniest", "windiest"]
Port = Literal["Dunhaven", "Skerrick", "Orrin Bay"]
_KEYS = ("low", "high", "rain_mm", "sun_hours", "gust_kmh")
_NEW_MOON = dt.datetime(2025, 1, 29, 12, 36)  # noqa: DTZ001 - a moment in universal time, all that is asked of it
_MONTH_DAYS = 29.530588853
_WAXING = ("new moon", "waxing crescent", "first quarter", "waxing gibbous")
_WANING = ("full moon", "waning gibbous", "last quarter", "waning crescent")


def _weather() -> Any:
    return table("weather")


def _station(station_id: str) -> dict[str, Any]:
    return one(_weather()["stations"], "station_id", station_id, "weather station")


def _days(station_id: str, month: str) -> list[dict[str, Any]]:
    """The days of a month that the archive holds."""
    rows = _weather()["days"].get(f"{_station(station_id)['station_id']} {month}")
    if rows is None:
        raise Refused(f"404 Not Found: the archive holds 2025-07 to 2025-09, not {month!r}.")
    return [
        {"date": f"{month}-{number:02d}"} | dict(zip(_KEYS, row, strict=True)) for number, row in enumerate(rows, 1)
    ]


def _month_name(month: int) -> str:
    if not 1 <= month <= 12:
        raise Refused(f"400 Bad Request: month must be between 1 and 12, not {month}.")
    return calendar.month_name[month]


@ARCHIVE.api("Find Weather Station", town="Garrow")
def find_weather_station(town: str) -> dict[str, Any]:
    """Find the weather stations of a town or of a region; gives the numbers that other calls need.

    town: The town, or a part of its name; a region finds all of its stations.
    """
    wanted = town.casefold()
    found = [s for s in _weather()["stations"] if wanted in s["town"].casefold() or wanted == s["region"].casefold()]
    return {"stations": [{key: s[key] for key in ("station_id", "town", "region", "elevation")} for s in found]}


@ARCHIVE.api("Weather On Day", station_id="WS-3", date="2025-09-20")
def weather_on_day(station_id: str, date: Date) -> dict[str, Any]:
    """Lowest and highest temperature in °C, rain, hours of sun and strongest gust at a station on a past day.

    station_id: The station's number, such as WS-3.
    date: The day, from 2025-07-01 to 2025-09-30.
    """
    return {"town": _station(station_id)["town"]} | _days(station_id, date[:7])[int(date[8:]) - 1]


@ARCHIVE.api("Days Of Month", station_id="WS-3", month="2025-09")
def days_of_month(station_id: str, month: str, page: int = 1) -> dict[str, Any]:
    """The measured days of a month at a station, one after the other, five to a page.

    station_id: The station's number, such as WS-3.
    month: The month as YYYY-MM, from 2025-07 to 2025-09.
    page: Which page of the list, from 1.
    """
    return paged(_days(station_id, month), page)


@ARCHIVE.api("Month Summary", station_id="WS-3", month="2025-09")
def month_summary(station_id: str, month: str) -> dict[str, Any]:
    """Mean temperature, all rain, all sun and the number of days with rain of a month at a station.

    station_id: The station's number, such as WS-3.
    month: The month as YYYY-MM, from 2025-07 to 2025-09.
    """
    days = _days(station_id, month)
    return {
        "town": _station(station_id)["town"],
        "month": month,
        "mean_temperature": round(sum((one["low"] + one["high"]) / 2 for one in days) / len(days), 1),
        "rain_mm": round(sum(one["rain_mm"] for one in days), 1),
        "sun_hours": round(sum(one["sun_hours"] for one in days), 1),
        "rain_days": sum(one["rain_mm"] > 0 for one in days),
    }


@ARCHIVE.api("Extreme Day Of Month", station_id="WS-3", month="2025-09", extreme="wettest")
def extreme_day_of_month(station_id: str, month: str, extreme: Extreme) -> dict[str, Any]:
    """The hottest, coldest, wettest, sunniest or windiest day of a month at a station, and its value.

    station_id: The station's number, such as WS-3.
    month: The month as YYYY-MM, from 2025-07 to 2025-09.
    extreme: Which day is wanted.
    """
    key = {"hottest": "high", "coldest": "low", "wettest": "rain_mm", "sunniest": "sun_hours"}.get(extreme, "gust_kmh")
    days = _days(station_id, month)
    found = min(days, key=lambda one: one[key]) if extreme == "coldest" else max(days, key=lambda one: one[key])
    return {"town": _station(station_id)["town"], "extreme": extreme, "date": found["date"], key: found[key]}


@NORMALS.api("Monthly Normal", station_id="WS-3", month=9)
def monthly_normal(station_id: str, month: int) -> dict[str, Any]:
    """What is usual in a month of the year at a station, by thirty years: temperature, rain and sun.

    station_id: The station's number, such as WS-3.
    month: The month of the year, 1 to 12.
    """
    station, name = _station(station_id), _month_name(month)
    temperature, rain, sun = _weather()["normals"][station["station_id"]][month - 1]
    return {"town": station["town"], "month": name} | {
        "mean_temperature": temperature,
        "rain_mm": rain,
        "sun_hours": sun,
    }


@NORMALS.api("Warmest Months", station_id="WS-3", count=3)
def warmest_months(station_id: str, count: int = 3) -> dict[str, Any]:
    """The months of the year that are usually the warmest at a station, the warmest first.

    station_id: The station's number, such as WS-3.
    count: How many months, 1 to 12.
    """
    if not 1 <= count <= 12:
        raise Refused(f"400 Bad Request: count must be between 1 and 12, not {count}.")
    station = _station(station_id)
    months = enumerate(_weather()["normals"][station["station_id"]], 1)
    ordered = sorted(months, key=lambda one: -one[1][0])[:count]
    named = [{"month": calendar.month_name[number], "mean_temperature": row[0]} for number, row in ordered]
    return {"town": station["town"], "months": named}


@NORMALS.api("Station Records", station_id="WS-3")
def station_records(station_id: str) -> dict[str, Any]:
    """The highest and lowest temperature and the wettest day that a station ever measured, and since when it measures.

    station_id: The station's number, such as WS-3.
    """
    station = _station(station_id)
    found = one(_weather()["records"], "station_id", station["station_id"], "weather station")
    return dict(found) | {"town": station["town"], "since": station["since"]}


@NORMALS.api("Rank Stations", month=1, by="mean_temperature")
def rank_stations(month: int, by: Literal["mean_temperature", "rain_mm", "sun_hours"]) -> dict[str, Any]:
    """All weather stations in the order of what is usual in a month of the year, the highest value first.

    month: The month of the year, 1 to 12.
    by: What they are ordered by.
    """
    name = _month_name(month)
    column = ("mean_temperature", "rain_mm", "sun_hours").index(by)
    rows = [
        {"town": s["town"], by: _weather()["normals"][s["station_id"]][month - 1][column]}
        for s in _weather()["stations"]
    ]
    return {"month": name, "stations": sorted(rows, key=lambda row: -row[by])}


@SKY.api("Sunrise And Sunset", station_id="WS-1", date="2025-10-06")
def sunrise_and_sunset(station_id: str, date: Date) -> dict[str, Any]:
    """When the sun rises and sets at a weather station, in universal time, and how long the day is in minutes.

    station_id: The station's number, such as WS-1.
    date: The day.
    """
    station = _station(station_id)
    turn = 2 * math.pi / 365 * (day(date).timetuple().tm_yday - 1)
    declination = (
        0.006918
        - 0.399912 * math.cos(turn)
        + 0.070257 * math.sin(turn)
        - 0.006758 * math.cos(2 * turn)
        + 0.000907 * math.sin(2 * turn)
    )
    equation = 229.18 * (
        0.000075
        + 0.001868 * math.cos(turn)
        - 0.032077 * math.sin(turn)
        - 0.014615 * math.cos(2 * turn)
        - 0.040849 * math.sin(2 * turn)
    )
    latitude = math.radians(station["latitude"])
    angle = math.cos(math.radians(90.833)) / (math.cos(latitude) * math.cos(declination))
    half = math.degrees(math.acos(angle - math.tan(latitude) * math.tan(declination)))
    rises = round(720 - 4 * (station["longitude"] + half) - equation)
    sets = round(720 - 4 * (station["longitude"] - half) - equation)
    return {"town": station["town"], "date": date, "rises": _clock(rises), "sets": _clock(sets)} | {
        "minutes": sets - rises
    }


@SKY.api("Moon Phase", date="2025-10-07")
def moon_phase(date: Date) -> dict[str, Any]:
    """The phase of the moon on a date, its age in days and how many percent of it are lit.

    date: The day.
    """
    age = _moon_age(date)
    lit = round((1 - math.cos(2 * math.pi * age / _MONTH_DAYS)) * 50)
    phase = (*_WAXING, *_WANING)[int(age / _MONTH_DAYS * 8 + 0.5) % 8]
    return {"date": date, "phase": phase, "age_days": round(age, 1), "percent_lit": lit}


@SKY.api("High Water", port="Dunhaven", date="2025-10-06")
def high_water(port: Port, date: Date) -> dict[str, Any]:
    """The times of high water at a port on a date, in universal time, and its height; it is highest at spring tide.

    port: The port.
    date: The day.
    """
    row = one(_weather()["ports"], "port", port, "port")
    age = _moon_age(date)
    first = (age * 48.76 + row["offset_minutes"] + 95) % 745.2
    times = [minutes for minutes in (first, first + 745.2) if minutes < 1440]
    spring = math.cos(4 * math.pi * age / _MONTH_DAYS)
    height = round(row["high_m"] + 0.45 * spring, 2)
    return {"port": row["port"], "date": date, "times": [_clock(round(one)) for one in times], "height_m": height}


@WARNINGS.api("Warnings In Region", region="Highfell", date="2025-10-06")
def warnings_in_region(region: Region, date: Date) -> dict[str, Any]:
    """The numbers and levels of the weather warnings that hold in a region on a date.

    region: The region.
    date: The day.
    """
    found = [w for w in _weather()["warnings"] if w["region"] == region and w["first"] <= date <= w["last"]]
    keys = ("warning_id", "level", "what")
    return {"region": region, "date": date, "warnings": [{key: w[key] for key in keys} for w in found]}


@WARNINGS.api("Warning Details", warning_id="WW-43")
def warning_details(warning_id: str) -> dict[str, Any]:
    """Days, level and advice of a weather warning.

    warning_id: The warning's number, such as WW-43.
    """
    return dict(one(_weather()["warnings"], "warning_id", warning_id, "warning"))


def _moon_age(date: str) -> float:
    """Days since the last new moon, at noon."""
    noon = dt.datetime.combine(day(date), dt.time(12))
    return ((noon - _NEW_MOON) / dt.timedelta(days=1)) % _MONTH_DAYS


def _clock(minutes: int) -> str:
    return f"{minutes // 60 % 24:02d}:{minutes % 60:02d}"
