"""The words a person actually wrote: the text above the quotation, without signature.

Rule 1: what a client quotes begins at an attribution ("On … wrote:"), a separator, a pasted header block, or lines
        marked `>`.
Rule 2: answers written below or between quoted lines are kept; the quoted lines, and the wrapped ends they left
        behind, are not.
Rule 3: a signature begins at `-- `, at "Sent from my …", or at a formal closing near the end; everything after it goes.
Rule 4: each line is looked at a bounded number of times; the text is bounded first.
"""

import re
from dataclasses import dataclass

from relance.mail import quote_signs as signs
from relance.mail.html_text import html_to_text
from relance.mail.subjects import folded_subject

__all__ = ["Written", "folded_subject", "new_text", "written_by"]

MAX_TEXT = 256 * 1024
MAX_LINES = 10_000
_ATTRIBUTION_LINES = 4
_ATTRIBUTION_LENGTH = 420
_INTRODUCTION_LENGTH = 160
_SEPARATOR_LENGTH = 120
_NAME_LENGTH = 80
_HEADER_LINES = 8
_SIGNATURE_LINES = 8
_LONG_LINE = 50

# `> `, `| `, and the initials of a writer: `BB> `.
_QUOTED = re.compile(r"^[ \t]{0,3}(?:[A-Z]{0,3}>|\|(?=[ \t]))")
_LEFT_OUT = re.compile(r"^[ \t]*[\[<(]?[ \t]*(?:\.{3}|…|snip|snipped|elided)[ \t]*[\])>]?[ \t]*$", re.IGNORECASE)
_WROTE = re.compile(
    rf"(?:(?:^|[\s>\"')\]])(?:{signs.WROTE})|{signs.WROTE_UNSPACED})\s*(?::|：|\.{{3}}|-{{2,}})?\s*[-—]*$",
    re.IGNORECASE,
)
_WROTE_FIRST = re.compile(
    r"(?:\b(?:schrieb|schreef|skrev|escribió|scrisse|escreveu|napisał|kirjoitti|ezt írta|yazdı|napisana przez|rašė|"
    r"skrifaði|kirjutas|missatge de)\b).{1,200}[:：]$",
    re.IGNORECASE,
)
# Webmails that quote without a date: "Quoting Bo <bo@example.net>:".
_CITING = re.compile(
    r"^(?:quoting|zitat von|citando(?: a)?|citeren|quoting from|en réponse à|selon|cytowanie|citát od|idézet|citerar|"
    r"citat från|цитирование|quota da) [^:]{1,120}(?:[@>][^:]{0,100})?[:：]$",
    re.IGNORECASE,
)
_OPENER = re.compile(rf"^[-*\s]*(?:(?:{signs.OPENERS})[\s,.]|\d|[-—]{{2,}})", re.IGNORECASE)
_WHEN = re.compile(r"\d{1,2}[:.h]\d{2}|\b(?:19|20)\d\d\b|\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\d{1,2}月|\d{4}年")
_WHO = re.compile(r"<[^<>\s]+@[^<>\s]+>|[\w.+-]+@[\w-]+\.[\w.-]+|\"[^\"]+\"")
_ANGLED = re.compile(r"<[^<>\s]+@[^<>\s]+>")
_ADDRESSED = re.compile(r"<\s*(?:mailto:)?[^<>\s]+@[^<>\s]+>\s*\)?\s*[:：]$")
_SEPARATOR = re.compile(
    (
        rf"^[\s>*]*(?:[-—_=*#]{{2,}}\s*(?:{signs.ORIGINAL_MESSAGE})\s*:?\s*[-—_=*#]*|(?:begin |anfang |début |"
        rf"inicio |inizio |start )?(?:{signs.ORIGINAL_MESSAGE})\s*[:：]?)\s*$"
    ),
    re.IGNORECASE,
)
_FRAMED = re.compile(r"^\s*-{4,}\s*\S[^-]{3,60}\S\s*-{4,}\s*$")
_FRAME = re.compile(r"^\s*[-_=*~—]{3}")
_RULE = re.compile(r"^\s*[-_=*~—]{5,}\s*$|^\s*={3,}\s*$")
_LABEL = re.compile(rf"^[\s*>]{{0,6}}\**({signs.FROM_LABELS}|{signs.OTHER_LABELS})\s?\**\s?[:：]\**", re.IGNORECASE)
_FROM = re.compile(rf"^[\s*>]{{0,6}}\**(?:{signs.FROM_LABELS})\s?\**\s?[:：]\**\s*\S?", re.IGNORECASE)
_SIGNATURE = re.compile(r"^\s*(?:--|__|- -|–)\s*$|^\s*_{2,4}\s*$|^-- ?\S{0,0}$")
_SENT_FROM = re.compile(rf"^\s*[<\[(*]?(?:{signs.SENT_FROM})", re.IGNORECASE)
_CLOSING = re.compile(rf"^\s*(?:{signs.CLOSINGS})\s*[,.!]?\s*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What a sender wrote, and the signature that stood below it; either may be empty."""

    text: str
    signature: str


def new_text(text: str, html: str) -> str:
    """Return what the sender wrote above, between or below the quotation; the empty string if nothing.

    `text` is the plain part and wins where it says anything; `html` is used otherwise.
    """
    return written_by(text, html).text


def written_by(text: str, html: str) -> Written:
    """Return the new text (as `new_text`) with the signature kept apart."""
    source = text if text.strip() else html_to_text(html)
    lines = source[:MAX_TEXT].replace("\r\n", "\n").replace("\r", "\n").replace("\xa0", " ").split("\n")[:MAX_LINES]
    begins, after = _quotation(lines)
    above = _without_signature(lines[:begins])
    written, signature = _trimmed(above), _trimmed(lines[len(above) : begins])
    below = _below(lines, after, alone=not written)
    return Written(text="\n\n".join(part for part in (written, below) if part), signature=signature)


def _quotation(lines: list[str]) -> tuple[int, int]:
    """Return where the quotation begins, introduction included, and where its own lines do; (n, n) if none."""
    for index, line in enumerate(lines):
        if not line.strip():
            continue
        if _QUOTED.match(line):
            return _introduction(lines, index), index
        length = _attribution(lines, index)
        if length:
            return index, index + length
        if _separates(lines, index):
            answered = any(above.strip() for above in lines[:index])
            return index, len(lines) if answered else _first_marked(lines, index)
    return len(lines), len(lines)


def _first_marked(lines: list[str], index: int) -> int:
    """Return the first marked line below a separator and its header block, at most so many lines on; else the end."""
    reach = range(index, min(len(lines), index + _HEADER_LINES + 4))
    return next((at for at in reach if _QUOTED.match(lines[at])), len(lines))


def _introduction(lines: list[str], index: int) -> int:
    """Return the line that introduces the marked quotation at `index` in words unknown to us, or `index`."""
    above = index - 1
    while above >= max(0, index - 2) and not lines[above].strip():
        above -= 1
    if above < max(0, index - 2):
        return index
    line = lines[above].strip()
    if _names_writer(line):
        return above
    named = bool(_WHO.search(line)) or line.endswith((":", "："))
    return above if named and _WHEN.search(line) and len(line) <= _INTRODUCTION_LENGTH else index


def _names_writer(line: str) -> bool:
    """Tell whether a line before marked lines says no more than whose words they are: "Ann Lee wrote:"."""
    return len(line) <= _NAME_LENGTH and line.endswith((":", "：")) and bool(_WROTE.search(line))


def _attribution(lines: list[str], index: int) -> int:
    """Return how many lines from `index` form an attribution, or 0."""
    joined = ""
    for count in range(1, _ATTRIBUTION_LINES + 1):
        if index + count > len(lines):
            return 0
        line = lines[index + count - 1].strip().lstrip("*").rstrip("*")
        if (
            not line
            or (count > 1 and _QUOTED.match(line) and line not in {">:", ">"})
            or len(joined) + len(line) > _ATTRIBUTION_LENGTH
        ):
            return 0
        joined = f"{joined} {line}".strip()
        if _is_attribution(joined):
            return count
        if count == 1 and not (_OPENER.match(joined) or _WHEN.search(joined) or _ANGLED.search(joined)):
            return 0
    return 0


def _is_attribution(line: str) -> bool:
    if len(line) < 8 or not (line.endswith((":", "：", "-", "—", ">:")) or _WROTE.search(line)):
        return False
    if _CITING.match(line) and _WHO.search(line):
        return True
    when, who = bool(_WHEN.search(line)), bool(_WHO.search(line))
    if _WROTE.search(line):
        return when or (who and line.endswith((":", "：")))
    if _WROTE_FIRST.search(line):
        return when
    return when and (
        bool(_ADDRESSED.search(line)) or (line.endswith(("):", ":")) and who and bool(_OPENER.match(line)))
    )


def _separates(lines: list[str], index: int) -> bool:
    line = lines[index]
    if len(line) <= _SEPARATOR_LENGTH and _SEPARATOR.match(line):
        return True
    if (":" in line or "\uff1a" in line) and _LABEL.match(line):
        return _is_header_block(lines, index)
    if _FRAME.match(line) and (_RULE.match(line) or _FRAMED.match(line)):
        following = index + 1
        while following < len(lines) and not lines[following].strip() and following < index + 4:
            following += 1
        return following < len(lines) and bool(_LABEL.match(lines[following])) and _is_header_block(lines, following)
    return False


def _is_header_block(lines: list[str], index: int) -> bool:
    """Tell whether the lines from here on are a pasted header: a sender and at least two labels more."""
    labels: set[str] = set()
    has_sender = False
    for line in lines[index : index + _HEADER_LINES]:
        if not line.strip() and len(labels) > 1:
            break
        found = _LABEL.match(line)
        if found:
            labels.add(found.group(1).casefold())
            has_sender = has_sender or bool(_FROM.match(line))
    return has_sender and len(labels) >= 3


def _below(lines: list[str], start: int, *, alone: bool) -> str:
    """Return the answers under `>` quotes: all when nothing stands above, else only what stands apart."""
    at = start
    while at < len(lines) and (not lines[at].strip() or _LEFT_OUT.match(lines[at])):
        at += 1
    if at >= len(lines) or not _QUOTED.match(lines[at]):
        return ""
    kept: list[str] = []
    for index in range(at, len(lines)):
        line = lines[index]
        if _QUOTED.match(line) or _wrapped(lines, index, alone=alone) or _introduces(lines, index):
            kept.extend([""] if kept and kept[-1] else [])
        elif _separates(lines, index) or _attribution(lines, index):
            break
        elif line.strip() or (kept and kept[-1]):
            kept.append(line)
    return _trimmed(_without_signature(kept))


def _introduces(lines: list[str], index: int) -> bool:
    """Tell whether a line names the writer of the marked lines that follow it, between answers."""
    following = next((line for line in lines[index + 1 : index + 3] if line.strip()), "")
    return bool(_QUOTED.match(following)) and _names_writer(lines[index].strip())


def _wrapped(lines: list[str], index: int, *, alone: bool) -> bool:
    """Tell whether an unmarked line is the end of the quoted one above it, broken off by a gateway."""
    line, above = lines[index], lines[index - 1]
    if not line.strip() or not _QUOTED.match(above):
        return False
    followed = index + 1 < len(lines) and bool(_QUOTED.match(lines[index + 1]))
    return len(above) >= _LONG_LINE and (followed or not alone)


def _without_signature(lines: list[str]) -> list[str]:
    last = max((index for index, line in enumerate(lines) if line.strip()), default=-1) + 1
    for index, line in enumerate(lines):
        if _SIGNATURE.match(line) or _SENT_FROM.match(line):
            return lines[:index]
        if _CLOSING.match(line) and last - index <= _SIGNATURE_LINES and index > 0:
            return lines[:index]
    return lines


def _trimmed(lines: list[str]) -> str:
    kept = [line.rstrip() for line in lines]
    while kept and (not kept[-1].strip() or _RULE.match(kept[-1])):
        kept.pop()
    while kept and not kept[0].strip():
        kept.pop(0)
    return "\n".join(kept)
