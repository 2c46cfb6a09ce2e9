"""Templates that only fill in fields, rendered without the library: most are, and it takes ten times as long.

Rule 1: what is not plain – a condition, a filter other than `default` with a text, a value that is no text – is the
        library's. `{{ name }}` and `{{ name | default: "text" }}` are plain.
Rule 2: what comes out is what the library would have put out; a property test holds the two together.
"""

import html
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from liquid import BoundTemplate
from liquid.ast import Node
from liquid.builtin.content import ContentNode
from liquid.builtin.expressions import FilteredExpression, Path, StringLiteral
from liquid.builtin.expressions.arguments import PositionalArgument

from relance.mail.filters import MAX_LENGTH
from relance.mail.liquid_rules import MAX_OUTPUT, FieldOutputNode, MissingFieldError
from relance.mail.liquid_source import parsed_liquid
from relance.mail.markup import Part
from relance.mail.signatures import Verbatim

_WIDEST = 6  #: Bytes that one character may take: `&quot;`, or `&#x27;`.


@dataclass(frozen=True, slots=True)
class _Hole:
    """A field, or what stands for it (None: nothing does). `default` is escaped already."""

    field: str
    default: str | None


@lru_cache(maxsize=1024)
def _pieces(template: BoundTemplate, part: Part) -> tuple[str | _Hole, ...] | None:
    found = [_piece(node, escape=part is Part.HTML) for node in template.nodes]
    pieces = tuple(piece for piece in found if piece is not None)
    if len(pieces) < len(found):
        return None
    longest = sum(len(piece) if isinstance(piece, str) else MAX_LENGTH for piece in pieces)
    return pieces if longest * _WIDEST <= MAX_OUTPUT else None


def _piece(node: Node, *, escape: bool) -> str | _Hole | None:
    if isinstance(node, ContentNode):
        return node.text
    if not isinstance(node, FieldOutputNode) or not isinstance(node.expression, FilteredExpression):
        return None
    value, filters = node.expression.left, node.expression.filters or []
    written = html.escape if escape else str
    match value, filters:
        case StringLiteral(), []:
            return written(value.value)
        case Path(path=[str(field)]), []:
            return _Hole(field, None)
        case Path(path=[str(field)]), [only] if only.name == "default":
            match only.args:
                case [PositionalArgument(value=StringLiteral() as default)] if len(default.value) <= MAX_LENGTH:
                    return _Hole(field, written(default.value))
    return None


def render_liquid(source: str, part: Part, values: Mapping[str, object]) -> str:
    """Render Liquid with values of which none is blank or holds a carriage return, as `render` has cleaned them.

    Raises MissingFieldError, and the library's own errors.
    """
    template = parsed_liquid(source, part)
    pieces = _pieces(template, part)
    if pieces is None:
        return template.render(values)
    done: list[str] = []
    for piece in pieces:
        if isinstance(piece, str):
            done.append(piece)
            continue
        value = values.get(piece.field)
        if value is None and piece.default is not None:
            done.append(piece.default)
        elif value is None:
            raise MissingFieldError(piece.field)
        elif type(value) is str:
            done.append(html.escape(value) if part is Part.HTML else value)
        elif type(value) is Verbatim and part is Part.HTML:
            done.append(value)
        else:
            return template.render(values)
    return "".join(done)
