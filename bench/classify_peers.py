"""What other libraries read out of the same messages. Run by `bench/classify.py` with the peers' own interpreter.

Standard input: one JSON object `{"messages": [paths], "texts": [strings]}`. Standard output: one JSON object a peer,
`{"peer": name, "addresses": [[…] or null], "texts": [… or null], "seconds": s, "raised": n}`, where null is "not read".
Imports nothing of ours. A peer that is not installed is missing from the output.
"""

import email
import importlib
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any


def flufl(message: bytes) -> list[str]:
    """Return every address that flufl.bounce finds, failed or delayed."""
    module = importlib.import_module("flufl.bounce")
    temporary, permanent = module.all_failures(email.message_from_bytes(message))
    found = {*temporary, *permanent}
    return sorted(address.decode("utf-8", "replace") if isinstance(address, bytes) else address for address in found)


def reply_parser(text: str) -> str:
    """Return the reply that email-reply-parser finds."""
    return str(importlib.import_module("email_reply_parser").EmailReplyParser.parse_reply(text))


def multilingual_parser(text: str) -> str:
    """Return the reply that mail-parser-reply finds, with every language that it knows."""
    module = importlib.import_module("mailparser_reply")
    return str(module.EmailReplyParser(languages=LANGUAGES).read(text=text).latest_reply)


LANGUAGES = ["en", "de", "cs", "da", "es", "fr", "it", "ja", "ko", "nl", "pl", "sv", "zh"]
BOUNCES = {"flufl.bounce": ("flufl.bounce", flufl)}
TEXTS = {
    "email-reply-parser": ("email_reply_parser", reply_parser),
    "mail-parser-reply": ("mailparser_reply", multilingual_parser),
}


def installed(module: str) -> bool:
    """Tell whether a module can be imported here."""
    try:
        importlib.import_module(module)
    except ImportError:
        return False
    return True


def timed(read: Callable[[Any], Any], inputs: list[Any]) -> tuple[list[Any], float, int]:
    """Return what each input yields (None where it raised), the seconds, and how often it raised."""
    results: list[Any] = []
    raised = 0
    started = time.perf_counter()
    for each in inputs:
        try:
            results.append(read(each))
        except Exception:  # noqa: BLE001  # whatever a peer raises is its result
            results.append(None)
            raised += 1
    return results, time.perf_counter() - started, raised


def main() -> None:
    """Read the inputs and print one line a peer."""
    asked = json.load(sys.stdin)
    messages = [Path(path).read_bytes() for path in asked["messages"]]
    for name, (module, bounce) in BOUNCES.items():
        if installed(module):
            addresses, seconds, raised = timed(bounce, messages)
            print(json.dumps({"peer": name, "addresses": addresses, "seconds": seconds, "raised": raised}))
    for name, (module, reply) in TEXTS.items():
        if installed(module):
            texts, seconds, raised = timed(reply, asked["texts"])
            print(json.dumps({"peer": name, "texts": texts, "seconds": seconds, "raised": raised}))


if __name__ == "__main__":
    main()
