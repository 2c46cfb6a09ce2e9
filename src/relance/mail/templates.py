"""Templates: Liquid without loops, spun beforehand; one renderer for sending, preview and test.

Rule 1: what can be wrong with a template is found by `compile_template`, for every option that spintax may choose.
Rule 2: `render` raises nothing: it gives text, or names the field without which nothing may go out.
Rule 3: values are data: they are never parsed, never spun, and escaped in HTML only.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from liquid import BoundTemplate
from liquid.builtin.expressions import FilteredExpression
from liquid.builtin.output import OutputNode
from liquid.exceptions import BlockNestingError, FilterValueError, LiquidError, LiquidTypeError, UnknownFilterError

from relance.mail.filters import FILTERS, MAX_LENGTH, as_text, is_blank
from relance.mail.liquid_rules import (
    MAX_NESTING,
    FieldContext,
    MissingFieldError,
    TemplateEnvironment,
    path_name,
    paths,
    soften,
    walk,
)
from relance.mail.markup import Literal, Opaque, Part, line_of
from relance.mail.spintax import Group, Node, Problem, chosen, every_option, groups, parse

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

_FIELD_NAME = re.compile(r"[a-z_][a-z0-9_]*")
_TAG_NAME = re.compile(r"\{%-?\s*([^\s%-]*)")
_LONE_BRACE = re.compile(r"\{(?=[{%])|\{\Z")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_LINE_BREAKS = re.compile(r"\s*[\n\r\v\f\x1c-\x1e\x85\u2028\u2029\t]+\s*")
_OPENING = frozenset({"if", "unless", "case"})
_CLOSING = frozenset({"endif", "endunless", "endcase"})
_BETWEEN = frozenset({"else", "elsif", "when"})
_OTHER = frozenset({"raw", "endraw", "comment", "endcomment"})
_LOOPS = frozenset({"for", "tablerow", "cycle"})
_ENVIRONMENTS = {part: TemplateEnvironment(escape=part is Part.HTML) for part in Part}


class TemplateError(Exception):
    """The template cannot be used. `message` says what to write instead, `line` (from 1) where."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(f"line {line}: {message}")
        self.message = message
        self.line = line


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
    _refuse_unclosed(source, every_option(parsed.nodes))
    _refuse_foreign_tags(source, parsed.nodes)
    fields = _check_liquid(source, parsed.nodes, part)
    return Template(part=part, source=source, fields=fields, problems=parsed.problems, nodes=parsed.nodes)


def render(template: Template, fields: Mapping[str, object], *, seed: bytes) -> Rendered | MissingValue:
    """Render with the options that `seed` chooses; the same arguments always give the same outcome.

    `fields` holds text, numbers, booleans and dates; what the template does not name is not looked at.
    """
    values = {}
    for name in template.fields:
        value = _clean(fields.get(name))
        if is_blank(value):
            continue
        if isinstance(value, str) and len(value) > MAX_LENGTH:
            return MissingValue(name)
        values[name] = value
    try:
        text = _liquid(_joined(chosen(template.nodes, seed)), template.part).render(values)
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


def _clean(value: object) -> object:
    """Take out of a value what no mail can carry."""
    if not isinstance(value, str):
        return value
    value = value.replace("\r\n", "\n").replace("\r", "\n")
    return _CONTROL.sub("", value).encode("utf-8", "ignore").decode()


def _refuse_unclosed(source: str, tokens: Iterable[Literal | Opaque]) -> None:
    for token in tokens:
        if not isinstance(token, Literal):
            continue
        # A literal begins anew at every brace, so an unclosed {{ can stand across two of them: look at the source.
        opening = source[token.start : token.start + len(token.text) + 1]
        for mark, end in (("{{", "}}"), ("{%", "%}")):
            at = opening.find(mark)
            if at >= 0:
                raise TemplateError(f"{mark} is never closed: write {end} behind it", line_of(source, token.start + at))


def _refuse_foreign_tags(source: str, nodes: tuple[Node, ...]) -> None:
    """Refuse tags that are not ours, and options that open a condition without closing it."""
    for token in every_option(nodes):
        for name in _tag_names(token):
            if name in _OPENING | _CLOSING | _BETWEEN | _OTHER:
                continue
            line = line_of(source, token.start)
            if name in _LOOPS:
                raise TemplateError(f"{{% {name} %}} is not available: there are no loops, write the text out", line)
            raise TemplateError(f"{{% {name} %}} is not available: use if, unless, case, comment or raw", line)
    for group in groups(nodes):
        for option in group.options:
            _refuse_half_conditions(source, option)


def _refuse_half_conditions(source: str, option: tuple[Node, ...]) -> None:
    depth = 0
    line = 1
    for node in option:
        if isinstance(node, Group):
            continue
        line = line_of(source, node.start)
        for name in _tag_names(node):
            depth += (name in _OPENING) - (name in _CLOSING)
            if depth < 0 or (depth == 0 and name in _BETWEEN):
                raise TemplateError(f"{{% {name} %}} must stand in the same option as its beginning", line)
    if depth:
        raise TemplateError("a condition must begin and end in the same option", line)


def _tag_names(token: Literal | Opaque) -> list[str]:
    """Name the Liquid tags in a token: an HTML tag may hold several, a raw block counts as one."""
    if not isinstance(token, Opaque) or token.text.startswith("{{"):
        return []
    names = [str(name) for name in _TAG_NAME.findall(token.text)]
    return names[:1] if token.text.startswith("{%") else names


def _check_liquid(source: str, nodes: tuple[Node, ...], part: Part) -> frozenset[str]:
    """Parse every option at once and return the fields that are read."""
    try:
        liquid = _liquid(_joined(every_option(nodes)), part)
    except UnknownFilterError as error:
        name = error.token.value if error.token else "this"
        raise TemplateError(f"there is no filter {name!r}: use {', '.join(FILTERS)}", _line(error, source)) from error
    except BlockNestingError as error:
        raise TemplateError(f"conditions are nested deeper than {MAX_NESTING}: simplify them", 1) from error
    except LiquidError as error:
        raise TemplateError(f"this is not Liquid: {error.message}", _line(error, source)) from error
    fields: set[str] = set()
    context = FieldContext(liquid)
    for node in walk(liquid.nodes, context):
        line = line_of(source, max(0, node.token.start_index))
        if isinstance(node, OutputNode):
            _check_output(node, context, line)
        for expression in node.expressions():
            for path in paths(expression):
                name = path_name(path)
                if len(path.path) > 1 or not _FIELD_NAME.fullmatch(name):
                    raise TemplateError(f"{path} is not a field: write its name in small letters, as first_name", line)
                fields.add(name)
    return frozenset(fields)


def _check_output(node: OutputNode, context: FieldContext, line: int) -> None:
    """Try the filters of an output on a sample, to find wrong arguments before a lead does."""
    expression = node.expression
    for step in (expression.filters if isinstance(expression, FilteredExpression) else None) or ():
        if step.name not in FILTERS:
            raise TemplateError(f"there is no filter {step.name!r}: use {', '.join(FILTERS)}", line)
        try:
            step.evaluate("sample", context)
        except FilterValueError:
            continue
        except LiquidTypeError as error:
            summary = FILTERS[step.name].summary
            raise TemplateError(f"{step.name} does not take these arguments: {summary}", line) from error
        except LiquidError as error:
            raise TemplateError(f"{step.name}: {error.message}", line) from error
    if next(paths(expression), None) is not None:
        return
    try:
        shown = as_text(expression.evaluate(context))
    except LiquidError as error:
        raise TemplateError(f"this output never shows anything: {error.message}", line) from error
    if is_blank(shown):
        raise TemplateError("this output never shows anything: name a field", line)


def _joined(tokens: Iterable[Literal | Opaque]) -> str:
    """Join chosen text into a Liquid source in which literal braces cannot open anything."""
    pieces: list[str] = []
    literal: list[str] = []
    for token in tokens:
        if isinstance(token, Literal):
            literal.append(token.text)
            continue
        pieces.extend((_guarded(literal), token.text))
        literal.clear()
    pieces.append(_guarded(literal))
    return "".join(pieces)


def _guarded(literal: list[str]) -> str:
    return _LONE_BRACE.sub("{{ '{' }}", "".join(literal))


@lru_cache(maxsize=1024)
def _liquid(source: str, part: Part) -> BoundTemplate:
    """Parse Liquid; the same choice of options is parsed once and rendered for many leads."""
    try:
        template = _ENVIRONMENTS[part].from_string(source)
    except RecursionError as error:
        raise BlockNestingError("nested too deep", token=None) from error
    for node in walk(template.nodes, FieldContext(template)):
        for expression in node.expressions():
            soften(expression)
    return template


def _line(error: LiquidError, source: str) -> int:
    position = error.token.start_index if error.token else 0
    return line_of(source, max(0, position))
