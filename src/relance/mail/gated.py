"""A pattern that is only tried where it can match: a plain search for words that it needs comes first.

A hundred patterns over each refusal would cost more than everything else; most need a word that is not there, and
looking for a plain word costs a tenth of trying a pattern. The words are read off the pattern itself; where one of its
alternatives has none, the pattern is always tried.
"""

import re
from dataclasses import dataclass

SHORTEST = 4  # Characters; shorter ones stand in every text.
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyz0123456789 '-_@:#/,;=")
_UNCERTAIN = frozenset("?*{")


@dataclass(frozen=True, slots=True, kw_only=True)
class Gated:
    """A compiled pattern, and the words of which every match holds at least one (none: no such words)."""

    pattern: re.Pattern[str]
    words: tuple[str, ...]

    def search(self, text: str) -> re.Match[str] | None:
        """Search like the pattern does; `text` is case-folded."""
        if self.words and not any(word in text for word in self.words):
            return None
        return self.pattern.search(text)


def gated(pattern: str) -> Gated:
    """Compile a pattern of lower-case words."""
    needed = [_longest_word(branch) for branch in _branches(pattern)]
    sure = all(len(word) >= SHORTEST for word in needed)
    return Gated(pattern=re.compile(pattern), words=tuple(dict.fromkeys(needed)) if sure else ())


def _branches(pattern: str) -> list[str]:
    """Split a pattern at the bars outside all brackets."""
    found, depth, in_set, at, begin = [], 0, False, 0, 0
    while at < len(pattern):
        letter = pattern[at]
        if letter == "\\":
            at += 1
        elif in_set:
            in_set = letter != "]"
        elif letter == "[":
            in_set = True
            at += 1  # A bracket right behind it is a member.
        elif letter in "()":
            depth += 1 if letter == "(" else -1
        elif letter == "|" and depth == 0:
            found.append(pattern[begin:at])
            begin = at + 1
        at += 1
    return [*found, pattern[begin:]]


def _longest_word(branch: str) -> str:
    """Return the longest run of letters that every match of a branch holds, from outside all brackets."""
    runs, run, depth, in_set, at = [""], "", 0, False, 0
    while at < len(branch):
        letter = branch[at]
        certain = depth == 0 and not in_set and branch[at + 1 : at + 2] not in _UNCERTAIN
        if letter == "\\":
            escaped = branch[at + 1 : at + 2]
            certain = depth == 0 and not in_set and not escaped.isalnum() and branch[at + 2 : at + 3] not in _UNCERTAIN
            letter = escaped if certain else ""
            at += 1
        elif in_set:
            in_set, certain = letter != "]", False
        elif letter == "[":
            in_set, certain = True, False
            at += 1
        elif letter == "{":
            at, certain = branch.find("}", at), False
        elif letter in "()":
            depth, certain = depth + (1 if letter == "(" else -1), False
        elif letter not in _PLAIN:
            certain = False
        if certain and letter:
            run += letter
        else:
            runs.append(run)
            run = ""
        at += 1
    return max((*runs, run), key=len)
