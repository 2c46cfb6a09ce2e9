"""The Liquid that templates may use: outputs, filters and conditions; no loops, no assignment, no files.

Rule 1: an output that would show nothing raises `MissingFieldError`, unless its author gave it a `default`.
Rule 2: a condition never raises: a missing or blank field is false, equals `blank`, and compares with nothing.
Rule 3: in HTML everything that an output prints is escaped, the author's literals included, but for a signature;
        elsewhere nothing is.
"""

import html
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal, InvalidOperation
from typing import TextIO

from liquid import BoundTemplate, Environment, RenderContext
from liquid.ast import Node
from liquid.builtin.content import Literal
from liquid.builtin.expressions import FilteredExpression, Nil, Path, StringLiteral
from liquid.builtin.expressions.logical import (
    ContainsExpression,
    EqExpression,
    GeExpression,
    GtExpression,
    LeExpression,
    LtExpression,
    NeExpression,
)
from liquid.builtin.expressions.primitive import Blank, Empty
from liquid.builtin.illegal import Illegal
from liquid.builtin.output import Output, OutputNode
from liquid.builtin.tags.case_tag import CaseTag
from liquid.builtin.tags.comment_tag import CommentTag
from liquid.builtin.tags.if_tag import IfTag
from liquid.builtin.tags.unless_tag import UnlessTag
from liquid.exceptions import LiquidError
from liquid.expression import Expression
from liquid.mode import Mode
from liquid.undefined import FalsyStrictUndefined, is_undefined
from liquid.utils import ReadOnlyChainMap

from relance.mail.filters import FILTERS, as_text, is_blank
from relance.mail.signatures import Verbatim

MAX_OUTPUT = 1_000_000  #: Bytes of one rendered part.
MAX_NESTING = 16  #: Conditions inside conditions.

_NUMBER = re.compile(r"\s*[+-]?\d{1,30}(?:\.\d{1,30})?\s*")


class MissingFieldError(Exception):
    """An output has nothing to show. Hold the lead until `field` has a value, or give the template a default."""

    def __init__(self, field: str) -> None:
        super().__init__(field)
        self.field = field


class FieldOutputNode(OutputNode):
    """`{{ … }}`, which shows something or raises."""

    def render_to_output(self, context: RenderContext, buffer: TextIO) -> int:
        """Write the value; raises MissingFieldError where there is nothing to write."""
        try:
            value = self.expression.evaluate(context)
            text = "" if is_undefined(value) else as_text(value)
        except LiquidError as error:
            raise MissingFieldError(self._field()) from error
        if is_undefined(value) or (is_blank(text) and not self._has_default()):
            raise MissingFieldError(str(getattr(value, "name", "")) or self._field())
        env = context.env
        escape = isinstance(env, TemplateEnvironment) and env.escape and not isinstance(text, Verbatim)
        try:
            return buffer.write(html.escape(text) if escape else text)
        except LiquidError as error:
            raise MissingFieldError(self._field()) from error

    def _has_default(self) -> bool:
        return any(step.name == "default" for step in getattr(self.expression, "filters", None) or ())

    def _field(self) -> str:
        return next((path_name(path) for path in paths(self.expression)), "")


class FieldOutput(Output):
    """The pseudo tag that makes `FieldOutputNode`s."""

    node_class = FieldOutputNode


class FieldContext(RenderContext):
    """Sees the fields that it is given. The library's own would also answer `now` and `today`, from the clock."""

    __slots__ = ()

    def __init__(self, template: BoundTemplate, *, globals: Mapping[str, object] | None = None) -> None:  # noqa: A002 - the library's name
        super().__init__(template, globals=globals)
        self.scope = ReadOnlyChainMap(self.locals, self.globals)


class FieldTemplate(BoundTemplate):
    """A parsed template that renders in a `FieldContext`."""

    context_class = FieldContext


class TemplateEnvironment(Environment):
    """Liquid with our tags, filters and limits, and nothing else."""

    template_class = FieldTemplate

    block_nesting_limit = MAX_NESTING
    output_stream_limit = MAX_OUTPUT
    suppress_blank_control_flow_blocks = False

    def __init__(self, *, escape: bool) -> None:
        self.escape = escape
        super().__init__(tolerance=Mode.STRICT, undefined=FalsyStrictUndefined, strict_filters=True)

    def __hash__(self) -> int:
        return hash(self.escape)

    def __eq__(self, other: object) -> bool:
        return self is other

    def setup_tags_and_filters(self, *, extra: bool = False) -> None:  # noqa: ARG002 - the library's signature
        """Register what is allowed; what is not registered is refused when the template is parsed."""
        for tag in (Literal, FieldOutput, Illegal, IfTag, UnlessTag, CaseTag, CommentTag):
            self.add_tag(tag)
        for name, filtered in FILTERS.items():
            self.add_filter(name, filtered.apply)


class _NumberIn(Expression):
    """The number that a value spells, or nothing: columns of a CSV are text, yet `employees > 50` must work."""

    __slots__ = ("inner",)

    def __init__(self, inner: Expression) -> None:
        super().__init__(token=inner.token)
        self.inner = inner

    def evaluate(self, context: RenderContext) -> object:
        value = self.inner.evaluate(context)
        match value:
            case bool():
                return None
            case int() | float() | Decimal():
                return value if isinstance(value, int) else _decimal(str(value))
            case str() if _NUMBER.fullmatch(value):
                return _decimal(value)
            case _:
                return None

    def children(self) -> list[Expression]:
        return [self.inner]


class _TextIn(Expression):
    """The text of a value, or nothing: `contains` looks for text in text."""

    __slots__ = ("inner",)

    def __init__(self, inner: Expression) -> None:
        super().__init__(token=inner.token)
        self.inner = inner

    def evaluate(self, context: RenderContext) -> object:
        value = self.inner.evaluate(context)
        return None if is_blank(value) else as_text(value)

    def children(self) -> list[Expression]:
        return [self.inner]


def paths(expression: Expression) -> Iterator[Path]:
    """Walk the variables that an expression reads."""
    waiting = [expression]
    while waiting:
        found = waiting.pop()
        if isinstance(found, Path):
            yield found
        waiting.extend(reversed(list(found.children())))


def path_name(path: Path) -> str:
    """Name the field that a path begins with."""
    return str(path.path[0])


def walk(nodes: list[Node], context: RenderContext) -> Iterator[Node]:
    """Walk a parsed template, a block before what is in it."""
    waiting = list(reversed(nodes))
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(list(node.children(context))))


def soften(expression: Expression) -> None:
    """Make the comparisons inside a condition total (rule 2)."""
    waiting = [expression]
    while waiting:
        found = waiting.pop()
        match found:
            case EqExpression() | NeExpression():
                found.left, found.right = _nothing_if_blank(found.left), _nothing_if_blank(found.right)
            case LtExpression() | LeExpression() | GtExpression() | GeExpression():
                found.left, found.right = _NumberIn(found.left), _NumberIn(found.right)
            case ContainsExpression():
                found.left, found.right = _TextIn(found.left), _TextIn(found.right)
            case FilteredExpression():
                continue
            case _:
                pass
        waiting.extend(found.children())


def _nothing_if_blank(expression: Expression) -> Expression:
    """Read `blank`, `empty` and `""` as nil, which a missing field equals."""
    if isinstance(expression, Blank | Empty) or (isinstance(expression, StringLiteral) and is_blank(expression.value)):
        return Nil(expression.token)
    return expression


def _decimal(text: str) -> Decimal | None:
    try:
        number = Decimal(text.strip())
    except InvalidOperation:
        return None
    return number if number.is_finite() else None
