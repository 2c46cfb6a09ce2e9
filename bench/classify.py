"""How well mail is read: figures over labelled messages, beside what other libraries read out of the same.

    .venv/bin/python bench/classify.py CORPUS [--ordinary FOLDER]… [--peers PYTHON] [--errors] [--held-out NAME]

CORPUS holds `manifest.jsonl` (one object a line: path, corpus, kind and, where known, recipients, alt_recipients, hard
with hard_scheme, permanent, original_message_id) and may hold `reply_text.jsonl` (input, gold, format). FOLDER holds
ordinary mail (ham or spam): none of it is a bounce, and none of it is copied anywhere. PYTHON is the interpreter of an
environment with `flufl.bounce email-reply-parser mail-parser-reply`; without it the peers' columns say so, and under CI
the run fails. `--held-out` counts the messages of one corpus only. One core; times include parsing.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time
import tracemalloc
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from relance.mail.classify import RULES_VERSION, Classification, Kind, classify  # behind the path
from relance.mail.parse import parse  # behind the path
from relance.mail.quoting import new_text  # behind the path
from unit.mail.test_hostile_mail import HOSTILE  # the messages of the tests

BOUNCES = {Kind.HARD_BOUNCE.value, Kind.SOFT_BOUNCE.value, Kind.BLOCK.value}
FAILURES = BOUNCES | {Kind.DELAYED.value}
PEERS = Path(__file__).with_name("classify_peers.py")
PACKAGES = "flufl.bounce email-reply-parser mail-parser-reply"
Label = dict[str, object]


@dataclass(slots=True)
class Table:
    """Rows of "so many right of so many", printed in the order of their names."""

    right: Counter[str] = field(default_factory=Counter)
    total: Counter[str] = field(default_factory=Counter)

    def count(self, figure: str, *, right: bool) -> None:
        """Count one case."""
        self.total[figure] += 1
        self.right[figure] += right

    def show(self) -> None:
        """Print all rows."""
        for figure in sorted(self.total):
            share = 100 * self.right[figure] / self.total[figure]
            print(f"{figure:52} {self.right[figure]:5} of {self.total[figure]:5}  {share:5.1f} %")


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read, in what time."""

    result: Classification
    seconds: float


def main() -> None:
    """Print every figure that the arguments allow."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    arguments.add_argument("corpus", type=Path)
    arguments.add_argument("--ordinary", type=Path, action="append", default=[])
    arguments.add_argument("--peers", help="the Python of an environment with the peers")
    arguments.add_argument("--errors", action="store_true", help="name each message read otherwise than labelled")
    arguments.add_argument("--held-out", help="count this corpus only")
    chosen = arguments.parse_args()
    labels = [each for each in _lines(chosen.corpus / "manifest.jsonl") if chosen.held_out in {None, each["corpus"]}]
    paths = [chosen.corpus / str(label["path"]) for label in labels]
    ordinary = [path for folder in chosen.ordinary for path in _messages_in(folder)]
    replies = chosen.corpus / "reply_text.jsonl"
    texts = list(_lines(replies)) if replies.exists() and not chosen.held_out else []
    print(
        f"rules version {RULES_VERSION}, {len(paths)} labelled messages, {len(ordinary)} ordinary, {len(texts)} texts"
    )
    readings = [_read(path) for path in paths]
    labelled(labels, readings, errors=chosen.errors)
    if ordinary:
        false_alarms(ordinary, [_read(path) for path in ordinary], errors=chosen.errors)
    if texts:
        reply_texts(texts, errors=chosen.errors)
    costs(paths, readings)
    hostile()
    peers(chosen.peers, labels, paths, ordinary, texts)


def labelled(labels: Sequence[Label], readings: Sequence[Reading], *, errors: bool) -> None:
    """Compare each message with its label, and print which kind was taken for which."""
    table, taken = Table(), defaultdict[str, Counter[str]](Counter)
    for label, reading in zip(labels, readings, strict=True):
        result = reading.result
        taken[str(label["kind"])][result.kind.value] += 1
        for figure, is_right in _compared(label, result):
            table.count(figure, right=is_right)
            if errors and not is_right:
                told = [(recipient.address, recipient.reason) for recipient in result.recipients]
                wanted = f"{label['kind']} {label.get('reason', '')} {label.get('recipients', '')}"
                print(f"  {figure}: {label['path']} is {wanted}, read as {result.kind} {told} {result.evidence}")
    table.show()
    print("\nlabelled as: read as")
    for kind in sorted(taken):
        print(f"{kind:20} {', '.join(f'{got} {count}' for got, count in taken[kind].most_common())}")


def false_alarms(paths: Sequence[Path], readings: Sequence[Reading], *, errors: bool) -> None:
    """Count what ordinary mail is taken for, folder by folder."""
    print("\nordinary mail: read as")
    by_folder = defaultdict[str, Counter[str]](Counter)
    for path, reading in zip(paths, readings, strict=True):
        by_folder[path.parent.name][reading.result.kind.value] += 1
        if errors and reading.result.kind not in {Kind.ORDINARY, Kind.HUMAN_REPLY}:
            print(f"  {path.name}: {reading.result.kind} {reading.result.evidence}")
    for folder, kinds in sorted(by_folder.items()):
        false = sum(kinds[kind] for kind in FAILURES)
        print(
            f"{folder:20} {sum(kinds.values())}: {false} bounces, {kinds[Kind.AUTO_REPLY.value]} automatic; "
            f"{', '.join(f'{kind} {count}' for kind, count in kinds.most_common())}"
        )


def reply_texts(replies: Sequence[Label], *, errors: bool) -> None:
    """Compare the new text of each reply with what its author wrote, line ends and outer blank lines aside."""
    table = Table()
    for reply in replies:
        source = str(reply["input"])
        got = new_text("", source) if reply["format"] == "html" else new_text(source, "")
        is_right = _normal(got) == _normal(str(reply["gold"]))
        table.count(f"new text exact, {reply['format']}", right=is_right)
        if errors and not is_right:
            print(f"  {reply['id']}: {got[-160:]!r} instead of {str(reply['gold'])[-160:]!r}")
    print()
    table.show()


def costs(paths: Sequence[Path], readings: Sequence[Reading]) -> None:
    """Print how fast it went, and which message took longest."""
    seconds = [reading.seconds for reading in readings]
    slowest = max(range(len(paths)), key=seconds.__getitem__)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"\n{len(paths) / sum(seconds):.0f} messages a second on one core")
    print(f"the slowest took {1000 * seconds[slowest]:.1f} ms: {paths[slowest].name}; peak memory {peak:.0f} MiB")


def hostile() -> None:
    """Print what messages made to harm cost, those of the tests: the slowest, and the one that takes most memory."""
    seconds, memory = Counter[str](), Counter[str]()
    for name, raw in HOSTILE.items():
        started = time.process_time()
        classify(parse(raw))
        seconds[name] = int(1000 * (time.process_time() - started))
        tracemalloc.start()
        classify(parse(raw))
        memory[name] = tracemalloc.get_traced_memory()[1] // 2**20
        tracemalloc.stop()
    slow, milliseconds = seconds.most_common(1)[0]
    large, size = memory.most_common(1)[0]
    print(f"of {len(HOSTILE)} hostile messages the slowest took {milliseconds} ms: {slow}")
    print(f"the one that took most memory, {size} MiB besides itself: {large}")


def peers(
    python: str | None, labels: Sequence[Label], paths: Sequence[Path], ordinary: Sequence[Path], texts: Sequence[Label]
) -> None:
    """Run the peers over the same input in the same run, and print their figures."""
    plain = [text for text in texts if text["format"] != "html"]
    asked = {"messages": [str(path) for path in [*paths, *ordinary]], "texts": [str(text["input"]) for text in plain]}
    found: set[str] = set()
    print()
    if python:
        command = [python, str(PEERS)]
        done = subprocess.run(command, input=json.dumps(asked), capture_output=True, text=True, check=True)  # noqa: S603  # the interpreter that whoever runs this names
        printed = done.stdout
        for line in printed.splitlines():
            told = json.loads(line)
            found.add(told["peer"])
            if "addresses" in told:
                _show_bounces(told, labels, len(paths))
            elif plain:
                right = sum(
                    _normal(got or "") == _normal(str(text["gold"]))
                    for got, text in zip(told["texts"], plain, strict=True)
                )
                print(f"{told['peer']:20} plain text exact {right} of {len(plain)}, raised on {told['raised']}")
    missing = [name for name in PACKAGES.split() if name not in found]
    if missing:
        print(f"not compared with {', '.join(missing)}: give --peers the Python of an environment with: {PACKAGES}")
        if os.environ.get("CI"):
            sys.exit(1)


def _show_bounces(told: dict[str, list[list[str] | None]], labels: Sequence[Label], labelled_count: int) -> None:
    table, false = Table(), 0
    for index, addresses in enumerate(told["addresses"]):
        got = {address.casefold() for address in addresses or ()}
        if index >= labelled_count:
            false += bool(got)
            continue
        label = labels[index]
        if str(label["kind"]) in FAILURES | {"bounce"}:
            table.count(f"{told['peer']}: bounces recognised", right=bool(got))
            if recipients := _addresses(label.get("recipients")):
                table.count(f"{told['peer']}: recipients exact", right=_exact(got, recipients, label))
    table.show()
    total, seconds = len(told["addresses"]), told["seconds"]
    print(
        f"{told['peer']:20} {false} of {total - labelled_count} ordinary taken for bounces, "
        f"raised on {told['raised']}, {total / float(str(seconds)):.0f} messages a second"
    )


def _compared(label: Label, result: Classification) -> Iterator[tuple[str, bool]]:
    expected, got = str(label["kind"]), result.kind.value
    is_bounce = expected in BOUNCES | {"bounce"}
    kind_right = got in BOUNCES if is_bounce else got == expected or (expected == "ordinary" and got == "human_reply")
    yield f"kind, corpus {label['corpus']}", kind_right
    yield f"kind, {'bounce' if is_bounce else expected}", kind_right
    if not (is_bounce or expected == Kind.DELAYED.value):
        return
    yield "failures recognised, delays included", got in FAILURES
    recipients = _addresses(label.get("recipients"))
    if recipients:
        told = {recipient.address for recipient in result.recipients}
        yield "recipients exact", _exact(told, recipients, label)
    if "permanent" in label and result.recipients:
        yield "permanent or temporary", label["permanent"] == any(each.permanent for each in result.recipients)
    hard = label.get("hard")
    if isinstance(hard, list) and str(label.get("hard_scheme", "")).startswith("sisimai"):
        first = min(recipients, default="")
        told_hard = [each.hard for each in result.recipients if len(recipients) != 1 or each.address == first]
        yield "address dead or not", any(told_hard or [each.hard for each in result.recipients]) == any(hard)
    if original := label.get("original_message_id"):
        yield "original Message-ID", str(original).strip("<>") == (result.original_message_id or "").strip("<>")


def _exact(told: set[str], recipients: set[str], label: Label) -> bool:
    """Tell whether these are the labelled recipients; original and final address of one person are equally right."""
    either = recipients | _addresses(label.get("alt_recipients"))
    return told == recipients or (len(told) == len(recipients) and told <= either)


def _read(path: Path) -> Reading:
    raw = path.read_bytes()
    started = time.process_time()
    result = classify(parse(raw))
    return Reading(result=result, seconds=time.process_time() - started)


def _messages_in(folder: Path) -> list[Path]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return [path for path in files if path.suffix not in {".json", ".md"}]


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
