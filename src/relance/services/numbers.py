"""What sequences come to: people at each step, and what was sent and came back by step, mailbox and day.

Rule 1: a read costs what it shows, whatever the number of leads: sums by day, and the newest changes beside them.
Rule 2: folding takes changes away and adds them to the sums in one transaction, so that each counts once at any moment.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from relance.core.counts import Counts
from relance.core.enrollment import EnrollmentStatus
from relance.ports.store import Reader, Transaction

_EVER = "0000-00-00"
_COUNTED = ("contacted", "sent", "replied", "positive", "auto", "bounced", "opted_out")


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How many people stand on one step of one version, in one status; of those who ended, where they ended."""

    version: int
    step: str
    status: EnrollmentStatus
    people: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StepNumbers(Counts):
    """What one wording of one step came to."""

    step: str
    variant: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SequenceNumbers(Counts):
    """What one sequence came to."""

    sequence_id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MailboxNumbers(Counts):
    """What one mailbox's messages came to."""

    mailbox_id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DayNumbers(Counts):
    """What was sent on one day (UTC), and what came in on it."""

    day: date


@dataclass(frozen=True, slots=True, kw_only=True)
class OnTheWay:
    """How many people of a sequence have one status that is no end."""

    sequence_id: int
    status: EnrollmentStatus
    people: int


def on_the_way(reader: Reader, *, workspace_id: int) -> list[OnTheWay]:
    """Return who is on the way, for every sequence of a workspace in one read."""
    return reader.all(OnTheWay, "numbers.on_the_way", workspace_id=workspace_id)


def standing(reader: Reader, *, workspace_id: int, sequence_id: int) -> list[Standing]:
    """Return how many people of a sequence stand where."""
    return reader.all(Standing, "numbers.standing", workspace_id=workspace_id, sequence_id=sequence_id)


def by_step(reader: Reader, *, workspace_id: int, sequence_id: int, since: date | None = None) -> list[StepNumbers]:
    """Return what each wording of each step of a sequence came to; `since` None: ever."""
    ids = {"workspace_id": workspace_id, "sequence_id": sequence_id}
    return reader.all(StepNumbers, "numbers.by_step", **ids, since=_day(since))


def by_sequence(reader: Reader, *, workspace_id: int, since: date | None = None) -> list[SequenceNumbers]:
    """Return what each sequence came to that anything was sent for."""
    return reader.all(SequenceNumbers, "numbers.by_sequence", workspace_id=workspace_id, since=_day(since))


def by_mailbox(
    reader: Reader, *, workspace_id: int, sequence_id: int | None = None, since: date | None = None
) -> list[MailboxNumbers]:
    """Return what each mailbox's messages came to: all of them, or those of one sequence."""
    if sequence_id is None:
        return reader.all(MailboxNumbers, "numbers.by_mailbox", workspace_id=workspace_id, since=_day(since))
    ids = {"workspace_id": workspace_id, "sequence_id": sequence_id}
    return reader.all(MailboxNumbers, "numbers.by_mailbox_of_sequence", **ids, since=_day(since))


def by_day(
    reader: Reader,
    *,
    workspace_id: int,
    sequence_id: int | None = None,
    mailbox_id: int | None = None,
    since: date | None = None,
) -> list[DayNumbers]:
    """Return every day on which something was counted, oldest first: of all, of one sequence, one mailbox, or both."""
    asked = {"workspace_id": workspace_id, "since": _day(since)}
    if sequence_id is not None and mailbox_id is not None:
        pair = {"sequence_id": sequence_id, "part": str(mailbox_id)}
        return reader.all(DayNumbers, "numbers.by_day_of_pair", **asked, **pair)
    if sequence_id is not None:
        return reader.all(DayNumbers, "numbers.by_day_of_sequence", **asked, sequence_id=sequence_id)
    if mailbox_id is not None:
        return reader.all(DayNumbers, "numbers.by_day_of_mailbox", **asked, mailbox_id=mailbox_id)
    return reader.all(DayNumbers, "numbers.by_day", **asked)


def total(rows: Iterable[Counts]) -> Counts:
    """Return the sum of all rows."""
    rows = list(rows)
    return Counts(**{name: sum(getattr(row, name) for row in rows) for name in _COUNTED})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Change(Counts):
    workspace_id: int
    id: int
    sequence_id: int
    step: str
    variant: str
    mailbox_id: int
    day: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Move:
    workspace_id: int
    id: int
    sequence_id: int
    from_version: int | None
    from_step: str | None
    from_status: str | None
    version: int
    step: str
    status: str


def fold(tx: Transaction, *, limit: int) -> int:
    """Fold the oldest changes into the sums, at most `limit` of each kind; return how many there were of the more."""
    changes = tx.all(_Change, "numbers.oldest_changes", limit=limit)
    moves = tx.all(_Move, "numbers.oldest_moves", limit=limit)
    _fold_changes(tx, [one for one in changes if _is_ours(tx, "numbers.remove_change", one)])
    _fold_moves(tx, [one for one in moves if _is_ours(tx, "numbers.remove_move", one)])
    return max(len(changes), len(moves))


def _is_ours(tx: Transaction, removal: str, one: _Change | _Move) -> bool:
    return tx.run(removal, workspace_id=one.workspace_id, id=one.id) == 1


def _fold_changes(tx: Transaction, changes: list[_Change]) -> None:
    sums: dict[tuple[int, str, int, str, str, str], Counter[str]] = {}
    for one in changes:
        by = {name: getattr(one, name) for name in _COUNTED}
        for scope, scope_id, part, variant in (
            ("sequence", one.sequence_id, "", ""),
            ("step", one.sequence_id, one.step, one.variant),
            ("pair", one.sequence_id, str(one.mailbox_id), ""),
            ("mailbox", one.mailbox_id, "", ""),
        ):
            key = (one.workspace_id, scope, scope_id, one.day, part, variant)
            sums.setdefault(key, Counter()).update(by)
    names = ("workspace_id", "scope", "scope_id", "day", "part", "variant")
    rows = [
        {**dict(zip(names, key, strict=True)), **{name: by[name] for name in _COUNTED}}
        for key, by in sorted(sums.items())
    ]
    tx.many("numbers.add", rows)


def _fold_moves(tx: Transaction, moves: list[_Move]) -> None:
    people: Counter[tuple[int, int, int, str, str]] = Counter()
    for one in moves:
        people[one.workspace_id, one.sequence_id, one.version, one.step, one.status] += 1
        if one.from_version is not None and one.from_step is not None and one.from_status is not None:
            people[one.workspace_id, one.sequence_id, one.from_version, one.from_step, one.from_status] -= 1
    names = ("workspace_id", "sequence_id", "version", "step", "status")
    rows = [{**dict(zip(names, key, strict=True)), "people": n} for key, n in sorted(people.items()) if n]
    tx.many("numbers.stand", rows)


def _day(since: date | None) -> str:
    return since.isoformat() if since is not None else _EVER
