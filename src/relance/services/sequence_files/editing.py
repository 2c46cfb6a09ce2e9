"""The changes that a builder makes to a sequence file's values; each gives a new document and leaves the old one.

Rule 1: a step is named by its position, from 0: while a sequence is built, ids may be missing or stand there twice.
Rule 2: a change of a sound document gives one that can still be read, though perhaps with problems.
Rule 3: whoever renames a step takes along the branches that lead to it.
"""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any, Final

from relance.core.sequence import DEFAULT_POOL, BranchStep, EmailStep, WaitStep
from relance.services.refusals import WrongInputError
from relance.services.sequence_files.writing import Document

KINDS: Final = (EmailStep.kind, WaitStep.kind, BranchStep.kind)
_NAMES: Final[Mapping[str, tuple[str, str]]] = {  #: Of the first step of a kind, and of those that follow.
    EmailStep.kind: ("intro", "follow-up"),
    WaitStep.kind: ("wait", "wait"),
    BranchStep.kind: ("check", "check"),
}
_LEADS: Final = ("then", "else")


def new_document(name: str) -> dict[str, Any]:
    """Return the beginning of a sequence: a name, the default pool, and no step yet."""
    return {"name": name, "mailboxes": {"pool": DEFAULT_POOL}, "steps": []}


def steps_of(document: Document) -> list[dict[str, Any]]:
    """Return the steps, none where there are none."""
    return list(document.get("steps") or [])


def name_of(document: Document, position: int) -> str:
    """Return a step's id, or what problems call it for want of one."""
    return str(steps_of(document)[position].get("id") or f"number {position + 1}")


def add_step(document: Document, kind: str, position: int) -> dict[str, Any]:
    """Put a new step at a position. Raises WrongInputError for a kind that is none."""
    if kind not in KINDS:
        raise WrongInputError(f"there is no step of kind {kind!r}; use {', '.join(KINDS)}")
    changed, steps = _opened(document)
    made: dict[str, Any] = {"id": _fresh_id(steps, kind), "kind": kind}
    match kind:
        case EmailStep.kind if any(step.get("kind") == EmailStep.kind for step in steps):
            made |= {"after": "3d", "text": ""}
        case EmailStep.kind:
            made |= {"subject": "", "text": ""}
        case WaitStep.kind:
            made |= {"for": "2d"}
        case _:
            made |= {"if": {"replied": {"within": "72h"}}, "then": "stop"}
    steps.insert(max(0, min(position, len(steps))), made)
    return changed


def copy_step(document: Document, position: int) -> dict[str, Any]:
    """Put a copy of a step, under another id, behind it."""
    changed, steps = _opened(document)
    made = deepcopy(_step(steps, position))
    made["id"] = _free(steps, str(made.get("id") or "copy"))
    steps.insert(position + 1, made)
    return changed


def remove_step(document: Document, position: int) -> dict[str, Any]:
    """Take a step out. Branches that lead to it are left for the problems to name."""
    changed, steps = _opened(document)
    _step(steps, position)
    del steps[position]
    return changed


def move_step(document: Document, position: int, to: int) -> dict[str, Any]:
    """Put a step where it shall stand, counted in the list as it is then; past the ends means at the end."""
    changed, steps = _opened(document)
    moved = _step(steps, position)
    del steps[position]
    steps.insert(max(0, min(to, len(steps))), moved)
    return changed


def replace_step(document: Document, position: int, step: Mapping[str, Any]) -> dict[str, Any]:
    """Let a step say something else."""
    changed, steps = _opened(document)
    before = _step(steps, position).get("id")
    after = step.get("id")
    steps[position] = deepcopy(dict(step))
    if before and after and before != after and not any(one.get("id") == before for one in steps):
        for one in steps:
            for way in _LEADS:
                if one.get(way) == before:
                    one[way] = after
    return changed


def add_variant(document: Document, position: int) -> dict[str, Any]:
    """Give an e-mail one more wording, which begins as the step's own."""
    changed, steps = _opened(document)
    step = _step(steps, position)
    variants = step["variants"] = list(step.get("variants") or [])
    taken = {"a", *(str(one.get("id")) for one in variants if isinstance(one, dict))}
    letters = [chr(code) for code in range(ord("b"), ord("z") + 1)]
    name = next((letter for letter in letters if letter not in taken), f"variant-{len(taken) + 1}")
    own = {key: step[key] for key in ("subject", "text") if step.get(key)}
    variants.append({"id": name, "weight": 1, **(own or {"text": ""})})
    return changed


def remove_variant(document: Document, position: int, variant: int) -> dict[str, Any]:
    """Take a wording away. The step's own, which is variant a, stays."""
    changed, steps = _opened(document)
    step = _step(steps, position)
    variants = list(step.get("variants") or [])
    if not 0 <= variant < len(variants):
        raise WrongInputError("there is no such variant any more; look at the step anew")
    del variants[variant]
    step["variants"] = variants
    if not variants:
        del step["variants"]
    return changed


def change_policies(document: Document, given: Mapping[str, Any]) -> dict[str, Any]:
    """Let what stands above the steps say what is given, in that order; a None takes a key away."""
    kept = {key: value for key, value in document.items() if key not in given and key != "steps"}
    said = {key: value for key, value in given.items() if value is not None}
    name = {"name": said.pop("name", kept.pop("name", ""))}
    return deepcopy({**name, **said, **kept, "steps": steps_of(document)})


def drop_key(document: Document, position: int | None, key: str) -> dict[str, Any]:
    """Take a key out that is not known, of a step or (None) of the whole."""
    changed, steps = _opened(document)
    place = changed if position is None else _step(steps, position)
    if key not in place or key == "steps":
        raise WrongInputError(f"there is no {key!r} to take out any more")
    del place[key]
    return changed


def _opened(document: Document) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    changed = deepcopy(dict(document))
    steps = changed["steps"] = steps_of(changed)
    return changed, steps


def _step(steps: list[dict[str, Any]], position: int) -> dict[str, Any]:
    if not 0 <= position < len(steps):
        raise WrongInputError("that step is not there any more; look at the sequence anew")
    return steps[position]


def _fresh_id(steps: list[dict[str, Any]], kind: str) -> str:
    first, further = _NAMES[kind]
    return _free(steps, further if any(step.get("kind") == kind for step in steps) else first)


def _free(steps: list[dict[str, Any]], wanted: str) -> str:
    taken = {step.get("id") for step in steps} | {"stop"}
    numbered = (f"{wanted}-{number}" for number in range(2, len(steps) + 4))
    return next(name for name in (wanted, *numbered) if name not in taken)
