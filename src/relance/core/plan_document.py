"""A plan as the canonical JSON that a frozen version keeps, and back.

Rule 1: the document says everything, defaults too, so that a later default never changes a version that is frozen.
Rule 2: `plan_from_document(document_of(plan)) == plan`, and equal plans have equal digests.
Rule 3: an unknown key is refused: it was written by a program that knows more than this one.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import fields
from datetime import date, time
from hashlib import blake2b
from typing import TypeVar

from relance.core.address_check import Verification
from relance.core.calendar import time_of_day
from relance.core.mail_hosts import ProviderMatch
from relance.core.sequence import (
    AttachedFile,
    BranchStep,
    Condition,
    Delay,
    Delivery,
    EmailStep,
    FieldEquals,
    FrequencyCap,
    Interval,
    OnAutoReply,
    OnReply,
    OnUnknown,
    Order,
    PauseOrContinue,
    Plan,
    QuietHours,
    RepliedWithin,
    Rotation,
    SendTime,
    Step,
    StopOrContinue,
    StopScope,
    Unit,
    Variant,
    WaitStep,
    Window,
)

Document = Mapping[str, object]
T = TypeVar("T")
_DELAY = re.compile(r"([0-9]{1,9})(s|m|h|d|bd)", re.ASCII)


class PlanDocumentError(ValueError):
    """A stored plan cannot be read. `str()` names the key."""


def delay_of(text: str) -> Delay:
    """Return what people write as `3d`. Raises ValueError with what to write instead."""
    found = _DELAY.fullmatch(text.strip())
    if found is None:
        raise ValueError(f"{text!r} is no delay; write a number and s, m, h, d or bd (business days), such as 3d")
    return Delay(amount=int(found[1]), unit=Unit(found[2]))


def interval_of(text: str) -> Interval:
    """Return what people write as `09:00-17:00`. Raises ValueError with what to write instead."""
    start, dash, end = text.partition("-")
    if not dash:
        raise ValueError(f"{text!r} is no interval; write it like 09:00-17:00")
    return Interval(start=time_of_day(start), end=time_of_day(end))


def digest(document: Document) -> str:
    """Return the BLAKE2 digest of a document in canonical JSON: sorted keys, no spaces, UTF-8."""
    text = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return blake2b(text.encode(), digest_size=20).hexdigest()


# --- writing ---


def document_of(plan: Plan) -> dict[str, object]:
    """Return the plan as values that JSON has."""
    return {
        "name": plan.name,
        "steps": [_step_document(step) for step in plan.steps],
        "pool": plan.pool,
        "mailboxes": list(plan.mailboxes),
        "window": {
            "always": plan.window.always,
            "timezone": plan.window.timezone,
            "unknown_timezone": plan.window.unknown_timezone,
            "days": sorted(plan.window.days),
            "intervals": [_interval_text(interval) for interval in plan.window.intervals],
            "holidays": plan.window.holidays,
            "holiday_dates": [day.isoformat() for day in sorted(plan.window.holiday_dates)],
            "blackout": [day.isoformat() for day in sorted(plan.window.blackout)],
        },
        "quiet_hours": {
            "interval": _interval_text(plan.quiet_hours.interval),
            "timezone": plan.quiet_hours.timezone,
        }
        if plan.quiet_hours
        else None,
        "on_reply": str(plan.on_reply),
        "reply_sequence": plan.reply_sequence,
        "stop_scope": str(plan.stop_scope),
        "on_auto_reply": str(plan.on_auto_reply),
        "on_manual_reply": str(plan.on_manual_reply),
        "on_note": str(plan.on_note),
        "on_unknown": str(plan.on_unknown),
        "daily_cap": plan.daily_cap,
        "max_new_per_day": plan.max_new_per_day,
        "frequency_cap": {"messages": plan.frequency_cap.messages, "per": str(plan.frequency_cap.per)}
        if plan.frequency_cap
        else None,
        "order": str(plan.order),
        "rotation": str(plan.rotation),
        "delivery": str(plan.delivery),
        "verification": str(plan.verification),
        "match_provider": str(plan.match_provider),
        "send_time": str(plan.send_time),
        "holdout": plan.holdout,
    }


def _step_document(step: Step) -> dict[str, object]:
    shared: dict[str, object] = {"id": step.id, "kind": step.kind, "after": str(step.after)}
    match step:
        case EmailStep():
            return shared | {
                "variants": [_variant_document(variant) for variant in step.variants],
                "attachments": [_file_document(file) for file in step.attachments],
            }
        case WaitStep():
            return shared | {"for": str(step.duration)}
        case BranchStep():
            return shared | {"if": condition_document(step.condition), "then": step.then, "else": step.otherwise}


def _variant_document(variant: Variant) -> dict[str, object]:
    return {name: getattr(variant, name) for name in ("id", "weight", "subject", "text", "html")}


def _file_document(file: AttachedFile) -> dict[str, object]:
    return {name: getattr(file, name) for name in ("name", "content_type", "size", "sha256")}


def condition_document(condition: Condition) -> dict[str, object]:
    """Return what a branch asks, as files and documents say it alike."""
    match condition:
        case RepliedWithin(within=within):
            return {"replied": {"within": str(within)}}
        case FieldEquals(field=field, value=value):
            return {"field": field, "equals": value}


def _interval_text(interval: Interval) -> str:
    return f"{_time_text(interval.start)}-{_time_text(interval.end)}"


def _time_text(value: time) -> str:
    return value.isoformat("auto" if value.second or value.microsecond else "minutes")


# --- reading ---


def plan_from_document(document: Document) -> Plan:
    """Return the plan of a document. Raises PlanDocumentError."""
    _only(document, {field.name for field in fields(Plan)})
    quiet = _optional(document, "quiet_hours", dict)
    cap = _optional(document, "frequency_cap", dict)
    return Plan(
        name=_get(document, "name", str),
        steps=tuple(_step(item) for item in _mappings(document, "steps")),
        pool=_optional(document, "pool", str),
        mailboxes=_texts(document, "mailboxes"),
        window=_window(_get(document, "window", dict)),
        quiet_hours=QuietHours(
            interval=_read(quiet, "interval", interval_of),
            timezone=_optional(quiet, "timezone", str),
        )
        if quiet is not None
        else None,
        on_reply=_read(document, "on_reply", OnReply),
        reply_sequence=_optional(document, "reply_sequence", str),
        stop_scope=_read(document, "stop_scope", StopScope),
        on_auto_reply=_read(document, "on_auto_reply", OnAutoReply),
        on_manual_reply=_read(document, "on_manual_reply", StopOrContinue),
        on_note=_read(document, "on_note", PauseOrContinue),
        on_unknown=_read(document, "on_unknown", OnUnknown),
        daily_cap=_optional(document, "daily_cap", int),
        max_new_per_day=_optional(document, "max_new_per_day", int),
        frequency_cap=FrequencyCap(messages=_get(cap, "messages", int), per=_read(cap, "per", delay_of))
        if cap is not None
        else None,
        order=_read(document, "order", Order),
        rotation=_read(document, "rotation", Rotation),
        delivery=_read(document, "delivery", Delivery),
        verification=_read(document, "verification", Verification),
        match_provider=_read(document, "match_provider", ProviderMatch),
        send_time=_read(document, "send_time", SendTime),
        holdout=float(_get(document, "holdout", (int, float))),
    )


def _window(document: Document) -> Window:
    _only(document, {field.name for field in fields(Window)})
    return Window(
        always=_get(document, "always", bool),
        timezone=_optional(document, "timezone", str),
        unknown_timezone=_optional(document, "unknown_timezone", str),
        days=frozenset(day for day in _get(document, "days", list) if isinstance(day, int)),
        intervals=tuple(_convert("intervals", text, interval_of) for text in _texts(document, "intervals")),
        holidays=_optional(document, "holidays", str),
        holiday_dates=_dates(document, "holiday_dates"),
        blackout=_dates(document, "blackout"),
    )


def _step(document: Document) -> Step:
    step_id, after = _get(document, "id", str), _read(document, "after", delay_of)
    match _get(document, "kind", str):
        case EmailStep.kind:
            _only(document, {"id", "kind", "after", "variants", "attachments"})
            return EmailStep(
                id=step_id,
                after=after,
                variants=tuple(map(_variant, _mappings(document, "variants"))),
                attachments=tuple(map(_file, _mappings(document, "attachments"))),
            )
        case WaitStep.kind:
            _only(document, {"id", "kind", "after", "for"})
            return WaitStep(id=step_id, after=after, duration=_read(document, "for", delay_of))
        case BranchStep.kind:
            _only(document, {"id", "kind", "after", "if", "then", "else"})
            return BranchStep(
                id=step_id,
                after=after,
                condition=_condition(_get(document, "if", dict)),
                then=_get(document, "then", str),
                otherwise=_optional(document, "else", str),
            )
        case other:
            raise PlanDocumentError(f"step {step_id} is of the unknown kind {other!r}")


def _variant(document: Document) -> Variant:
    _only(document, {field.name for field in fields(Variant)})
    return Variant(
        id=_get(document, "id", str),
        weight=_get(document, "weight", int),
        subject=_optional(document, "subject", str),
        text=_get(document, "text", str),
        html=_optional(document, "html", str),
    )


def _file(document: Document) -> AttachedFile:
    _only(document, {field.name for field in fields(AttachedFile)})
    return AttachedFile(
        name=_get(document, "name", str),
        content_type=_get(document, "content_type", str),
        size=_get(document, "size", int),
        sha256=_get(document, "sha256", str),
    )


def _condition(document: Document) -> Condition:
    if "replied" in document:
        _only(document, {"replied"})
        return RepliedWithin(within=_read(_get(document, "replied", dict), "within", delay_of))
    _only(document, {"field", "equals"})
    return FieldEquals(field=_get(document, "field", str), value=_get(document, "equals", str))


def _only(document: Document, known: set[str]) -> None:
    unknown = sorted(set(document) - known)
    if unknown:
        raise PlanDocumentError(f"the plan has a key that this version of Relance does not know: {unknown[0]}")


def _get(document: Document, key: str, kind: type[T] | tuple[type[T], ...]) -> T:
    value = document.get(key)
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise PlanDocumentError(f"the plan's {key} is {value!r}")
    return value


def _optional(document: Document, key: str, kind: type[T]) -> T | None:
    return None if document.get(key) is None else _get(document, key, kind)


def _read(document: Document, key: str, reader: Callable[[str], T]) -> T:
    return _convert(key, _get(document, key, str), reader)


def _convert(key: str, text: str, reader: Callable[[str], T]) -> T:
    try:
        return reader(text)
    except ValueError as error:
        raise PlanDocumentError(f"the plan's {key}: {error}") from None


def _mappings(document: Document, key: str) -> tuple[Document, ...]:
    return tuple(item for item in _get(document, key, list) if isinstance(item, Mapping))


def _texts(document: Document, key: str) -> tuple[str, ...]:
    return tuple(item for item in _get(document, key, list) if isinstance(item, str))


def _dates(document: Document, key: str) -> frozenset[date]:
    return frozenset(_convert(key, text, date.fromisoformat) for text in _texts(document, key))
