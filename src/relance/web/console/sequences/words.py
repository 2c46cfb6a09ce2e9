"""A step of a sequence file in the words of a person: what it is called, what it does, and when."""

import re
from collections.abc import Mapping
from typing import Any, Final

from relance.core.sequence import BranchStep, EmailStep, WaitStep

KINDS: Final[Mapping[str, str]] = {EmailStep.kind: "E-mail", WaitStep.kind: "Wait", BranchStep.kind: "Branch"}
UNITS: Final[Mapping[str, str]] = {"s": "second", "m": "minute", "h": "hour", "d": "day", "bd": "business day"}
_DELAY: Final = re.compile(r"\s*([0-9]+)\s*(s|m|h|d|bd)\s*")


def delay(text: object) -> str:
    """Return `3d` as `3 days`; what is no delay stays as it is."""
    found = _DELAY.fullmatch(str(text or ""))
    if found is None:
        return str(text or "")
    amount, unit = int(found[1]), UNITS[found[2]]
    return f"{amount} {unit}{'' if amount == 1 else 's'}"


def delay_parts(text: object) -> tuple[str, str]:
    """Return `3d` as the two fields of a form; what is no delay stands whole in the first."""
    found = _DELAY.fullmatch(str(text or ""))
    return (found[1], found[2]) if found else (str(text or ""), "d")


def what(step: Mapping[str, Any]) -> str:
    """Return in one line what a step does."""
    match step.get("kind"):
        case EmailStep.kind:
            said = str(step.get("subject") or "").strip()
            return said or f"in the same thread: {str(step.get('text') or '').strip()}".removesuffix(": ")
        case WaitStep.kind:
            return f"lets {delay(step.get('for'))} pass"
        case BranchStep.kind:
            return f"{question(step.get('if'))}"
        case other:
            return f"a kind that is not known: {other}"


def question(condition: object) -> str:
    """Return what a branch asks."""
    if isinstance(condition, Mapping) and "replied" in condition:
        replied = condition["replied"]
        within = replied.get("within") if isinstance(replied, Mapping) else None
        return f"answered within {delay(within)}?"
    if isinstance(condition, Mapping) and "field" in condition:
        return f"is {condition.get('field')} {condition.get('equals')!r}?".replace("'", "“", 1).replace("'", "”", 1)
    return "asks nothing yet"


def when(step: Mapping[str, Any], *, first: bool) -> str:
    """Return how long after the step before it a step begins."""
    if step.get("after"):
        return f"{delay(step['after'])} {'after enrolling' if first else 'later'}"
    return "at once" if first else ""


class Soft(dict[str, Any]):
    """Values of a file, in which what nobody said reads as None, which a template can ask about."""

    def __missing__(self, key: str) -> None:
        """Say nothing."""


def soft(value: Any) -> Any:  # noqa: ANN401 - any value of a file
    """Return a value of a file so that templates may ask it for anything."""
    if isinstance(value, Mapping):
        return Soft({key: soft(item) for key, item in value.items()})
    return [soft(item) for item in value] if isinstance(value, list) else value
