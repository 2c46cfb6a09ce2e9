"""The Liquid source of one choice of options, and its parsed form."""

import re
from collections.abc import Iterable
from functools import lru_cache

from liquid import BoundTemplate
from liquid.exceptions import BlockNestingError

from relance.mail.liquid_rules import FieldContext, TemplateEnvironment, soften, walk
from relance.mail.markup import Literal, Opaque, Part

_LONE_BRACE = re.compile(r"\{(?=[{%])|\{\Z")
_ENVIRONMENTS = {part: TemplateEnvironment(escape=part is Part.HTML) for part in Part}


def joined(tokens: Iterable[Literal | Opaque]) -> str:
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
def parsed_liquid(source: str, part: Part) -> BoundTemplate:
    """Parse Liquid; the same choice of options is parsed once and rendered for many leads."""
    try:
        template = _ENVIRONMENTS[part].from_string(source)
    except RecursionError as error:
        raise BlockNestingError("nested too deep", token=None) from error
    for node in walk(template.nodes, FieldContext(template)):
        for expression in node.expressions():
            soften(expression)
    return template
