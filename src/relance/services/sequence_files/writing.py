"""A plan as a sequence file says it, and a sequence file's text as plain values and back.

Rule 1: reading what is written here gives the same plan (holidays are counted anew from the day of reading).
Rule 2: what a plan does not say otherwise than the default stays out: a person reads the file.
Rule 3: values stay as they were written: `NO` is a country, `007` the value of a field.
"""

import json
from collections.abc import Mapping
from typing import Any, Final

import yaml

from relance.core import plan_document
from relance.core.sequence import DEFAULT_POOL, BranchStep, EmailStep, Plan, Step, Variant, WaitStep
from relance.services.sequence_files.nodes import FileProblemError, Listing, Mapped, Node, Scalar, kind_of
from relance.services.sequence_files.parsing import parse_json, parse_yaml

#: A sequence file as plain values: texts, whole numbers, truths, lists and mappings.
Document = Mapping[str, Any]
_DAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_NUMBERS: Final = frozenset({"daily_cap", "max_new_per_day", "messages", "weight"})
_TRUTHS: Final = frozenset({"opens", "clicks"})
_WORDS: Final = (
    "on_reply", "stop_scope", "on_auto_reply", "on_manual_reply", "on_note", "on_unknown", "daily_cap",
    "max_new_per_day", "frequency_cap", "order", "rotation", "delivery", "verification", "match_provider", "send_time",
)  # fmt: skip


def file_document(plan: Plan) -> dict[str, Any]:
    """Return a plan as its sequence file would say it, in the order in which people write it."""
    full = plan_document.document_of(plan)
    usual = plan_document.document_of(Plan(name=plan.name, steps=()))
    found: dict[str, Any] = {"name": plan.name, "mailboxes": _mailboxes(plan)}
    if full["window"] != usual["window"]:
        found["window"] = _window(plan, full["window"])
    if plan.quiet_hours is not None:
        found["quiet_hours"] = _quiet_hours(full["quiet_hours"])
    found |= {key: full[key] for key in _WORDS if full[key] != usual[key]}
    if plan.reply_sequence is not None:
        found["on_reply"] = f"enroll:{plan.reply_sequence}"
    if plan.holdout:
        found["holdout"] = f"{plan.holdout * 100:g}%"
    found["steps"] = [step_document(step) for step in plan.steps]
    return found


def step_document(step: Step) -> dict[str, Any]:
    """Return one step as the file says it."""
    found: dict[str, Any] = {"id": step.id, "kind": step.kind}
    if step.after.amount:
        found["after"] = str(step.after)
    match step:
        case EmailStep():
            found |= _email(step)
        case WaitStep(duration=duration):
            found["for"] = str(duration)
        case BranchStep():
            condition = plan_document.condition_document(step.condition)
            found |= {"if": condition, "then": step.then}
            if step.otherwise is not None:
                found["else"] = step.otherwise
    return found


def as_yaml(document: Document) -> str:
    """Return a file's text: YAML with texts of several lines as blocks."""
    return yaml.dump(dict(document), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110, indent=2)


def as_json(document: Document) -> str:
    """Return the same as JSON."""
    return json.dumps(document, indent=1, ensure_ascii=False)


def document_of_text(text: str, *, file: str) -> dict[str, Any]:
    """Return a file's text as plain values, sound or not. Raises FileProblemError for what has not a file's shape."""
    root = parse_json(text) if file.lower().endswith(".json") else parse_yaml(text)
    if not isinstance(root, Mapped):
        raise FileProblemError(
            f"the file holds {kind_of(root)}", "write keys and values: name: …, then steps: …", root.line
        )
    found = _plain(root, "")
    steps = found.get("steps", [])
    if not isinstance(steps, list) or not all(isinstance(step, dict) for step in steps):
        raise FileProblemError("steps is no list of steps", "a step is written as {id: intro, kind: email, …}")
    return dict(found)


def _email(step: EmailStep) -> dict[str, Any]:
    own, *others = step.variants
    found: dict[str, Any] = _wording(own)
    if own.weight != 1:
        found["weight"] = own.weight
    if step.attachments:
        found["attachments"] = [file.name for file in step.attachments]
    if others:
        found["variants"] = [_other(variant, own) for variant in others]
    return found


def _wording(variant: Variant) -> dict[str, Any]:
    given = {"subject": variant.subject, "text": variant.text, "html": variant.html}
    return {key: value for key, value in given.items() if value is not None}


def _other(variant: Variant, own: Variant) -> dict[str, Any]:
    usual = _wording(own)
    said = {key: value for key, value in _wording(variant).items() if usual.get(key) != value}
    return {"id": variant.id, "weight": variant.weight, **(said or {"text": variant.text})}


def _mailboxes(plan: Plan) -> object:
    return {"pool": plan.pool or DEFAULT_POOL} if not plan.mailboxes else list(plan.mailboxes)


def _window(plan: Plan, full: Any) -> object:  # noqa: ANN401 - one value of a document
    if plan.window.always:
        return "always"
    found = {
        "timezone": full["timezone"],
        "unknown_timezone": full["unknown_timezone"],
        "days": [_DAYS[day] for day in full["days"]],
        "intervals": full["intervals"],
        "holidays": full["holidays"],
        "blackout": full["blackout"],
    }
    return {key: value for key, value in found.items() if value}


def _quiet_hours(full: Any) -> dict[str, Any]:  # noqa: ANN401 - one value of a document
    found = {"email": full["interval"], "timezone": full["timezone"]}
    return {key: value for key, value in found.items() if value is not None}


def _plain(node: Node, key: str) -> Any:  # noqa: ANN401 - any value that a file can hold
    match node:
        case Scalar() if node.empty:
            return None
        case Scalar(text=text) if not node.quoted and key in _NUMBERS and text.isascii() and text.isdigit():
            return int(text)
        case Scalar(text="true" | "false" as text) if not node.quoted and key in _TRUTHS:
            return text == "true"
        case Scalar(text=text):
            return text
        case Listing(items=items):
            return [_plain(item, key) for item in items]
        case Mapped(entries=entries):
            found: dict[str, Any] = {}
            for entry in entries:
                if entry.key in found:
                    raise FileProblemError(f"{entry.key} stands there twice", "keep one of the two", entry.line)
                found[entry.key] = _plain(entry.value, entry.key)
            return found


class _Dumper(yaml.SafeDumper):
    """Writes blocks for texts of several lines, and lists indented below their key."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: ARG002, FBT001, FBT002 - as the library calls it
        """Indent the items of a list, which people expect."""
        super().increase_indent(flow, False)  # noqa: FBT003 - as above

    def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002 - as the library calls it
        """Write every value out: a sequence file has no anchors."""
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.Node:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _text)
