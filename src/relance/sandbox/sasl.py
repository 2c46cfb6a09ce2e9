"""The two ways of logging in that IMAP and SMTP share: SASL PLAIN (RFC 4616) and XOAUTH2."""

import base64
import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainLogin:
    """A name and what proves it: a password, or an access token."""

    username: str
    secret: str


def read_plain(response: bytes) -> PlainLogin:
    """Read `authzid NUL authcid NUL password`; ValueError when it is something else."""
    parts = response.decode().split("\0")
    if len(parts) != 3:
        raise ValueError("Not a PLAIN response.")
    return PlainLogin(username=parts[1], secret=parts[2])


def read_xoauth2(response: bytes) -> PlainLogin:
    """Read `user=…^Aauth=Bearer …^A^A`; ValueError when it is something else."""
    found = re.fullmatch(r"user=([^\x01]+)\x01auth=Bearer ([^\x01]+)\x01\x01", response.decode())
    if found is None:
        raise ValueError("Not an XOAUTH2 response.")
    return PlainLogin(username=found[1], secret=found[2])


def oauth_refusal() -> bytes:
    """Return the challenge by which a server explains that a token is no good."""
    return base64.b64encode(b'{"status":"400","schemes":"Bearer","scope":"https://mail.example/"}')
