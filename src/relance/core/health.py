"""A mailbox's health: what came back of what it sent, judged (B17) and put into one number with its reasons.

Rule 1: health is judged over `HEALTH_PERIOD`, and only from `HEALTH_MIN_SENDS` messages on: of three nothing follows.
Rule 2: what is worst decides. From its first share on a mailbox sends at half its cap, from its second on it pauses.
"""

from dataclasses import dataclass

from relance.core import defaults


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What a mailbox sent in the period, and what came back of it."""

    sends: int
    bounces: int  #: Hard ones: the address does not exist.
    blocks: int  #: Refused as unwanted: the mailbox's trouble, not the person's.
    complaints: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Healthy:
    """Nothing is wrong with what came back, or too little was sent to say so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reduced:
    """It sends at `factor` of its cap."""

    factor: float
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sick:
    """It pauses for `HEALTH_REST`."""

    reason: str


Health = Healthy | Reduced | Sick
HEALTHY = Healthy()


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """100: nothing came back; 50 and less: something came back too often. None: too little was sent to tell."""

    points: int | None
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Share:
    """One kind of what came back, with the shares from which it reduces and pauses."""

    what: str
    count: int
    reduce_at: float
    pause_at: float


def health(record: Record) -> Health:
    """Judge a mailbox by what came back in the last `HEALTH_PERIOD`."""
    if record.sends < defaults.HEALTH_MIN_SENDS:
        return Healthy()
    for share in _shares(record):
        if share.count >= share.pause_at * record.sends:
            return Sick(reason=_told(share, record))
    for share in _shares(record):
        if share.count >= share.reduce_at * record.sends:
            return Reduced(factor=defaults.REDUCED_FACTOR, reason=_told(share, record))
    return Healthy()


def factor(judged: Health) -> float:
    """Return what health leaves of the daily cap."""
    return judged.factor if isinstance(judged, Reduced) else 1.0


def score(record: Record) -> Score:
    """Return one number and what it is made of.

    Each kind costs points by its share: 50 where it begins to reduce, 100 where it pauses; the costliest counts.
    """
    if record.sends < defaults.HEALTH_MIN_SENDS:
        few = (
            f"{record.sends} messages in {defaults.HEALTH_PERIOD.days} days; judged from {defaults.HEALTH_MIN_SENDS} on"
        )
        return Score(points=None, reasons=(few,))
    reasons = tuple(_told(share, record) for share in _shares(record) if share.count)
    costs = [_cost(share, record.sends) for share in _shares(record)]
    return Score(points=100 - round(max(costs)), reasons=reasons)


def _cost(share: _Share, sends: int) -> float:
    part = share.count / sends
    if part < share.reduce_at:
        return 50 * part / share.reduce_at
    return min(100.0, 50 + 50 * (part - share.reduce_at) / (share.pause_at - share.reduce_at))


def _told(share: _Share, record: Record) -> str:
    return f"{share.count} {share.what} in {record.sends} messages"


def _shares(record: Record) -> tuple[_Share, ...]:
    return (
        _Share(
            what="complaints",
            count=record.complaints,
            reduce_at=defaults.COMPLAINTS_REDUCE,
            pause_at=defaults.COMPLAINTS_PAUSE,
        ),
        _Share(
            what="bounces", count=record.bounces, reduce_at=defaults.BOUNCES_REDUCE, pause_at=defaults.BOUNCES_PAUSE
        ),
        _Share(what="blocks", count=record.blocks, reduce_at=defaults.BLOCKS_REDUCE, pause_at=defaults.BLOCKS_PAUSE),
    )
