"""Folder names for people, from modified UTF-7 (RFC 3501 §5.1.3); commands name a folder as its server did."""

import binascii
import re

SHIFTED = re.compile(r"&([^-&]*+)-")


def decode_modified_utf7(wire: bytes) -> str:
    """Return the name for people; what is no modified UTF-7 is shown as it stands.

    Servers that send UTF-8 as it is, or a bare `&`, keep their folder readable; its wire name is kept beside it.
    """
    try:
        text = wire.decode("ascii")
    except UnicodeDecodeError:
        return wire.decode("utf-8", "surrogateescape")
    try:
        name = SHIFTED.sub(lambda found: _unshift(found[1]), text)
    except ValueError:
        return text
    return name


def _unshift(encoded: str) -> str:
    if not encoded:
        return "&"
    padded = encoded.replace(",", "/") + "=" * (-len(encoded) % 4)
    return binascii.a2b_base64(padded, strict_mode=True).decode("utf-16-be", "surrogatepass")
