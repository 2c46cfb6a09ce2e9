"""Sending one step once: reserve → (compose, stage) → begin → (release) → confirm, or one of the ways back.

Follow a lead outward in this order: `reserve.py`, `begin.py`, `confirm.py`; `fail.py` is every definite way back,
`settle.py` what becomes of an outcome that was lost.
"""

from relance.services.sending.begin import Begun, Withheld, begin
from relance.services.sending.catching_up import lose_held
from relance.services.sending.confirm import confirm
from relance.services.sending.fail import fail, quarantine
from relance.services.sending.forgotten import ACCEPTED, keep_departed
from relance.services.sending.reserve import (
    Deferred,
    Ended,
    Left,
    Reserved,
    ReserveOutcome,
    Unread,
    put_off_unread,
    reserve,
)
from relance.services.sending.settle import lose, settle_failed, settle_sent

__all__ = [
    "ACCEPTED",
    "Begun",
    "Deferred",
    "Ended",
    "Left",
    "ReserveOutcome",
    "Reserved",
    "Unread",
    "Withheld",
    "begin",
    "confirm",
    "fail",
    "keep_departed",
    "lose",
    "lose_held",
    "put_off_unread",
    "quarantine",
    "reserve",
    "settle_failed",
    "settle_sent",
]
