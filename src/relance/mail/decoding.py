"""Bytes of a message turned into text, whatever they claim to be.

Rule 1: nothing here raises on any input, and every function is linear in its input.
Rule 2: a declared charset is tried first, then UTF-8, then a guess over a bounded sample, then Windows-1252 with
        replacements.
Rule 3: what comes out holds no NUL and no lone surrogate (PostgreSQL refuses the one, UTF-8 the other).
"""

import binascii
import codecs
import re

from charset_normalizer import from_bytes

GUESS_SAMPLE = 2048
"""Bytes shown to the charset detector: its cost grows with each candidate it must decode."""
_GUESS_LEAST = 24

# What senders write, and the superset that decodes what they mean (WHATWG Encoding, "names and labels").
_SUPERSETS = {
    "iso-8859-1": "cp1252",
    "latin1": "cp1252",
    "latin-1": "cp1252",
    "iso8859-1": "cp1252",
    "iso-8859-9": "cp1254",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "x-gbk": "gb18030",
    "cn-gb": "gb18030",
    "ks_c_5601-1987": "cp949",
    "ks_c_5601": "cp949",
    "euc-kr": "cp949",
    "shift_jis": "cp932",
    "shift-jis": "cp932",
    "sjis": "cp932",
    "x-sjis": "cp932",
    "iso-2022-jp": "iso2022_jp_ext",
    "unicode-1-1-utf-7": "utf-7",
    "unicode-1-1-utf-8": "utf-8",
    "utf8": "utf-8",
    "x-mac-roman": "mac_roman",
    "macintosh": "mac_roman",
    "iso-8859-8-i": "iso8859_8",
    "windows-874": "cp874",
    "tis-620": "cp874",
}
# Text encodings of Python that no mail uses, or whose decoder is not linear.
_REFUSED = frozenset({"punycode", "idna", "unicode_escape", "raw_unicode_escape", "undefined", "mbcs", "oem"})
_ENCODED_WORD = re.compile(r"=\?([^?\s*]{1,40})(?:\*[^?\s]{0,20})?\?([bBqQ])\?([^?]*)\?=")
_NOT_BASE64 = bytes(sorted(set(range(256)) - set(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")))


def decode_text(data: bytes, charset: str | None = None) -> str:
    """Return `data` as text: the declared charset if it fits, else the most probable one."""
    if data.isascii() and b"\x1b" not in data and not _is_wide(charset):
        return data.decode("ascii").replace("\x00", "")
    codec = _codec_of(charset)
    for candidate in (codec, "utf-8") if codec else ("utf-8",):
        try:
            return _clean(data.decode(candidate))
        except (UnicodeError, ValueError):
            continue
    if codec and codec not in {"utf-8", "ascii"} and data.count(b"\x1b") == 0:
        # One damaged byte must not cost the whole text: keep the declared charset when it fits nearly everywhere.
        text = data.decode(codec, "replace")
        if text.count("�") * 20 <= len(text):
            return _clean(text)
    return _clean(data.decode(_guessed(data), "replace"))


def decode_header(value: bytes) -> str:
    """Return an unfolded header value with its encoded words decoded (RFC 2047), even those split in mid-character."""
    text = decode_text(value)
    if "=?" not in text:
        return text
    out: list[str] = []
    pending, pending_charset, at = b"", "", 0
    for word in _ENCODED_WORD.finditer(text):
        between = text[at : word.start()]
        charset = word.group(1).lower()
        # White space between two encoded words is not shown; the same charset means the bytes go on (RFC 2047 §6.2).
        if between.strip() or charset != pending_charset:
            out.append(decode_text(pending, pending_charset))
            pending, pending_charset = b"", charset
        if between.strip() or at == 0:
            out.append(between)
        pending += _word_bytes(word.group(2), word.group(3))
        at = word.end()
    out.extend((decode_text(pending, pending_charset), text[at:]))
    return "".join(out)


def decode_transfer(data: bytes, encoding: str) -> bytes:
    """Undo a Content-Transfer-Encoding; damaged base64 yields what can still be read."""
    match encoding.strip().lower():
        case "base64":
            return _base64(data)
        case "quoted-printable":
            return binascii.a2b_qp(data)
        case _:
            return data


def _word_bytes(kind: str, payload: str) -> bytes:
    data = payload.encode("utf-8", "replace")
    return _base64(data) if kind in "bB" else binascii.a2b_qp(data, header=True)


def _base64(data: bytes) -> bytes:
    digits = (
        data.split(b"=", 1)[0].translate(None, _NOT_BASE64) if b"=" in data[-8:] else data.translate(None, _NOT_BASE64)
    )
    digits = digits[:-1] if len(digits) % 4 == 1 else digits
    return binascii.a2b_base64(digits + b"=" * (-len(digits) % 4))


def _codec_of(charset: str | None) -> str | None:
    name = (charset or "").strip().strip("'\"").lower()
    name = _SUPERSETS.get(name, name)
    if not name or len(name) > 40 or not name.isascii() or "\x00" in name:
        return None
    try:
        found = codecs.lookup(name)
    except (LookupError, ValueError):
        return None
    usable = found.name not in _REFUSED and getattr(found, "_is_text_encoding", True)
    return found.name if usable else None


def _is_wide(charset: str | None) -> bool:
    """Tell whether ASCII bytes of this charset may stand for something else."""
    return bool(charset) and any(
        mark in str(charset).lower() for mark in ("utf-16", "utf-32", "utf-7", "hz", "utf16", "cp037", "ebcdic")
    )


def _guessed(data: bytes) -> str:
    if b"\x1b$" in data:
        return "iso2022_jp_ext"
    first = next((index for index, byte in enumerate(data[:65536]) if byte > 127), 0)
    sample = data[max(0, first - GUESS_SAMPLE // 2) : first + GUESS_SAMPLE // 2]
    if sum(byte > 127 for byte in sample) < 8 or len(sample) < _GUESS_LEAST:
        return "cp1252"
    best = from_bytes(sample, steps=2, chunk_size=512, preemptive_behaviour=False).best()
    return best.encoding if best is not None and best.encoding not in _REFUSED else "cp1252"


def _clean(text: str) -> str:
    text = text.replace("\x00", "").removeprefix("\ufeff")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode("utf-8")
    return text
