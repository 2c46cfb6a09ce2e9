"""A message cut into its parts, in time linear in its size.

Rule 1: the bytes are never copied to be searched; a part is a pair of offsets until somebody asks for its content.
Rule 2: size, depth, number of parts, number and length of headers are bounded, and what was cut off is named in
        `defects`.
Rule 3: a line that is no header does not end the headers while more headers follow: the ids must survive a broken
        gateway.

The standard library's parser fails the first two on nested input: each line is matched against every open boundary,
and depth costs recursion. RFC 5322 §2.2, RFC 2045 §5.1, RFC 2046 §5.1.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from relance.mail.decoding import decode_header, decode_text, decode_transfer
from relance.mail.message import Headers

MAX_BYTES = 32 * 1024 * 1024
MAX_HEADER_BLOCK = 256 * 1024
MAX_HEADER = 64 * 1024
MAX_HEADERS = 1000
MAX_PARTS = 200
MAX_DEPTH = 32
MAX_LOOKALIKES = 5000
"""How often a boundary's bytes may occur in one multipart before the rest is left unread."""
MAX_TEXT = 512 * 1024

_HEADERS_END = re.compile(rb"\r?\n\r?\n")
_HEADER = re.compile(rb"([!-9;-~]{1,100})[ \t]*:(.*)", re.DOTALL)
_PARAMETER = re.compile(r';\s*([^\s=;"]{1,60})\s*=\s*("(?:[^"\\]|\\.)*"?|[^;]*)', re.DOTALL)

RawHeaders = tuple[tuple[str, bytes], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One leaf of a message: its type, its raw headers, and where its body lies in `source`."""

    content_type: str
    parameters: Mapping[str, str]
    raw_headers: RawHeaders
    source: bytes
    start: int
    end: int

    def raw(self, name: str) -> str:
        """Return the first header called `name` (lower case) decoded, or the empty string."""
        return next((decode_header(value[:MAX_HEADER]) for key, value in self.raw_headers if key == name), "")

    def headers(self) -> Headers:
        """Return all headers, decoded."""
        return tuple((key, decode_header(value).strip()) for key, value in self.raw_headers)

    def body(self) -> bytes:
        """Return the body with its transfer encoding undone, cut off at `MAX_TEXT`."""
        encoding = self.raw("content-transfer-encoding")
        limit = MAX_TEXT * 3 if encoding else MAX_TEXT
        return decode_transfer(self.source[self.start : min(self.end, self.start + limit)], encoding)[:MAX_TEXT]

    def text(self) -> str:
        """Return the body as text; its lines end with a line feed alone."""
        text = decode_text(self.body(), self.parameters.get("charset"))
        return text.replace("\r\n", "\n").replace("\r", "\n")

    @property
    def filename(self) -> str:
        """The name the sender gave the part, or the empty string."""
        _, disposition = split_parameters(self.raw("content-disposition"))
        return disposition.get("filename") or self.parameters.get("name", "")

    @property
    def is_attachment(self) -> bool:
        """Whether the sender asked for the part to be kept apart from the text."""
        return self.raw("content-disposition").strip().lower().startswith("attachment")


@dataclass(slots=True, kw_only=True)
class Budget:
    """What may still be looked at in one message; shared by all levels, so that nesting multiplies nothing."""

    parts: int = MAX_PARTS
    defects: list[str] = field(default_factory=list)

    def note(self, defect: str) -> None:
        """Remember a defect once."""
        if defect not in self.defects:
            self.defects.append(defect)


def split_message(raw: bytes, budget: Budget) -> tuple[Part, tuple[Part, ...]]:
    """Return the message as one part, and its leaves in order (itself, when it is no multipart)."""
    if len(raw) > MAX_BYTES:
        budget.note("message cut off: too long")
    source = raw[:MAX_BYTES]
    if b"\n" not in source and b"\r" in source:
        source = source.replace(b"\r", b"\n")
    blank = len(source) - len(source.lstrip(b"\r\n"))
    start = blank if _HEADER.match(source[blank : blank + 100]) else 0  # Blank lines in front of the headers.
    root = read_part(source, start, len(source), budget)
    return root, tuple(leaves(root, budget))


def read_part(source: bytes, start: int, end: int, budget: Budget, default: str = "text/plain") -> Part:
    """Return the part that lies between two offsets, its headers split off."""
    raw_headers, body = _split_headers(source, start, end, budget)
    declared = next((decode_header(value[:8192]) for key, value in raw_headers if key == "content-type"), "")
    content_type, parameters = split_parameters(declared)
    if content_type.count("/") != 1:
        content_type = "text/plain" if content_type and content_type != "text" else default
    return Part(
        content_type=content_type, parameters=parameters, raw_headers=raw_headers, source=source, start=body, end=end
    )


def leaves(part: Part, budget: Budget) -> list[Part]:
    """Return the parts of a multipart that are no multiparts themselves, in order; messages inside are leaves."""
    found: list[Part] = []
    waiting = [(part, 0)]
    while waiting:
        current, depth = waiting.pop()
        boundary = current.parameters.get("boundary", "")
        if not current.content_type.startswith("multipart/") or not boundary:
            found.append(current)
            continue
        if depth >= MAX_DEPTH:
            budget.note("parts cut off: too deep")
            found.append(_as_text(current))
            continue
        default = "message/rfc822" if current.content_type == "multipart/digest" else "text/plain"
        spans = _spans(current, boundary[:200].encode("utf-8", "replace"), budget)
        children = [(read_part(current.source, begin, stop, budget, default), depth + 1) for begin, stop in spans]
        if not children:
            found.append(_as_text(current))
        waiting.extend(reversed(children))
    return found


def split_parameters(value: str) -> tuple[str, Mapping[str, str]]:
    """Return a structured header's lower-case value and its parameters, RFC 2231 continuations joined."""
    parameters: dict[str, str] = {}
    pieces: dict[str, list[str]] = {}
    for name, quoted in _PARAMETER.findall(value):
        text = quoted.strip()
        text = re.sub(r"\\(.)", r"\1", text.strip('"')) if text.startswith('"') else text
        key = name.lower()
        if "*" in key:
            pieces.setdefault(key.split("*", 1)[0], []).append(text if key.endswith("*") else text.replace("%", "%25"))
        else:
            parameters.setdefault(key, text)
    for key, texts in pieces.items():
        parameters.setdefault(key, _extended("".join(texts)))
    return value.split(";", 1)[0].strip().lower(), parameters


def _extended(text: str) -> str:
    charset, first, rest = text.partition("'")
    _, second, rest = rest.partition("'")
    encoded = rest if first and second else text
    unescaped = re.sub(
        rb"%([0-9A-Fa-f]{2})", lambda found: bytes([int(found.group(1), 16)]), encoded.encode("utf-8", "replace")
    )
    return decode_text(unescaped, charset if first and second else None)


def _as_text(part: Part) -> Part:
    return Part(
        content_type="text/plain",
        parameters={},
        raw_headers=part.raw_headers,
        source=part.source,
        start=part.start,
        end=part.end,
    )


def _spans(part: Part, boundary: bytes, budget: Budget) -> list[tuple[int, int]]:
    """Return where the children of a multipart begin and end; a missing closing line ends at the parent's end."""
    needle = b"--" + boundary
    spans: list[tuple[int, int]] = []
    begin, at, lookalikes = -1, part.start, 0
    while lookalikes < MAX_LOOKALIKES and (at := part.source.find(needle, at, part.end)) >= 0:
        after = at + len(needle)
        lookalikes += 1
        if at > part.start and part.source[at - 1 : at] != b"\n":
            at = after
            continue
        line_end = part.source.find(b"\n", after, part.end)
        rest = part.source[after : min(after + 80, line_end if line_end >= 0 else part.end)]
        closing = rest.startswith(b"--")
        if rest.strip() and not closing:
            at = after  # A longer boundary that begins alike (RFC 2046 §5.1.2).
            continue
        if begin >= 0:
            spans.append((begin, max(begin, at - 1)))
        begin = line_end + 1 if line_end >= 0 else part.end
        if closing:
            return spans
        if budget.parts <= 0:
            budget.note("parts cut off: too many")
            return spans
        budget.parts -= 1
        at = begin
    if lookalikes >= MAX_LOOKALIKES:
        budget.note("parts cut off: too much that looks like a boundary")
    if begin >= 0:
        budget.note("closing boundary missing")
        spans.append((begin, part.end))
    return spans


def _split_headers(source: bytes, start: int, end: int, budget: Budget) -> tuple[RawHeaders, int]:
    limit = min(end, start + MAX_HEADER_BLOCK)
    first = source[start : start + 2]
    if first[:1] == b"\n" or first == b"\r\n":
        return (), start + (1 if first[:1] == b"\n" else 2)
    blank = _HEADERS_END.search(source, start, limit)
    block_end, body = (blank.start(), blank.end()) if blank else (limit, limit)
    headers: list[tuple[str, bytes]] = []
    folded: list[bytes] = []
    junk_at, at = -1, start
    for line in source[start:block_end].split(b"\n"):
        # Some gateways forget to indent the boundary that they moved to a line of its own.
        unfolded = bool(folded) and folded[-1].rstrip().endswith(b";") and b"=" in line and not _HEADER.fullmatch(line)
        if folded and line.strip() and (line[:1] in {b" ", b"\t"} or unfolded):
            folded.append(line.strip(b"\r"))
        elif (header := _HEADER.fullmatch(line.rstrip(b"\r"))) is not None:
            _keep(headers, folded)
            folded = [header.group(1), header.group(2)]
            if junk_at >= 0:
                budget.note("line among the headers that is none")
                junk_at = -1
        elif line.strip() and not (at == start and line.startswith((b"From ", b">From "))) and junk_at < 0:
            junk_at = at
        if len(headers) >= MAX_HEADERS:
            budget.note("headers cut off: too many")
            break
        at += len(line) + 1
    _keep(headers, folded)
    if junk_at >= 0:
        budget.note("body begins without a blank line")
        return tuple(headers), junk_at if headers else start
    return tuple(headers), body


def _keep(headers: list[tuple[str, bytes]], folded: list[bytes]) -> None:
    if folded:
        headers.append((folded[0].decode("ascii").lower(), b"".join(folded[1:])[:MAX_HEADER].strip()))
