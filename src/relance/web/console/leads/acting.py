"""One action on many leads: those that were ticked, or everybody who matches, some at a time.

Everybody may be a million: one request does so many, and the page that follows goes on from there.
"""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from relance.core.people import Role
from relance.services.lead_bulk import AT_ONCE, NAMED, NOTHING, BulkAction, Done, action_named, apply
from relance.services.lead_filters import Filter, from_words, to_words
from relance.services.lead_search import Match, find, one_place
from relance.services.refusals import RefusedError, WrongInputError
from relance.web.console.leads.listing import address_of
from relance.web.flashes import Tone, done
from relance.web.forms import every, words_of
from relance.web.rendering import render
from relance.web.security.needs import needs
from relance.web.security.who import Visitor
from relance.web.surroundings import Surroundings, surroundings_of

ONE_REQUEST = 2_000  #: Lines that one request acts on.


@needs(Role.MEMBER)
async def act(request: Request, visitor: Visitor) -> Response:
    """Do what was chosen, and say what became of it."""
    around, words = surroundings_of(request), await words_of(request)
    asked = from_words(words)
    back = address_of(visitor, asked)
    try:
        action = action_named(words.get("action", ""))
        name = _name(action, words)
        if words.get("everybody") != "yes":
            chosen = [_picked(one) for one in await every(request, "pick")]
            if not chosen:
                return done(request, back, "Nobody is ticked: tick whom you mean, or choose everybody.", Tone.BAD)
            became = await _apply(around, visitor, action, name, chosen)
            return done(request, back, _said(action, became))
        became, after = await _everybody(around, visitor, action, name, asked, one_place(words.get("after")))
    except RefusedError as error:
        return done(request, back, f"Nothing was changed: {error}.", Tone.BAD)
    before = Done(changed=_count(words, "changed"), unchanged=_count(words, "unchanged"))
    became = became + before
    if after is None:
        return done(request, back, _said(action, became))
    return render(
        request,
        "leads/more.html",
        visitor,
        action=action,
        name=name or "",
        given=to_words(asked),
        after=after,
        became=became,
        said=_said(action, became),
        back=back,
    )


async def _everybody(
    around: Surroundings, visitor: Visitor, action: BulkAction, name: str | None, asked: Filter, after: int | None
) -> tuple[Done, int | None]:
    """Act on those who match, and say where to go on."""
    became, looked = NOTHING, 0
    while looked < ONE_REQUEST:
        page = await around.store.read(
            find,
            workspace_id=visitor.workspace.id,
            asked=asked,
            now=around.clock.now(),
            limit=AT_ONCE,
            after=after,
        )
        became = became + await _apply(around, visitor, action, name, page.matches)
        after = page.after
        looked += max(AT_ONCE, len(page.matches))
        if after is None:
            break
    return became, after


async def _apply(
    around: Surroundings,
    visitor: Visitor,
    action: BulkAction,
    name: str | None,
    chosen: "list[Match] | tuple[Match, ...]",
) -> Done:
    became = NOTHING
    for first in range(0, len(chosen), AT_ONCE):
        became = became + await around.store.write(
            apply,
            workspace_id=visitor.workspace.id,
            action=action,
            matches=chosen[first : first + AT_ONCE],
            name=name,
            author=visitor.actor,
            keys=around.keys,
            now=around.clock.now(),
        )
    return became


def _name(action: BulkAction, words: dict[str, str]) -> str | None:
    """Return the sequence or list that an action is about. Raises WrongInputError."""
    if action not in NAMED:
        return None
    field = "to_sequence" if action is BulkAction.ENROLL else "to_list"
    name = " ".join(words.get(field, "").split())
    if not name:
        what = "sequence" if action is BulkAction.ENROLL else "list"
        raise WrongInputError(f"choose the {what} that you mean")
    return name


def _picked(text: str) -> Match:
    """Read one ticked line: the lead, and its run where the line is about one. Raises WrongInputError."""
    lead, _, run = text.partition(":")
    if not lead.isdigit() or (run and not run.isdigit()) or len(text) > 2 * len(str(2**62)):
        raise WrongInputError(f"{text!r} is no line of this list: load the page again")
    return Match(lead_id=int(lead), enrollment_id=int(run) if run else None)


def _count(words: dict[str, str], name: str) -> int:
    text = words.get(name, "")
    return int(text) if text.isdigit() and len(text) < len(str(2**53)) else 0


def _said(action: BulkAction, became: Done) -> str:
    left = f"; {became.unchanged} were so already, or cannot be" if became.unchanged else ""
    verbs = {
        BulkAction.PAUSE: "paused",
        BulkAction.RESUME: "resumed",
        BulkAction.STOP: "stopped",
        BulkAction.ENROLL: "enrolled",
        BulkAction.PUT: "put on the list",
        BulkAction.TAKE_OFF: "taken off the list",
        BulkAction.SUPPRESS: "suppressed",
    }
    return f"{became.changed} {verbs[action]}{left}."


routes = [Route("/w/{workspace}/leads/bulk", act, methods=["POST"])]
