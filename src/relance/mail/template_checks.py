"""What can be wrong with a template, found before any lead is due.

Every option that spintax may choose is looked at, not only the one that a preview happens to show.
"""

import re
from collections.abc import Iterable

from liquid.builtin.expressions import FilteredExpression
from liquid.builtin.output import OutputNode
from liquid.exceptions import BlockNestingError, FilterValueError, LiquidError, LiquidTypeError, UnknownFilterError

from relance.mail.filters import FILTERS, as_text, is_blank
from relance.mail.liquid_rules import MAX_NESTING, FieldContext, path_name, paths, walk
from relance.mail.liquid_source import joined, parsed_liquid
from relance.mail.markup import Literal, Opaque, Part, line_of
from relance.mail.signatures import FIELD as SIGNATURE
from relance.mail.spintax import Group, Node, every_option, groups

_FIELD_NAME = re.compile(r"[a-z_][a-z0-9_]*")
_TAG_NAME = re.compile(r"\{%-?\s*([^\s%-]*)")
_OPENING = frozenset({"if", "unless", "case"})
_CLOSING = frozenset({"endif", "endunless", "endcase"})
_BETWEEN = frozenset({"else", "elsif", "when"})
_OTHER = frozenset({"raw", "endraw", "comment", "endcomment"})
_LOOPS = frozenset({"for", "tablerow", "cycle"})


class TemplateError(Exception):
    """The template cannot be used. `message` says what to write instead, `line` (from 1) where."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(f"line {line}: {message}")
        self.message = message
        self.line = line


def fields_of(source: str, nodes: tuple[Node, ...], part: Part) -> frozenset[str]:
    """Check all options of a template and return the fields they read; raises TemplateError."""
    _refuse_unclosed(source, every_option(nodes))
    _refuse_foreign_tags(source, nodes)
    return _check_liquid(source, nodes, part)


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
        liquid = parsed_liquid(joined(every_option(nodes)), part)
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
    signed = any(path_name(path) == SIGNATURE for path in paths(expression))
    for step in (expression.filters if isinstance(expression, FilteredExpression) else None) or ():
        if signed and step.name != "default":
            raise TemplateError(f"{SIGNATURE} stands as it is: it takes no filter but default", line)
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


def _line(error: LiquidError, source: str) -> int:
    position = error.token.start_index if error.token else 0
    return line_of(source, max(0, position))
