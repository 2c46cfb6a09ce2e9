"""Strangers' HTML made harmless: written anew from what is known to be harmless, and nothing else.

Rule 1: the result is built tag by tag from a list; a tag, an attribute or an address that is not on it does not exist.
Rule 2: nothing in it loads anything: no pictures from elsewhere, no styles, no fonts, no frames. What is left out of
        sight says so by its own words.
Rule 3: what is too large, too deep or too strange for a tree (`relance.mail.html_text`) is shown as its text.

It is shown in a frame without scripts and without an origin besides, under a policy that forbids the same again.
"""

import re
from html import escape
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from relance.mail.html_text import MAX_HTML, html_to_text, is_tame

_KEPT: Final = frozenset(
    {
        "a", "abbr", "address", "b", "bdi", "bdo", "blockquote", "br", "caption", "center", "cite", "code", "dd", "del",
        "dfn", "div", "dl", "dt", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "i", "ins", "kbd", "li", "mark", "ol",
        "p", "pre", "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "table", "tbody", "td",
        "tfoot", "th", "thead", "tr", "tt", "u", "ul", "var",
    }
)  # fmt: skip
#: Left out with everything in them.
_DROPPED: Final = frozenset(
    {
        "applet", "audio", "base", "button", "canvas", "datalist", "embed", "frame", "frameset", "head", "iframe",
        "input", "link", "map", "math", "meta", "noembed", "noframes", "noscript", "object", "option", "picture",
        "portal", "script", "select", "slot", "source", "style", "svg", "template", "textarea", "title", "track",
        "video", "xmp", "plaintext", "listing",
    }
)  # fmt: skip
_VOID: Final = frozenset({"br", "hr"})
_ATTRIBUTES: Final = frozenset({"align", "colspan", "dir", "lang", "rowspan", "start", "title", "valign"})
_SHORT: Final = re.compile(r"[\w .,:;()+#%&/'!?-]{0,300}")
_LINK: Final = re.compile(r"(?:https?://|mailto:)[^\s\x00-\x1f\x7f\"'<>\\]{1,2000}", re.IGNORECASE)
_ODD: Final = re.compile(r"[\x00-\x20\x7f-\xa0\u2028\u2029]+")
_DEPTH: Final = 200


def harmless(html: str) -> str:
    """Return what may be shown of a stranger's HTML: a fragment without a frame of its own. Never raises."""
    cut = html[:MAX_HTML]
    if not is_tame(cut):
        return f"<pre>{escape(html_to_text(html))}</pre>"
    root = LexborHTMLParser(cut).body
    if root is None:
        return ""
    written: list[str] = []
    _write_children(root, written, 0)
    return "".join(written)


def _write_children(node: LexborNode, written: list[str], depth: int) -> None:
    child = node.child
    while child is not None:
        _write(child, written, depth)
        child = child.next


def _write(node: LexborNode, written: list[str], depth: int) -> None:
    tag = node.tag or ""
    if tag == "-text":
        written.append(escape(node.text_content or "", quote=True))
    elif tag == "img":
        written.append(_picture(node))
    elif tag in _DROPPED or tag.startswith(("-", "_")):
        return
    elif depth >= _DEPTH:
        written.append(escape(node.text(separator=" ") or "", quote=True))
    elif tag not in _KEPT:
        _write_children(node, written, depth + 1)
    elif tag in _VOID:
        written.append(f"<{tag}>")
    else:
        written.append(f"<{tag}{_attributes(node, tag)}>")
        _write_children(node, written, depth + 1)
        written.append(f"</{tag}>")


def _attributes(node: LexborNode, tag: str) -> str:
    given = node.attributes or {}
    kept = [
        f' {name}="{escape(value, quote=True)}"'
        for name, value in given.items()
        if name in _ATTRIBUTES and value is not None and _SHORT.fullmatch(value)
    ]
    if tag == "a":
        kept = [one for one in kept if not one.startswith(" title=")]  # a link's title is where it leads
        href = _ODD.sub("", given.get("href") or "")
        if _LINK.fullmatch(href):
            address = escape(href, quote=True)
            kept.append(f' href="{address}" title="{address}" target="_blank" rel="noopener noreferrer nofollow"')
    return "".join(kept)


def _picture(node: LexborNode) -> str:
    """Say in words what the picture is said to show: one that is fetched would tell its sender who reads, and when."""
    said = " ".join(((node.attributes or {}).get("alt") or "").split())[:200]
    return f'<span class="picture">[{escape(said, quote=True)}]</span>' if said else ""
