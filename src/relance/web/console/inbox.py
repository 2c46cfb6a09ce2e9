"""The inbox: every conversation over all mailboxes, found by what it is or by its words."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from urllib.parse import urlencode

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from relance.core.inbound import InboundKind
from relance.core.mailbox import Mailbox
from relance.core.people import Member, Role
from relance.core.sequence import Sequence
from relance.ports.store import Reader
from relance.services import mailboxes, users
from relance.services.threads import listing
from relance.services.threads.listing import Filter, Hit, Page, Place, State
from relance.web.rendering import render
from relance.web.security.needs import needs
from relance.web.security.who import Visitor
from relance.web.surroundings import surroundings_of

#: Classes to filter by, in the order of how much they concern somebody.
KINDS = (
    InboundKind.HUMAN_REPLY,
    InboundKind.ORDINARY,
    InboundKind.CALENDAR,
    InboundKind.AUTO_REPLY,
    InboundKind.UNSUBSCRIBE,
    InboundKind.HARD_BOUNCE,
    InboundKind.SOFT_BOUNCE,
    InboundKind.BLOCK,
    InboundKind.DELAYED,
    InboundKind.COMPLAINT,
    InboundKind.CHALLENGE_RESPONSE,
    InboundKind.OTHER,
)
ME = "me"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shown:
    """Everything that the page needs, from one snapshot."""

    page: Page
    hits: list[Hit]
    open: int
    sequences: list[Sequence]
    mailboxes: list[Mailbox]
    members: list[Member]


@needs(Role.VIEWER)
async def show(request: Request, visitor: Visitor) -> Response:
    """Show the newest conversations that fit, or the messages that have the words."""
    around = surroundings_of(request)
    asked = request.query_params
    wanted = _wanted(asked, visitor)
    question = asked.get("q", "").strip()[:200]
    before = _place(asked.get("before", ""))
    shown = await around.store.read(_gather, visitor, wanted, question, before, around.clock.now())
    following = shown.page.next
    more = {**_given(asked), "before": f"{following.at.isoformat()}~{following.id}"} if following else None
    if question and len(shown.hits) == _SIZE:
        more = {**_given(asked), "before": str(shown.hits[-1].id)}
    return render(
        request,
        "inbox/list.html",
        visitor,
        shown=shown,
        wanted=wanted,
        mine=asked.get("assignee") == ME,
        question=question,
        kind_options=[("", "Any"), *((str(kind), kind.replace("_", " ")) for kind in KINDS)],
        sequence_options=[("", "Any"), *((one.id, one.name) for one in shown.sequences)],
        mailbox_options=[("", "Any"), *((one.id, one.address) for one in shown.mailboxes)],
        member_options=[("", "Anybody"), (ME, "Me"), *((one.user_id, one.email) for one in shown.members)],
        query=request.url.query,
        states=tuple(State),
        tab=lambda state: "?" + urlencode({**_given(asked), "state": state}),
        more=f"?{urlencode(more)}" if more else None,
        names={member.user_id: member.name or member.email for member in shown.members},
    )


_SIZE = 50


def _gather(reader: Reader, visitor: Visitor, wanted: Filter, question: str, before: Place, now: datetime) -> _Shown:
    ids = {"workspace_id": visitor.workspace.id}
    hits = listing.find(reader, **ids, question=question, before=before.id or None, size=_SIZE) if question else []
    nothing = Page(lines=(), next=None)
    page = listing.page(reader, **ids, wanted=wanted, now=now, before=before, size=_SIZE) if not question else nothing
    return _Shown(
        page=page,
        hits=hits,
        open=listing.count_open(reader, **ids, now=now),
        sequences=reader.all(Sequence, "sequences.of_workspace", **ids),
        mailboxes=mailboxes.of_workspace(reader, visitor.workspace.id),
        members=users.members(reader, visitor.workspace),
    )


def _wanted(asked: QueryParams, visitor: Visitor) -> Filter:
    """Read the filter from the address; what it cannot be is left out."""
    state = asked.get("state", State.OPEN)
    kind = asked.get("kind")
    wanted = Filter(
        state=State(state) if state in set(State) else State.OPEN,
        kind=kind if kind in set(InboundKind) else None,
        mailbox_id=_number(asked.get("mailbox")),
        sequence_id=_number(asked.get("sequence")),
        assignee_id=_number(asked.get("assignee")),
    )
    if asked.get("assignee") == ME and visitor.user is not None:
        return replace(wanted, assignee_id=visitor.user.id)
    return wanted


def _given(asked: QueryParams) -> dict[str, str]:
    names = ("state", "kind", "mailbox", "sequence", "assignee", "q")
    return {name: asked[name] for name in names if asked.get(name)}


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 18 else None  # an id


def _place(text: str) -> Place:
    """Read where a page begins, as the page before has written it; anything else is the beginning."""
    at, _, last = text.rpartition("~")
    number = _number(last) or 0
    try:
        return Place(at=datetime.fromisoformat(at).astimezone(UTC), id=number) if at else replace(Place(), id=number)
    except (ValueError, OverflowError):
        return Place()


routes = [Route("/w/{workspace}/inbox", show)]
