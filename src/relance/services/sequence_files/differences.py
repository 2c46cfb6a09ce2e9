"""What one sequence file says otherwise than another, step by step and key by key, in the words of the file."""

import json
from dataclasses import dataclass
from typing import Any

from relance.services.sequence_files.editing import steps_of
from relance.services.sequence_files.writing import Document


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One thing that is said otherwise."""

    step: str | None  #: None: above the steps.
    key: str | None  #: None: the whole step came or went.
    before: str | None  #: None: nothing was said.
    after: str | None


def differences(before: Document | None, after: Document) -> tuple[Difference, ...]:
    """Return what `after` says otherwise, policies first, then steps in their new order, then those that went."""
    old = before or {}
    found = _keys(None, _without_steps(old), _without_steps(after))
    olds = {str(step.get("id")): step for step in steps_of(old)}
    news = {str(step.get("id")): step for step in steps_of(after)}
    stayed = [name for name in olds if name in news]
    moved = [name for name in news if name in olds]
    if stayed != moved:
        found.append(Difference(step=None, key="order", before=" → ".join(stayed), after=" → ".join(moved)))
    for name, step in news.items():
        if name in olds:
            found += _keys(name, olds[name], step)
        else:
            found.append(Difference(step=name, key=None, before=None, after=_words(_said(step))))
    gone = [name for name in olds if name not in news]
    found += [Difference(step=name, key=None, before=_words(_said(olds[name])), after=None) for name in gone]
    return tuple(found)


def _keys(step: str | None, old: Document, new: Document) -> list[Difference]:
    return [
        Difference(step=step, key=key, before=_words(old.get(key)), after=_words(new.get(key)))
        for key in dict.fromkeys((*old, *new))
        if old.get(key) != new.get(key)
    ]


def _without_steps(document: Document) -> dict[str, Any]:
    return {key: value for key, value in document.items() if key != "steps"}


def _said(step: Document) -> dict[str, Any]:
    return {key: value for key, value in step.items() if key != "id"}


def _words(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, dict):
        return "\n".join(f"{key}: {_words(item)}" for key, item in value.items())
    return json.dumps(value, ensure_ascii=False)
