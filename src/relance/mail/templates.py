"""Templates: Liquid without loops, spun beforehand; one renderer for sending, preview and test.

Rule 1: what can be wrong with a template is found by `compile_template`, for every option that spintax may choose.
Rule 2: `render` raises nothing: it gives text, or names the field without which nothing may go out.
Rule 3: values are data: they are never parsed, never spun, and escaped in HTML only; a `Signature` is not escaped, as
        it is the operator's own.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from liquid.exceptions import LiquidError

from relance.mail.filters import MAX_LENGTH, is_blank
from relance.mail.liquid_rules import MissingFieldError
from relance.mail.liquid_source import joined
from relance.mail.markup import Part, line_of
from relance.mail.plain_liquid import render_liquid
from relance.mail.signatures import Signature
from relance.mail.spintax import Node, Problem, chosen, parse
from relance.mail.template_checks import TemplateError, fields_of

__all__ = [
    "MissingValue",
    "Part",
    "Rendered",
    "RenderedParts",
    "Template",
    "TemplateError",
    "compile_template",
    "render",
    "render_parts",
]

MAX_SOURCE = 256 * 1024  #: Characters of one part. Gmail already clips a message at 102 KB.

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_LINE_BREAKS = re.compile(r"\s*[\n\r\v\f\x1c-\x1e\x85\u2028\u2029\t]+\s*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """A template that is sound for every seed."""

    part: Part
    source: str
    fields: frozenset[str]  #: Every field that some option or condition reads.
    problems: tuple[Problem, ...]  #: Braces that go out literally: worth a warning, not a refusal.
    nodes: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Rendered:
    """What goes out."""

    text: str


@dataclass(frozen=True, slots=True)
class MissingValue:
    """Nothing may go out: this field is missing or blank and has no default."""

    field: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderedParts:
    """The parts of one message, their spintax chosen by one seed."""

    subject: str | None  #: None on a step that answers in its thread.
    text: str
    html: str | None


def compile_template(source: str, *, part: Part) -> Template:
    """Check a template through and through and make it ready to render.

    Raises TemplateError with the line and the remedy.
    """
    source = source.replace("\r\n", "\n").replace("\r", "\n")
    if len(source) > MAX_SOURCE:
        raise TemplateError(f"the {part} part has more than {MAX_SOURCE // 1024} KB: make it shorter", 1)
    if not source.strip():
        raise TemplateError(f"the {part} part is empty: write something into it", 1)
    parsed = parse(source, part)
    if part is Part.SUBJECT and "\n" in source.strip():
        raise TemplateError(
            "a subject is one line: take the line break out", line_of(source, source.strip().index("\n"))
        )
    fields = fields_of(source, parsed.nodes, part)
    return Template(part=part, source=source, fields=fields, problems=parsed.problems, nodes=parsed.nodes)


def render(template: Template, fields: Mapping[str, object], *, seed: bytes) -> Rendered | MissingValue:
    """Render with the options that `seed` chooses; the same arguments always give the same outcome.

    `fields` holds text, numbers, booleans, dates and a signature; what the template does not name is not looked at.
    """
    values = {}
    for name in template.fields:
        value = _clean(fields.get(name), template.part)
        if is_blank(value):
            continue
        if isinstance(value, str) and len(value) > MAX_LENGTH:
            return MissingValue(name)
        values[name] = value
    try:
        text = render_liquid(joined(chosen(template.nodes, seed)), template.part, values)
    except MissingFieldError as missing:
        return MissingValue(missing.field)
    except LiquidError:
        # What is left is the limit on output, overrun by values that are each within theirs.
        return MissingValue(min(template.fields, default=str(template.part)))
    if template.part is Part.SUBJECT:
        text = _LINE_BREAKS.sub(" ", text).strip()
    # Conditions can leave nothing at all: an empty message is as bad as "Hi ,".
    return MissingValue(str(template.part)) if is_blank(text) else Rendered(text)


def render_parts(
    subject: Template | None,
    text: Template,
    html: Template | None,
    fields: Mapping[str, object],
    seed: bytes,
) -> RenderedParts | MissingValue:
    """Render one message with one seed, or name the first field that is missing."""
    done: list[str | None] = []
    for template in (subject, text, html):
        if template is None:
            done.append(None)
            continue
        match render(template, fields, seed=seed):
            case Rendered(text=rendered):
                done.append(rendered)
            case MissingValue() as missing:
                return missing
    return RenderedParts(subject=done[0], text=done[1] or "", html=done[2])


def _clean(value: object, part: Part) -> object:
    """Take out of a value what no mail can carry. A signature was cleaned when it was read, and suits its part."""
    if isinstance(value, Signature):
        return value.in_html() if part is Part.HTML else value.text
    if not isinstance(value, str):
        return value
    value = value.replace("\r\n", "\n").replace("\r", "\n")
    return _CONTROL.sub("", value).encode("utf-8", "ignore").decode()
