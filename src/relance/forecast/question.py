"""What is asked of a forecast, and changing the copy so that it is as if."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from relance.core import plan_document
from relance.core.mailbox import Mailbox, MailboxStatus
from relance.core.sequence import Sequence, Window
from relance.ports.store import Transaction
from relance.services import mailboxes, sequences
from relance.services.refusals import RefusedError


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """How far to look, and what to suppose. None: as it is."""

    workspace_id: int
    sequence: str | None = None  #: Whose sends to report; every sequence is played, for they share mailboxes.
    days: int = 365
    mailboxes: int | None = None  #: Connected mailboxes in all; the new ones are like the one connected last.
    daily_cap: int | None = None  #: Of every mailbox.
    window: Window | None = None  #: Of the sequence asked for, or of all.
    reply_rate: float = 0.0  #: Share of people, 0 to 1, who answer one of their messages.
    bounce_rate: float = 0.0  #: Share of people, 0 to 1, whose address does not exist.


def suppose(tx: Transaction, question: Question, *, now: datetime) -> None:
    """Change a copy of the state so that it is as supposed. Raises RefusedError and NotFoundError."""
    if question.sequence is not None:
        sequences.by_name(tx, question.workspace_id, question.sequence)
    connected = mailboxes.of_workspace(tx, question.workspace_id)
    if question.mailboxes is not None:
        _connect(tx, connected, question.mailboxes, now)
    if question.daily_cap is not None:
        for mailbox in mailboxes.of_workspace(tx, question.workspace_id):
            ids = {"workspace_id": mailbox.workspace_id, "id": mailbox.id}
            tx.run("mailboxes.suppose_cap", **ids, daily_cap=question.daily_cap)
    if question.window is not None:
        _open(tx, question, question.window)


def _connect(tx: Transaction, connected: list[Mailbox], wanted: int, now: datetime) -> None:
    if not connected:
        raise RefusedError("there is no mailbox yet to suppose more of; connect one with `relance mailbox add`")
    if wanted < len(connected):
        raise RefusedError(f"there are {len(connected)} mailboxes already: suppose that many or more")
    like = max(connected, key=lambda mailbox: mailbox.id)
    for number in range(1, wanted - len(connected) + 1):
        address = f"supposed-{number}@{like.domain}"
        added = replace(
            like,
            login=address,
            address=address,
            aliases=(),
            status=MailboxStatus.ACTIVE,
            status_reason=None,
            ramp_days=0,
            ramp_day=None,
            shard=mailboxes.shard_of(like.provider, address),
            created_at=now,
        )
        mailboxes.add(tx, added, sealed=b"", now=now)


def _open(tx: Transaction, question: Question, window: Window) -> None:
    for sequence in tx.all(Sequence, "sequences.of_workspace", workspace_id=question.workspace_id):
        if question.sequence not in (None, sequence.name):
            continue
        ids = {"workspace_id": sequence.workspace_id, "sequence_id": sequence.id}
        for version in tx.all(_Frozen, "sequences.documents", **ids):
            plan = replace(plan_document.plan_from_document(version.document), window=window)
            document = plan_document.document_of(plan)
            digest = plan_document.digest(document)
            tx.run("sequences.suppose_document", **ids, version=version.version, document=document, digest=digest)
        tx.run("sequences.lift_holds", workspace_id=sequence.workspace_id, id=sequence.id)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Frozen:
    version: int
    document: Mapping[str, object]
