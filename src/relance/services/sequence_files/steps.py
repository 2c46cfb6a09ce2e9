"""The steps of a sequence file, each with the lines of its texts, so that a template's error can name its own.

What cannot be read is noted, and something that no rule objects to stands in for it: the rest of the step, and every
other one, is judged all the same, and whoever corrects the file sees all of it at once.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from relance.core.plan_document import delay_of
from relance.core.sequence import (
    NO_DELAY,
    STOP,
    BranchStep,
    Condition,
    Delay,
    EmailStep,
    FieldEquals,
    RepliedWithin,
    Step,
    Unit,
    Variant,
    WaitStep,
)
from relance.mail.markup import Part
from relance.mail.templates import TemplateError, compile_template
from relance.services.sequence_files.folder import Folder, Kept, attached
from relance.services.sequence_files.forms import Form

BUILT: Final = (EmailStep.kind, WaitStep.kind, BranchStep.kind)
NOT_BUILT_KINDS: Final = frozenset(
    {
        "assign_owner", "call", "call_ivr", "enroll", "exit", "goal", "linkedin_dm", "linkedin_endorse_skills",
        "linkedin_find_email", "linkedin_follow", "linkedin_inmail", "linkedin_invite", "linkedin_like",
        "linkedin_view", "linkedin_withdraw", "move_stage", "set_field", "sms", "split", "task", "webhook",
        "whatsapp_template",
    }
)  # fmt: skip
NOT_BUILT_KEYS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "tracking": "tracking of single steps",
        "mailbox": "a mailbox of a single step",
        "window": "a window of a single step",
        "cc": "copies",
        "bcc": "copies",
        "reply_to": "another address for answers",
    }
)
_NOT_BUILT_CONDITIONS: Final[Mapping[str, str]] = MappingProxyType(
    {name: f"branching on {name}" for name in ("opened", "clicked", "bounced", "disposition", "goal", "unsubscribed")}
)
_SOME_TIME: Final = Delay(amount=1, unit=Unit.DAYS)  #: Stands in for a delay that cannot be read.
_SOMETHING: Final = "-"  #: Stands in for a text that cannot be read.
_SHARED = ("id", "kind", "after")
_LITERAL = "close or correct it; a brace that is meant stands in {% raw %}{{% endraw %}"
_DELAY = "write a number and s, m, h, d or bd, such as 3d"
_WORDINGS: Final = (("subject", Part.SUBJECT), ("text", Part.TEXT), ("html", Part.HTML))


@dataclass(frozen=True, slots=True, kw_only=True)
class Steps:
    """The steps and the line that each begins on, by its id."""

    steps: tuple[Step, ...]
    lines: Mapping[str, int]


def read_steps(form: Form, folder: Folder | Kept) -> Steps:
    """Return the steps, never none; problems are noted in the form."""
    if not form.has("steps"):
        form.wrong(form.line("steps"), "the sequence has no steps", "write at least one step of kind email")
        return Steps(steps=(_unread(_SOMETHING, NO_DELAY),), lines={})
    steps: list[Step] = []
    lines: dict[str, int] = {}
    for number, one in enumerate(form.forms("steps", "a step is written as {id: intro, kind: email, …}"), start=1):
        one.step = one.said("id") or f"number {number}"
        lines.setdefault(one.step, one.node.line)
        steps.append(_read_step(one, one.step, folder))
    return Steps(steps=tuple(steps) or (_unread(_SOMETHING, NO_DELAY),), lines=lines)


def _read_step(form: Form, name: str, folder: Folder | Kept) -> Step:
    """Return one step, which has `name` for want of an id."""
    step_id = form.need("id", "give every step an id of its own, such as id: intro")
    step_id = name if step_id is None else step_id
    kind = form.need("kind", f"use one of {', '.join(BUILT)}")
    after = form.read("after", delay_of, _DELAY) or (_SOME_TIME if form.names("after") else NO_DELAY)
    match kind:
        case EmailStep.kind:
            return _email(form, step_id, after, folder)
        case WaitStep.kind:
            return _wait(form, step_id, after)
        case BranchStep.kind:
            return _branch(form, step_id, after)
        case None:
            pass
        case _ if kind in NOT_BUILT_KINDS:
            form.wrong(form.line("kind"), f"steps of kind {kind} are not available yet", f"use {', '.join(BUILT)}")
        case _:
            form.wrong(form.line("kind"), f"unknown kind {kind!r}", f"use one of {', '.join(BUILT)}")
    return _unread(step_id, after)


def _unread(step_id: str, after: Delay) -> Step:
    """Return what stands in for a step of which nobody knows what it is."""
    said = Variant(id="a", weight=1, subject=_SOMETHING, text=_SOMETHING, html=None)
    return EmailStep(id=step_id, after=after, variants=(said,))


def _email(form: Form, step_id: str, after: Delay, folder: Folder | Kept) -> EmailStep:
    form.check_keys((*_SHARED, "subject", "text", "html", "attachments", "weight", "variants"), NOT_BUILT_KEYS)
    own = _wording(form, needs_text=True)
    if own["text"] is None:
        html = "; the HTML part alone is not enough" if own["html"] else ""
        form.wrong(form.line("text"), f"the e-mail has no text{html}", "write text: with what the person reads")
        own["text"] = _SOMETHING
    weight = form.number("weight", least=1) or 1
    variants = [_variant("a", weight, own, own)]
    for number, other in enumerate(form.forms("variants", '{id: b, weight: 1, subject: "…"}'), start=1):
        other.check_keys(("id", "weight", "subject", "text", "html"), NOT_BUILT_KEYS)
        name = other.need("id", "give every variant an id, such as b") or f"variant-{number}"
        if name == "a":
            other.wrong(other.line("id"), "the variant a is the step itself", "call this one b")
            name = f"variant-{number}"
        given = _wording(other)
        if not any(given.values()):
            other.wrong(other.node.line, f"variant {name} says nothing of its own", "give it a subject, text or html")
        variants.append(_variant(name, other.number("weight", least=1) or 1, given, own))
    return EmailStep(id=step_id, after=after, variants=tuple(variants), attachments=attached(form, folder))


def _variant(name: str, weight: int, given: Mapping[str, str | None], own: Mapping[str, str | None]) -> Variant:
    def part(key: str) -> str | None:
        return given[key] if given[key] is not None else own[key]

    return Variant(id=name, weight=weight, subject=part("subject"), text=part("text") or "", html=part("html"))


def _wording(form: Form, *, needs_text: bool = False) -> dict[str, str | None]:
    """Return subject, text and HTML part; each is compiled, and what is wrong is noted with its line in the file."""
    given: dict[str, str | None] = dict.fromkeys(key for key, _ in _WORDINGS)
    for key, part in _WORDINGS:
        if key == "text" and needs_text and not form.has(key):
            continue  # whoever needs it says so
        node = form.scalar(key, "write one text")
        given[key] = _SOMETHING if form.names(key) else None
        if node is None:
            continue
        text = node.text.strip() if part is Part.SUBJECT else node.text
        if not text.strip():
            thread = ", or leave it out to stay in the thread" if part is Part.SUBJECT else ""
            form.wrong(node.line, f"{key} is empty", f"write something{thread}")
            continue
        given[key] = text
        try:
            template = compile_template(text, part=part)
        except TemplateError as error:
            message, _, remedy = error.message.partition(": ")
            form.wrong(node.first_line + error.line - 1, f"{key}: {message}", remedy or "correct the template")
            continue
        for problem in template.problems:
            form.wrong(node.first_line + problem.line - 1, f"{key}: {problem.message}", _LITERAL)
    return given


def _wait(form: Form, step_id: str, after: Delay) -> WaitStep:
    form.check_keys((*_SHARED, "for"), NOT_BUILT_KEYS)
    if not form.has("for"):
        form.wrong(form.line("for"), "the wait says not how long", "write for: 2d")
        return WaitStep(id=step_id, after=after, duration=_SOME_TIME)
    return WaitStep(id=step_id, after=after, duration=form.read("for", delay_of, _DELAY) or _SOME_TIME)


def _branch(form: Form, step_id: str, after: Delay) -> BranchStep:
    form.check_keys((*_SHARED, "if", "then", "else"), NOT_BUILT_KEYS)
    condition = _condition(form) or RepliedWithin(within=_SOME_TIME)
    then = form.need("then", "name a step, or stop")
    otherwise = form.text("else", "name a step, or stop")
    return BranchStep(
        id=step_id, after=after, condition=condition, then=STOP if then is None else then, otherwise=otherwise
    )


def _condition(form: Form) -> Condition | None:
    remedy = "write {replied: {within: 72h}} or {field: country, equals: DE}"
    if not form.has("if"):
        form.wrong(form.line("if"), "the branch has no condition", remedy)
        return None
    asked = form.form("if", remedy)
    if asked is None:
        return None
    asked.check_keys(("replied", "field", "equals"), _NOT_BUILT_CONDITIONS)
    if not asked.names("replied") and not asked.names("field"):
        if not set(_NOT_BUILT_CONDITIONS) & {entry.key for entry in asked.node.entries}:
            asked.wrong(asked.node.line, "the branch asks nothing", remedy)
        return None
    for key in ("field", "equals"):
        if asked.names("replied") and asked.names(key):
            asked.wrong(asked.line(key), "a branch asks one question", "keep replied, or field and equals")
    return _replied(asked) if asked.names("replied") else _field(asked)


def _replied(asked: Form) -> RepliedWithin | None:
    remedy = "write {replied: {within: 72h}}"
    if not asked.has("replied"):
        asked.wrong(asked.line("replied"), "replied has no within", remedy)
        return None
    replied = asked.form("replied", remedy)
    if replied is None:
        return None
    replied.check_keys(("within",), {})
    if not replied.has("within"):
        replied.wrong(replied.line("within"), "replied has no within", remedy)
        return None
    within = replied.read("within", delay_of, _DELAY)
    return RepliedWithin(within=within) if within is not None else None


def _field(asked: Form) -> FieldEquals | None:
    remedy = "write {field: country, equals: DE}"
    field, value = asked.need("field", remedy), asked.need("equals", remedy)
    return FieldEquals(field=field, value=value) if field and value is not None else None
