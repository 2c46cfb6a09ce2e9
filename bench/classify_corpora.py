"""How well mail is read: figures over a folder of labelled messages.

    python bench/classify_corpora.py CORPUS_DIR [--errors]

CORPUS_DIR holds `manifest.jsonl` (one object a line: path, corpus, kind and, where known, recipients, alt_recipients,
hard, original_message_id) and may hold `reply_text.jsonl` (input, gold, format). Without a manifest every file below it
is taken for ordinary mail, and the kinds that it is taken for are counted.
"""

import argparse
import json
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from relance.mail.classify import Classification, Kind, classify
from relance.mail.parse import parse
from relance.mail.quoting import new_text

BOUNCES = {Kind.HARD_BOUNCE.value, Kind.SOFT_BOUNCE.value, Kind.BLOCK.value}
Label = dict[str, object]


def main() -> None:
    """Print the figures of one folder."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    arguments.add_argument("folder", type=Path)
    arguments.add_argument(
        "--errors", action="store_true", help="name each message that was read otherwise than labelled"
    )
    chosen = arguments.parse_args()
    manifest = chosen.folder / "manifest.jsonl"
    if manifest.exists():
        labelled(chosen.folder, list(_lines(manifest)), errors=chosen.errors)
    else:
        ordinary(chosen.folder, errors=chosen.errors)
    replies = chosen.folder / "reply_text.jsonl"
    if replies.exists():
        reply_texts(list(_lines(replies)), errors=chosen.errors)


def labelled(folder: Path, labels: list[Label], *, errors: bool) -> None:
    """Compare each message with its label."""
    messages = [(folder / str(label["path"])).read_bytes() for label in labels]
    started = time.perf_counter()
    results = [classify(parse(raw)) for raw in messages]
    seconds = time.perf_counter() - started
    right, total = Counter[str](), Counter[str]()
    for label, result in zip(labels, results, strict=True):
        for figure, is_right in _compared(label, result):
            total[figure] += 1
            right[figure] += is_right
            if errors and not is_right:
                told = [(recipient.address, recipient.reason) for recipient in result.recipients]
                wanted = f"{label['kind']} {label.get('reason', '')} {label.get('recipients', '')}"
                print(f"  {figure}: {label['path']} is {wanted}, read as {result.kind} {told} {result.evidence}")
    for figure in sorted(total):
        print(f"{figure:40} {right[figure]:4} of {total[figure]:4}  {100 * right[figure] / total[figure]:5.1f} %")
    print(f"{'messages a second':40} {len(messages) / seconds:.0f}")


def ordinary(folder: Path, *, errors: bool) -> None:
    """Count what ordinary mail is taken for."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    kinds = Counter[str]()
    started = time.perf_counter()
    for path in files:
        result = classify(parse(path.read_bytes()))
        kinds[result.kind.value] += 1
        if errors and result.kind not in {Kind.ORDINARY, Kind.HUMAN_REPLY}:
            print(f"  {path.name}: {result.kind} {result.evidence}")
    seconds = time.perf_counter() - started
    print(f"{len(files)} ordinary messages, {len(files) / seconds:.0f} a second")
    for kind, count in kinds.most_common():
        print(f"{kind:40} {count}")


def reply_texts(replies: list[Label], *, errors: bool) -> None:
    """Compare the new text of each reply with what its author wrote."""
    right, total = Counter[str](), Counter[str]()
    for reply in replies:
        figure = f"new text exact, {reply['format']}"
        source = str(reply["input"])
        got = new_text("", source) if reply["format"] == "html" else new_text(source, "")
        total[figure] += 1
        is_right = _normal(got) == _normal(str(reply["gold"]))
        right[figure] += is_right
        if errors and not is_right:
            print(f"  {reply['id']}: {got[-160:]!r} instead of {str(reply['gold'])[-160:]!r}")
    for figure in sorted(total):
        print(f"{figure:40} {right[figure]:4} of {total[figure]:4}  {100 * right[figure] / total[figure]:5.1f} %")


def _compared(label: Label, result: Classification) -> Iterator[tuple[str, bool]]:
    expected = str(label["kind"])
    is_bounce = expected in BOUNCES | {"bounce"}
    got = result.kind.value
    kind_right = got in BOUNCES if is_bounce else got == expected or (expected == "ordinary" and got == "human_reply")
    yield f"kind, {label['corpus']}", kind_right
    yield f"kind, {'bounce' if is_bounce else expected}", kind_right
    failed = is_bounce or expected == "delayed"
    recipients = _addresses(label.get("recipients"))
    if failed and recipients:
        told = {recipient.address for recipient in result.recipients}
        others = recipients | _addresses(label.get("alt_recipients"))
        yield "recipients exact", told == recipients or (len(told) == len(recipients) and told <= others)
    hard = label.get("hard")
    if failed and isinstance(hard, list) and str(label.get("hard_scheme", "")).startswith("sisimai"):
        first = min(recipients, default="")
        told_first = [
            recipient.hard for recipient in result.recipients if len(recipients) != 1 or recipient.address == first
        ]
        yield (
            "hard or not, as labelled",
            any(told_first or [recipient.hard for recipient in result.recipients]) == any(hard),
        )
    original = label.get("original_message_id")
    if failed and original:
        yield "original Message-ID", str(original).strip("<>") == (result.original_message_id or "").strip("<>")


def _addresses(value: object) -> set[str]:
    return {str(address).casefold() for address in value} if isinstance(value, list) else set()


def _normal(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.replace("\r\n", "\n").strip().split("\n"))


def _lines(path: Path) -> Iterator[Label]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


if __name__ == "__main__":
    main()
