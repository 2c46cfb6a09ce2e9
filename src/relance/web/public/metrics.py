"""`/metrics`: the numbers of one workspace in Prometheus' text format 0.0.4, for whoever has a key of it.

Rule 1: it reads counters and what stands still, never a whole table: it may be asked every fifteen seconds.
Rule 2: labels name sequences and mailboxes, and no person.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime

from starlette.types import Scope, Send

from relance.core.counts import Counts
from relance.core.mailbox import Mailbox, MailboxStatus
from relance.core.sequence import Sequence
from relance.core.workspace import Workspace
from relance.ports.store import Reader, StoreError
from relance.services import api_keys, mailboxes, numbers, reports
from relance.web.public.answers import answer
from relance.web.security.tokens import digest_of
from relance.web.surroundings import Surroundings

KIND = "text/plain; version=0.0.4; charset=utf-8"
_COUNTERS = {
    "contacted": "People whose first message left.",
    "sent": "Messages that left.",
    "replied": "People who answered.",
    "positive": "People whose answer is marked as of interest.",
    "auto": "People who sent an automatic answer.",
    "bounced": "People whose address bounced.",
    "opted_out": "People who opted out.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Facts:
    """What is told of a workspace."""

    counts: Mapping[str, Counts]  #: By sequence.
    standing: Counter[tuple[str, str]]  #: People by sequence and status.
    boxes: list[Mailbox]
    stuck: Counter[str]  #: By kind.


async def metrics(around: Surroundings, scope: Scope, send: Send) -> None:
    """Answer one request."""
    given = dict(scope["headers"]).get(b"authorization", b"").decode("latin-1")
    kind, _, text = given.partition(" ")
    try:
        found = await around.store.read(api_keys.by_digest, digest_of(text.strip()))
        if kind.lower() != "bearer" or found is None:
            more = [(b"www-authenticate", b"Bearer")]
            await answer(send, 401, "send a key of the workspace as `Authorization: Bearer KEY`\n", more=more)
            return
        now = around.clock.now()
        facts = await around.store.read(_read, found[1], now)
    except StoreError:
        await answer(send, 503, "the database cannot be read\n")
        return
    await answer(send, 200, "".join(_lines(facts, now)), kind=KIND)


def _read(reader: Reader, workspace: Workspace, now: datetime) -> _Facts:
    ids = {"workspace_id": workspace.id}
    names = {one.id: one.name for one in reader.all(Sequence, "sequences.of_workspace", **ids)}
    standing: Counter[tuple[str, str]] = Counter()
    for sequence_id, name in names.items():
        for one in numbers.standing(reader, workspace_id=workspace.id, sequence_id=sequence_id):
            standing[name, one.status] += one.people
    return _Facts(
        counts={
            names[one.sequence_id]: one
            for one in numbers.by_sequence(reader, workspace_id=workspace.id)
            if one.sequence_id in names
        },
        standing=standing,
        boxes=[box for box in mailboxes.of_workspace(reader, workspace.id) if box.status is not MailboxStatus.REMOVED],
        stuck=Counter(one.kind for one in reports.stuck(reader, workspace_id=workspace.id, now=now)),
    )


def _lines(facts: _Facts, now: datetime) -> Iterator[str]:
    for name, meaning in _COUNTERS.items():
        rows = (({"sequence": of}, asdict(counts)[name]) for of, counts in facts.counts.items())
        yield from _metric(f"relance_{name}_total", "counter", meaning, rows)
    yield from _metric(
        "relance_enrollments",
        "gauge",
        "Leads in a sequence, by status.",
        (({"sequence": of, "status": status}, people) for (of, status), people in facts.standing.items()),
    )
    yield from _metric(
        "relance_mailbox_active",
        "gauge",
        "1 where a mailbox may send and is read.",
        (({"mailbox": box.address}, int(box.status is MailboxStatus.ACTIVE)) for box in facts.boxes),
    )
    yield from _metric(
        "relance_mailbox_read_age_seconds",
        "gauge",
        "Since a mailbox was last read.",
        (
            ({"mailbox": box.address}, round((now - box.last_read_at).total_seconds(), 3))
            for box in facts.boxes
            if box.last_read_at is not None
        ),
    )
    yield from _metric(
        "relance_stuck",
        "gauge",
        "What ought to move and does not, by kind.",
        (({"kind": kind}, count) for kind, count in facts.stuck.items()),
    )
    yield from _metric("relance_stuck_all", "gauge", "The same, over all kinds.", [({}, facts.stuck.total())])


def _metric(name: str, kind: str, meaning: str, rows: Iterable[tuple[Mapping[str, str], float]]) -> Iterator[str]:
    yield f"# HELP {name} {meaning}\n# TYPE {name} {kind}\n"
    for labels, value in rows:
        inside = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels.items())
        yield f"{name}{{{inside}}} {value}\n" if inside else f"{name} {value}\n"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
