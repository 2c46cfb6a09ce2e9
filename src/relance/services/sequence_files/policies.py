"""The keys of a sequence file above its steps: mailboxes, window, quiet hours, policies and caps.

What cannot be read is noted, and reads as something that no other rule objects to.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType
from typing import Any, Final

from relance.core.address_check import Verification
from relance.core.calendar import zone_named
from relance.core.mail_hosts import ProviderMatch
from relance.core.plan_document import delay_of, interval_of
from relance.core.sequence import (
    Delivery,
    FrequencyCap,
    Interval,
    OnAutoReply,
    OnReply,
    OnUnknown,
    Order,
    PauseOrContinue,
    QuietHours,
    Rotation,
    SendTime,
    StopOrContinue,
    StopScope,
    Window,
)
from relance.services.addresses import BadAddressError, clean_address
from relance.services.sequence_files.forms import Form
from relance.services.sequence_files.holiday_dates import holiday_dates
from relance.services.sequence_files.nodes import Listing, Scalar

KEYS: Final = (
    "name", "mailboxes", "window", "quiet_hours", "on_reply", "stop_scope", "on_auto_reply", "on_manual_reply",
    "on_note", "on_unknown", "daily_cap", "max_new_per_day", "frequency_cap", "order", "rotation", "delivery",
    "verification", "match_provider", "send_time", "tracking", "holdout", "steps",
)  # fmt: skip
NOT_BUILT: Final[Mapping[str, str]] = MappingProxyType(
    {
        "goal": "goals",
        "goals": "goals",
        "triggers": "triggers",
        "approval": "approval",
        "on_crm_change": "CRM connections",
        "tracking_domain": "tracking",
        "rules": "rules",
    }
)
_DAYS: Final = MappingProxyType(
    {
        name: number
        for number, names in enumerate(
            ("mon monday", "tue tues tuesday", "wed wednesday", "thu thur thurs thursday", "fri friday", "sat saturday",
             "sun sunday")
        )
        for name in names.split()
    }
)  # fmt: skip
_CLOCK = re.compile(r"(?:[01]?[0-9]|2[0-4]):[0-5][0-9]")
_PERCENT = re.compile(r"([0-9]{1,3}(?:\.[0-9]{1,3})?)\s*%")
_ENROLL = "enroll:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Policies:
    """The plan's fields that are not steps."""

    fields: Mapping[str, Any]


def read_policies(form: Form, *, today: date) -> Policies:
    """Return what the file says above its steps; problems are noted in the form."""
    form.check_keys(KEYS, NOT_BUILT)
    name = form.need("name", "write name: founders-q4")
    on_reply, reply_sequence = _on_reply(form)
    _tracking(form)
    fields: dict[str, Any] = {
        "name": " ".join(("-" if name is None else name).split()),
        **_mailboxes(form),
        "window": _window(form, today),
        "quiet_hours": _quiet_hours(form),
        "on_reply": on_reply,
        "reply_sequence": reply_sequence,
        "stop_scope": form.choice("stop_scope", StopScope, StopScope.LEAD),
        "on_auto_reply": form.choice("on_auto_reply", OnAutoReply, OnAutoReply.CONTINUE),
        "on_manual_reply": form.choice("on_manual_reply", StopOrContinue, StopOrContinue.STOP),
        "on_note": form.choice("on_note", PauseOrContinue, PauseOrContinue.PAUSE),
        "on_unknown": form.choice("on_unknown", OnUnknown, OnUnknown.WAIT),
        "daily_cap": form.number("daily_cap", least=1),
        "max_new_per_day": form.number("max_new_per_day", least=1),
        "frequency_cap": _frequency_cap(form),
        "order": form.choice("order", Order, Order.FOLLOW_UPS_FIRST),
        "rotation": form.choice("rotation", Rotation, Rotation.LEAST_RECENT),
        "delivery": form.choice("delivery", Delivery, Delivery.SEND),
        "verification": form.choice("verification", Verification, Verification.OFF),
        "match_provider": form.choice("match_provider", ProviderMatch, ProviderMatch.OFF),
        "send_time": form.choice("send_time", SendTime, SendTime.OFF),
        "holdout": form.read("holdout", _share, "write a share such as 5%") or 0.0,
    }
    return Policies(fields=fields)


def _mailboxes(form: Form) -> dict[str, Any]:
    remedy = "write {pool: default}, {domain: acme.example}, or a list of addresses and @domains"
    if not isinstance(form.optional("mailboxes", remedy), Listing):
        pool = form.form("mailboxes", remedy)
        return _pool(pool) if pool is not None else {}
    addresses: list[str] = []
    for node in form.scalars("mailboxes", remedy) or ():
        try:
            whole = node.text.strip().startswith("@")
            addresses.append(f"@{_domain(node.text)}" if whole else clean_address(node.text))
        except (BadAddressError, ValueError) as error:
            said = str(error).partition(";")[0]
            form.wrong(node.line, f"mailboxes: {said}", "write the address of a connected mailbox, or @ and a domain")
    return {"pool": None, "mailboxes": tuple(dict.fromkeys(addresses))} if addresses else {}


def _pool(pool: Form) -> dict[str, Any]:
    remedy = "write {pool: default} or {domain: acme.example}"
    pool.check_keys(("pool", "domain"), {})
    name, domain = pool.read("pool", _words, remedy), pool.read("domain", _domain, remedy)
    if pool.has("pool") and pool.has("domain"):
        pool.wrong(pool.line("domain"), "mailboxes names a pool and a domain", "keep one of the two")
    if not pool.names("pool") and not pool.names("domain"):
        pool.wrong(pool.node.line, "mailboxes names neither pool nor domain", remedy)
    if name:
        return {"pool": name}
    return {"pool": None, "mailboxes": (f"@{domain}",)} if domain else {}


def _words(text: str) -> str:
    """Return a name without the space around it. Raises ValueError where nothing is left."""
    if not text.strip():
        raise ValueError(text)
    return text.strip()


def _domain(text: str) -> str:
    """Return a domain in small letters. Raises ValueError with what to write instead."""
    try:
        return clean_address(f"anybody@{text.strip().removeprefix('@')}").partition("@")[2]
    except BadAddressError:
        raise ValueError(f"{text!r} is no domain; write one such as acme.example") from None


def _window(form: Form, today: date) -> Window:
    remedy = "write always, or {timezone: …, days: […], intervals: […]}"
    node = form.optional("window", remedy)
    if node is None:
        return Window()
    if isinstance(node, Scalar) and node.text == "always":
        return Window(always=True)
    window = form.form("window", remedy)
    if window is None:
        return Window(always=True)  # nobody knows when it would open
    window.check_keys(("timezone", "unknown_timezone", "days", "intervals", "holidays", "blackout"), {})
    given: dict[str, Any] = {
        "timezone": window.read("timezone", _window_zone, "write an IANA name, lead or mailbox"),
        "unknown_timezone": window.read("unknown_timezone", _unknown_zone, "write an IANA name, or mailbox"),
        "days": _days(window),
        "intervals": _intervals(window),
        "blackout": _blackout(window),
        **_holidays(window, today),
    }
    unread = {key for key, value in given.items() if value is None and window.names(key)}
    if "timezone" in unread:
        given["unknown_timezone"] = None  # whether it has a meaning depends on the other
    known = {key: value for key, value in given.items() if value is not None}
    return Window(**known, always=bool(unread & {"days", "intervals"}))


def _holidays(window: Form, today: date) -> dict[str, Any]:
    remedy = "write a country such as DE, or DE-BY"
    place = window.scalar("holidays", remedy)
    if place is None:
        return {}
    dates = window.convert(place, "holidays", lambda text: holiday_dates(text, today=today), remedy)
    return {"holidays": place.text.strip().upper(), "holiday_dates": dates}


def _blackout(window: Form) -> frozenset[date] | None:
    if window.says_none("blackout"):
        return frozenset()
    nodes = window.scalars("blackout", "write a list of dates such as [2026-12-24]") or ()
    days = (window.convert(node, "blackout", date.fromisoformat, "write a date as 2026-12-24") for node in nodes)
    return frozenset(day for day in days if day is not None)


def _days(window: Form) -> frozenset[int] | None:
    remedy = "use mon, tue, wed, thu, fri, sat, sun"
    found = set()
    for node in window.scalars("days", remedy) or ():
        number = _DAYS.get(node.text.strip().casefold())
        if number is None:
            window.wrong(node.line, f"days holds {node.text!r}", remedy)
        else:
            found.add(number)
    return frozenset(found) or None


def _intervals(window: Form) -> tuple[Interval, ...] | None:
    remedy = 'write them as ["09:00-12:00", "13:30-17:00"]'
    nodes = window.scalars("intervals", remedy) or ()
    found = [window.convert(node, "intervals", _interval, remedy) for node in nodes]
    return tuple(interval for interval in found if interval is not None) if None not in found and found else None


def _interval(text: str) -> Interval:
    start, dash, end = text.replace("\N{EN DASH}", "-").partition("-")
    if not dash or not _CLOCK.fullmatch(start.strip()) or not _CLOCK.fullmatch(end.strip()):
        raise ValueError(f"{text!r} is no interval; write it as 09:00-17:00")
    return interval_of(f"{start.strip()}-{end.strip()}")


def _quiet_hours(form: Form) -> QuietHours | None:
    quiet = form.form("quiet_hours", 'write {email: "20:00-08:00"}')
    if quiet is None:
        return None
    quiet.check_keys(("email", "timezone"), {"sms": "SMS", "call": "calls", "whatsapp": "WhatsApp"})
    if not quiet.has("email"):
        quiet.wrong(quiet.line("email"), "quiet_hours has no email", 'write {email: "20:00-08:00"}')
    interval = quiet.read("email", _interval, "write it as 20:00-08:00") if quiet.has("email") else None
    zone = quiet.read("timezone", _fixed_zone, "write an IANA name such as Europe/Berlin")
    if interval is None or (zone is None and quiet.names("timezone")):
        return None
    return QuietHours(interval=interval, timezone=zone)


def _fixed_zone(text: str) -> str:
    if zone_named(text) is None:
        raise ValueError(f"{text!r} is not a time zone; write an IANA name such as Europe/Berlin")
    return text


def _window_zone(text: str) -> str:
    return text if text in {"lead", "mailbox"} else _fixed_zone(text)


def _unknown_zone(text: str) -> str:
    return text if text == "mailbox" else _fixed_zone(text)


def _on_reply(form: Form) -> tuple[OnReply, str | None]:
    node = form.scalar("on_reply", "use stop, pause, hold or enroll:NAME")
    if node is None:
        return OnReply.STOP, None
    if node.text.startswith(_ENROLL):
        name = " ".join(node.text.removeprefix(_ENROLL).split())
        if name:
            return OnReply.ENROLL, name
    if node.text.partition(":")[0] == OnReply.ENROLL:
        form.wrong(node.line, "on_reply enrolls, but into no sequence", "write on_reply: enroll:NAME")
        return OnReply.STOP, None
    return form.choice("on_reply", OnReply, OnReply.STOP), None


def _frequency_cap(form: Form) -> FrequencyCap | None:
    cap = form.form("frequency_cap", "write {messages: 1, per: 2d}")
    if cap is None:
        return None
    cap.check_keys(("messages", "per"), {})
    for key in ("messages", "per"):
        if not cap.has(key):
            cap.wrong(cap.line(key), f"frequency_cap has no {key}", "write {messages: 1, per: 2d}")
    messages = cap.number("messages", least=1) if cap.has("messages") else None
    per = cap.read("per", delay_of, "write a delay such as 2d") if cap.has("per") else None
    return FrequencyCap(messages=messages, per=per) if messages is not None and per is not None else None


def _tracking(form: Form) -> None:
    tracking = form.form("tracking", "write {opens: false, clicks: false}")
    if tracking is None:
        return
    tracking.check_keys(("opens", "clicks"), {})
    for key in ("opens", "clicks"):
        if tracking.truth(key):
            tracking.wrong(tracking.line(key), f"tracking of {key} is not available yet", f"write {key}: false")


def _share(text: str) -> float:
    found = _PERCENT.fullmatch(text.strip())
    if found is None or not 0 <= float(found[1]) < 100:  # noqa: PLR2004 - per cent
        raise ValueError(f"{text!r} is no share; write it as 5%, less than 100%")
    return float(found[1]) / 100
