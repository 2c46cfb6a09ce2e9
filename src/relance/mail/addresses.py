"""Address headers read in one pass (RFC 5322 §3.4, leniently).

The standard library's reader is not linear and refuses what real mail holds; this one takes every token once.
Comments are dropped, groups are flattened, and what has no @ is kept only when `parse_addresses` is told so.
"""

import re

from relance.mail.message import Address

MAX_ADDRESSES = 1000
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"?|<[^<>,;]*>?|[,;:()]|[^",;:()<>]+|>', re.DOTALL)
_BARE = re.compile(r"[^\s<>\"',;:()\[\]@]{1,128}@[^\s<>\"',;:()\[\]@]{1,255}(?:\[[^\]\s]{1,64}\])?")


def parse_addresses(value: str) -> tuple[Address, ...]:
    """Return the mailboxes of a decoded address header, in order, at most `MAX_ADDRESSES`."""
    found: list[Address] = []
    name: list[str] = []
    address, comments = "", 0
    for token in _TOKEN.findall(value):
        if token == "(":
            comments += 1
        elif token == ")":
            comments = max(0, comments - 1)
        elif comments:
            continue
        elif token in {",", ";"}:
            _add(found, address, name)
            name, address = [], ""
            if len(found) >= MAX_ADDRESSES:
                return tuple(found)
        elif token == ":":
            name = []  # The name of a group.
        elif token[0] == "<" and len(token) > 1:
            address = address or token.strip("<> \t").removeprefix("mailto:")
        elif token[0] == '"' and not address:
            name.append(token.strip('"').replace('\\"', '"').replace("\\\\", "\\"))
        elif token != ">" and not address:
            name.append(token)
    _add(found, address, name)
    return tuple(found)


def fold_address(address: str) -> str:
    """Return an address in the one spelling it is compared by."""
    folded = re.sub(r"\s+", "", address.strip().strip("<>")).strip("'\"").rstrip(".")
    return folded.removeprefix("mailto:").casefold()


def _add(found: list[Address], address: str, name: list[str]) -> None:
    joined = "".join(name)
    if not address:
        bare = _BARE.search(joined)
        if bare is None:
            return
        address, joined = bare.group(), joined.replace(bare.group(), " ")
    found.append(Address(address=fold_address(address), name=" ".join(joined.split())))
