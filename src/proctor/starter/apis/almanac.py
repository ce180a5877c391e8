"""Calendar: arithmetic with days, the public holidays of Velmora, and the diaries of an office."""

from __future__ import annotations

import datetime as dt
from typing import Any, Literal

from proctor.starter.tables import one, table
from proctor.starter.tool import Date, Refused, Tool, paged
from proctor.starter.values import day

ALMANAC = Tool("Calendar", "Almanac", "Arithmetic with days: weekdays, spans, week numbers.")
HOLIDAYS = Tool("Calendar", "Velmoran Holidays", "Public holidays, school breaks and working days in Velmora.")
DIARY = Tool("Calendar", "Office Diary", "The diaries of the surveying office in Aldmoor: appointments and free hours.")

Region = Literal["Aldland", "Saltcoast", "Isker Valley", "Northmark", "Highfell"]
AnyRegion = Literal["all", "Aldland", "Saltcoast", "Isker Valley", "Northmark", "Highfell"]
Weekday = Literal["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_LONGEST = 3660
"""More days are not counted through."""
_OPENS, _CLOSES = 8 * 60, 17 * 60


@ALMANAC.api("Weekday Of Date", date="2025-10-06")
def weekday_of_date(date: Date) -> dict[str, Any]:
    """Which day of the week a date is.

    date: The date.
    """
    return {"date": date, "weekday": _WEEKDAYS[day(date).weekday()]}


@ALMANAC.api("Days Between", start_date="2025-10-06", end_date="2025-12-25")
def days_between(start_date: Date, end_date: Date) -> dict[str, Any]:
    """How many days lie between two dates; negative where the second is the earlier one.

    start_date: The date from which is counted.
    end_date: The date to which is counted.
    """
    return {"start_date": start_date, "end_date": end_date, "days": (day(end_date) - day(start_date)).days}


@ALMANAC.api("Add Days", date="2025-10-06", days=100)
def add_days(date: Date, days: int) -> dict[str, Any]:
    """The date that is a number of days after another, or before it where the number is negative.

    date: The date from which is counted.
    days: How many days.
    """
    try:
        found = day(date) + dt.timedelta(days=days)
    except OverflowError:
        raise Refused(f"400 Bad Request: days leads out of the calendar: {days}.") from None
    return {"date": found.isoformat(), "weekday": _WEEKDAYS[found.weekday()]}


@ALMANAC.api("Week Number", date="2025-10-06")
def week_number(date: Date) -> dict[str, Any]:
    """The number of the calendar week in which a date lies, with its Monday and Sunday.

    date: The date.
    """
    found = day(date)
    monday = found - dt.timedelta(days=found.weekday())
    sunday = monday + dt.timedelta(days=6)
    year, week, _ = found.isocalendar()
    return {"year": year, "week": week, "monday": monday.isoformat(), "sunday": sunday.isoformat()}


@ALMANAC.api("Nth Weekday", year=2025, month=11, weekday="Thursday", nth=4)
def nth_weekday(year: int, month: int, weekday: Weekday, nth: int) -> dict[str, Any]:
    """The date of, say, the fourth Thursday of a month.

    year: The year.
    month: The month, 1 to 12.
    weekday: The day of the week.
    nth: Which of them in the month, from 1; -1 for the last.
    """
    if not (1 <= year <= 9998 and 1 <= month <= 12):
        raise Refused(f"400 Bad Request: there is no month {year}-{month}.")
    days = [date for date in _month(year, month) if _WEEKDAYS[date.weekday()] == weekday]
    if nth != -1 and not 1 <= nth <= len(days):
        raise Refused(f"400 Bad Request: {year}-{month:02d} has {len(days)} {weekday}s; nth was {nth}.")
    return {"date": days[nth if nth == -1 else nth - 1].isoformat(), "weekday": weekday}


@HOLIDAYS.api("Holidays In Year", year=2025)
def holidays_in_year(year: int, region: AnyRegion = "all", page: int = 1) -> dict[str, Any]:
    """The public holidays of a year in their order, five to a page; `all` lists those of every region.

    year: The year, 1900 to 2100.
    region: Only the holidays that a region keeps.
    page: Which page of the list, from 1.
    """
    return paged(_holidays(year, region), page)


@HOLIDAYS.api("Holiday On Date", date="2025-06-24", region="Aldland")
def holiday_on_date(date: Date, region: Region) -> dict[str, Any]:
    """Whether a date is a public holiday in a region, and which.

    date: The date.
    region: The region.
    """
    found = [h["name"] for h in _holidays(day(date).year, region) if h["date"] == date]
    return {"date": date, "region": region, "holiday": bool(found), "name": found[0] if found else None}


@HOLIDAYS.api("Next Holiday", after="2025-10-06", region="Aldland")
def next_holiday(after: Date, region: Region) -> dict[str, Any]:
    """The first public holiday of a region after a date.

    after: The date after which is looked.
    region: The region.
    """
    year = day(after).year
    for holiday in (*_holidays(year, region), *_holidays(year + 1, region)):
        if holiday["date"] > after:
            return holiday | {"region": region}
    raise Refused(f"404 Not Found: no holiday is known after {after}.")


@HOLIDAYS.api("School Breaks", region="Saltcoast", year=2025)
def school_breaks(region: Region, year: int) -> dict[str, Any]:
    """The school breaks of a region in a year, each with its first and last day.

    region: The region.
    year: The year.
    """
    found = [row for row in table("calendar")["breaks"] if (row["region"], row["year"]) == (region, year)]
    if not found:
        raise Refused(f"404 Not Found: no school breaks are published for {region} in {year}.")
    return {"region": region, "year": year, "breaks": [{k: row[k] for k in ("name", "first", "last")} for row in found]}


@HOLIDAYS.api("Working Days Between", start_date="2025-06-01", end_date="2025-06-30", region="Saltcoast")
def working_days_between(start_date: Date, end_date: Date, region: Region) -> dict[str, Any]:
    """How many working days a span has in a region, both ends counted: Monday to Friday without public holidays.

    start_date: The first day.
    end_date: The last day, at most ten years later.
    region: The region.
    """
    span = (day(end_date) - day(start_date)).days
    if not 0 <= span <= _LONGEST:
        raise Refused(f"400 Bad Request: end_date must be 0 to {_LONGEST} days after start_date.")
    years = range(day(start_date).year, day(end_date).year + 1)
    free = {holiday["date"] for year in years for holiday in _holidays(year, region)}
    days = (day(start_date) + dt.timedelta(days=place) for place in range(span + 1))
    count = sum(date.weekday() < 5 and date.isoformat() not in free for date in days)
    return {"start_date": start_date, "end_date": end_date, "region": region, "working_days": count}


@DIARY.api("Find Person", name="Nadia")
def find_person(name: str) -> dict[str, Any]:
    """Find people of the office by a part of their name, with the numbers of their diaries.

    name: The name, or a part of it.
    """
    return {"people": [dict(p) for p in table("calendar")["people"] if name.casefold() in p["name"].casefold()]}


@DIARY.api("Appointments On Day", calendar_id="CAL-01", date="2025-10-06")
def appointments_on_day(calendar_id: str, date: Date) -> dict[str, Any]:
    """What stands in a diary on a day. Private appointments show their hours only.

    calendar_id: The diary's number, such as CAL-01.
    date: The day.
    """
    owner = _person(calendar_id)
    keys = ("event_id", "start", "end")
    shown = [
        {key: e[key] for key in keys} | {"title": "private" if e["private"] else e["title"]}
        for e in _appointments(calendar_id, date)
    ]
    return {"owner": owner["name"], "date": date, "appointments": shown}


@DIARY.api("Appointment Details", event_id="E-5003")
def appointment_details(event_id: str) -> dict[str, Any]:
    """Title, hours, place and diary of an appointment; those that are private are refused.

    event_id: The appointment's number, such as E-5003.
    """
    found = one(table("calendar")["events"], "event_id", event_id, "appointment")
    if found["private"]:
        raise Refused(f"403 Forbidden: the appointment {event_id} is private.")
    return {key: value for key, value in found.items() if key != "private"}


@DIARY.api("Free Slots", calendar_id="CAL-02", date="2025-10-06", minutes=60)
def free_slots(calendar_id: str, date: Date, minutes: int) -> dict[str, Any]:
    """The spans of a day, between 08:00 and 17:00, in which a person is free for so long.

    calendar_id: The diary's number, such as CAL-02.
    date: The day.
    minutes: How long the span must be at least, 15 to 540.
    """
    owner = _person(calendar_id)
    return {"owner": owner["name"], "date": date, "free": _free([calendar_id], date, minutes)}


@DIARY.api("Common Free Slots", first_id="CAL-01", second_id="CAL-02", date="2025-10-06", minutes=60)
def common_free_slots(first_id: str, second_id: str, date: Date, minutes: int) -> dict[str, Any]:
    """The spans of a day, between 08:00 and 17:00, in which two people are both free for so long.

    first_id: The number of the first diary, such as CAL-01.
    second_id: The number of the second diary, such as CAL-02.
    date: The day.
    minutes: How long the span must be at least, 15 to 540.
    """
    names = [_person(first_id)["name"], _person(second_id)["name"]]
    return {"people": names, "date": date, "free": _free([first_id, second_id], date, minutes)}


def _person(calendar_id: str) -> dict[str, Any]:
    return one(table("calendar")["people"], "calendar_id", calendar_id, "diary")


def _appointments(calendar_id: str, date: str) -> list[dict[str, Any]]:
    wanted = calendar_id.casefold()
    found = [e for e in table("calendar")["events"] if e["calendar_id"].casefold() == wanted and e["date"] == date]
    return sorted(found, key=lambda event: event["start"])


def _free(calendars: list[str], date: str, minutes: int) -> list[dict[str, str]]:
    if not 15 <= minutes <= 540:
        raise Refused(f"400 Bad Request: minutes must be between 15 and 540, not {minutes}.")
    if day(date).weekday() > 4:
        return []
    taken = sorted((_clock(e["start"]), _clock(e["end"])) for name in calendars for e in _appointments(name, date))
    spans, begin = [], _OPENS
    for start, end in (*taken, (_CLOSES, _CLOSES)):
        if start - begin >= minutes:
            spans.append({"from": _written(begin), "to": _written(start)})
        begin = max(begin, end)
    return spans


def _clock(time: str) -> int:
    return int(time[:2]) * 60 + int(time[3:])


def _written(minutes: int) -> str:
    return f"{minutes // 60:02d}:{minutes % 60:02d}"


def _month(year: int, month: int) -> list[dt.date]:
    first = dt.date(year, month, 1)
    return [
        first + dt.timedelta(days=place) for place in range(31) if (first + dt.timedelta(days=place)).month == month
    ]


def _holidays(year: int, region: str) -> list[dict[str, str]]:
    """The holidays of a year that a region keeps, or all of them."""
    if not 1900 <= year <= 2100:
        raise Refused(f"400 Bad Request: year must be between 1900 and 2100, not {year}.")
    kept = [h for h in table("calendar")["holidays"] if region == "all" or not h["regions"] or region in h["regions"]]
    found = [
        {"date": _date_of(holiday["rule"], year).isoformat(), "name": holiday["name"]}
        | ({"regions": ", ".join(holiday["regions"])} if holiday["regions"] else {})
        for holiday in kept
    ]
    return sorted(found, key=lambda holiday: holiday["date"])


def _date_of(rule: str, year: int) -> dt.date:
    """The date of a holiday: `06-24` each year, `easter+1` by Easter, `monday-10-1` the first Monday of October."""
    if rule.startswith("easter"):
        return _easter(year) + dt.timedelta(days=int(rule.removeprefix("easter")))
    if rule.startswith("monday"):
        _, month, nth = rule.split("-")
        return [date for date in _month(year, int(month)) if date.weekday() == 0][int(nth) - 1]
    return dt.date.fromisoformat(f"{year}-{rule}")


def _easter(year: int) -> dt.date:
    """Easter Sunday by the Gregorian computus."""
    century, rest = divmod(year, 100)
    moon = (19 * (year % 19) + century - century // 4 - (century - (century + 8) // 25 + 1) // 3 + 15) % 30
    back = (32 + 2 * (century % 4) + 2 * (rest // 4) - moon - rest % 4) % 7
    late = (year % 19 + 11 * moon + 22 * back) // 451
    month, before = divmod(moon + back - 7 * late + 114, 31)
    return dt.date(year, month, before + 1)
