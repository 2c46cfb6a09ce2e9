"""Approving what was published, in a workspace that asks for it: only then does a version take anybody along."""

from dataclasses import dataclass, replace
from datetime import datetime

from relance.core import transitions
from relance.core.events import EventName
from relance.core.plan_document import plan_from_document
from relance.core.sequence import SequenceStatus
from relance.ports.store import Transaction
from relance.services.records import save_sequence
from relance.services.refusals import RefusedError
from relance.services.sequences import awaits_approval, by_name, check_references, note, running_version


@dataclass(frozen=True, slots=True, kw_only=True)
class Approved:
    """Which version runs from now on."""

    name: str
    version: int
    status: SequenceStatus  #: A sequence that was paused stays paused.


def approve(
    tx: Transaction, *, workspace_id: int, name: str, by: str, now: datetime, version: int | None = None
) -> Approved:
    """Let the version that waits take people along from now on; whoever is enrolled stays on theirs.

    `version`: the one that was looked at; where another one waits by now, nothing is approved. Raises NotFoundError,
    and RefusedError where nothing waits, or what waits leads to a sequence that accepts nobody any more.
    """
    tx.one(int, "sequences.lock", workspace_id=workspace_id, name=name)
    sequence = by_name(tx, workspace_id, name)
    if not awaits_approval(sequence):
        raise RefusedError(f"nothing of sequence {name!r} waits for approval; publish a new version first")
    waiting = sequence.proposed_version or sequence.version
    if version not in {None, waiting}:
        raise RefusedError(f"version {waiting} of {name!r} waits by now, not {version}; look at that one first")
    frozen = running_version(tx, replace(sequence, version=waiting))
    if frozen is not None:
        check_references(tx, workspace_id, plan_from_document(frozen.document))
    first = sequence.status is SequenceStatus.AWAITING_APPROVAL
    to = SequenceStatus.LIVE if first else sequence.status
    approved = transitions.change_sequence(sequence, event=EventName.SEQUENCE_APPROVED, to=to)
    save_sequence(tx, sequence, replace(approved, version=waiting, proposed_version=None))
    tx.run("sequences.lift_holds", workspace_id=workspace_id, id=sequence.id)
    note(tx, sequence, EventName.SEQUENCE_APPROVED, f"{name} version {waiting} was approved by {by}", now)
    return Approved(name=name, version=waiting, status=to)
