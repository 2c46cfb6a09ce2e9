"""Asking: copy the state, suppose what is to be supposed, play it, and read the answer."""

from dataclasses import dataclass, replace
from datetime import datetime

from relance.app import Installation
from relance.app.copying import copy_of
from relance.forecast.answer import Forecast, Limit, answer
from relance.forecast.playing import play
from relance.forecast.question import Question, suppose
from relance.forecast.silent_world import SilentWorld
from relance.sandbox.clock import SandboxClock

#: Part of the mailboxes that is supposed on top to say what more of them would bring.
_MORE = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Relief:
    """What more mailboxes would bring."""

    mailboxes: int  #: More than there are.
    done_at: datetime


async def ask(installation: Installation, question: Question) -> Forecast:
    """Answer a question about the future. Nothing is written. Raises StoreError, RefusedError and NotFoundError."""
    now = installation.clock.now()
    store = await copy_of(installation)
    try:
        await store.write(suppose, question, now=now)
        clock = SandboxClock(now)
        world = SilentWorld(clock, reply_rate=question.reply_rate, bounce_rate=question.bounce_rate)
        played = await play(
            store, clock, world, keys=installation.keys, monotonic=installation.monotonic, days=question.days
        )
        return await store.read(answer, question, played)
    finally:
        await store.close()


async def relief(installation: Installation, question: Question, found: Forecast) -> Relief | None:
    """Say what half as many mailboxes more would bring; None where mailboxes are not what people wait for."""
    if question.mailboxes is not None or not any(each.limit is Limit.DAILY_CAP for each in found.bottlenecks):
        return None
    more = max(1, round(found.mailboxes * _MORE))
    other = await ask(installation, replace(question, mailboxes=found.mailboxes + more))
    sooner = other.done_at is not None and (found.done_at is None or other.done_at < found.done_at)
    return Relief(mailboxes=more, done_at=other.done_at) if sooner and other.done_at else None
