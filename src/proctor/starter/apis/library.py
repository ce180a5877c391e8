"""Library: the city library of Aldmoor, its branches and its loans desk, and the national bibliography."""

from __future__ import annotations

import datetime as dt
from typing import Any, Literal

from proctor.starter.tables import one, table
from proctor.starter.tool import Date, Refused, Tool, paged
from proctor.starter.values import day

CATALOGUE = Tool("Library", "Aldmoor City Library", "The catalogue of Aldmoor City Library: books, copies and shelves.")
BRANCHES = Tool("Library", "Library Branches", "The branches of Aldmoor City Library: hours, rooms and events.")
LOANS = Tool("Library", "Loans Desk", "Cards, loans, late fees and reservations of Aldmoor City Library.")
NATIONAL = Tool("Library", "National Bibliography", "Every book printed in Velmora, with its author and publisher.")

Subject = Literal["novel", "history", "nature", "craft", "children", "cookery", "railways", "poetry"]
Weekday = Literal["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
_DAYS = {"adult": 28, "student": 42, "child": 21}
_TODAY = "2025-10-01"
"""The day of the loans desk: cards that ended before it are refused."""
_FEES = {"adult": 0.2, "student": 0.1, "child": 0.05}


def _library() -> Any:
    return table("library")


def _book(book_id: str) -> dict[str, Any]:
    return one(_library()["books"], "book_id", book_id, "book")


def _branch(branch_id: str) -> dict[str, Any]:
    return one(_library()["branches"], "branch_id", branch_id, "branch")


def _card(card_number: str) -> dict[str, Any]:
    return one(_library()["cards"], "card_number", card_number, "library card")


def _brief(book: dict[str, Any]) -> dict[str, Any]:
    return {key: book[key] for key in ("book_id", "title", "author", "year")}


@CATALOGUE.api("Search Books", title="Salt Road")
def search_books(title: str, page: int = 1) -> dict[str, Any]:
    """Find books of the city library by words of their title; five to a page, with the numbers that other calls need.

    title: Words of the title.
    page: Which page of the list, from 1.
    """
    words = title.casefold().split()
    return paged([_brief(b) for b in _library()["books"] if all(w in b["title"].casefold() for w in words)], page)


@CATALOGUE.api("Books By Author", author="Bram Oswin")
def books_by_author(author: str, page: int = 1) -> dict[str, Any]:
    """List the books of an author that the city library has, oldest first, five to a page.

    author: The author's name, or a part of it.
    page: Which page of the list, from 1.
    """
    wanted = author.casefold()
    found = [_brief(book) for book in _library()["books"] if wanted in book["author"].casefold()]
    return paged(sorted(found, key=lambda book: book["year"]), page)


@CATALOGUE.api("Books On Subject", subject="nature")
def books_on_subject(subject: Subject, page: int = 1) -> dict[str, Any]:
    """List the books that stand under a subject, five to a page.

    subject: The subject.
    page: Which page of the list, from 1.
    """
    return paged([_brief(book) for book in _library()["books"] if book["subject"] == subject], page)


@CATALOGUE.api("Book Details", book_id="B-1006")
def book_details(book_id: str) -> dict[str, Any]:
    """All that the catalogue knows about one book: author, year, pages, ISBN, shelf mark.

    book_id: The book's number, such as B-1006.
    """
    return {key: value for key, value in _book(book_id).items() if key != "publisher"}


@CATALOGUE.api("Copies Of Book", book_id="B-1006")
def copies_of_book(book_id: str) -> dict[str, Any]:
    """Which branches hold a book, how many copies they have, and how many of them are on the shelf now.

    book_id: The book's number, such as B-1006.
    """
    book = _book(book_id)
    held = _library()["copies"].get(book_id, {})
    places = [{"branch_id": branch, "copies": all_, "on_shelf": there} for branch, (all_, there) in held.items()]
    return {"book_id": book_id, "title": book["title"], "branches": places}


@BRANCHES.api("List Branches")
def list_branches() -> dict[str, Any]:
    """All branches of the city library with their numbers and addresses."""
    keys = ("branch_id", "name", "address")
    return {"branches": [{key: branch[key] for key in keys} for branch in _library()["branches"]]}


@BRANCHES.api("Branch Details", branch_id="BR-3")
def branch_details(branch_id: str) -> dict[str, Any]:
    """Name, address, telephone, reading desks and step-free access of a branch.

    branch_id: The branch's number, such as BR-3.
    """
    return {key: value for key, value in _branch(branch_id).items() if key != "opens"}


@BRANCHES.api("Opening Hours", branch_id="BR-3", weekday="Tuesday")
def opening_hours(branch_id: str, weekday: Weekday) -> dict[str, Any]:
    """When a library branch is open on a day of the week.

    branch_id: The branch's number, such as BR-3.
    weekday: The day of the week.
    """
    branch = _branch(branch_id)
    return {"branch_id": branch_id, "name": branch["name"], "weekday": weekday, "hours": branch["opens"][weekday]}


@BRANCHES.api("Events At Branch", branch_id="BR-3", month="2025-11")
def events_at_branch(branch_id: str, month: str) -> dict[str, Any]:
    """Readings, courses and other events at a library branch in a month, with the seats that are left.

    branch_id: The branch's number, such as BR-3.
    month: The month as YYYY-MM.
    """
    _branch(branch_id)
    found = [e for e in _library()["events"] if e["branch_id"] == branch_id and e["date"].startswith(f"{month}-")]
    keys = ("event_id", "date", "time", "title")
    events = [{key: e[key] for key in keys} | {"seats_left": e["seats"] - e["booked"]} for e in found]
    return {"branch_id": branch_id, "month": month, "events": events}


@LOANS.api("Card Status", card_number="C-70688")
def card_status(card_number: str) -> dict[str, Any]:
    """Holder, kind, expiry date, unpaid fees and number of loans of a library card.

    card_number: The card's number, such as C-70688.
    """
    card = _card(card_number)
    return {key: value for key, value in card.items() if key != "loans"} | {"loans": len(card["loans"])}


@LOANS.api("Loans On Card", card_number="C-70688")
def loans_on_card(card_number: str) -> dict[str, Any]:
    """The books that are out on a library card, and when they are due.

    card_number: The card's number, such as C-70688.
    """
    loans = [{"book_id": book, "due": due} for book, due in _card(card_number)["loans"]]
    return {"card_number": card_number, "loans": loans}


@LOANS.api("Late Fee", card_number="C-70688", book_id="B-1009", return_date="2025-10-24")
def late_fee(card_number: str, book_id: str, return_date: Date) -> dict[str, Any]:
    """What a borrowed book costs in late fees when it is brought back on a date.

    card_number: The card's number, such as C-70688.
    book_id: The number of a book that is out on the card.
    return_date: The day on which it is brought back.
    """
    card = _card(card_number)
    due = next((due for book, due in card["loans"] if book == book_id), None)
    if due is None:
        raise Refused(f"404 Not Found: {book_id} is not on loan on card {card_number}.")
    days = max(0, (day(return_date) - day(due)).days)
    fee = round(days * _FEES[card["kind"]], 2)
    return {"book_id": book_id, "due": due, "days_late": days, "fee": fee, "currency": "VLM"}


@LOANS.api("Loan Until", kind="student", lent_on="2025-10-01")
def loan_until(kind: Literal["adult", "student", "child"], lent_on: Date) -> dict[str, Any]:
    """Until when a book may be kept that is lent on a date.

    kind: The kind of card.
    lent_on: The day on which the book is lent.
    """
    until = day(lent_on) + dt.timedelta(days=_DAYS[kind])
    return {"kind": kind, "days": _DAYS[kind], "due": until.isoformat()}


@LOANS.api("Reserve Book", card_number="C-70688", book_id="B-1010", branch_id="BR-2")
def reserve_book(card_number: str, book_id: str, branch_id: str) -> dict[str, Any]:
    """Reserve a book for collection at a branch; returns the reservation's number and the place in the queue.

    card_number: The card's number, such as C-70688.
    book_id: The number of the book.
    branch_id: The number of the branch where it is to be collected.
    """
    card, book, branch = _card(card_number), _book(book_id), _branch(branch_id)
    if card["valid_until"] < _TODAY:
        raise Refused(f"403 Forbidden: card {card_number} expired on {card['valid_until']}.")
    place = _library()["waiting"].get(book_id, 0) + 1
    number = f"R-{book_id[2:]}{branch_id[3:]}-{card_number[2:]}"
    return {"reservation": number, "title": book["title"], "collect_at": branch["name"], "queue_place": place}


@NATIONAL.api("Book By ISBN", isbn="978-0-4558-1006-2")
def book_by_isbn(isbn: str) -> dict[str, Any]:
    """The national record of a book: title, author, year and the number of its publisher.

    isbn: The ISBN, with or without hyphens.
    """
    digits = isbn.replace("-", "").replace(" ", "")
    for book in _library()["books"]:
        if book["isbn"].replace("-", "") == digits:
            keys = ("isbn", "title", "author", "year")
            return {key: book[key] for key in keys} | {"publisher_id": book["publisher"]}
    raise Refused(f"404 Not Found: there is no book with the ISBN {isbn!r}.")


@NATIONAL.api("Author Record", author="Mirela Voss")
def author_record(author: str) -> dict[str, Any]:
    """Year of birth, birthplace and greatest prize of an author.

    author: The author's whole name.
    """
    return dict(one(_library()["authors"], "author", author, "author"))


@NATIONAL.api("Publisher Record", publisher_id="PB-14")
def publisher_record(publisher_id: str) -> dict[str, Any]:
    """Name, city and founding year of a publisher.

    publisher_id: The publisher's number, such as PB-14.
    """
    return dict(one(_library()["publishers"], "publisher_id", publisher_id, "publisher"))


@NATIONAL.api("Works Printed In", year=2006)
def works_printed_in(year: int, page: int = 1) -> dict[str, Any]:
    """The titles that were printed in a year, with their ISBN, five to a page.

    year: The year.
    page: Which page of the list, from 1.
    """
    keys = ("isbn", "title", "author")
    return paged([{key: book[key] for key in keys} for book in _library()["books"] if book["year"] == year], page)
