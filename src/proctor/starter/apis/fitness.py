"""Fitness: a gym at the harbour of Dunhaven, a book of calories, and figures of the body."""

from __future__ import annotations

from typing import Any, Literal

from proctor.starter.tables import one, table
from proctor.starter.tool import Refused, Tool

GYM = Tool("Fitness", "Harbour Gym", "Classes, trainers, fees and members of the Harbour Gym in Dunhaven.")
CALORIES = Tool("Fitness", "Calorie Book", "The energy in food, and what activities burn.")
BODY = Tool("Fitness", "Body Figures", "Figures of the body by common formulas; no medical advice.")

Weekday = Literal["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
Membership = Literal["single", "student", "family", "morning"]
_TODAY = "2025-10-06"
"""The day of the gym: memberships that ended before it are over."""


def _fitness() -> Any:
    return table("fitness")


def _class(class_id: str) -> dict[str, Any]:
    return one(_fitness()["classes"], "class_id", class_id, "class")


@GYM.api("Classes On Weekday", weekday="Thursday")
def classes_on_weekday(weekday: Weekday) -> dict[str, Any]:
    """The classes of the gym on a day of the week, with their numbers.

    weekday: The day of the week.
    """
    keys = ("class_id", "name", "start", "minutes")
    found = [{key: row[key] for key in keys} for row in _fitness()["classes"] if row["weekday"] == weekday]
    return {"weekday": weekday, "classes": found}


@GYM.api("Class Details", class_id="GC-17")
def class_details(class_id: str) -> dict[str, Any]:
    """Day, hour, level and trainer's number of a class, and how many places are free.

    class_id: The class's number, such as GC-17.
    """
    row = _class(class_id)
    return {k: v for k, v in row.items() if k not in ("places", "booked")} | {"free": row["places"] - row["booked"]}


@GYM.api("Trainer Details", trainer_id="TR-2")
def trainer_details(trainer_id: str) -> dict[str, Any]:
    """Name, speciality, first year and languages of a trainer.

    trainer_id: The trainer's number, such as TR-2.
    """
    return dict(one(_fitness()["trainers"], "trainer_id", trainer_id, "trainer"))


@GYM.api("Membership Fee", membership="student", months=6)
def membership_fee(membership: Membership, months: int) -> dict[str, Any]:
    """What a membership costs for a number of months, the joining fee included; every twelfth month is free.

    membership: The kind of membership.
    months: How many months, 1 to 36.
    """
    if not 1 <= months <= 36:
        raise Refused(f"400 Bad Request: months must be between 1 and 36, not {months}.")
    monthly, joining = _fitness()["fees"][membership]
    total = monthly * (months - months // 12) + joining
    return {"membership": membership, "months": months, "joining_fee": joining, "total": total, "currency": "VLM"}


@GYM.api("Member Status", member_id="M-6044")
def member_status(member_id: str) -> dict[str, Any]:
    """Membership, last day, visits this year and booked classes of a member.

    member_id: The member's number, such as M-6044.
    """
    member = one(_fitness()["members"], "member_id", member_id, "member")
    return dict(member) | {"active": member["until"] >= _TODAY}


@GYM.api("Book Class", member_id="M-6044", class_id="GC-17")
def book_class(member_id: str, class_id: str) -> dict[str, Any]:
    """Book a place in a class for a member; returns the number of the booking.

    member_id: The member's number, such as M-6044.
    class_id: The class's number, such as GC-17.
    """
    member, row = member_status(member_id), _class(class_id)
    if not member["active"]:
        raise Refused(f"403 Forbidden: the membership {member['member_id']} ended on {member['until']}.")
    if row["class_id"] in member["classes"]:
        raise Refused(f"409 Conflict: {member['name']} has a place in {row['class_id']} already.")
    if row["booked"] >= row["places"]:
        raise Refused(f"409 Conflict: the class {row['class_id']} is full.")
    number = f"{row['class_id']}/{member['member_id'][2:]}"
    return {"booking": number, "class": row["name"], "weekday": row["weekday"], "start": row["start"]}


@CALORIES.api("Food Energy", food="barley bread", grams=150)
def food_energy(food: str, grams: float) -> dict[str, Any]:
    """Kilocalories, protein, carbohydrate and fat in an amount of a food.

    food: The food's name, as Search Foods gives it.
    grams: How much, in grams.
    """
    row = one(_fitness()["foods"], "food", food, "food")
    if not 0 < grams <= 10_000:
        raise Refused(f"400 Bad Request: grams must be above 0 and at most 10000, not {grams:g}.")
    amounts = {key: round(value * grams / 100, 1) for key, value in row.items() if key != "food"}
    return {"food": row["food"], "grams": grams} | amounts


@CALORIES.api("Search Foods", name="bread")
def search_foods(name: str) -> dict[str, Any]:
    """Find foods by a part of their name, with the kilocalories in 100 grams.

    name: The food's name, or a part of it.
    """
    found = [
        {"food": r["food"], "kcal_per_100g": r["kcal"]} for r in _fitness()["foods"] if name.casefold() in r["food"]
    ]
    return {"foods": found}


@CALORIES.api("Energy Burned", activity="rowing", minutes=45, weight_kg=70)
def energy_burned(activity: str, minutes: float, weight_kg: float) -> dict[str, Any]:
    """The kilocalories that an activity burns, by its metabolic equivalent.

    activity: The activity, as List Activities gives it.
    minutes: For how long.
    weight_kg: The weight of the person, 20 to 300 kilograms.
    """
    row = one(_fitness()["activities"], "activity", activity, "activity")
    if not 20 <= weight_kg <= 300 or not 0 < minutes <= 1440:
        raise Refused("400 Bad Request: weight_kg must be 20 to 300, and minutes above 0 and at most 1440.")
    return {"activity": row["activity"], "minutes": minutes, "kcal": round(row["met"] * weight_kg * minutes / 60)}


@CALORIES.api("List Activities")
def list_activities() -> dict[str, Any]:
    """The activities of which is known what they burn."""
    return {"activities": [row["activity"] for row in _fitness()["activities"]]}


@BODY.api("Body Mass Index", weight_kg=70, height_cm=175)
def body_mass_index(weight_kg: float, height_cm: float) -> dict[str, Any]:
    """The body mass index of a grown person, with the usual word for it.

    weight_kg: The weight, 20 to 300 kilograms.
    height_cm: The height, 100 to 250 centimetres.
    """
    if not 20 <= weight_kg <= 300 or not 100 <= height_cm <= 250:
        raise Refused("400 Bad Request: weight_kg must be 20 to 300, and height_cm 100 to 250.")
    index = round(weight_kg / (height_cm / 100) ** 2, 1)
    words = [
        word
        for bound, word in ((0, "underweight"), (18.5, "normal"), (25, "overweight"), (30, "obese"))
        if index >= bound
    ]
    return {"bmi": index, "range": words[-1]}


@BODY.api("Target Heart Rate", age=40, percent=70)
def target_heart_rate(age: int, percent: float) -> dict[str, Any]:
    """The beats a minute that are a share of the highest heart rate, which is 208 less 0.7 times the age.

    age: The age in years, 10 to 100.
    percent: Which share of the highest rate, 40 to 100.
    """
    if not 10 <= age <= 100 or not 40 <= percent <= 100:
        raise Refused("400 Bad Request: age must be 10 to 100, and percent 40 to 100.")
    highest = 208 - 0.7 * age
    return {"age": age, "highest": round(highest), "percent": percent, "target": round(highest * percent / 100)}


@BODY.api("Daily Energy Need", weight_kg=70, height_cm=175, age=40, sex="female")
def daily_energy_need(
    weight_kg: float,
    height_cm: float,
    age: int,
    sex: Literal["female", "male"],
    activity: Literal["resting", "light", "active"] = "light",
) -> dict[str, Any]:
    """The kilocalories that a person needs in a day, by the formula of Mifflin and St Jeor.

    weight_kg: The weight in kilograms.
    height_cm: The height in centimetres.
    age: The age in years, 18 to 100.
    sex: The sex that the formula asks for.
    activity: How much the person moves.
    """
    if not 18 <= age <= 100 or not 20 <= weight_kg <= 300 or not 100 <= height_cm <= 250:
        raise Refused("400 Bad Request: age must be 18 to 100, weight_kg 20 to 300, height_cm 100 to 250.")
    resting = 10 * weight_kg + 6.25 * height_cm - 5 * age + (5 if sex == "male" else -161)
    factor = {"resting": 1.2, "light": 1.375, "active": 1.725}[activity]
    return {"resting_kcal": round(resting), "activity": activity, "daily_kcal": round(resting * factor)}
