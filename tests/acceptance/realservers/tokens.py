"""Access tokens that Dovecot can check by itself: a JWT signed with a shared secret (RFC 7519, RFC 7515 §A.1)."""

import base64
import hashlib
import hmac
import json
from collections.abc import Mapping

LATER_THAN_ANY_TEST = 4_102_444_800  #: The year 2100; Dovecot insists on an end.


def bearer_token(address: str, *, secret: bytes, expires_at: int = LATER_THAN_ANY_TEST) -> str:
    """Return a token that lets its bearer into the mailbox of `address`; `expires_at` in Unix seconds."""
    claims: dict[str, str | int] = {"sub": address, "email": address, "exp": expires_at}
    signed = f"{_part({'alg': 'HS256', 'typ': 'JWT'})}.{_part(claims)}"
    return f"{signed}.{_text(hmac.digest(secret, signed.encode('ascii'), hashlib.sha256))}"


def _part(values: Mapping[str, str | int]) -> str:
    return _text(json.dumps(values, separators=(",", ":")).encode("utf-8"))


def _text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode("ascii")
