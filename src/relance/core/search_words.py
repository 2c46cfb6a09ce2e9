"""The words by which a message is found, the same for both databases: folded, without accents, letters and digits only.

Scripts that write no spaces between words (Chinese, Japanese, Thai …) are cut into pairs of letters, and so are
questions; so a word is found wherever its letters stand side by side.
"""

import re
import unicodedata
from collections.abc import Iterator

MOST = 2_000  #: Words of one message.
LONGEST = 60  #: Letters of a word; longer ones are hashes and addresses of pictures.
_MOST_LETTERS = 200_000
_MOST_ASKED = 12
_RUN = re.compile(r"[^\W_]+")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]+")


def words_of(*texts: str | None) -> tuple[str, ...]:
    """Return the different words of some texts, in their order."""
    found: dict[str, None] = {}
    for text in texts:
        for word in _words((text or "")[:_MOST_LETTERS]):
            found[word] = None
            if len(found) >= MOST:
                return tuple(found)
    return tuple(found)


def asked_for(question: str) -> tuple[str, ...]:
    """Return the words that somebody looks for; empty where they have written none."""
    return words_of(question[:1_000])[:_MOST_ASKED]


def _words(text: str) -> Iterator[str]:
    plain = "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))
    for run in _RUN.findall(unicodedata.normalize("NFKC", plain)):
        at = 0
        for unspaced in _UNSPACED.finditer(run):
            yield from _kept(run[at : unspaced.start()])
            letters = unspaced[0]
            yield from (letters[i : i + 2] for i in range(max(1, len(letters) - 1)))
            at = unspaced.end()
        yield from _kept(run[at:])


def _kept(word: str) -> Iterator[str]:
    if word and len(word) <= LONGEST:
        yield word
