"""What a person may say about a mailbox: how fast it sends, what it is called, where it belongs; read and checked.

The command line, the page and the API say it in their own spelling (`--min-gap`, `min_gap`): an error names what was
said as it was said.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Final

from relance.core.ceilings import CEILINGS, NO_CEILING
from relance.core.mailbox import Mailbox, Pacing
from relance.core.pacing import PRESETS
from relance.core.workday import workday_of
from relance.services import addresses
from relance.services.refusals import WrongInputError
from relance.services.workspace_settings import check_timezone

Said = Callable[[str], str]
ALL_DAY: Final = "none"  #: What `workday` takes for no working day.
AUTO: Final = "auto"  #: What `ceiling` takes for the provider's, as recognised.
USUAL_RATIO: Final = 2.0  #: Where only one end of the gap is given: it is drawn between once and twice.
MOST_WEIGHT: Final = 1000
_LONGEST_GAP: Final = 86_400
#: The least and the most of each number.
RANGES: Final = MappingProxyType(
    {
        "daily_cap": (1, 100_000),
        "hourly_cap": (1, 100_000),
        "ramp_start": (1, 100_000),
        "ramp_step": (1, 100_000),
        "weight": (1, MOST_WEIGHT),
        "min_gap": (0, _LONGEST_GAP),
        "max_gap": (0, _LONGEST_GAP),
    }
)
_YES_NO: Final = MappingProxyType({"yes": True, "no": False, "true": True, "false": False, "1": True, "0": False})


def as_named(name: str) -> str:
    """Say an option as the API and the page do."""
    return name


@dataclass(frozen=True, slots=True, kw_only=True)
class PacingOptions:
    """How fast a mailbox may send, as far as it was said."""

    preset: str | None = None
    daily_cap: int | None = None
    hourly_cap: int | None = None
    min_gap: float | None = None
    max_gap: float | None = None
    ramp: bool | None = None
    ramp_start: int | None = None
    ramp_step: int | None = None
    workday: str | None = None

    def over(self, pacing: Pacing, said: Said = as_named) -> dict[str, object]:
        """Return the pacing columns of a mailbox that had `pacing`. Raises WrongInputError."""
        start = PRESETS[self.preset] if self.preset else pacing
        least, most = self.min_gap, self.max_gap
        if least is None and most is None:
            least, most = start.min_gap, start.max_gap
        elif least is None:
            assert most is not None  # noqa: S101  # the branch above
            least = min(start.min_gap, most)
        elif most is None:
            most = least * USUAL_RATIO
        if most < least:
            raise WrongInputError(
                f"{said('max_gap')} {most:g} is shorter than {said('min_gap')} {least:g}: give them the other way round"
            )
        return {
            "daily_cap": start.daily_cap if self.daily_cap is None else self.daily_cap,
            "hourly_cap": start.hourly_cap if self.hourly_cap is None else self.hourly_cap,
            "min_gap": least,
            "max_gap": most,
            "ramp": start.ramp if self.ramp is None else self.ramp,
            "ramp_start": start.ramp_start if self.ramp_start is None else self.ramp_start,
            "ramp_step": start.ramp_step if self.ramp_step is None else self.ramp_step,
            "workday": start.workday if self.workday is None else _workday(self.workday, said),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class NameOptions:
    """How a mailbox is called and where it belongs, as far as it was said."""

    display_name: str | None = None
    aliases: tuple[str, ...] = ()
    pool: str | None = None
    timezone: str | None = None
    weight: int | None = None
    ceiling: str | None = None

    def columns(self, said: Said = as_named) -> dict[str, object]:
        """Return the columns that were given, checked. Raises RefusedError and WrongInputError."""
        if self.pool is not None and not self.pool.strip():
            raise WrongInputError(f"{said('pool')} is empty: name one, such as default")
        given: dict[str, object] = {}
        if self.display_name is not None:
            given["display_name"] = " ".join(self.display_name.split()) or None
        if self.aliases:
            given["aliases"] = tuple(dict.fromkeys(addresses.clean_address(alias) for alias in self.aliases))
        if self.pool is not None:
            given["pool"] = self.pool.strip()
        if self.timezone is not None:
            given["timezone"] = check_timezone(self.timezone)
        if self.weight is not None:
            given["weight"] = self.weight
        if self.ceiling is not None:
            given["ceiling"] = None if self.ceiling == AUTO else self.ceiling
        return given


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedMailbox:
    """A mailbox that somebody wants to connect, without its secret."""

    address: str
    servers: Mapping[str, object]  #: `smtp` and `imap` as HOST:PORT:SECURITY, and perhaps `ca_file`.
    username: str | None = None  #: Where it is not the address.
    smtp_username: str | None = None  #: Where the SMTP login differs.
    pacing: PacingOptions = field(default_factory=PacingOptions)
    names: NameOptions = field(default_factory=NameOptions)
    signature: Mapping[str, object] = field(default_factory=dict)  #: Its columns, where one was given.


def pacing_of(mailbox: Mailbox) -> Pacing:
    """Return how fast a mailbox may send now."""
    return Pacing(**{one.name: getattr(mailbox, one.name) for one in fields(Pacing)})


def pacing_from_words(words: Mapping[str, str]) -> PacingOptions:
    """Read pacing as a form or a file says it; a blank word says nothing. Raises WrongInputError."""
    given: dict[str, object] = {}
    for name in (one.name for one in fields(PacingOptions)):
        word = words.get(name, "").strip()
        if word:
            given[name] = _read(name, word)
    return PacingOptions(**given)  # type: ignore[arg-type]  # read by the field's name just above


def names_from_words(words: Mapping[str, str]) -> NameOptions:
    """Read names as a form or a file says them; a blank word says nothing. Raises WrongInputError."""
    given: dict[str, object] = {}
    for name in (one.name for one in fields(NameOptions)):
        word = words.get(name, "").strip()
        if word:
            given[name] = tuple(word.replace(",", " ").split()) if name == "aliases" else _read(name, word)
    return NameOptions(**given)  # type: ignore[arg-type]  # read by the field's name just above


def _read(name: str, word: str) -> object:
    if name in RANGES:
        least, most = RANGES[name]
        try:
            number = float(word) if name.endswith("_gap") else int(word)
        except ValueError:
            number = least - 1
        if not least <= number <= most:
            raise WrongInputError(f"{name} {word!r} is no number from {least} to {most}")
        return number
    if name == "ramp":
        if word.casefold() not in _YES_NO:
            raise WrongInputError(f"ramp {word!r} is neither yes nor no")
        return _YES_NO[word.casefold()]
    known = {"preset": PRESETS.keys(), "ceiling": {*CEILINGS, NO_CEILING, AUTO}}.get(name)
    if known is not None and word not in known:
        raise WrongInputError(f"{name} {word!r} is none of {', '.join(sorted(known))}")
    return word


def _workday(text: str, said: Said) -> str | None:
    if text == ALL_DAY:
        return None
    try:
        workday_of(text)
    except ValueError as error:
        raise WrongInputError(f"{said('workday')} {error}; or {said('workday')} {ALL_DAY}") from None
    return " ".join(text.split())
