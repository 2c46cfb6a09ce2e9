"""Connecting a mailbox: its provider guessed from the address, its servers tried, each step's outcome in words.

Rule 1: a password is never shown again, not even to whoever just typed it.
Rule 2: what does not work is not connected, unless a person says so.
"""

from datetime import datetime

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from relance.core.mail_presets import PRESETS as PROVIDERS
from relance.core.mail_presets import MailPreset, preset_named, preset_of_address, preset_of_exchanger
from relance.core.mailbox import Mailbox
from relance.core.pacing import PRESETS
from relance.core.people import Role
from relance.ports.connector import CheckReport, ConnectorError
from relance.ports.domains import Records
from relance.ports.store import Transaction
from relance.services import addresses, mailbox_checks, mailboxes
from relance.services.mailbox_options import WantedMailbox, names_from_words, pacing_from_words
from relance.services.refusals import RefusedError, WrongInputError
from relance.web.flashes import done
from relance.web.forms import words_of
from relance.web.rendering import render
from relance.web.security.needs import needs
from relance.web.security.who import Visitor
from relance.web.surroundings import Surroundings, surroundings_of

SECRET = "password"
_SERVERS = ("smtp", "imap", "ca_file")


@needs(Role.ADMIN)
async def connect(request: Request, visitor: Visitor) -> Response:
    """Ask for an address, then for what its provider needs; try it, and connect it."""
    around = surroundings_of(request)
    if request.method == "GET":
        words = dict(request.query_params)
        preset = await _provider(around, words)
        if preset is not None:
            words = {"smtp": preset.smtp, "imap": preset.imap, **words, "provider": preset.id}
        return _form(request, visitor, words, preset)
    words = await words_of(request)
    preset = preset_named(words.get("provider", ""))
    try:
        password = words.get(SECRET, "")
        if not password:
            raise WrongInputError("type the mailbox's password")
        unborn, sealed = around.hands.mailboxes.prepare(visitor.workspace, _wanted(words), password)
    except RefusedError as error:
        return _form(request, visitor, words, preset, problem=str(error))
    report = None
    if words.get("anyway") != "yes":
        try:
            report = await around.hands.mailboxes.try_out(unborn, password)
        except ConnectorError as error:
            return _form(request, visitor, words, preset, problem=str(error))
        if not report.ok:
            return _form(request, visitor, words, preset, report=report)
    try:
        saved = await around.store.write(_add, unborn, sealed, report, now=around.clock.now())
    except RefusedError as error:
        return _form(request, visitor, words, preset, problem=str(error), report=report)
    works = "is connected, and works" if report else "is connected, and was not tried"
    return done(request, f"/w/{visitor.workspace.name}/mailboxes/{saved.id}", f"{saved.address} {works}.")


def _add(tx: Transaction, unborn: Mailbox, sealed: bytes, report: CheckReport | None, *, now: datetime) -> Mailbox:
    saved = mailboxes.add(tx, unborn, sealed=sealed, now=now)
    if report is not None:
        mailbox_checks.learn(tx, saved, report, now)
    return saved


async def _provider(around: Surroundings, words: dict[str, str]) -> MailPreset | None:
    """Return the provider: as chosen, or by the address's domain, or by who takes the domain's mail."""
    if words.get("provider"):
        return preset_named(words["provider"])
    try:
        address = addresses.clean_address(words.get("address", ""))
    except RefusedError:
        return None
    known = preset_of_address(address)
    if known is not None:
        return known
    answers = await around.hands.mailboxes.inspect_domain(address.rpartition("@")[2], ())
    hosts = answers.exchangers.values if isinstance(answers.exchangers, Records) else ()
    return next((found for host in hosts if (found := preset_of_exchanger(host))), None)


def _wanted(words: dict[str, str]) -> WantedMailbox:
    """Read what the form says. Raises WrongInputError."""
    for name in ("address", "smtp", "imap"):
        if not words.get(name, "").strip():
            raise WrongInputError(f"{name} is empty: fill it in")
    return WantedMailbox(
        address=addresses.clean_address(words["address"]),
        username=words.get("username", "").strip() or None,
        smtp_username=words.get("smtp_username", "").strip() or None,
        servers={name: words[name].strip() for name in _SERVERS if words.get(name, "").strip()},
        pacing=pacing_from_words({"preset": words.get("pacing", ""), "daily_cap": words.get("daily_cap", "")}),
        names=names_from_words({name: words.get(name, "") for name in ("display_name", "pool", "timezone")}),
    )


def _form(
    request: Request,
    visitor: Visitor,
    words: dict[str, str],
    preset: MailPreset | None,
    *,
    problem: str | None = None,
    report: CheckReport | None = None,
) -> Response:
    return render(
        request,
        "mailboxes/connect.html",
        visitor,
        status=422 if problem or report else 200,
        words={name: word for name, word in words.items() if name != SECRET},
        preset=preset,
        providers=[(one.id, one.label) for one in PROVIDERS],
        pacings=tuple(PRESETS),
        problem=problem,
        report=report,
    )


routes = [Route("/w/{workspace}/mailboxes/new", connect, methods=["GET", "POST"])]
