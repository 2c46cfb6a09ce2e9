"""A page of leads that match a filter, in time that does not grow with how many there are.

Rule 1: *candidates* come from the one index that says most about the filter, in its order; then it is asked which of
        them match the rest.
Rule 2: at most `LOOKED_AT` candidates are looked at for one page. Where few of many match, a page may be short or
        empty and yet not the last: `after` says where to go on.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from relance.core.enrollment import EnrollmentStatus, StopReason
from relance.core.sequence import Sequence as Template
from relance.ports.store import Reader
from relance.services import mailboxes
from relance.services.lead_filters import NO_SEQUENCE, Filter
from relance.services.refusals import NotFoundError, WrongInputError

LOOKED_AT: Final = 3_000  #: Candidates for one page.
_MANY: Final = 1_000  #: Candidates that are asked for at once, after a first look.
_NEWEST: Final = 2**62  #: No id is as high.
_ENDED_EARLY: Final = (EnrollmentStatus.STOPPED, EnrollmentStatus.BLOCKED)
_HINDERED: Final = (EnrollmentStatus.HELD, EnrollmentStatus.ACTIVE, EnrollmentStatus.WAITING)


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """Who matches, and the run that does; None: they are in no sequence."""

    lead_id: int
    enrollment_id: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Some that match, in order. `after`: where the next page begins; None: nobody else matches."""

    matches: tuple[Match, ...]
    after: int | None


#: What comes behind a place, so many at most, in the order of its index.
_Next = Callable[[int, int], list[int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Source:
    """Where candidates come from, and whether they are runs or people."""

    following: _Next
    are_runs: bool
    by_position: bool = False  #: A place is a number of candidates passed, not an id.


def find(
    reader: Reader, *, workspace_id: int, asked: Filter, now: datetime, limit: int, after: int | None = None
) -> Page:
    """Return the next page of at most `limit` matches. Raises NotFoundError for an unknown sequence or mailbox."""
    search = _Search(reader, workspace_id, asked, now)
    source = search.source()
    matches: list[Match] = []
    place = after if after is not None else (0 if source.by_position else _NEWEST)
    looked, size = 0, 2 * limit
    while looked < LOOKED_AT:
        candidates = source.following(place, size)
        looked += len(candidates)
        matching = search.matching(candidates, are_runs=source.are_runs)
        for position, candidate in enumerate(candidates, start=1):
            of_candidate = matching.get(candidate, ())
            if matches and len(matches) + len(of_candidate) > limit:
                return Page(matches=tuple(matches), after=place)
            matches += of_candidate
            place = place + 1 if source.by_position else candidate
            if len(matches) >= limit and (position < len(candidates) or len(candidates) == size):
                return Page(matches=tuple(matches), after=place)
        if len(candidates) < size:
            return Page(matches=tuple(matches), after=None)
        size = _MANY
    return Page(matches=tuple(matches), after=place)


class _Search:
    """One filter over one snapshot."""

    def __init__(self, reader: Reader, workspace_id: int, asked: Filter, now: datetime) -> None:
        self._reader, self._asked, self._now = reader, asked, now
        self._ids = {"workspace_id": workspace_id}
        self._sequences = reader.all(Template, "sequences.of_workspace", **self._ids)
        self._sequence_id = self._sequence()
        self._mailbox_id = (
            mailboxes.by_address(reader, workspace_id, asked.mailbox).id if asked.mailbox is not None else None
        )
        text = asked.text or ""
        self._domain = text[1:] if text.startswith("@") and len(text) > 1 else None
        self._start = text if text and self._domain is None else None
        self._statuses = self._possible()

    def source(self) -> _Source:
        """Choose the index by what most likely leaves the fewest."""
        asked = self._asked
        if self._start is not None:
            return _Source(following=self._beginning, are_runs=False, by_position=True)
        if self._domain is not None:
            return self._people("lead_search.at_domain", domain=self._domain)
        if self._mailbox_id is not None:
            return self._runs("lead_search.from_mailbox", mailbox_id=self._mailbox_id)
        if asked.list is not None:
            return self._people("lead_search.on_list", list=asked.list)
        if asked.replied:
            return self._runs("lead_search.replied")
        if self._statuses:
            return _Source(following=self._standing, are_runs=True)
        if self._sequence_id is not None:
            return self._people("lead_search.in_sequence", sequence_id=self._sequence_id)
        return self._runs("lead_search.runs") if asked.about_runs else self._people("lead_search.everybody")

    def matching(self, candidates: Sequence[int], *, are_runs: bool) -> dict[int, list[Match]]:
        """Return what matches, by the candidate it belongs to."""
        person = {"list": self._asked.list, "domain": self._domain, "start": self._start, "id_list": candidates}
        if not self._asked.about_runs:
            in_none = self._asked.status == NO_SEQUENCE
            found = self._reader.all(Match, "lead_search.people_among", **self._ids, **person, in_none=in_none)
        else:
            statement = "lead_search.runs_among" if are_runs else "lead_search.runs_of_people_among"
            found = self._reader.all(Match, statement, **self._ids, **person, **self._about_the_run())
        by_candidate: dict[int, list[Match]] = {}
        for match in found:
            key = match.enrollment_id if are_runs else match.lead_id
            assert key is not None  # noqa: S101  # a run that was joined has its id
            by_candidate.setdefault(key, []).append(match)
        return by_candidate

    def _about_the_run(self) -> dict[str, object]:
        asked = self._asked
        return {
            "sequence_id": self._sequence_id,
            "any_status": asked.status is None,
            "status_list": [asked.status] if asked.status is not None else [],
            "step": asked.step,
            "mailbox_id": self._mailbox_id,
            "replied": asked.replied,
            "reason": asked.reason,
            "now": self._now,
        }

    def _sequence(self) -> int | None:
        if self._asked.sequence is None:
            return None
        found = next((one for one in self._sequences if one.name == self._asked.sequence), None)
        if found is None:
            raise NotFoundError(f"there is no sequence {self._asked.sequence!r}; see `relance sequence list`")
        return found.id

    def _possible(self) -> tuple[str, ...]:
        """Return in which ways somebody who matches can stand; empty: nothing is known of that."""
        asked = self._asked
        if asked.status is not None and asked.status != NO_SEQUENCE:
            return (asked.status,)
        if asked.reason is None:
            return ()
        return tuple(_ENDED_EARLY if asked.reason in frozenset(StopReason) else _HINDERED)

    def _people(self, statement: str, **names: object) -> _Source:
        return _Source(following=self._page(statement, names), are_runs=False)

    def _runs(self, statement: str, **names: object) -> _Source:
        return _Source(following=self._page(statement, names), are_runs=True)

    def _page(self, statement: str, names: dict[str, object]) -> _Next:
        def following(before: int, limit: int) -> list[int]:
            return self._reader.all(int, statement, **self._ids, **names, before=before, limit=limit)

        return following

    def _standing(self, before: int, limit: int) -> list[int]:
        """Return the newest of every sequence and status: each pair has its own stretch of the index."""
        ids = [self._sequence_id] if self._sequence_id is not None else [one.id for one in self._sequences]
        pairs = {"sequence_list": ids, "status_list": list(self._statuses)}
        return self._page("lead_search.standing", pairs)(before, limit)

    def _beginning(self, passed: int, limit: int) -> list[int]:
        """Return whose address begins so, by address; `LOOKED_AT` at most: then type more of it."""
        start = self._start or ""
        end = min(passed + limit, LOOKED_AT)
        found = self._reader.all(
            int, "lead_search.beginning", **self._ids, start=start, beyond=start + "\U0010ffff", limit=end
        )
        return found[passed:]


def one_place(text: str | None) -> int | None:
    """Read where a page goes on, as an address line says it. Raises WrongInputError."""
    if not text:
        return None
    if not text.isdigit() or len(text) > len(str(_NEWEST)):
        raise WrongInputError(f"{text!r} is no place in a list: begin from its first page")
    return int(text)
