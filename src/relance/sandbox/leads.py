"""The demo's leads, invented, and the sequence they walk.

Rule: a file has exactly as many valid, different addresses as were asked for; the duplicates and the broken rows that
every real list has come on top.
"""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from importlib.resources import files
from pathlib import Path

from relance.sandbox.chance import below, draw, pick


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """What the world knows about the sequence that its people receive."""

    markers: Mapping[str, str]
    """A phrase of each e-mail's text that no other one has, by step."""
    waits: Sequence[timedelta]
    """How long after each e-mail the next would be due; after the last, when some still answer."""


DEMO_SCRIPT = Script(
    markers={
        "intro": "to plan their orders without spreadsheets",
        "bump": "my note may have come at a bad moment",
        "last": "this is the last time I write about it",
    },
    waits=(timedelta(days=3), timedelta(days=8), timedelta(days=3)),
)

_COLUMNS = ("E-Mail", "First name", "Last name", "Company", "Country", "City", "Job title")
_PLACES: Mapping[str, Sequence[str]] = {
    "Germany": ("Köln", "Nürnberg", "Leipzig"),
    "Austria": ("Graz", "Linz"),
    "France": ("Orléans", "Lyon"),
    "Spain": ("Córdoba", "Bilbao"),
    "Netherlands": ("Utrecht", "Zwolle"),
    "Poland": ("Łódź", "Gdańsk"),
    "United Kingdom": ("Leeds", "Bristol"),
}
_FIRST = (
    "Anna", "Jürgen", "Léa", "Marta", "Pieter", "Zoë", "Łukasz", "Sofía", "Émile", "Katarzyna", "Noah", "Inés",
    "Björn", "Claire", "Dirk", "Elena", "François", "Greta", "Hugo", "Ivana", "Jonas", "Karin", "Louis", "Mónica",
)  # fmt: skip
_LAST = (
    "Keller", "Müller", "Lefèvre", "Nowak", "de Vries", "García", "O'Brien", "Schröder", "Dubois", "Kowalska",
    "Jansen", "Núñez", "Smith-Jones", "Weiß", "Moreau", "Zieliński", "Bakker", "Iglesias", "Taylor", "Brandt",
)  # fmt: skip
_TRADE = ("Metallbau", "Joinery", "Ceramics", "Optik", "Textiles", "Druck", "Plastics", "Glass", "Bikes", "Tools")
_KIND = ("GmbH", "Ltd", "SARL", "B.V.", "& Söhne", "S.L.", "Sp. z o.o.", "Works")
_TITLES = ("Head of operations", "Production planner", "Owner", "Plant manager", "")
_PLAIN = str.maketrans(
    {
        "ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "é": "e", "è": "e", "ë": "e", "É": "e", "í": "i", "ó": "o",
        "ñ": "n", "ú": "u", "ç": "c", "Ł": "l", "ł": "l", "ń": "n", "ź": "z", " ": "-", "'": "", "&": "", ".": "",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class LeadFile:
    """A written CSV: its valid addresses, each once, and how many rows are no new lead."""

    path: Path
    addresses: Sequence[str]
    duplicates: int
    invalid: int


def write_leads(path: Path, count: int, seed: int, *, duplicates: int = 4, invalid: int = 2) -> LeadFile:
    """Write `count` leads, and on top rows that repeat one of them (in capitals) and rows without a usable address."""
    rows = [_row(seed, number) for number in range(count)]
    addresses = [row[0] for row in rows]
    repeated = [(row[0].upper(), *row[1:]) for row in rows[: min(duplicates, count)]]
    broken = [
        (("no address here", f"{number}@@nowhere")[number % 2], *_row(seed, number)[1:]) for number in range(invalid)
    ]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(_COLUMNS)
        writer.writerows(rows)
        writer.writerows(repeated)
        writer.writerows(broken)
    return LeadFile(path=path, addresses=addresses, duplicates=len(repeated), invalid=len(broken))


def _row(seed: int, number: int) -> tuple[str, ...]:
    first, last = pick(seed, _FIRST, "first", number), pick(seed, _LAST, "last", number)
    place = below(seed, max(1, number // 3 + 1), "company", number)  # some companies have several leads
    trade, kind = pick(seed, _TRADE, "trade", place), pick(seed, _KIND, "kind", place)
    company = f"{pick(seed, _LAST, 'founder', place)} {trade} {kind}"
    domain = f"{_plain(trade)}-{place}.example"
    country = pick(seed, tuple(_PLACES), "country", place)
    return (
        f"{_plain(first)}.{_plain(last)}.{number}@{domain}",
        first if draw(seed, "nameless", number) > 0.08 else "",
        last,
        company,
        country,
        pick(seed, _PLACES[country], "city", place),
        pick(seed, _TITLES, "title", number),
    )


def _plain(text: str) -> str:
    return text.translate(_PLAIN).lower().strip("-")


def sequence_text() -> str:
    """Return the demo's sequence file."""
    return files("relance.sandbox").joinpath("sequence.yaml").read_text(encoding="utf-8")


def write_sequence(path: Path) -> Path:
    """Write the demo's sequence file where a person can look at it."""
    path.write_text(sequence_text(), encoding="utf-8")
    return path
