"""Currency: rates of the State Bank by date, counters that change money, transfers abroad, coins and notes."""

from __future__ import annotations

import datetime as dt
from typing import Any, Literal

from proctor.starter.tables import one, table
from proctor.starter.tool import Date, Refused, Tool, paged
from proctor.starter.values import day

RATES = Tool(
    "Currency", "State Bank Rates", "Reference rates of the velmar (VLM), by date, as the State Bank sets them."
)
COUNTERS = Tool("Currency", "Exchange Counters", "Where foreign money is changed in Velmora, and what it costs.")
TRANSFERS = Tool("Currency", "Money Transfers", "Money sent abroad from Velmora: fees, days, and where it is.")
CASH = Tool("Currency", "Coins And Notes", "The coins and notes of Velmora.")

Code = Literal["NKR", "ESM", "TOL", "EUR", "USD", "CAD", "JPY", "ISK"]
AnyCode = Literal["VLM", "NKR", "ESM", "TOL", "EUR", "USD", "CAD", "JPY", "ISK"]
Speed = Literal["normal", "express"]
_FIRST, _LAST = "2025-08-18", "2025-10-03"
_CLOSED = ("2025-09-08", "2025-10-06", "2025-12-25", "2025-12-26")
"""Weekdays of these months on which banks are closed in Aldland, where the State Bank is."""


def _currency() -> Any:
    return table("currency")


def _rates(date: str) -> dict[str, float]:
    """What one unit of each currency is worth in velmar."""
    row = _currency()["rates"].get(date)
    if row is None:
        if not _FIRST <= date <= _LAST:
            raise Refused(f"404 Not Found: rates are held from {_FIRST} to {_LAST}, not for {date}.")
        raise Refused(f"404 Not Found: the bank is closed on {date}; the bank day before is {_bank_day(date, -1)}.")
    codes = [one["currency"] for one in _currency()["currencies"]]
    return dict(zip(codes, row, strict=True)) | {"VLM": 1.0}


def _decimals(code: str) -> int:
    return 2 if code == "VLM" else int(one(_currency()["currencies"], "currency", code, "currency")["decimals"])


def _counter(counter_id: str) -> dict[str, Any]:
    return one(_currency()["counters"], "counter_id", counter_id, "counter")


def _bank_day(date: str, step: int) -> str:
    """The next bank day after a date, or with -1 the one before."""
    moment = day(date) + dt.timedelta(days=step)
    while moment.weekday() >= 5 or moment.isoformat() in _CLOSED:
        moment += dt.timedelta(days=step)
    return moment.isoformat()


@RATES.api("List Currencies")
def list_currencies(page: int = 1) -> dict[str, Any]:
    """The foreign currencies for which the State Bank sets a rate, five to a page.

    page: Which page of the list, from 1.
    """
    keys = ("currency", "name", "country", "quoted_since")
    return paged([{key: row[key] for key in keys} for row in _currency()["currencies"]], page)


@RATES.api("Rate On Date", currency="NKR", date="2025-09-19")
def rate_on_date(currency: Code, date: Date) -> dict[str, Any]:
    """What one unit of a foreign currency was worth in velmar on a bank day.

    currency: The currency's code.
    date: A bank day from 2025-08-18 to 2025-10-03; there are no rates at weekends and on holidays.
    """
    return {"currency": currency, "date": date, "velmar_per_unit": _rates(date)[currency]}


@RATES.api("Convert On Date", amount=250, from_currency="VLM", to_currency="NKR", date="2025-09-19")
def convert_on_date(amount: float, from_currency: AnyCode, to_currency: AnyCode, date: Date) -> dict[str, Any]:
    """An amount in another currency by the rates of a bank day, without any fee.

    amount: How much, above 0.
    from_currency: The currency that it is in.
    to_currency: The currency that is wanted.
    date: A bank day from 2025-08-18 to 2025-10-03.
    """
    if not 0 < amount <= 1e9:
        raise Refused(f"400 Bad Request: amount must be above 0 and at most 1000000000, not {amount:g}.")
    rates = _rates(date)
    result = round(amount * rates[from_currency] / rates[to_currency] + 1e-9, _decimals(to_currency))
    return {"amount": amount, "from": from_currency, "to": to_currency, "date": date, "result": result}


@RATES.api("Rate History", currency="EUR", first="2025-09-01", last="2025-09-12")
def rate_history(currency: Code, first: Date, last: Date, page: int = 1) -> dict[str, Any]:
    """The rates of a currency between two dates, the earliest first, five to a page.

    currency: The currency's code.
    first: The first day.
    last: The last day.
    page: Which page of the list, from 1.
    """
    if last < first:
        raise Refused(f"400 Bad Request: last must not be before first, which is {first}.")
    place = [row["currency"] for row in _currency()["currencies"]].index(currency)
    rows = _currency()["rates"].items()
    found = [{"date": date, "velmar_per_unit": row[place]} for date, row in rows if first <= date <= last]
    return {"currency": currency} | paged(found, page)


@RATES.api("Bank Day", date="2025-09-06", direction="before")
def bank_day(date: Date, direction: Literal["before", "after"]) -> dict[str, Any]:
    """The bank day before or after a date, and whether the date itself is one. Known for August to December 2025.

    date: The day.
    direction: Whether the bank day before or after it is wanted.
    """
    if not "2025-08-01" <= date <= "2025-12-31":
        raise Refused(f"404 Not Found: bank days are known from 2025-08-01 to 2025-12-31, not for {date}.")
    closed = day(date).weekday() >= 5 or date in _CLOSED
    found = _bank_day(date, 1 if direction == "after" else -1)
    return {"date": date, "is_bank_day": not closed, "direction": direction, "bank_day": found}


@COUNTERS.api("Counters In Town", town="Aldmoor")
def counters_in_town(town: str) -> dict[str, Any]:
    """The counters of a town at which money is changed; gives the numbers that other calls need.

    town: The town.
    """
    found = [row for row in _currency()["counters"] if row["town"].casefold() == town.casefold()]
    if not found:
        raise Refused(f"404 Not Found: there is no counter in {town!r}.")
    keys = ("counter_id", "name", "commission_percent")
    return {"counters": [{key: row[key] for key in keys} for row in found]}


@COUNTERS.api("Counter Details", counter_id="EX-2")
def counter_details(counter_id: str) -> dict[str, Any]:
    """Hours, commission, least commission and currencies of a counter.

    counter_id: The counter's number, such as EX-2.
    """
    return dict(_counter(counter_id))


@COUNTERS.api("Cash Quote", counter_id="EX-2", velmar=400, currency="NKR", date="2025-09-19")
def cash_quote(counter_id: str, velmar: float, currency: Code, date: Date) -> dict[str, Any]:
    """What a counter pays out in a foreign currency for velmar, its commission taken off, by the rate of a bank day.

    counter_id: The counter's number, such as EX-2.
    velmar: How much is handed in, 10 to 10000 velmar.
    currency: The foreign currency.
    date: A bank day from 2025-08-18 to 2025-10-03.
    """
    counter = _counter(counter_id)
    if not 10 <= velmar <= 10_000:
        raise Refused(f"400 Bad Request: velmar must be between 10 and 10000, not {velmar:g}.")
    if currency not in counter["currencies"]:
        raise Refused(f"404 Not Found: {counter['name']} has no {currency}, only {', '.join(counter['currencies'])}.")
    fee = max(counter["minimum"], round(velmar * counter["commission_percent"] / 100 + 1e-9, 2))
    paid = round((velmar - fee) / _rates(date)[currency], _decimals(currency))
    return {"counter": counter["name"], "velmar": velmar, "commission": fee, "currency": currency, "paid_out": paid}


@TRANSFERS.api("Transfer Fee", country="Norrland", amount=300)
def transfer_fee(country: str, amount: float, speed: Speed = "normal") -> dict[str, Any]:
    """What it costs to send velmar to another country, and after how many bank days they are there.

    country: The country.
    amount: How many velmar, above 0.
    speed: How fast they are sent.
    """
    row = one(_currency()["transfers"], "country", country, "transfer to")
    if not 0 < amount <= row["limit"]:
        raise Refused(f"400 Bad Request: amount must be above 0 and at most {row['limit']}, not {amount:g}.")
    if row[f"{speed}_fee"] is None:
        raise Refused(f"404 Not Found: there is no {speed} transfer to {row['country']}.")
    fee = row[f"{speed}_fee"] + (round(amount * 0.004 + 1e-9, 2) if amount > 1000 else 0)
    return {"country": row["country"], "speed": speed, "fee": fee, "bank_days": row[f"{speed}_days"], "currency": "VLM"}


@TRANSFERS.api("Transfer Arrival", country="Norrland", sent_on="2025-10-02")
def transfer_arrival(country: str, sent_on: Date, speed: Speed = "normal") -> dict[str, Any]:
    """On which day a transfer arrives that is sent on a date. Only bank days count.

    country: The country.
    sent_on: The day on which it is sent, from 2025-08-01 to 2025-12-12.
    speed: How fast it is sent.
    """
    if not "2025-08-01" <= sent_on <= "2025-12-12":
        raise Refused(f"404 Not Found: bank days are known from 2025-08-01 to 2025-12-12, not for {sent_on}.")
    row = transfer_fee(country, 1.0, speed)
    arrives = sent_on
    for _ in range(row["bank_days"]):
        arrives = _bank_day(arrives, 1)
    return {"country": row["country"], "sent_on": sent_on, "speed": speed, "arrives_on": arrives}


@TRANSFERS.api("Transfer Status", transfer="MT-8807")
def transfer_status(transfer: str) -> dict[str, Any]:
    """Country, amount, speed, day and state of a transfer that was sent.

    transfer: The transfer's number, such as MT-8807.
    """
    return dict(one(_currency()["sent"], "transfer", transfer, "transfer"))


@CASH.api("Coin Details", coin="20 pence")
def coin_details(coin: Literal["1 penny", "5 pence", "20 pence", "50 pence", "1 velmar", "5 velmar"]) -> dict[str, Any]:
    """Metal, weight in grams and picture of a coin of Velmora.

    coin: The coin.
    """
    return dict(one(_currency()["coins"], "coin", coin, "coin"))


@CASH.api("Note Details", note="50 velmar")
def note_details(note: Literal["10 velmar", "20 velmar", "50 velmar", "100 velmar"]) -> dict[str, Any]:
    """Colour, picture and first year of a note of Velmora.

    note: The note.
    """
    return dict(one(_currency()["notes"], "note", note, "note"))
