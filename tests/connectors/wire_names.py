"""The other way round: a folder's name as a server writes it, in modified UTF-7 (RFC 3501 §5.1.3)."""

import binascii
import re

OUTSIDE = re.compile(r"[^\x20-\x7e]+")


def encode_modified_utf7(name: str) -> bytes:
    """Return `name` as it stands on the wire. Lone surrogates survive."""
    escaped = name.replace("&", "&-")
    return OUTSIDE.sub(lambda found: _shift(found[0]), escaped).encode("ascii")


def _shift(text: str) -> str:
    encoded = binascii.b2a_base64(text.encode("utf-16-be", "surrogatepass"), newline=False)
    return "&" + encoded.rstrip(b"=").replace(b"/", b",").decode("ascii") + "-"
