"""What can never be, looked for all the same: rows that contradict themselves or one another.

Rule 1: a check is a named statement or a small function, and one sentence that says what to do.
Rule 2: large tables are looked at in stretches of ids, the newest first, each in a transaction of its own; what is
        older than `MOST_IDS` is not looked at, and the caller can say so.
Rule 3: nothing is mended here. A database that contradicts itself was written by something else, and a person decides.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from relance.core import defaults
from relance.core.lead import ERASED_DOMAIN
from relance.ports.store import Reader
from relance.services import derived_invariants, opt_out_invariants, walked_invariants
from relance.services.derived_invariants import Found
from relance.services.situations import Keys

STRETCH = 10_000  #: Ids of one transaction.
MOST_IDS = 100_000  #: Ids of one table, from the newest back.
#: Counters are compared from then on; a mailbox's day begins in its own zone.
_COUNTED = timedelta(days=1)
#: Nothing has happened later than this from now, unless a clock is wrong.
_AHEAD = timedelta(days=1)
#: The longest wait of a sequence, counted in workdays; and what anything is put off by at most.
_LONGEST_WAIT = timedelta(days=1.5 * defaults.LONGEST_DELAY_DAYS)
_LONGEST_REST = defaults.LONGEST_HOLD + timedelta(days=30)
#: What the rescuer has had time enough to give back.
_LONG_AGO = timedelta(minutes=15)

_STOP = "stop the run with `relance enrollment stop --lead EMAIL`"
_BACKUP = "something other than Relance has changed the database: put back a backup from before"
_AUDIT = "see who got what with `relance audit SEQUENCE`, and put back a backup from before if somebody got it twice"
_SETTLE = "find out what became of it and say so with `relance attempt settle ID sent` or `failed`"
_GOES_ON = "start `relance run`, which sees that the step was sent and goes on without sending it again"
_PAUSE = "it may pass its cap, or rest too early: `relance mailbox pause ADDRESS` until tomorrow"
_UNRECOGNISED = f"its answers and copies may not be recognised; if all are named, `master.key` is another: {_BACKUP}"
_IN_ITS_MAILBOX = "it can still be looked up in its mailbox; what was concluded from it stands"
_READ_AGAIN = "nothing is lost: what lies behind the cursor is read once more and known again"
_CLOCK = "this machine's clock was, or is, wrong by more than a day: compare it with `date -u`"
_LEASES = (
    "once that worker is known to have ended, `relance run` frees it over SQLite; over PostgreSQL, in psql: `UPDATE "
    "shards SET owner = NULL, lease_until = NULL WHERE lease_until > now() + interval '1 day'`, and `DELETE FROM "
    "workers` likewise"
)
_RESCUE = "start `relance run`, whose rescuer gives it back"


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """One kind of contradiction, the rows in which it was found, and what to do."""

    rule: str
    rows: tuple[str, ...]
    remedy: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """Ids of one table, above `after` and up to `upto`."""

    table: str
    after: int
    upto: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rule:
    table: str  #: Whose ids are looked at; empty: all of a small table at once.
    statement: str
    noun: str
    remedy: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _LastId:
    name: str
    id: int | None


def _rules(table: str, noun: str, remedies: Mapping[str, str]) -> tuple[_Rule, ...]:
    return tuple(
        _Rule(table=table, statement=statement, noun=noun, remedy=remedy) for statement, remedy in remedies.items()
    )


_RULES = (
    *_rules(
        "enrollments",
        "enrollment",
        {
            "invariants.ended_but_due": _BACKUP,
            "invariants.never_due": _STOP,
            "invariants.end_without_time": _BACKUP,
            "invariants.without_reason": _BACKUP,
            "invariants.unknown_status": _BACKUP,
            "invariants.endless_lock": f"{_RESCUE}, or {_STOP}",
            "invariants.missing_version": _STOP,
            "invariants.run_of_nobody": _BACKUP,
            "invariants.history_elsewhere": f"compare `relance explain EMAIL` with what you know; {_BACKUP}",
            "invariants.broken_history": f"compare `relance explain EMAIL` with what you know; {_BACKUP}",
            "invariants.counter_went_back": f"it may be sent a step again: {_STOP}",
            "invariants.sent_but_standing": _GOES_ON,
            "invariants.sent_but_never_written_to": f"its follow-ups may leave from another mailbox: {_STOP}",
            "invariants.last_sent_elsewhere": f"compare `relance explain EMAIL` with what you know; {_BACKUP}",
            "invariants.accepted_but_not_sent": f"it may be sent that step again: {_STOP}; {_AUDIT}",
            "invariants.run_far_ahead": f"{_CLOCK}; {_STOP}",
        },
    ),
    *_rules(
        "attempts",
        "attempt",
        {
            "invariants.two_open_attempts": _AUDIT,
            "invariants.two_of_one_step": _AUDIT,
            "invariants.without_deadline": _SETTLE,
            "invariants.sent_at_no_time": _BACKUP,
            "invariants.unknown_attempt_status": _BACKUP,
            "invariants.acceptance_unrecorded": f"look for it in its mailbox's Sent folder; {_BACKUP}",
            "invariants.ahead_of_its_run": _AUDIT,
            "invariants.open_after_the_end": f"nothing of it leaves; {_BACKUP}",
            "invariants.attempt_of_nobody": _BACKUP,
            "invariants.slot_kept": _RESCUE,
            "invariants.slot_without_counter": _PAUSE,
            "invariants.attempt_far_ahead": f"{_CLOCK}; {_SETTLE} if its outcome is unknown",
        },
    ),
    *_rules(
        "messages",
        "message",
        {
            "invariants.message_without_raw": _IN_ITS_MAILBOX,
            "invariants.message_of_nobody": _BACKUP,
        },
    ),
    *_rules(
        "",
        "mailbox",
        {
            "invariants.uncounted_slots": _PAUSE,
            "invariants.cursor_behind": _READ_AGAIN,
            "invariants.mailbox_far_ahead": f"{_CLOCK}; `relance mailbox resume ADDRESS` lets it go on now",
        },
    ),
    *_rules(
        "",
        "sequence",
        {
            "invariants.sequence_without_version": "publish its file again: `relance sequence publish FILE`",
            "invariants.sequence_far_ahead": f"{_CLOCK}; {_BACKUP}",
        },
    ),
)


def looked_at(parts: list[Stretch]) -> int:
    """Return how many ids of large tables that is."""
    return sum(part.upto - part.after for part in parts)


_Derived = Callable[..., Iterator[Found]]
#: Checks that need more than SQL: rule, table, function, noun and remedy.
_DERIVED: tuple[tuple[str, str, _Derived, str, str], ...] = (
    ("illegal_move", "enrollments", derived_invariants.illegal_moves, "enrollment", _BACKUP),
    (
        "unjournalled_opt_out",
        "suppressions",
        opt_out_invariants.unjournalled,
        "suppression",
        "an older backup that is put back would forget it: make a new one now with `relance backup FILE`",
    ),
    (
        "unbound_opt_out",
        "opt_outs",
        opt_out_invariants.unbound,
        "opt-out",
        "they may be written to again: `relance suppress add ADDRESS`, or put back a backup from before",
    ),
    ("off_the_plan", "enrollments", walked_invariants.off_the_plan, "enrollment", f"nothing of it leaves; {_BACKUP}"),
    (
        "led_elsewhere",
        "enrollments",
        walked_invariants.led_elsewhere,
        "enrollment",
        f"it may skip a step, or be sent one again: {_STOP}, or put back a backup from before",
    ),
    ("altered_version", "", derived_invariants.altered_versions, "sequence", _BACKUP),
    ("foreign_mark", "attempts", derived_invariants.foreign_marks, "attempt", _UNRECOGNISED),
    ("foreign_uid", "enrollments", derived_invariants.foreign_uids, "enrollment", _UNRECOGNISED),
    (
        "shard_far_ahead",
        "",
        derived_invariants.shards_far_ahead,
        "shard",
        f"its mailboxes rest unseen until then; {_LEASES}",
    ),
    (
        "worker_far_ahead",
        "",
        derived_invariants.workers_far_ahead,
        "worker",
        f"the others leave it its share until then; {_LEASES}",
    ),
    ("missing_shard", "", derived_invariants.missing_shards, "shard", f"its mailboxes rest unseen: {_BACKUP}"),
    (
        "wrong_shard",
        "",
        derived_invariants.wrong_shards,
        "mailbox",
        "remove the mailbox and connect it again, which puts it where its engine looks for it",
    ),
)


def stretches(reader: Reader, *, workspace_id: int) -> list[Stretch]:
    """Return what is to be looked at, the newest rows of each table first; one without a table for the small ones."""
    found = [Stretch(table="", after=0, upto=0)]
    for last in reader.all(_LastId, "invariants.last_ids", workspace_id=workspace_id):
        upto = last.id or 0
        lowest = max(0, upto - MOST_IDS)
        while upto > lowest:
            after = max(lowest, upto - STRETCH)
            found.append(Stretch(table=last.name, after=after, upto=upto))
            upto = after
    return found


def look(reader: Reader, stretch: Stretch, *, workspace_id: int, keys: Keys, now: datetime) -> list[Broken]:
    """Return what is broken in one stretch, at most twenty rows of a kind."""
    ids: dict[str, object] = {"workspace_id": workspace_id}
    if stretch.table:
        ids |= {"after": stretch.after, "upto": stretch.upto}
    broken = []
    for rule in _RULES:
        if rule.table == stretch.table:
            rows = reader.all(Found, rule.statement, **ids, **_more(rule.statement, now))
            broken += _broken(rule.statement.partition(".")[2], rule.noun, rule.remedy, rows)
    for name, table, check, noun, remedy in _DERIVED:
        if table == stretch.table:
            broken += _broken(name, noun, remedy, check(reader, keys=keys, **ids))
    return broken


def _more(statement: str, now: datetime) -> dict[str, object]:
    since = now - _COUNTED
    match statement:
        case "invariants.slot_kept":
            return {"long_ago": now - _LONG_AGO}
        case "invariants.slot_without_counter":
            return {"since": since}
        case "invariants.uncounted_slots":
            return {"since": since - 2 * _COUNTED, "since_day": since.date().isoformat()}
        case "invariants.run_far_ahead":
            return {"ahead": now + _AHEAD, "longest_wait": now + _LONGEST_WAIT, "longest_rest": now + _LONGEST_REST}
        case "invariants.attempt_far_ahead" | "invariants.mailbox_far_ahead" | "invariants.sequence_far_ahead":
            return {"ahead": now + _AHEAD, "longest_rest": now + _LONGEST_REST}
        case "invariants.message_without_raw":
            return {"erased_domain": ERASED_DOMAIN}
        case _:
            return {}


def _broken(name: str, noun: str, remedy: str, found: "list[Found] | Iterator[Found]") -> list[Broken]:
    rows = tuple(f"{noun} {one.id}: {one.detail}" for one in found)
    return [Broken(rule=name, rows=rows, remedy=remedy)] if rows else []
