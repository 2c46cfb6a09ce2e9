"""What the fuzzer once found never comes back: its finds, and what it starts from, are read again without it."""

from pathlib import Path

import pytest

from fuzz.targets import TARGETS

HERE = Path(__file__).resolve().parent
FINDS = [(path.parent.name, path) for path in sorted((HERE / "finds").rglob("*")) if path.is_file()]
SEEDS = [("message", path) for path in sorted((HERE.parent / "unit" / "mail" / "rules").iterdir())]


@pytest.mark.parametrize("target,path", [*FINDS, *SEEDS], ids=lambda each: getattr(each, "name", each))
def test_an_input_of_the_fuzzer_is_read_without_an_error(target: str, path: Path):
    """The folder of a find names the reader that it was found with."""
    TARGETS[target](path.read_bytes())


@pytest.mark.parametrize(
    "dialogue",
    [
        b"* OK ready\r\n* 3 EXISTS\r\nA1 OK done\r\n",
        b"* 1 FETCH (UID 7 BODY[] {3}\r\nabc FLAGS (\\Seen))\r\n",
        b'* LIST (\\Sent) "/" &AOk-\r\n* SEARCH 1 2\r\n* BYE\r\n',
        b"* 1 FETCH (UID {99999999999}\r\n",
    ],
)
def test_what_a_server_says_means_the_same_however_it_comes_in(dialogue: bytes):
    """Each byte may be the first of a new packet."""
    for cut in range(len(dialogue)):
        TARGETS["imap"](bytes([cut]) + dialogue)
