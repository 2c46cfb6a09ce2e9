"""Sequences as text: validated, compared with what runs, previewed for a lead, tried out by mail."""

import difflib
import json
from collections.abc import Mapping
from datetime import date
from enum import StrEnum
from typing import Any, Final

from fastapi import APIRouter
from pydantic import Field, model_validator

from relance.core import plan_document
from relance.core.mailbox import Mailbox
from relance.core.plan_document import plan_from_document
from relance.core.sequence import Plan, Sequence, Version
from relance.mail.templates import MissingValue
from relance.ports.store import Reader
from relance.services import previewing, sequences
from relance.services.previewing import Preview
from relance.services.refusals import RefusedError, WrongInputError
from relance.services.sequence_files import Broken, Reading, Sound, read_sequence_text
from relance.web.api.call import SELF_NOTED, Call, Looks
from relance.web.api.leads import find
from relance.web.api.repeating import Repeatable
from relance.web.api.shapes import Document, Given, Shape, Word

routes = APIRouter(tags=["sequences"], route_class=Repeatable)
LOOKS: Final = {SELF_NOTED: True}


class Format(StrEnum):
    """How a text is written."""

    YAML = "yaml"
    JSON = "json"


class Text(Given):
    """A sequence file's text. It can attach nothing: what lies beside a file is not sent along."""

    text: Document = Field(examples=["name: q4\nsteps:\n  - {id: intro, kind: email, subject: Hi, text: Hello}\n"])
    format: Format = Format.YAML


class TextProblem(Shape):
    """One thing that is wrong with a text."""

    line: int | None
    step: str | None
    message: str
    remedy: str


class Validated(Shape):
    """Everything that is wrong with a text."""

    valid: bool
    name: str | None
    steps: int
    problems: list[TextProblem]


class Diff(Shape):
    """What publishing would change against the running version."""

    name: str
    running_version: int | None
    changed: bool
    diff: list[str] = Field(description="Lines of a unified diff of the two documents.")


class PreviewOf(Given):
    """Of what, and for whom: a sequence's running version by its name, or a text."""

    lead: Word = Field(description="Id or address of the lead whose values are filled in.")
    name: Word | None = None
    text: Document | None = None
    format: Format = Format.YAML

    @model_validator(mode="after")
    def _one_of_both(self) -> "PreviewOf":
        if (self.name is None) == (self.text is None):
            raise ValueError("say of what: `name`, or `text`")
        return self


class Attached(Shape):
    """A file that travels along."""

    name: str
    content_type: str
    size: int


class PreviewShape(Shape):
    """One e-mail as the lead would get it, or the value without which it would be held."""

    step: str
    variant: str
    sender: str | None = Field(description="Null: no mailbox is connected from which it could be sent.")
    to: str | None
    subject: str | None
    text: str | None
    html: str | None
    attachments: list[Attached]
    missing: str | None = Field(description="The field that has no value.")


@routes.post("/sequences/validate", response_model=Validated, openapi_extra=LOOKS)
async def validate_sequence(call: Looks, wanted: Text) -> dict[str, Any]:
    """Say everything that is wrong with a text. Only looks."""
    match _read(wanted, today=call.now.date()):
        case Sound(plan=plan):
            return {"valid": True, "name": plan.name, "steps": len(plan.steps), "problems": []}
        case Broken(problems=problems):
            return {"valid": False, "name": None, "steps": 0, "problems": problems}


@routes.post("/sequences/diff", response_model=Diff, openapi_extra=LOOKS)
async def diff_sequence(call: Looks, wanted: Text) -> dict[str, Any]:
    """Show what publishing a text would change against the running version. Only looks."""
    plan = sound(wanted, today=call.now.date()).plan
    running = await call.read(_running, call.workspace_id, plan.name)
    lines = diff_lines(running, plan_document.document_of(plan))
    return {
        "name": plan.name,
        "running_version": running.version if running else None,
        "changed": bool(lines),
        "diff": lines,
    }


@routes.post("/sequences/preview", response_model=list[PreviewShape], openapi_extra=LOOKS)
async def preview_sequence(call: Looks, wanted: PreviewOf) -> list[dict[str, Any]]:
    """Show every e-mail as a lead would get it, by the renderer that sends. Only looks."""
    lead = await call.read(find, call.workspace_id, wanted.lead)
    plan = await _plan(call, wanted)
    mailbox = await call.read(_sender, call, plan)
    found = previewing.preview(
        plan,
        workspace=call.workspace,
        lead=lead,
        mailbox=mailbox or _nobody(call),
        keys=call.keys,
        now=call.now,
    )
    return [_shown(one, mailbox) for one in found]


def sound(wanted: Text, *, today: date) -> Sound:
    """Return a text's plan. Raises WrongInputError with its first problems."""
    match _read(wanted, today=today):
        case Sound() as found:
            return found
        case Broken(sentences=sentences):
            more = f" (and {len(sentences) - 1} more)" if len(sentences) > 1 else ""
            raise WrongInputError(f"{sentences[0]}{more}; see `POST /sequences/validate`")


def diff_lines(running: Version | None, document: Mapping[str, object]) -> list[str]:
    """Return a unified diff of the running version's document and another; empty: they say the same."""

    def lines(value: Mapping[str, object]) -> list[str]:
        return json.dumps(value, indent=2, ensure_ascii=False, sort_keys=True).splitlines()

    old = lines(running.document) if running else []
    before = f"version {running.version}" if running else "nothing"
    return list(difflib.unified_diff(old, lines(document), before, "the text", lineterm=""))


def _read(wanted: Text, *, today: date) -> Reading:
    return read_sequence_text(wanted.text, file=f"text.{wanted.format}", today=today)


def _running(reader: Reader, workspace_id: int, name: str) -> Version | None:
    found = reader.one(Sequence, "sequences.by_name", workspace_id=workspace_id, name=name)
    return sequences.running_version(reader, found) if found is not None else None


async def _plan(call: Call, wanted: PreviewOf) -> Plan:
    if wanted.text is not None:
        return sound(Text(text=wanted.text, format=wanted.format), today=call.now.date()).plan
    found = await call.read(sequences.by_name, call.workspace_id, wanted.name or "")
    running = await call.read(sequences.running_version, found)
    if running is None:
        raise RefusedError(f"sequence {found.name!r} was never published; publish it first")
    return plan_from_document(running.document)


def _sender(reader: Reader, call: Call, plan: Plan) -> Mailbox | None:
    try:
        return previewing.sending_mailbox(reader, call.workspace_id, plan)
    except RefusedError:
        return None


def _nobody(call: Call) -> Mailbox:
    """Return who seems to send where no mailbox is connected yet."""
    nobody = "sender@example.com"
    return Mailbox(
        workspace_id=call.workspace_id,
        id=0,
        provider="none",
        login=nobody,
        address=nobody,
        shard=0,
        created_at=call.now,
    )


def _shown(one: Preview, mailbox: Mailbox | None) -> dict[str, Any]:
    message = one.message
    return {
        "step": one.step,
        "variant": one.variant,
        "sender": mailbox.address if mailbox else None,
        "to": message.to[0].address if message and message.to else None,
        "subject": message.subject if message else None,
        "text": message.text if message else None,
        "html": (message.html or None) if message else None,
        "attachments": one.attachments,
        "missing": one.outcome.field if isinstance(one.outcome, MissingValue) else None,
    }
