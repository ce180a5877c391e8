"""Conversations to measure with: 8 messages, 3 calls and 6 arguments each, a third of them with a mistake."""

from __future__ import annotations

from typing import Any

CITIES = ("Paris", "Rome", "Oslo", "Lima", "Kyoto", "Accra", "Quito", "Perth")


def conversation(number: int) -> dict[str, Any]:
    """One sample as plain data. The same number is the same sample."""
    start, end = CITIES[number % 8], CITIES[(number // 8 + 3) % 8]
    wanted = [
        {"name": "find_trains", "args": {"from": start, "to": end}},
        {"name": "read_timetable", "args": {"line": f"R{number % 90}", "day": f"2026-03-{number % 28 + 1:02}"}},
        {"name": "book_seat", "args": {"train": f"R{number % 90}", "class": "second"}},
    ]
    made = [{"name": call["name"], "args": dict(call["args"])} for call in wanted]
    if number % 6 == 1:
        made[1]["args"]["day"] = "tomorrow"
    if number % 6 == 4:
        made[2]["name"] = "cancel_seat"
    answers = ("Three trains go today.", "It leaves at 06:18 from platform 4.", "Seat 61 in coach 9 is booked.")
    messages: list[dict[str, Any]] = [
        {"content": f"I have to be in {end} tomorrow, from {start}: book me a seat.", "type": "human"}
    ]
    for call, answer in zip(made, answers, strict=True):
        messages.append({"content": "Let me see what there is.", "type": "ai", "tool_calls": [call]})
        messages.append({"content": answer, "type": "tool"})
    messages.append({"content": f"Done: you leave {start} at 06:18, in seat 61 of coach 9.", "type": "ai"})
    return {"user_input": messages, "reference_tool_calls": wanted}
