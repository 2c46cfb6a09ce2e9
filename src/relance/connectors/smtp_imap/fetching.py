r"""Fetch what a plan names, in batches of bounded size, without ever setting a flag.

Rule 1: one message that cannot be fetched never blocks its folder. What was lost together is tried alone next time;
        what fails alone is cut, then reduced to its headers, then recorded empty: always as `truncated`. Empty, and
        perhaps an answer that nobody sees, only where the server handed over another meanwhile, or over an hour of
        failing reads: its storage may be away while it still knows what it should hold.
Rule 2: a batch holds `messages` messages or `batch_bytes` bytes, whichever is reached first, and at least one message.
Rule 3: on Gmail what was handed over out of another folder in the same read is not fetched again out of All Mail. It is
        known by a number of Gmail's, and only once whoever reads has kept it.
Rule 4: BODY.PEEK only (RFC 3501 §6.4.5): the owner's \Seen flags are the owner's.
"""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from relance.connectors.smtp_imap.errors import LostError, RefusedError
from relance.connectors.smtp_imap.imap_commands import Command, Text, write_set
from relance.connectors.smtp_imap.imap_parser import Event, Fetched
from relance.connectors.smtp_imap.imap_session import ImapSession
from relance.connectors.smtp_imap.imap_wire import Literal
from relance.connectors.smtp_imap.synchronise import Plan
from relance.ports.connector import FetchedMessage, FolderBatch, FolderRole

GMAIL = "X-GM-EXT-1"

WHOLE = "BODY.PEEK[]"
BEGINNING = f"BODY.PEEK[]<0.{1024 * 1024}>"
HEADERS = "BODY.PEEK[HEADER]"
ATTEMPTS = (WHOLE, BEGINNING, HEADERS)
#: Index into ATTEMPTS by failed reads so far; beyond it nothing is tried. With the rests between them an hour passes.
LOSSES_BEFORE = (0, 0, 0, 1, 2, 2, 2, 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchLimits:
    """How much is fetched at once; bytes."""

    messages: int = 50
    batch_bytes: int = 4 * 1024 * 1024
    message_bytes: int = 25 * 1024 * 1024  #: A larger message is cut.
    sent_bytes: int = 1024 * 1024  #: The same in Sent, where what we attached comes back: the beginning tells all.
    assumed_bytes: int = 256 * 1024  #: Of a message whose size the server does not say.

    def most(self, plan: Plan) -> int:
        """Return above how many bytes a message of this folder is cut."""
        return self.sent_bytes if plan.folder.role is FolderRole.SENT else self.message_bytes


class Trouble:
    """Remembers which messages were being fetched when a read failed. One per connector."""

    def __init__(self) -> None:
        self._losses: dict[tuple[bytes, int, int], int] = {}

    def losses(self, plan: Plan, uid: int) -> int:
        """Return how often a read failed over this message."""
        return self._losses.get((plan.folder.wire_name, plan.uid_validity, uid), 0)

    def note(self, plan: Plan, uids: Iterable[int]) -> None:
        """Remember that a read failed while these were fetched."""
        for uid in uids:
            self._losses[plan.folder.wire_name, plan.uid_validity, uid] = self.losses(plan, uid) + 1

    def forget(self, plan: Plan, uids: Iterable[int]) -> None:
        """Forget about messages that are dealt with."""
        for uid in uids:
            self._losses.pop((plan.folder.wire_name, plan.uid_validity, uid), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Portion:
    """One batch, the plan that remains, and Gmail's numbers of what is in the batch."""

    batch: FolderBatch
    rest: Plan
    numbers: frozenset[int]


async def next_batch(
    session: ImapSession, plan: Plan, trouble: Trouble, limits: FetchLimits, kept: Container[int] = frozenset()
) -> Portion:
    """Fetch the next messages of `plan`, in All Mail without those that are `kept`. Raises LostError, RefusedError."""
    selected = await session.examine(plan.folder.wire_name, shown=plan.folder.name)
    if (selected.uid_validity or 0) != plan.uid_validity:
        raise LostError(f"{plan.folder.name} was rebuilt while it was read")
    window = _window(plan, trouble, limits)
    try:
        done, messages, numbers = await _fetch_window(
            session, plan, window, trouble, limits, kept if plan.folder.role is FolderRole.ALL else frozenset()
        )
    except LostError:
        trouble.note(plan, window)
        raise
    trouble.forget(plan, done)
    rest = replace(plan, position=plan.position + len(done), last_uid=max((plan.last_uid, *done)))
    batch = FolderBatch(messages=tuple(messages), cursor=rest.cursor())
    return Portion(batch=batch, rest=rest, numbers=numbers)


def _window(plan: Plan, trouble: Trouble, limits: FetchLimits) -> list[int]:
    """Return the next UIDs; one that made trouble stands alone."""
    window: list[int] = []
    for uid in plan.pending[plan.position : plan.position + limits.messages]:
        if trouble.losses(plan, uid):
            return window or [uid]
        window.append(uid)
    return window


async def _fetch_window(
    session: ImapSession, plan: Plan, window: Sequence[int], trouble: Trouble, limits: FetchLimits, kept: Container[int]
) -> tuple[Sequence[int], list[FetchedMessage], frozenset[int]]:
    """Return the UIDs that are dealt with, the messages among them that are to be handed over, and Gmail's numbers."""
    if not window:
        return [], [], frozenset()
    losses = max(trouble.losses(plan, uid) for uid in window)
    if losses >= len(LOSSES_BEFORE):
        nothing = Literal(data=b"", truncated=True)
        return window, [_message(plan, Fetched(number=0, uid=uid), nothing) for uid in window], frozenset()
    known = dict(await _describe(session, window))
    if omitted := [uid for uid in window if uid not in known]:  # expunged, or left out of the answer
        known |= await _describe(session, omitted)
    done, wanted = _choose(plan, window, known, limits, kept)
    small = [one for one in wanted if (one.size or 0) <= limits.most(plan)]
    contents: dict[int, Literal] = {}
    if len(small) > 1:
        contents = await _fetch_together(session, [one.uid or 0 for one in small])
    refused: dict[int, RefusedError] = {}
    for one in wanted:
        uid = one.uid or 0
        if uid in contents:
            continue
        first = LOSSES_BEFORE[losses] if one in small else max(1, LOSSES_BEFORE[losses])
        try:
            content = await _fetch_alone(session, uid, first)
        except RefusedError as error:
            if error.is_crowded:
                raise
            refused[uid] = error
        else:
            contents |= {uid: content} if content is not None else {}
    if refused and not contents:  # perhaps it can hand over nothing at all just now
        trouble.note(plan, refused)
        raise next(iter(refused.values()))
    contents |= dict.fromkeys(refused, Literal(data=b"", truncated=True))
    messages = [_message(plan, one, contents[uid]) for one in wanted if (uid := one.uid or 0) in contents]
    numbers = frozenset(one.gmail_number for one in wanted if one.gmail_number is not None)
    return done, messages, numbers


def _choose(
    plan: Plan, window: Sequence[int], known: Mapping[int, Fetched], limits: FetchLimits, kept: Container[int]
) -> tuple[list[int], list[Fetched]]:
    done: list[int] = []
    wanted: list[Fetched] = []
    total = 0
    for uid in window:
        one = known.get(uid)
        if one is None or (plan.bounded and one.internal_date is not None and one.internal_date < plan.since):
            done.append(uid)  # expunged meanwhile, or too old
            continue
        if one.gmail_number in kept:
            done.append(uid)
            continue
        size = min(limits.assumed_bytes if one.size is None else one.size, limits.most(plan))
        if wanted and total + size > limits.batch_bytes:
            break
        total += size
        done.append(uid)
        wanted.append(one)
    return done, wanted


async def _describe(session: ImapSession, uids: Sequence[int]) -> Mapping[int, Fetched]:
    """Return size and date of each message that is still there."""
    try:
        number = " X-GM-MSGID" if GMAIL in session.capabilities else ""
        return await _fetch(session, uids, f"UID RFC822.SIZE INTERNALDATE{number}")
    except RefusedError as error:
        if error.is_crowded:
            raise
        if len(uids) == 1:
            return {uids[0]: Fetched(number=0, uid=uids[0])}
    known: dict[int, Fetched] = {}
    for uid in uids:
        known.update(await _describe(session, [uid]))
    return known


async def _fetch_together(session: ImapSession, uids: Sequence[int]) -> dict[int, Literal]:
    try:
        fetched = await _fetch(session, uids, f"UID {WHOLE}")
    except RefusedError as error:
        if error.is_crowded:
            raise
        return {}  # one of them is broken: each is tried alone
    return {uid: one.sections["BODY[]"] for uid, one in fetched.items() if "BODY[]" in one.sections}


async def _fetch_alone(session: ImapSession, uid: int, first: int) -> Literal | None:
    """Return as much of a message as can be had; None where it is gone. Raises RefusedError where nothing can."""
    refusal: RefusedError | None = None
    for attempt in (ATTEMPTS[first], *ATTEMPTS[first:]):  # twice: a refusal may be of the moment
        try:
            fetched = await _fetch(session, [uid], f"UID {attempt}")
        except RefusedError as error:
            if error.is_crowded:
                raise
            refusal = error
            continue
        sections = fetched[uid].sections if uid in fetched else {}
        for content in sections.values():
            return content if attempt == WHOLE else Literal(data=content.data, truncated=True)
    if uid not in await _describe(session, [uid]):
        return None
    if refusal is None:
        return Literal(data=b"", truncated=True)
    raise refusal


async def _fetch(session: ImapSession, uids: Sequence[int], items: str) -> dict[int, Fetched]:
    arguments = (Text(write_set(uids).encode("ascii")), Text(f"({items})".encode("ascii")))
    events = await session.run(Command("UID FETCH", arguments), doing="hand over messages")
    return _merge(events, frozenset(uids))


def _merge(events: Iterable[Event], wanted: frozenset[int]) -> dict[int, Fetched]:
    """Put together what was said of each message, perhaps in several responses, and drop what nobody asked for."""
    merged: dict[int, Fetched] = {}
    for event in events:
        if not isinstance(event, Fetched) or event.uid is None or event.uid not in wanted:
            continue
        before = merged.get(event.uid, event)
        merged[event.uid] = replace(
            event,
            size=event.size if event.size is not None else before.size,
            internal_date=event.internal_date or before.internal_date,
            gmail_number=event.gmail_number if event.gmail_number is not None else before.gmail_number,
            sections={**before.sections, **event.sections},
        )
    return merged


def _message(plan: Plan, one: Fetched, content: Literal) -> FetchedMessage:
    return FetchedMessage(
        folder=plan.folder.name,
        role=plan.folder.role,
        uid_validity=plan.uid_validity,
        uid=one.uid or 0,
        internal_date=one.internal_date or plan.since,
        raw=content.data,
        truncated=content.truncated,
    )
