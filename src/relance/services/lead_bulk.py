"""One action on many leads: each call is one transaction over some of them, and says what became of them.

An action on a line of the list is about its run, where it names one, else about every unfinished run of the person.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from relance.core.lead import Lead
from relance.core.suppression import SuppressionKind, SuppressionReason
from relance.ports.store import Reader, Transaction
from relance.services import enrollments, lead_lists, suppressions
from relance.services.lead_search import Match
from relance.services.refusals import WrongInputError
from relance.services.situations import Keys

AT_ONCE = 200  #: Lines of one transaction.


class BulkAction(StrEnum):
    """What can be done to many."""

    PAUSE = "pause"
    RESUME = "resume"  #: What is paused, or held.
    STOP = "stop"
    ENROLL = "enroll"  #: Into the sequence that is named.
    PUT = "put"  #: On the list that is named.
    TAKE_OFF = "take-off"  #: From the list that is named.
    SUPPRESS = "suppress"  #: Never write to their addresses again.


#: Actions that need a name: a sequence's or a list's.
NAMED = frozenset({BulkAction.ENROLL, BulkAction.PUT, BulkAction.TAKE_OFF})


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """How many were changed; the others were as was asked already, or cannot be."""

    changed: int
    unchanged: int

    def __add__(self, other: "Done") -> "Done":
        """Add up two parts of one action."""
        return Done(changed=self.changed + other.changed, unchanged=self.unchanged + other.unchanged)


NOTHING = Done(changed=0, unchanged=0)


def action_named(word: str) -> BulkAction:
    """Return an action by its word. Raises WrongInputError."""
    if word not in frozenset(BulkAction):
        raise WrongInputError(f"{word!r} is none of {', '.join(BulkAction)}")
    return BulkAction(word)


def apply(
    tx: Transaction,
    *,
    workspace_id: int,
    action: BulkAction,
    matches: Sequence[Match],
    name: str | None,
    author: str,
    keys: Keys,
    now: datetime,
) -> Done:
    """Do it to these. Raises WrongInputError, NotFoundError and RefusedError, and then nothing is changed."""
    if action in NAMED and not name:
        raise WrongInputError(f"{action} needs a name: say which sequence or list")
    lead_ids = list(dict.fromkeys(one.lead_id for one in matches))
    ids = {"workspace_id": workspace_id}
    match action:
        case BulkAction.PAUSE | BulkAction.RESUME | BulkAction.STOP:
            return _move(tx, action, _runs(tx, workspace_id, matches), workspace_id, author, now)
        case BulkAction.ENROLL:
            found = enrollments.enroll(
                tx, **ids, sequence_name=name or "", lead_ids=lead_ids, source_list=None, keys=keys, now=now
            )
            return Done(changed=found.enrolled, unchanged=found.already)
        case BulkAction.PUT:
            changed = lead_lists.put(tx, **ids, name=name or "", lead_ids=_there(tx, workspace_id, lead_ids), now=now)
        case BulkAction.TAKE_OFF:
            changed = lead_lists.take_off(tx, **ids, name=name or "", lead_ids=lead_ids)
        case _:
            changed = _suppress(tx, workspace_id, lead_ids, author, keys, now)
    return Done(changed=changed, unchanged=len(lead_ids) - changed)


def _move(
    tx: Transaction, action: BulkAction, runs: Sequence[int], workspace_id: int, author: str, now: datetime
) -> Done:
    move = {
        BulkAction.PAUSE: enrollments.pause,
        BulkAction.RESUME: enrollments.resume,
        BulkAction.STOP: enrollments.stop,
    }[action]
    cause = f"{action} by {author}"
    changed = sum(move(tx, workspace_id=workspace_id, enrollment_id=run, cause=cause, now=now) for run in runs)
    return Done(changed=changed, unchanged=len(runs) - changed)


def _runs(reader: Reader, workspace_id: int, matches: Sequence[Match]) -> list[int]:
    """Return the runs that are meant, in the order in which everybody locks them."""
    named = {one.enrollment_id for one in matches if one.enrollment_id is not None}
    people = [one.lead_id for one in matches if one.enrollment_id is None]
    found = (
        reader.all(int, "lead_search.unfinished_of_people", workspace_id=workspace_id, id_list=people) if people else []
    )
    return sorted({*named, *found})


def _there(reader: Reader, workspace_id: int, lead_ids: Sequence[int]) -> list[int]:
    """Return those that are leads of this workspace."""
    found = (reader.one(Lead, "leads.get", workspace_id=workspace_id, id=lead_id) for lead_id in lead_ids)
    return [lead.id for lead in found if lead is not None and not lead.erased]


def _suppress(
    tx: Transaction, workspace_id: int, lead_ids: Sequence[int], author: str, keys: Keys, now: datetime
) -> int:
    changed = 0
    for lead_id in lead_ids:
        lead = tx.one(Lead, "leads.get", workspace_id=workspace_id, id=lead_id)
        if lead is not None and not lead.erased:
            changed += suppressions.suppress(
                tx,
                workspace_id=workspace_id,
                kind=SuppressionKind.ADDRESS,
                value=lead.email,
                reason=SuppressionReason.MANUAL,
                source=f"by {author}",
                now=now,
                tombstone_key=keys.tombstone,
            )
    return changed
