"""Every guard of the promises, and how to take it out: what proves that the exploration can fail.

A guard is named by the text that is it. When the text is gone from the product, this file says so, and somebody must
decide anew what the guard is.
"""

import inspect
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import CodeType, FunctionType

from exhaustive.stage import Script
from relance.core import gates
from relance.engine.reconciler import Reconciler
from relance.engine.sender import Sender
from relance.services import rescuing, sending
from relance.services.sending.confirm import _record
from relance.services.sending.reserve import _take


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    """One guard, what it is taken out by, and the script in which that is found out."""

    name: str
    where: Callable[..., object] | None = None  #: The function that holds it, or the class.
    text: str = ""
    instead: str = ""
    gate: str | None = None  #: Of the last look.
    everywhere: bool = False  #: The gate is taken out of the first look too.
    script: Script


_LOST = Script(losses=1)
_STALL = Script(stalls=1)

GUARDS = (
    Guard(
        name="a step has one attempt: an existing one is looked up",
        where=_take,
        text="match existing.status if existing else None:",
        instead="existing = None\n    match None:",
        script=Script(refusals=1),
    ),
    Guard(
        name="a reservation that was taken over is not begun",
        where=sending.begin,
        text="or attempt.revision != held.revision",
        instead="",
        script=_STALL,
    ),
    Guard(name="status in the last look", gate="status", script=Script(events=("pause",))),
    Guard(name="sequence_live in the last look", gate="sequence_live", script=Script(events=("pause the sequence",))),
    Guard(name="suppression in the last look", gate="suppression", script=Script(events=("opt out",))),
    Guard(
        name="reply_freshness in the last look",
        gate="reply_freshness",
        script=Script(steps=2, events=("ann answers",), ticks=_STALL.ticks[::-1] + _STALL.ticks[1:2] * 2),
    ),
    Guard(name="lock in both looks", gate="lock", everywhere=True, script=_STALL),
    Guard(
        name="the release deadline",
        where=Sender,
        text="around.clock.now() <= release_by",
        instead="True",
        script=Script(),
    ),
    Guard(
        name="the lease, looked at before the dot",
        where=Sender,
        text="and around.shards.still(hold)",
        instead="",
        script=Script(stalls=1, ticks=(_STALL.ticks[0] / 4,)),
    ),
    Guard(
        name="the ambiguity grace",
        where=Reconciler,
        text="if now < lost.grace_ends_at",
        instead="if False",
        script=Script(losses=1),
    ),
    Guard(
        name="what was lost is not tried again",
        where=sending.lose,
        text="AttemptStatus.UNKNOWN, error=error[:500], next_look_at=now",
        instead="AttemptStatus.FAILED, error=error[:500]",
        script=_LOST,
    ),
    Guard(
        name="what was in flight is called unknown, not free",
        where=rescuing.take_over,
        text="if attempt is not None and attempt.status is AttemptStatus.IN_FLIGHT:",
        instead="if False:",
        script=Script(crashes=1),
    ),
    Guard(
        name="an acceptance moves on",
        where=_record,
        text="if enrollment.status not in WALKING or",
        instead="if True or",
        script=Script(),
    ),
)


@contextmanager
def taken_out(guard: Guard) -> Iterator[None]:
    """Run without a guard."""
    if guard.gate is not None:
        with _without_gate(guard.gate, everywhere=guard.everywhere):
            yield
    elif guard.where is not None:
        with _rewritten(guard.where, guard.text, guard.instead):
            yield
    else:
        yield


@contextmanager
def _without_gate(name: str, *, everywhere: bool) -> Iterator[None]:
    assert name in {gate.name for gate in gates.LAST_LOOK}, f"there is no gate {name!r} any more"
    where, text = (gates.evaluate, "_judge(at, gates)") if everywhere else (gates.last_look, "gates=LAST_LOOK")
    less = text.replace("gates)", "KEPT)").replace("LAST_LOOK", "KEPT")
    source = "gates" if everywhere else "LAST_LOOK"
    with _rewritten(where, text, less.replace("KEPT", f"tuple(gate for gate in {source} if gate.name != {name!r})")):
        yield


@contextmanager
def _rewritten(where: Callable[..., object], text: str, instead: str) -> Iterator[None]:
    """Give a function the code that its source would have with one piece of text exchanged."""
    functions = list(vars(where).values()) if inspect.isclass(where) else [where]
    holders = [one for one in functions if isinstance(one, FunctionType) and text in inspect.getsource(one)]
    assert len(holders) == 1, f"{where} does not say {text!r} any more, or twice: which is the guard now?"
    (holder,) = holders
    source = textwrap.dedent(inspect.getsource(holder))
    scratch: dict[str, object] = {}
    module = inspect.getmodule(holder)
    exec(compile(source.replace(text, instead), "<without a guard>", "exec"), vars(module) | {}, scratch)  # noqa: S102
    rewritten = scratch[holder.__name__]
    assert isinstance(rewritten, FunctionType)
    kept: CodeType = holder.__code__
    holder.__code__ = rewritten.__code__
    try:
        yield
    finally:
        holder.__code__ = kept
