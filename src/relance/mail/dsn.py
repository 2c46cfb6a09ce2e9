"""Delivery status notifications as their fields (RFC 3464, RFC 6533 for internationalised addresses).

Only the machine-readable part is read here; `relance.mail.bounce_texts` reads the notices that have none.
Fields are taken leniently: wrong order, no blank lines between the recipients, unknown actions.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from relance.mail.addresses import fold_address

MAX_RECIPIENTS = 500
MAX_ADDRESS = 600
_FIELD = re.compile(r"^[ \t>]{0,4}([A-Za-z][A-Za-z0-9-]{1,60}):[ \t]*(.*)$")
_ANGLE = re.compile(r"<([^<>\s]+)>")
_ESCAPED = re.compile(r"\\x\{([0-9A-Fa-f]{1,6})\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusGroup:
    """What one notification says about one recipient; empty strings where it says nothing.

    `action` is failed, delayed, delivered, relayed or expanded, in lower case.
    """

    final: str
    original: str
    action: str
    status: str
    diagnostic: str

    @property
    def address(self) -> str:
        """The address the sender wrote to: the original one where it is given, else the one delivery ended at."""
        return self.original if "@" in self.original else self.final


def status_groups(text: str) -> tuple[StatusGroup, ...]:
    """Return one group for each recipient of a delivery-status text, at most `MAX_RECIPIENTS`."""
    groups: list[StatusGroup] = []
    fields: dict[str, str] = {}
    for name, value in _fields(text):
        starts_next = name in fields and name in {"final-recipient", "original-recipient"} and value != fields[name]
        if not name or starts_next:
            _close(groups, fields)
            fields = {}
        if name:
            fields.setdefault(name, value)
        if len(groups) >= MAX_RECIPIENTS:
            return tuple(groups)
    _close(groups, fields)
    return tuple(groups)


def typed_address(value: str) -> str:
    """Return the folded address of an `address-type; address` field, xtext and RFC 6533 escapes undone."""
    kind, separator, rest = value[:MAX_ADDRESS].partition(";")
    address = (rest if separator else kind).strip()
    angle = _ANGLE.search(address)
    address = angle.group(1) if angle else re.sub(r"\([^()]*\)", "", address).strip()
    address = re.sub(r"^@[^:\s]{1,255}:", "", address)  # A source route (RFC 5321 appendix C).
    address = _ESCAPED.sub(lambda found: _character(found.group(1)), address)
    address = re.sub(r"\+([0-9A-F]{2})(?=[^@]*@)", _xtext, address) if "xtext" in kind.lower() else address
    return fold_address(address)


def _xtext(found: re.Match[str]) -> str:
    return chr(int(found.group(1), 16))


def _character(digits: str) -> str:
    code = int(digits, 16)
    return chr(code) if 32 <= code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF else ""


def _fields(text: str) -> Iterator[tuple[str, str]]:
    """Yield unfolded fields in order, and ("", "") for each blank line."""
    name, values = "", [""]
    for line in text.split("\n"):
        if line[:1] in {" ", "\t"} and name and line.strip() and not _FIELD.match(line.strip()):
            values.append(line.strip())
            continue
        if name:
            yield name, " ".join(values)
            name = ""
        found = _FIELD.match(line)
        if found:
            name, values = found.group(1).lower(), [found.group(2).strip()]
        elif not line.strip():
            yield "", ""
    if name:
        yield name, " ".join(values)


def _close(groups: list[StatusGroup], fields: dict[str, str]) -> None:
    final = fields.get("final-recipient", "") or fields.get("x-actual-recipient", "")
    original = fields.get("original-recipient", "")
    if not final and not original:
        return
    status = re.search(r"[245]\.\d{1,3}\.\d{1,3}", fields.get("status", ""))
    groups.append(
        StatusGroup(
            final=typed_address(final),
            original=typed_address(original),
            action=fields.get("action", "").split(";")[0].split("(")[0].strip().lower(),
            status=status.group() if status else "",
            diagnostic=fields.get("diagnostic-code", "") or fields.get("x-diagnostic-code", ""),
        )
    )
