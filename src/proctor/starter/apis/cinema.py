"""Cinema: what is shown in the cinemas of Velmora, and a lexicon of its films."""

from __future__ import annotations

from typing import Any, Literal

from proctor.starter.tables import one, table
from proctor.starter.tool import Date, Refused, Tool, paged

PROGRAMME = Tool("Cinema", "Cinema Programme", "What is shown in the cinemas of Velmora, when, and for how much.")
LEXICON = Tool("Cinema", "Film Lexicon", "Films, directors, casts and prizes.")

Genre = Literal["any", "drama", "thriller", "animation", "comedy", "war", "adventure", "documentary"]


def _film(film_id: str) -> dict[str, Any]:
    return one(table("cinema")["films"], "film_id", film_id, "film")


def _cinema(cinema_id: str) -> dict[str, Any]:
    return one(table("cinema")["cinemas"], "cinema_id", cinema_id, "cinema")


def _showing(showing_id: str) -> dict[str, Any]:
    return one(table("cinema")["showings"], "showing_id", showing_id, "showing")


@PROGRAMME.api("Cinemas In Town", town="Aldmoor")
def cinemas_in_town(town: str) -> dict[str, Any]:
    """The cinemas of a town, with the numbers that other calls need.

    town: The town.
    """
    found = [row for row in table("cinema")["cinemas"] if row["town"].casefold() == town.casefold()]
    return {"cinemas": [{key: row[key] for key in ("cinema_id", "name", "address")} for row in found]}


@PROGRAMME.api("Showings At Cinema", cinema_id="CI-1", date="2025-10-10")
def showings_at_cinema(cinema_id: str, date: Date) -> dict[str, Any]:
    """What a cinema shows on a day.

    cinema_id: The cinema's number, such as CI-1.
    date: The day.
    """
    cinema = _cinema(cinema_id)
    rows = [r for r in table("cinema")["showings"] if r["cinema_id"] == cinema["cinema_id"] and r["date"] == date]
    found = [{"showing_id": r["showing_id"], "film": _film(r["film_id"])["title"], "time": r["time"]} for r in rows]
    return {"cinema": cinema["name"], "date": date, "showings": found}


@PROGRAMME.api("Showings Of Film", film_id="F-503")
def showings_of_film(film_id: str, page: int = 1) -> dict[str, Any]:
    """Where and when a film is shown, three showings to a page.

    film_id: The film's number, such as F-503.
    page: Which page of the list, from 1.
    """
    film = _film(film_id)
    rows = [row for row in table("cinema")["showings"] if row["film_id"] == film["film_id"]]
    rows.sort(key=lambda row: (row["date"], row["time"]))
    shown = [
        {key: row[key] for key in ("showing_id", "date", "time")} | {"cinema": _cinema(row["cinema_id"])["name"]}
        for row in rows
    ]
    return paged(shown, page, size=3)


@PROGRAMME.api("Showing Details", showing_id="SH-9002")
def showing_details(showing_id: str) -> dict[str, Any]:
    """Screen, price in VLM, free seats and subtitles of one showing.

    showing_id: The showing's number, such as SH-9002.
    """
    row = _showing(showing_id)
    return dict(row) | {"film": _film(row["film_id"])["title"], "cinema": _cinema(row["cinema_id"])["name"]}


@PROGRAMME.api("Book Seats", showing_id="SH-9002", seats=2)
def book_seats(showing_id: str, seats: int) -> dict[str, Any]:
    """Book seats for a showing, to be paid at the desk; returns the code to name there.

    showing_id: The showing's number, such as SH-9002.
    seats: How many seats, 1 to 10.
    """
    row = _showing(showing_id)
    if not 1 <= seats <= 10:
        raise Refused(f"400 Bad Request: seats must be between 1 and 10, not {seats}.")
    if seats > row["free"]:
        raise Refused(f"409 Conflict: showing {row['showing_id']} has {row['free']} free seats, not {seats}.")
    code = f"{row['cinema_id'][3:]}{row['showing_id'][3:]}-{seats:02d}"
    return {"code": code, "film": _film(row["film_id"])["title"], "to_pay": row["price"] * seats, "currency": "VLM"}


@PROGRAMME.api("Cinema Details", cinema_id="CI-3")
def cinema_details(cinema_id: str) -> dict[str, Any]:
    """Address, number of screens and parking of a cinema.

    cinema_id: The cinema's number, such as CI-3.
    """
    return dict(_cinema(cinema_id))


@LEXICON.api("Search Films", title="Weir")
def search_films(title: str, genre: Genre = "any", page: int = 1) -> dict[str, Any]:
    """Find films by words of their title; five to a page, with the numbers that other calls need.

    title: Words of the title.
    genre: Only films of this genre.
    page: Which page of the list, from 1.
    """
    words = title.casefold().split()
    found = [film for film in table("cinema")["films"] if all(word in film["title"].casefold() for word in words)]
    shown = [{k: film[k] for k in ("film_id", "title", "year")} for film in found if genre in ("any", film["genre"])]
    return paged(shown, page)


@LEXICON.api("Film Details", film_id="F-504")
def film_details(film_id: str) -> dict[str, Any]:
    """Director, year, length in minutes, lowest age, language, genre and viewers' score of a film.

    film_id: The film's number, such as F-504.
    """
    return dict(_film(film_id))


@LEXICON.api("Films By Director", director="Lotte Aster")
def films_by_director(director: str, page: int = 1) -> dict[str, Any]:
    """The films of a director, the earliest first, five to a page.

    director: The director's whole name.
    page: Which page of the list, from 1.
    """
    name = one(table("cinema")["directors"], "director", director, "director")["director"]
    films = sorted((f for f in table("cinema")["films"] if f["director"] == name), key=lambda film: film["year"])
    return paged([{key: film[key] for key in ("film_id", "title", "year")} for film in films], page)


@LEXICON.api("Director Details", director="Aron Lund")
def director_details(director: str) -> dict[str, Any]:
    """Year of birth, birthplace and year of the first film of a director.

    director: The director's whole name.
    """
    return dict(one(table("cinema")["directors"], "director", director, "director"))


@LEXICON.api("Cast Of Film", film_id="F-501")
def cast_of_film(film_id: str) -> dict[str, Any]:
    """Who plays whom in a film.

    film_id: The film's number, such as F-501.
    """
    film = _film(film_id)
    row = next((row for row in table("cinema")["cast"] if row["film_id"] == film["film_id"]), None)
    if row is None:
        raise Refused(f"404 Not Found: no cast of {film['title']!r} is known.")
    return {"film": film["title"], "cast": [{"role": role, "actor": actor} for role, actor in row["roles"]]}


@LEXICON.api("Prizes Of Film", film_id="F-504")
def prizes_of_film(film_id: str) -> dict[str, Any]:
    """The prizes that a film has won.

    film_id: The film's number, such as F-504.
    """
    film = _film(film_id)
    rows = [row for row in table("cinema")["awards"] if row["film_id"] == film["film_id"]]
    return {"film": film["title"], "prizes": [{key: row[key] for key in ("prize", "year", "for")} for row in rows]}
