"""What a sequence comes to, in numbers: messages and people, and how sure a difference between two variants is."""

from dataclasses import dataclass
from enum import StrEnum
from math import sqrt

from relance.core.inbound import InboundKind

#: Standard deviations on either side of an interval that holds in 19 of 20 cases.
_SURE = 1.96


class Outcome(StrEnum):
    """What a person's answer came to; each counts once for a person in a sequence."""

    REPLIED = "replied"  #: A person answered; opting out is counted as that alone.
    POSITIVE = "positive"  #: Somebody of us has marked the answer as positive.
    AUTO = "auto"  #: A program answered.
    BOUNCED = "bounced"  #: The address takes no mail.
    OPTED_OUT = "opted_out"  #: No more mail is wanted.


#: What each class of a message counts as; the others count as nothing.
OUTCOME_OF = {
    InboundKind.HUMAN_REPLY: Outcome.REPLIED,
    InboundKind.ORDINARY: Outcome.REPLIED,
    InboundKind.CALENDAR: Outcome.REPLIED,
    InboundKind.AUTO_REPLY: Outcome.AUTO,
    InboundKind.HARD_BOUNCE: Outcome.BOUNCED,
    InboundKind.UNSUBSCRIBE: Outcome.OPTED_OUT,
    InboundKind.COMPLAINT: Outcome.OPTED_OUT,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """Messages that left, and people: those written to, and those of whom something came."""

    contacted: int = 0  #: People, counted where their first message left.
    sent: int = 0  #: Messages.
    replied: int = 0
    positive: int = 0
    auto: int = 0
    bounced: int = 0
    opted_out: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """A share, and the interval in which it lies in 19 of 20 cases: all between 0 and 1."""

    share: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """By how much one share exceeds another, in points between -1 and 1, with its interval."""

    points: float
    low: float
    high: float

    @property
    def shown(self) -> bool:
        """Whether the data show a difference at all: the interval does not hold zero."""
        return self.low > 0 or self.high < 0


def rate(part: int, whole: int) -> Rate | None:
    """Return a share with Wilson's interval (E. B. Wilson 1927, JASA 22); None where there is nothing to share."""
    if whole <= 0:
        return None
    share = min(part, whole) / whole
    weight = _SURE**2 / whole
    middle = (share + weight / 2) / (1 + weight)
    reach = _SURE / (1 + weight) * sqrt(share * (1 - share) / whole + weight / (4 * whole))
    low, high = min(share, middle - reach), max(share, middle + reach)
    return Rate(share=share, low=max(0.0, low), high=min(1.0, high))


def difference(part: int, whole: int, other_part: int, other_whole: int) -> Difference | None:
    """Return how much the first share exceeds the other, with Newcombe's interval (1998, method 10; Stat. Med. 17)."""
    first, other = rate(part, whole), rate(other_part, other_whole)
    if first is None or other is None:
        return None
    points = first.share - other.share
    below = sqrt((first.share - first.low) ** 2 + (other.high - other.share) ** 2)
    above = sqrt((first.high - first.share) ** 2 + (other.share - other.low) ** 2)
    return Difference(points=points, low=max(-1.0, points - below), high=min(1.0, points + above))
