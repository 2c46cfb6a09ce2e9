"""What a builder's forms send, as the values of a sequence file; what a field does not say, the file does not say."""

import re
from collections.abc import Mapping
from typing import Any, Final

from starlette.datastructures import FormData

from relance.core.sequence import BranchStep, EmailStep, OnReply, WaitStep
from relance.web.console.sequences.options import OPTIONS

DAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_USUAL_HOURS: Final = {"days": list(DAYS[:5]), "intervals": ["09:00-17:00"]}
_MOST_VARIANTS: Final = 50


def text_of(form: FormData, key: str) -> str:
    """Return a field's text, without the space around it and with plain line ends; nothing for a file."""
    value = form.get(key, "")
    return value.replace("\r\n", "\n").strip() if isinstance(value, str) else ""


def step_of(form: FormData, kind: str, known: Mapping[str, Any]) -> dict[str, Any]:
    """Return the step that a form describes; keys of `known` that no form has are kept."""
    shared = {"id": text_of(form, "id"), "kind": kind, "after": _delay(form, "after")}
    match kind:
        case EmailStep.kind:
            given = _email(form)
        case WaitStep.kind:
            given = {"for": _delay(form, "for") or "0s"}
        case BranchStep.kind:
            otherwise = text_of(form, "else")
            given = {"if": _condition(form), "then": text_of(form, "then"), "else": otherwise or None}
        case _:
            given = {}
    asked = {*shared, *given}
    return _said(shared | given) | {key: value for key, value in known.items() if key not in asked}


def policies_of(form: FormData) -> dict[str, Any]:
    """Return what the form says above the steps; None for what the file shall leave out."""
    given: dict[str, Any] = {
        "name": " ".join(text_of(form, "name").split()),
        "mailboxes": _mailboxes(form),
        "window": _window(form),
        "quiet_hours": _said({"email": text_of(form, "quiet_email"), "timezone": text_of(form, "quiet_timezone")}),
        "on_reply": _on_reply(form),
        **{key: _otherwise(text_of(form, key), OPTIONS[key].answers[0][0]) for key in OPTIONS},
        "daily_cap": _number(form, "daily_cap"),
        "max_new_per_day": _number(form, "max_new_per_day"),
        "frequency_cap": _said({"messages": _number(form, "frequency_messages"), "per": _delay(form, "frequency_per")}),
        "holdout": _percent(text_of(form, "holdout")),
    }
    return {key: value if value not in ("", {}, []) else None for key, value in given.items()}


def _email(form: FormData) -> dict[str, Any]:
    return {
        "subject": text_of(form, "subject"),
        "text": text_of(form, "text"),
        "html": text_of(form, "html"),
        "weight": _weight(text_of(form, "weight")),
        "attachments": [name for name in form.getlist("attachment") if isinstance(name, str) and name],
        "variants": [
            _variant(form, number) for number in range(_MOST_VARIANTS) if form.get(f"variant-{number}-id") is not None
        ],
    }


def _variant(form: FormData, number: int) -> dict[str, Any]:
    def of(key: str) -> str:
        return text_of(form, f"variant-{number}-{key}")

    wording = _said({"subject": of("subject"), "text": of("text"), "html": of("html")})
    return {"id": of("id"), "weight": _whole(of("weight") or "1"), **(wording or {"text": ""})}


def _condition(form: FormData) -> dict[str, Any]:
    if text_of(form, "asks") == "field":
        return {"field": text_of(form, "field"), "equals": text_of(form, "equals")}
    return {"replied": {"within": _delay(form, "within") or ""}}


def _mailboxes(form: FormData) -> object:
    if text_of(form, "mailboxes_by") == "named":
        return [line.strip() for line in re.split(r"[\n,;]", text_of(form, "mailboxes_named")) if line.strip()]
    return {"pool": text_of(form, "pool") or "default"}


def _window(form: FormData) -> object:
    if text_of(form, "window_by") == "always":
        return "always"
    lines = {key: re.split(r"[\n,;]", text_of(form, f"window_{key}")) for key in ("intervals", "blackout")}
    found = _said(
        {
            "timezone": text_of(form, "window_timezone"),
            "unknown_timezone": text_of(form, "window_unknown_timezone"),
            "days": [day for day in DAYS if day in form.getlist("window_days")],
            **{key: [line.strip() for line in each if line.strip()] for key, each in lines.items()},
            "holidays": text_of(form, "window_holidays"),
        }
    )
    return {} if found == _USUAL_HOURS else found


def _on_reply(form: FormData) -> str:
    said = text_of(form, "on_reply")
    return f"enroll:{text_of(form, 'reply_sequence')}" if said == OnReply.ENROLL else _otherwise(said, OnReply.STOP)


def _otherwise(said: str, usual: str) -> str:
    """Return what was said, or nothing where it is what goes without saying."""
    return "" if said == usual else said


def _delay(form: FormData, key: str) -> str:
    """Return the two fields of a delay as a file writes it; what is no number is left for the problems to name."""
    amount, unit = text_of(form, f"{key}_amount"), text_of(form, f"{key}_unit")
    return "" if amount in {"", "0"} else f"{amount}{unit}"


def _number(form: FormData, key: str) -> object:
    return _whole(text_of(form, key))


def _whole(text: str) -> object:
    """Return a whole number, or the text as it is, for the problems to name."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else text


def _weight(text: str) -> object:
    return "" if text == "1" else _whole(text)


def _percent(text: str) -> str:
    return "" if text in {"", "0", "0%"} else text if text.endswith("%") else f"{text}%"


def _said(given: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in given.items() if value not in (None, "", [], {})}
