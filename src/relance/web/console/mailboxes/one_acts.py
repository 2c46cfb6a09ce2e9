"""What can be done with one mailbox: check it, pause and resume it, change its settings, take it out."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from relance.core.mailbox import Mailbox
from relance.core.people import Role
from relance.mail.signatures import read_signature
from relance.ports.connector import ConnectorError
from relance.ports.store import Transaction
from relance.services import mailbox_checks, mailbox_days, mailboxes
from relance.services.mailbox_options import names_from_words, pacing_from_words, pacing_of
from relance.services.refusals import RefusedError, WrongInputError
from relance.web.console.mailboxes.connecting import SECRET
from relance.web.console.mailboxes.one import page
from relance.web.flashes import Tone, done
from relance.web.forms import words_of
from relance.web.security.needs import needs
from relance.web.security.who import Visitor
from relance.web.surroundings import Surroundings, surroundings_of


@needs(Role.MEMBER)
async def check(request: Request, visitor: Visitor) -> Response:
    """Try every part, and show each step's outcome."""
    around = surroundings_of(request)
    box = await around.store.read(mailbox_days.by_id, visitor.workspace.id, request.path_params["mailbox"])
    try:
        report = await around.hands.mailboxes.check(box)
    except ConnectorError as error:
        return await page(request, visitor, problem=str(error))
    await around.store.write(mailbox_checks.learn, box, report, around.clock.now())
    return await page(request, visitor, report=report)


@needs(Role.MEMBER)
async def pause(request: Request, visitor: Visitor) -> Response:
    """Keep it from sending; it is still read."""

    def decide(tx: Transaction, box: Mailbox, now: datetime) -> str:
        mailboxes.pause(tx, box, reason=f"paused by {visitor.actor}", now=now)
        return f"{box.address} is paused; answers are still read."

    return await _decide(request, visitor, decide)


@needs(Role.MEMBER)
async def resume(request: Request, visitor: Visitor) -> Response:
    """Let it send again."""

    def decide(tx: Transaction, box: Mailbox, now: datetime) -> str:
        mailboxes.resume(tx, box, now=now)
        return f"{box.address} sends again."

    return await _decide(request, visitor, decide)


@needs(Role.ADMIN)
async def remove(request: Request, visitor: Visitor) -> Response:
    """Disconnect it and forget its secret; its history stays."""
    words = await words_of(request)

    def decide(tx: Transaction, box: Mailbox, now: datetime) -> str:
        if words.get("address", "").strip().casefold() != box.address:
            raise WrongInputError("not removed: type the address that you mean")
        mailboxes.remove(tx, box, now=now)
        return f"{box.address} is removed; its history stays."

    return await _decide(request, visitor, decide)


@needs(Role.ADMIN)
async def settings(request: Request, visitor: Visitor) -> Response:
    """Write its settings; trouble that the old ones caused is forgotten."""
    around, words = surroundings_of(request), await words_of(request)
    box = await around.store.read(mailbox_days.by_id, visitor.workspace.id, request.path_params["mailbox"])
    try:
        changed = _changed(around, box, words)
        password = words.get(SECRET, "")
        sealed = around.hands.mailboxes.seal(visitor.workspace, box.address, password) if password else None
        await around.store.write(mailboxes.change, changed, sealed=sealed)
    except RefusedError as error:
        return await page(request, visitor, problem=str(error))
    return done(request, _address(visitor, box.id), "Saved; check it to see whether it works so.")


def _changed(around: Surroundings, box: Mailbox, words: dict[str, str]) -> Mailbox:
    """Return a mailbox as a form wants it. Raises RefusedError."""
    servers = {name: words[name].strip() for name in ("smtp", "imap") if words.get(name, "").strip()}
    pacing = pacing_from_words({"ramp": "no", **words}) if "daily_cap" in words else pacing_from_words({})
    columns = {**pacing.over(pacing_of(box)), **names_from_words(words).columns()}
    if "display_name" in words and not words["display_name"].strip():
        columns["display_name"] = None
    if "aliases" in words and not words["aliases"].strip():
        columns["aliases"] = ()
    if "timezone" in words and not words["timezone"].strip():
        columns["timezone"] = None
    if "workday" in words and not words["workday"].strip():
        columns["workday"] = None
    if "signature" in words:
        columns |= _signature(words["signature"], is_html=words.get("signature_html") == "yes")
    given = around.hands.mailboxes.settings(box, servers) if servers else box.settings
    return replace(box, settings=given, **columns)  # type: ignore[arg-type]  # columns of a mailbox by their names


def _signature(text: str, *, is_html: bool) -> dict[str, object]:
    if not text.strip():
        return {"signature_text": None, "signature_html": None}
    try:
        found = read_signature(text.encode(), is_html=is_html)
    except ValueError as error:
        raise WrongInputError(f"the signature: {error}") from None
    return {"signature_text": found.text, "signature_html": found.html}


async def _decide(
    request: Request, visitor: Visitor, decide: Callable[[Transaction, Mailbox, datetime], str]
) -> Response:
    around, mailbox_id = surroundings_of(request), request.path_params["mailbox"]
    now = around.clock.now()

    def write(tx: Transaction) -> str:
        return decide(tx, mailbox_days.by_id(tx, visitor.workspace.id, mailbox_id), now)

    await around.store.read(mailbox_days.by_id, visitor.workspace.id, mailbox_id)
    try:
        sentence = await around.store.write(write)
    except RefusedError as error:
        text = str(error)
        return done(request, _address(visitor, mailbox_id), f"{text[:1].upper()}{text[1:]}.", Tone.BAD)
    gone = request.url.path.endswith("/remove")
    return done(request, f"/w/{visitor.workspace.name}/mailboxes" if gone else _address(visitor, mailbox_id), sentence)


def _address(visitor: Visitor, mailbox_id: int) -> str:
    return f"/w/{visitor.workspace.name}/mailboxes/{mailbox_id}"


_ONE = "/w/{workspace}/mailboxes/{mailbox:int}"
routes = [
    Route(f"{_ONE}/check", check, methods=["POST"]),
    Route(f"{_ONE}/pause", pause, methods=["POST"]),
    Route(f"{_ONE}/resume", resume, methods=["POST"]),
    Route(f"{_ONE}/settings", settings, methods=["POST"]),
    Route(f"{_ONE}/remove", remove, methods=["POST"]),
]
