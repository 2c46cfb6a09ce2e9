"""Files that travel with a message: one line stands for each content until the message goes on the wire.

Rule 1: a message is composed, kept and previewed without its contents: they are the same for everybody who gets it, and
        megabytes long.
Rule 2: the line begins with `=_`, which stands in no quoted-printable and no base64 text (RFC 2045 §6.7) and, at the
        beginning of a line, in no header; so nothing that a lead brings can be taken for it.
Rule 3: `filled` gives the same bytes each time, so a copy in Sent equals what was sent.
"""

import re
from binascii import b2a_base64
from collections.abc import Mapping

from relance.core.sequence import AttachedFile
from relance.mail.headers import field, parameter

_CONTENT_TYPE = re.compile(
    r"(?!multipart/|message/)[a-z0-9][a-z0-9!#$&^_.+-]*/[a-z0-9][a-z0-9!#$&^_.+-]*", re.IGNORECASE
)
_STAND_IN = re.compile(rb"^=_sha256:([0-9a-f]{64})\r\n", re.MULTILINE)
_SHA256 = re.compile(r"[0-9a-f]{64}")
_LINE = 57  # bytes that fill a line of 76 characters


def attachment_part(file: AttachedFile) -> tuple[bytes, bytes]:
    """Return the headers of a file's part, and the line that stands for its content.

    Raises ValueError for a name or a type that no part can have.
    """
    if not _CONTENT_TYPE.fullmatch(file.content_type):
        raise ValueError(f"{file.content_type!r} is not a type that an attachment can have")
    if not file.name.strip():
        raise ValueError("an attachment needs a file name")
    if not _SHA256.fullmatch(file.sha256):
        raise ValueError(f"{file.sha256!r} names no content")
    headers = (
        field("Content-Type", [("", file.content_type)])
        + field("Content-Transfer-Encoding", [("", "base64")])
        + field("Content-Disposition", [("", "attachment;"), *parameter("filename", file.name)])
    )
    return headers, f"=_sha256:{file.sha256}\r\n".encode("ascii")


def encoded(content: bytes) -> bytes:
    """Return a content as its part carries it: base64 in lines of 76 characters."""
    whole = memoryview(content)
    lines = (b2a_base64(whole[at : at + _LINE], newline=False) for at in range(0, len(whole), _LINE))
    return b"".join(line + b"\r\n" for line in lines)


def contents_of(raw: bytes) -> tuple[str, ...]:
    """Return the hashes (SHA-256, in hex) of the contents that a composed message still lacks, each once."""
    if b"\r\n=_sha256:" not in raw:
        return ()
    return tuple(dict.fromkeys(found.decode("ascii") for found in _STAND_IN.findall(raw)))


def filled(raw: bytes, bodies: Mapping[str, bytes]) -> bytes:
    """Return a composed message with its contents, as it goes on the wire. `bodies`: `encoded` contents by their hash.

    Raises KeyError for a content that is not among them.
    """
    return _STAND_IN.sub(lambda found: bodies[found[1].decode("ascii")], raw)
