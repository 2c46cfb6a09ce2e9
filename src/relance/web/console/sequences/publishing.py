"""Publishing a draft: what it says otherwise than the running version, whom that concerns, and then the deed."""

from dataclasses import dataclass
from datetime import datetime
from functools import partial

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from relance.core.people import Role
from relance.core.sequence import Sequence
from relance.ports.store import Reader
from relance.services import drafts, numbers
from relance.services.drafts import Draft, Publishing
from relance.services.refusals import NotFoundError
from relance.services.sequences import Published
from relance.web.console.sequences import places
from relance.web.console.sequences.forms import text_of
from relance.web.console.sequences.problems import placed
from relance.web.flashes import Tone, done
from relance.web.rendering import render
from relance.web.security.needs import needs
from relance.web.security.who import Visitor
from relance.web.surroundings import surroundings_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Plans:
    """What the page shows."""

    sequence: Sequence
    draft: Draft
    publishing: Publishing
    on_the_way: int  #: People who stay on the version that they have.
    held: int  #: Of them: held, and they stay so.


@needs(Role.MEMBER)
async def show(request: Request, visitor: Visitor) -> Response:
    """Show what publishing would do."""
    around = surroundings_of(request)
    found = await around.store.read(_plans, visitor.workspace.id, places.asked_for(request), around.clock.now())
    return render(
        request,
        "sequences/publish.html",
        visitor,
        plans=found,
        base=places.base(visitor, found.sequence.id),
        problems=placed(found.publishing.reading, found.draft.document),
    )


@needs(Role.MEMBER)
async def publish(request: Request, visitor: Visitor) -> Response:
    """Publish the draft that was shown, and no other."""
    form = await request.form()
    around = surroundings_of(request)
    sequence_id = places.asked_for(request)
    revision = text_of(form, "revision")
    published = await around.store.write(
        partial(
            drafts.publish,
            workspace_id=visitor.workspace.id,
            sequence_id=sequence_id,
            revision=int(revision) if revision.isdigit() else -1,
            now=around.clock.now(),
        )
    )
    return done(
        request, places.base(visitor, sequence_id), _said(published), Tone.WARN if _missing(published) else Tone.GOOD
    )


def _said(done: Published) -> str:
    how = "is published" if done.changed else "was published already, word for word"
    if done.awaits_approval:
        how = "waits for somebody to approve it"
    return " ".join([f"{done.name} version {done.version} {how}.", *_missing(done)])


def _missing(done: Published) -> list[str]:
    found = []
    if done.not_connected:
        found.append(f"Nobody has connected {', '.join(done.not_connected)}: connect each under Mailboxes.")
    if done.unsigned:
        found.append(f"A text asks for a signature that {', '.join(done.unsigned)} cannot give: its people are held.")
    return found


def _plans(reader: Reader, workspace_id: int, sequence_id: int, now: datetime) -> Plans:
    sequence = places.sequence_of(reader, workspace_id, sequence_id)
    draft = drafts.of_sequence(reader, workspace_id=workspace_id, sequence_id=sequence_id)
    if draft is None:
        raise NotFoundError("this sequence has no draft to publish; open it in the builder first")
    standing = numbers.standing(reader, workspace_id=workspace_id, sequence_id=sequence_id)
    walking = [one for one in standing if one.status in {"active", "waiting", "paused", "held"}]
    return Plans(
        sequence=sequence,
        draft=draft,
        publishing=drafts.publishing(reader, draft, now=now),
        on_the_way=sum(one.people for one in walking),
        held=sum(one.people for one in walking if one.status == "held"),
    )


routes = [
    Route(f"{places.ONE}/publish", show, methods=["GET"]),
    Route(f"{places.ONE}/publish", publish, methods=["POST"]),
]
