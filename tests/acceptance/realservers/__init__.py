"""Debian's Dovecot and Postfix as real peers for tests, on loopback, owned by the test that starts them.

Nothing here knows the product: no import of `relance`, only the standard library and `cryptography` (for the CA).
`RealMail` is the world, `Person` somebody who uses it, `LAYOUTS` the kinds of IMAP server it can be.
"""

from acceptance.realservers.endpoint import Endpoint, Security
from acceptance.realservers.imap_world import Domains, RealImap
from acceptance.realservers.layouts import LAYOUTS, Folder, Layout, Role
from acceptance.realservers.person import Person
from acceptance.realservers.waiting import TooLateError, wait_until
from acceptance.realservers.world import RealMail

__all__ = [
    "LAYOUTS",
    "Domains",
    "Endpoint",
    "Folder",
    "Layout",
    "Person",
    "RealImap",
    "RealMail",
    "Role",
    "Security",
    "TooLateError",
    "wait_until",
]
