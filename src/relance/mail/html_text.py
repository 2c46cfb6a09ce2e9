"""HTML turned into the text a person sees, with quotations marked by `>`.

Rule 1: the tree builder is quadratic in nesting depth and the tokeniser in unclosed tags, so a linear guard looks
        first: 512 KB, 1,000 levels, 16 KB a tag. What fails it is stripped of its tags without a tree.
Rule 2: a block quote becomes lines that begin with `>`, a client's quotation container begins with a line of
        underscores; `relance.mail.quoting` then needs to know only plain text.
"""

import html as entities
import re
from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser, LexborNode

MAX_HTML = 512 * 1024
MAX_DEPTH = 1000
MAX_TAG = 16 * 1024
DIVIDER = "_" * 32

_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9:_-]{0,40})([^<>]*)>")
_LONG_TAG = re.compile(rf"<[^<>]{{{MAX_TAG}}}")
_INVISIBLE = re.compile(r"<(style|script|title|head)\b[^<>]*>", re.IGNORECASE)
_VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr", "o:p"}
)
# Elements whose end tag is implied by the next of their kind; inside each other only within a table or list, which is
# counted.
_IMPLIED = frozenset({"p", "li", "td", "th", "tr", "dd", "dt", "option", "tbody", "thead", "html", "body", "head"})
_SKIPPED = frozenset(
    {"style", "script", "head", "title", "template", "noscript", "svg", "object", "-comment", "_comment"}
)
_BLOCKS = frozenset(
    [
        "address",
        "article",
        "blockquote",
        "body",
        "center",
        "dd",
        "div",
        "dl",
        "dt",
        "fieldset",
        "footer",
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "html",
        "li",
        "main",
        "nav",
        "ol",
        "p",
        "pre",
        "section",
        "table",
        "tbody",
        "tfoot",
        "thead",
        "tr",
        "ul",
    ]
)
_PARAGRAPHS = frozenset({"p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "pre"})
_QUOTE_CLASSES = (
    "gmail_quote",
    "yahoo_quoted",
    "protonmail_quote",
    "zmail_extra",
    "tutanota_quote",
    "moz-forward-container",
    "ydp-quoted",
)
_QUOTE_IDS = (
    "divrplyfwdmsg",
    "appendonsend",
    "stopspelling",
    "olk_src_body_section",
    "mail-editor-reference-message-container",
)
_NO_MARGIN = re.compile(r"margin(?:-(?:top|bottom))?:\s*0", re.IGNORECASE)
_HEADER_RULE = re.compile(r"border-top:\s*solid\s+#[0-9a-f]{6}\s+1(?:\.0)?pt", re.IGNORECASE)


def html_to_text(html: str) -> str:
    """Return the visible text of `html`, block quotes marked with `>`; bounded and linear for any input."""
    cut = html[:MAX_HTML]
    if not cut.strip():
        return ""
    return _rendered(cut) if is_tame(cut) else _stripped(cut)


def is_tame(html: str) -> bool:
    """Tell whether a tree can be built of this HTML in linear time."""
    if _LONG_TAG.search(html):
        return False
    open_tags: dict[str, int] = {}
    depth = 0
    for closing, name, rest in _TAG.findall(html):
        tag = name.lower()
        if tag in _VOID or tag in _IMPLIED or rest.endswith("/"):
            continue
        count = open_tags.get(tag, 0)
        if closing and count:
            open_tags[tag], depth = count - 1, depth - 1
        elif not closing:
            open_tags[tag], depth = count + 1, depth + 1
        if depth > MAX_DEPTH:
            return False
    return True


def _stripped(html: str) -> str:
    visible = _INVISIBLE.sub("<", html)
    return entities.unescape(re.sub(r"<[^<>]{0,16384}>", "\n", visible))[:MAX_HTML]


@dataclass(slots=True)
class _Page:
    """Lines as they grow. `quotes`: block quotes now open. `empty_line`: inside a line that has nothing yet."""

    lines: list[str] = field(default_factory=list)
    current: list[str] = field(default_factory=list)
    quotes: int = 0
    empty_line: bool = False

    def write(self, text: str) -> None:
        self.empty_line = self.empty_line and not text.strip()
        if text.strip() or (self.current and not self.current[-1].endswith(" ")):
            self.current.append(text if self.current else text.lstrip())

    def break_line(self) -> None:
        mark = ">" * self.quotes + (" " if self.quotes else "")
        self.lines.append(mark + "".join(self.current).strip())
        self.current.clear()
        self.empty_line = False

    def end_block(self) -> None:
        if self.current or self.empty_line:
            self.break_line()

    def blank(self) -> None:
        self.end_block()
        if self.lines and self.lines[-1].strip("> "):
            self.break_line()


def _rendered(html: str) -> str:
    root = LexborHTMLParser(html).root
    if root is None:
        return ""
    page = _Page()
    node: LexborNode | None = root
    while node is not None:
        child = _enter(node, page)
        if child is not None:
            node = child
            continue
        while node is not None:
            _leave(node, page)
            if node.next is not None:
                node = node.next
                break
            node = node.parent
    page.end_block()
    return "\n".join(page.lines).strip("\n")


def _enter(node: LexborNode, page: _Page) -> LexborNode | None:
    tag = node.tag or ""
    if tag == "-text":
        page.write(_collapsed(node))
        return None
    if tag in _SKIPPED:
        return None
    if tag == "br":
        page.break_line()
        return None
    if tag == "hr" or _is_container(node):
        page.end_block()
        page.lines.append(DIVIDER)
    elif tag in _BLOCKS:
        page.end_block()
    if tag in _PARAGRAPHS:
        page.empty_line = _is_tight(node)
        if not page.empty_line:
            page.blank()
    if tag == "blockquote":
        page.quotes += 1
    elif tag in {"td", "th"}:
        page.write(" ")
    return node.child


def _leave(node: LexborNode, page: _Page) -> None:
    tag = node.tag or ""
    if tag in _BLOCKS:
        page.end_block()
    if tag in _PARAGRAPHS and not _is_tight(node):
        page.blank()
    if tag == "blockquote":
        page.quotes = max(0, page.quotes - 1)


def _collapsed(node: LexborNode) -> str:
    text = node.text_content or ""
    collapsed = re.sub(r"[ \t\r\n\f\xa0]+", " ", text)
    return collapsed.replace("\u200b", "").replace("\ufeff", "")


def _is_tight(node: LexborNode) -> bool:
    """Tell whether a paragraph is a mere line: Word and Outlook write every line as one, without margins."""
    attributes = node.attributes
    return bool(attributes) and (
        (attributes.get("class") or "").startswith("Mso") or bool(_NO_MARGIN.search(attributes.get("style") or ""))
    )


def _is_container(node: LexborNode) -> bool:
    """Tell whether a mail client marked this element as the start of what is quoted."""
    if node.tag not in {"div", "table", "span", "hr", "section"}:
        return False
    attributes = node.attributes
    if not attributes:
        return False
    ids = (attributes.get("id") or "").lower()
    classes = (attributes.get("class") or "").lower()
    return (
        ids.removeprefix("x_").endswith(_QUOTE_IDS)
        or any(name in classes for name in _QUOTE_CLASSES[1:])
        or bool(_HEADER_RULE.search(attributes.get("style") or ""))
    )
