"""Drives the services by hand, one at a time, as the engine's loops would: claim, reserve, begin, confirm; receive."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import blake2b
from typing import Any, TypeVar

from relance.core.attempt import Attempt
from relance.core.enrollment import Enrollment, HistoryEntry
from relance.core.failure import Failure
from relance.core.lead import Lead
from relance.core.mailbox import Mailbox
from relance.core.sequence import Plan, Step
from relance.core.suppression import Suppression
from relance.core.workspace import Workspace
from relance.mail.classify import classify
from relance.mail.parse import parse
from relance.ports.connector import Accepted, Cursor, FetchedMessage, FolderBatch, FolderRole
from relance.ports.store import Reader, Store
from relance.services import composing, dispatching, ingestion, mailboxes, sending
from relance.services.ingestion import Ingested
from relance.services.leasing import ALL_SHARDS
from relance.services.mailboxes import own_addresses
from relance.testing import builders
from relance.testing.builders import KEYS
from relance.testing.fake_clock import FakeClock

T = TypeVar("T")
WORKER = "w1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """One lead in one sequence, and the mailbox that writes to them."""

    workspace: Workspace
    box: Mailbox
    lead: Lead
    run: Enrollment


class Life:
    """An installation, its clock, and one worker's hands."""

    def __init__(self, store: Store, url: str = "") -> None:
        self.store = store
        self.url = url  #: Of the PostgreSQL database, for looking at it from beside.
        self.clock = FakeClock()
        self._uids = 0

    @property
    def now(self) -> datetime:
        """The instant its clock stands at."""
        return self.clock.now()

    def later(self, **by: float) -> datetime:
        """Let time pass."""
        return self.clock.advance(timedelta(**by))

    # --- setting up ---

    async def scene(
        self, *steps: Step, email: str = "ann@lead.example", name: str = "q4", workspace: str = "acme", **policy: Any
    ) -> Scene:
        """Enroll one lead, newly made or known, into a sequence of these steps; the mailbox has no caps to speak of."""
        return await self.store.write(self._scene, builders.plan(*steps, name=name, **policy), email, workspace)

    def _scene(self, tx: Any, plan: Plan, email: str, workspace: str) -> Scene:
        acme = builders.workspace(tx, workspace)
        known = tx.all(Mailbox, "mailboxes.of_workspace", workspace_id=acme.id)
        address = f"bo@{workspace}.example"
        box = known[0] if known else builders.mailbox(tx, acme, address, daily_cap=500, hourly_cap=500)
        builders.published(tx, acme, plan, now=self.now)
        lead = builders.lead(tx, acme, email, now=self.now)
        run = builders.enrollment(tx, acme, lead, plan.name, now=self.now)
        return Scene(workspace=acme, box=box, lead=lead, run=run)

    async def mailbox(self, scene: Scene, address: str, **changes: Any) -> Mailbox:
        """Connect one mailbox more."""
        return await self.store.write(builders.mailbox, scene.workspace, address, now=self.now, **changes)

    async def person(self, scene: Scene, email: str, sequence: str = "q4", **values: str) -> Enrollment:
        """Add one lead more and enroll it."""
        lead = await self.store.write(builders.lead, scene.workspace, email, now=self.now, **values)
        return await self.store.write(builders.enrollment, scene.workspace, lead, sequence, now=self.now)

    # --- outward ---

    async def claim(self, *, worker: str = WORKER, limit: int = 10, busy: frozenset[int] = frozenset()) -> list[Any]:
        """Claim what can be sent now."""
        return await self.store.write(
            dispatching.claim,
            worker=worker,
            lock_expires_at=self.now + timedelta(seconds=90),
            now=self.now,
            busy=busy,
            limit=limit,
        )

    async def reserve(self, claimed: dispatching.Claim, *, worker: str = WORKER) -> sending.ReserveOutcome:
        """Reserve what was claimed."""
        return await self.store.write(
            sending.reserve,
            workspace_id=claimed.workspace_id,
            enrollment_id=claimed.enrollment_id,
            woken_counter=claimed.step_counter,
            mailbox_id=claimed.mailbox_id,
            worker=worker,
            keys=KEYS,
            now=self.now,
        )

    async def attempt_to_reserve(self) -> sending.ReserveOutcome:
        """Read every mailbox freshly, claim the one row that is due, and reserve it."""
        await self.read_all_freshly()
        claims = await self.claim(limit=1)
        assert claims, "nothing can be claimed"
        return await self.reserve(claims[0])

    async def reserved(self) -> sending.Reserved:
        """Claim and reserve the one row that is due."""
        outcome = await self.attempt_to_reserve()
        assert isinstance(outcome, sending.Reserved), outcome
        return outcome

    async def begin(self, reserved: sending.Reserved, *, worker: str = WORKER) -> sending.Begun | sending.Withheld:
        """Take the last look."""
        return await self.store.write(
            sending.begin,
            reserved,
            subject="Question",
            worker=worker,
            keys=KEYS,
            now=self.now,
            release_by=self.now + timedelta(seconds=20),
        )

    async def begun(self) -> tuple[sending.Reserved, Attempt]:
        """Bring the one row that is due into flight."""
        reserved = await self.reserved()
        outcome = await self.begin(reserved)
        assert isinstance(outcome, sending.Begun), outcome
        return reserved, outcome.attempt

    async def confirm(self, reserved: sending.Reserved) -> bytes:
        """Record that the server said yes, and return the message as it left."""
        raw = self.compose(reserved)
        await self.store.write(
            sending.confirm,
            workspace_id=reserved.attempt.workspace_id,
            attempt_id=reserved.attempt.id,
            accepted=Accepted(response="250 ok"),
            raw=raw,
            content_key=blake2b(raw, digest_size=20).hexdigest(),
            now=self.now,
            trace=reserved.attempt.trace,
        )
        return raw

    def compose(self, reserved: sending.Reserved) -> bytes:
        """Write the message."""
        made = composing.compose_step(
            mailbox=reserved.mailbox,
            lead=reserved.lead,
            variant=reserved.variant,
            attachments=reserved.step.attachments,
            thread=reserved.thread,
            marks=composing.Marks(message_id=reserved.attempt.message_id, trace=reserved.attempt.trace),
            seed=composing.seed_of(reserved.enrollment.uid, reserved.attempt.step_counter),
            now=self.now,
        )
        assert isinstance(made, composing.Composed), made
        return made.raw

    async def send(self) -> bytes:
        """Send the one step that is due, and let the mailbox rest."""
        reserved, _ = await self.begun()
        raw = await self.confirm(reserved)
        self.later(minutes=5)
        return raw

    async def fail(self, attempt: Attempt, failure: Failure) -> None:
        """Record a definite failure."""
        await self.store.write(sending.fail, attempt, failure=failure, now=self.now)

    async def lose(self, attempt: Attempt) -> None:
        """Record that the outcome was lost."""
        await self.store.write(
            sending.lose, workspace_id=attempt.workspace_id, attempt_id=attempt.id, error="the line broke", now=self.now
        )

    async def lost(self) -> tuple[bytes, Attempt]:
        """Send the one step that is due and lose its outcome."""
        reserved, attempt = await self.begun()
        await self.lose(attempt)
        self.later(minutes=5)
        return self.compose(reserved), await self.attempt(attempt)

    # --- inward ---

    async def read_all_freshly(self) -> None:
        """Say of every mailbox that it was read just now."""

        def mark(tx: Any) -> None:
            for box in tx.all(mailboxes.Connected, "mailboxes.to_read", shard_list=ALL_SHARDS):
                ids = {"workspace_id": box.workspace_id, "mailbox_id": box.id}
                mailboxes.mark_read(tx, **ids, started_at=self.now, now=self.now)

        await self.store.write(mark)

    async def stage(
        self,
        box: Mailbox,
        raw: bytes,
        *,
        folder: str = "INBOX",
        role: FolderRole | None = None,
        uid: int | None = None,
    ) -> None:
        """Let the poller fetch one message, the next one of its folder unless `uid` says which."""
        self._uids = self._uids + 1 if uid is None else uid
        where = role or (FolderRole.SENT if folder == "Sent" else FolderRole.INBOX)
        message = FetchedMessage(
            folder=folder,
            role=where,
            uid_validity=1,
            uid=self._uids,
            internal_date=self.now.replace(microsecond=0),  # IMAP knows whole seconds
            raw=raw,
        )
        cursor = Cursor(folder=folder, role=where, uid_validity=1, last_uid=self._uids)
        batch = FolderBatch(messages=(message,), cursor=cursor)
        ids = {"workspace_id": box.workspace_id, "mailbox_id": box.id}
        await self.store.write(ingestion.stage_batch, **ids, batch=batch, now=self.now)

    async def receive(
        self, box: Mailbox, raw: bytes, *, folder: str = "INBOX", role: FolderRole | None = None
    ) -> Ingested:
        """Fetch one message and understand it."""
        await self.stage(box, raw, folder=folder, role=role)
        ids = {"workspace_id": box.workspace_id, "mailbox_id": box.id}
        staged = (await self.store.read(ingestion.staged_of, **ids, limit=100))[-1]
        own = await self.store.read(own_addresses, box.workspace_id)
        message = parse(raw)
        return await self.store.write(
            ingestion.ingest,
            staged=staged,
            message=message,
            classification=classify(message, own_addresses=own, received_at=staged.internal_date),
            keys=KEYS,
            now=self.now,
        )

    # --- looking ---

    async def again(self, run: Enrollment) -> Enrollment:
        """Return an enrollment as it is now."""
        ids = {"workspace_id": run.workspace_id, "id": run.id}
        return await self._one(lambda reader: reader.one(Enrollment, "enrollments.get", **ids))

    async def attempt(self, attempt: Attempt) -> Attempt:
        """Return an attempt as it is now."""
        ids = {"workspace_id": attempt.workspace_id, "id": attempt.id}
        return await self._one(lambda reader: reader.one(Attempt, "attempts.get", **ids))

    async def box(self, box: Mailbox) -> Mailbox:
        """Return a mailbox as it is now."""
        ids = {"workspace_id": box.workspace_id, "id": box.id}
        return await self._one(lambda reader: reader.one(Mailbox, "mailboxes.get", **ids))

    async def lead(self, lead: Lead) -> Lead:
        """Return a lead as it is now."""
        ids = {"workspace_id": lead.workspace_id, "id": lead.id}
        return await self._one(lambda reader: reader.one(Lead, "leads.get", **ids))

    async def _one(self, find: Callable[[Reader], T | None]) -> T:
        found = await self.store.read(find)
        assert found is not None
        return found

    async def attempts(self, run: Enrollment) -> list[Attempt]:
        """Return an enrollment's attempts."""
        ids = {"workspace_id": run.workspace_id, "enrollment_id": run.id}
        return await self.store.read(lambda reader: reader.all(Attempt, "attempts.of_enrollment", **ids))

    async def history(self, run: Enrollment) -> list[HistoryEntry]:
        """Return an enrollment's history."""
        ids = {"workspace_id": run.workspace_id, "enrollment_id": run.id}
        return await self.store.read(lambda reader: reader.all(HistoryEntry, "enrollments.history", **ids))

    async def suppressed(self, workspace: Workspace) -> list[tuple[str, str]]:
        """Return what is suppressed, and why."""
        ids = {"workspace_id": workspace.id}
        found = await self.store.read(lambda reader: reader.all(Suppression, "suppressions.of_workspace", **ids))
        return [(one.value, str(one.reason)) for one in found]

    async def used(self, box: Mailbox) -> int:
        """Return how many of a mailbox's slots of today are taken."""
        key = {"workspace_id": box.workspace_id, "scope": "mailbox_day", "scope_id": box.id}
        day = self.now.date().isoformat()
        return await self.store.read(lambda reader: reader.one(int, "usage.used", **key, bucket=day)) or 0

    async def rename(self, scene: Scene, **values: str) -> None:
        """Write a lead's values, as an import does."""
        await self.store.write(builders.lead, scene.workspace, scene.lead.email, now=self.now, **values)
