"""What the state that is put aside knows of people's wishes and of answers by hand, for the older one.

Rule 1: whoever is not to be written to is not, whoever said so and in whatever words: a restore undoes no such wish.
Rule 2: an answer by hand that left since, or may have, is looked for before it goes out again.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from relance.core.answer import Answer, AnswerStatus, change_answer
from relance.core.suppression import SuppressionKind, SuppressionReason, SuppressionScope
from relance.ports.journal import OptOut
from relance.ports.store import Reader, Transaction
from relance.services import suppressions
from relance.services.answering import leaving
from relance.services.answering.writing import save_answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Suppressed:
    """A suppression that was added; the id of its workspace is the older state's too, where the uids agree."""

    workspace: str
    workspace_id: int
    kind: SuppressionKind
    value: str
    scope: SuppressionScope
    reason: SuppressionReason
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OptedOut:
    """A line of the opt-out log, as the database keeps it."""

    workspace: str
    workspace_id: int
    digest: str
    reason: str
    at: datetime

    @property
    def entry(self) -> OptOut:
        """As it stands in the log beside the database."""
        return OptOut(at=self.at, workspace_uid=self.workspace, digest=self.digest, reason=self.reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftAnswer:
    """An answer by hand that left, or may have, by its Message-ID."""

    workspace: str
    workspace_id: int
    message_id: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """All of them since a moment."""

    suppressed: tuple[Suppressed, ...] = ()
    opted_out: tuple[OptedOut, ...] = ()
    answers: tuple[LeftAnswer, ...] = ()


def wishes_since(reader: Reader, since: datetime | None) -> Wishes:
    """Return what a state knows of them since then; all of it if nobody knows since when."""
    return Wishes(
        suppressed=tuple(reader.all(Suppressed, "suppressions.added_since", since=since)),
        opted_out=tuple(reader.all(OptedOut, "opt_outs.since", since=since)),
        answers=tuple(reader.all(LeftAnswer, "answers.left_since", since=since)),
    )


def take(tx: Transaction, wishes: Wishes, *, workspaces: Collection[tuple[int, str]], now: datetime) -> None:
    """Write them into the older state; `workspaces` are the ids and uids that it has."""
    for one in wishes.suppressed:
        if (one.workspace_id, one.workspace) in workspaces:
            suppressions.suppress(
                tx,
                workspace_id=one.workspace_id,
                kind=one.kind,
                value=one.value,
                scope=one.scope,
                reason=one.reason,
                source=one.source,
                now=now,
            )
    for line in wishes.opted_out:
        ids = {"workspace_id": line.workspace_id}
        here = (line.workspace_id, line.workspace) in workspaces
        if here and not tx.all(str, "opt_outs.known", **ids, digests_list=[line.digest]):
            tx.run("opt_outs.add", **ids, digest=line.digest, reason=line.reason, at=line.at)
    for left in wishes.answers:
        if (left.workspace_id, left.workspace) in workspaces:
            _doubt(tx, left, now)


def _doubt(tx: Transaction, left: LeftAnswer, now: datetime) -> None:
    """Look for it, instead of sending what waits here."""
    ids = {"workspace_id": left.workspace_id}
    for waiting in tx.all(Answer, "answers.by_message_ids", **ids, id_list=[left.message_id]):
        if waiting.status is AnswerStatus.WAITING:
            tries = waiting.tries + 1
            begun = change_answer(
                waiting, AnswerStatus.IN_FLIGHT, began_at=left.at, release_by=left.at, tries=tries, error=None
            )
            save_answer(tx, waiting, begun)
            why = "it left, or may have, says the state that was put aside"
            leaving.lost(tx, **ids, answer_id=waiting.id, why=why, now=now)
