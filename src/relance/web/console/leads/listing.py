"""Leads: found by where they stand, a page at a time, with what can be done to many of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import quote, urlencode

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from relance.core.enrollment import EnrollmentStatus, StopReason
from relance.core.explaining import REASONS, in_words
from relance.core.mailbox import Mailbox
from relance.core.people import Role
from relance.core.sequence import Sequence, SequenceStatus
from relance.ports.store import Reader
from relance.services import lead_lists, saved_filters
from relance.services.lead_filters import NO_SEQUENCE, Filter, from_words, to_words
from relance.services.lead_lines import Line, lines_of
from relance.services.lead_search import find, one_place
from relance.services.refusals import RefusedError
from relance.services.saved_filters import SavedFilter
from relance.services.situations import plan_of
from relance.web.rendering import render
from relance.web.security.needs import needs
from relance.web.security.who import Visitor
from relance.web.surroundings import surroundings_of

PAGE = 50
STATUSES = (*(str(one) for one in EnrollmentStatus), NO_SEQUENCE)
_MAILBOXES_MOST = 500  #: Of a choice; whoever has more types the address.


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """What a filter may be made of."""

    sequences: tuple[str, ...]
    live: tuple[str, ...]  #: Of them, those that accept people.
    steps: tuple[str, ...]  #: Of the sequence that is asked for.
    lists: tuple[str, ...]
    mailboxes: tuple[str, ...]
    saved: tuple[SavedFilter, ...]
    reasons: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One page of the list."""

    lines: tuple[Line, ...]
    after: int | None


@needs(Role.VIEWER)
async def leads(request: Request, visitor: Visitor) -> Response:
    """Show who matches."""
    around, words = surroundings_of(request), dict(request.query_params)
    problem, status = None, 200
    try:
        asked, after = from_words(words), one_place(words.get("after"))
        found = await around.store.read(page_of, visitor.workspace.id, asked=asked, after=after, now=around.clock.now())
    except RefusedError as error:
        problem, status = str(error), 422
        asked, after, found = Filter(), None, Found(lines=(), after=None)
    choices = await around.store.read(choices_of, visitor.workspace.id, asked.sequence)
    given = to_words(asked) if problem is None else {k: v for k, v in words.items() if k != "after"}
    return render(
        request,
        "leads/list.html",
        visitor,
        status=status,
        lines=found.lines,
        given=given,
        query=urlencode(given),
        next=f"?{urlencode({**given, 'after': str(found.after)})}" if found.after is not None else None,
        begins=after is None,
        choices=choices,
        statuses=STATUSES,
        problem=problem,
        why=why,
    )


def address_of(visitor: Visitor, asked: Filter) -> str:
    """Return where the page with a filter is."""
    return f"/w/{visitor.workspace.name}/leads?{urlencode(to_words(asked), quote_via=quote)}"


def page_of(reader: Reader, workspace_id: int, *, asked: Filter, after: int | None, now: datetime) -> Found:
    """Read one page."""
    page = find(reader, workspace_id=workspace_id, asked=asked, now=now, limit=PAGE, after=after)
    lines = lines_of(reader, workspace_id=workspace_id, matches=page.matches, now=now)
    return Found(lines=tuple(lines), after=page.after)


def choices_of(reader: Reader, workspace_id: int, sequence_name: str | None) -> Choices:
    """Read what a filter may be made of."""
    every = reader.all(Sequence, "sequences.of_workspace", workspace_id=workspace_id)
    page = {"after": "", "limit": _MAILBOXES_MOST}
    boxes = reader.all(Mailbox, "mailboxes.page", workspace_id=workspace_id, **page)
    chosen = next((one for one in every if one.name == sequence_name), None)
    return Choices(
        sequences=tuple(one.name for one in every),
        live=tuple(one.name for one in every if one.status is SequenceStatus.LIVE),
        steps=_steps(reader, chosen),
        lists=tuple(lead_lists.names(reader, workspace_id)),
        mailboxes=tuple(box.address for box in boxes),
        saved=tuple(saved_filters.of_workspace(reader, workspace_id)),
        reasons=tuple(sorted(_reasons().items(), key=lambda pair: pair[1])),
    )


def why(line: Line) -> str:
    """Say in words why somebody stands where they do; nothing where their status says it all."""
    run = line.run
    if run is None:
        return ""
    if run.hold_reason:
        name, colon, what = run.hold_reason.partition(":")
        return f"the value {what} is missing" if colon and name == "missing_value" else in_words(name)
    return in_words(run.stop_reason or run.waits_for or "")


def _steps(reader: Reader, sequence: Sequence | None) -> tuple[str, ...]:
    if sequence is None or sequence.version == 0:
        return ()
    plan = plan_of(reader, sequence.workspace_id, sequence.id, sequence.version)
    return tuple(step.id for step in plan.steps)


def _reasons() -> Mapping[str, str]:
    """Return every reason that is asked for, with its words."""
    held = {"missing_value": "a value is missing", "replied": "replied"}
    stopped = {str(one): str(one).replace("_", " ") for one in StopReason}
    return {**{name: words.partition(";")[0] for name, words in REASONS.items()}, **stopped, **held}


routes = [Route("/w/{workspace}/leads", leads)]
