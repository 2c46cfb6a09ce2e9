"""What a text says in any of the languages: the tables of `relance.mail.languages`, ready to be searched.

Texts come case-folded, with single spaces and straight apostrophes (`plain`).
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from relance.mail.languages import LANGUAGES, Language

MAX_TEXT = 1500
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """One language, compiled."""

    language: Language
    common: frozenset[str]
    script: re.Pattern[str] | None
    away_subject: re.Pattern[str]
    absent: re.Pattern[str]
    limits: re.Pattern[str]
    cover: re.Pattern[str]
    received: re.Pattern[str]
    machine: re.Pattern[str]
    gone: re.Pattern[str]
    stop: re.Pattern[str]


WORDINGS = tuple(
    Wording(
        language=language,
        common=frozenset(language.common.split()),
        script=re.compile(language.script) if language.script else None,
        away_subject=re.compile(language.away_subject),
        absent=re.compile(language.absent),
        limits=re.compile(language.limits),
        cover=re.compile(language.cover),
        received=re.compile(language.received),
        machine=re.compile(language.machine),
        gone=re.compile(language.gone),
        stop=re.compile(language.stop),
    )
    for language in LANGUAGES
)


_BY_WORDS = tuple(wording for wording in WORDINGS if wording.script is None)
_BY_SCRIPT = tuple(wording for wording in WORDINGS if wording.script is not None)


@lru_cache(maxsize=4)
def spoken(text: str) -> tuple[Wording, ...]:
    """Return the languages that a plain text may be written in."""
    words = frozenset(_WORD.findall(text))
    latin = tuple(wording for wording in _BY_WORDS if not wording.common.isdisjoint(words))
    if text.isascii():
        return latin
    return (*latin, *(wording for wording in _BY_SCRIPT if wording.script and wording.script.search(text)))


def plain(text: str) -> str:
    """Return the beginning of a text as the patterns meet it."""
    return " ".join(text[:MAX_TEXT].casefold().replace("’", "'").split())
