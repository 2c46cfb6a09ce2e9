"""What a person asks for in a list of leads, as a value; read from and written as the words of an address line.

The page, the API and the command line use the same words, and a saved filter is nothing else.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Final

from relance.core.enrollment import EnrollmentStatus
from relance.services.refusals import WrongInputError

NO_SEQUENCE: Final = "none"  #: As a status: in no sequence at all.
_STATUSES: Final = frozenset({*EnrollmentStatus, NO_SEQUENCE})
_YES_NO: Final = MappingProxyType({"yes": True, "no": False})
_LONGEST = 320  #: Characters of one word; an address has no more.


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Everything that is given must hold. Without any of it: everybody."""

    status: str | None = None  #: An `EnrollmentStatus`, or `NO_SEQUENCE`.
    sequence: str | None = None  #: By name.
    step: str | None = None
    reason: str | None = None  #: Of stopping, of being held, or of waiting.
    list: str | None = None
    mailbox: str | None = None  #: The address that writes to them.
    replied: bool | None = None
    text: str | None = None  #: How an address begins; `@company.com`: everybody there.

    @property
    def about_runs(self) -> bool:
        """Whether it asks how somebody stands in a sequence, and not only who they are."""
        asked = (self.sequence, self.step, self.reason, self.mailbox, self.replied)
        return any(one is not None for one in asked) or self.status not in {None, NO_SEQUENCE}


def from_words(words: Mapping[str, str]) -> Filter:
    """Read a filter; blank words ask nothing, unknown ones are somebody else's. Raises WrongInputError."""
    given: dict[str, object] = {}
    for name in (field.name for field in fields(Filter)):
        word = " ".join(words.get(name, "").split())
        if not word:
            continue
        if len(word) > _LONGEST:
            raise WrongInputError(f"{name} has more than {_LONGEST} characters: shorten it")
        given[name] = _read(name, word)
    found = Filter(**given)  # type: ignore[arg-type]  # read by the field's name just above
    if found.status == NO_SEQUENCE and found.about_runs:
        raise WrongInputError("status=none asks who is in no sequence: leave out sequence, step, reason and mailbox")
    return found


def to_words(asked: Filter) -> dict[str, str]:
    """Write a filter as it is read."""
    words = {}
    for name in (field.name for field in fields(Filter)):
        value = getattr(asked, name)
        if value is not None:
            words[name] = {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
    return words


def _read(name: str, word: str) -> object:
    match name:
        case "status":
            if word.casefold() not in _STATUSES:
                raise WrongInputError(f"status {word!r} is none of {', '.join(sorted(_STATUSES))}")
            return word.casefold()
        case "replied":
            if word.casefold() not in _YES_NO:
                raise WrongInputError(f"replied {word!r} is neither yes nor no")
            return _YES_NO[word.casefold()]
        case "mailbox" | "text":
            return word.casefold()
        case _:
            return word
