"""What one language brings: the words of absence, of having left, and of wanting no more mail, each with an example."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """One language. Patterns meet case-folded text with single spaces and straight apostrophes.

    `common`: words of which any sentence holds one, or `script`: the characters it is written in. Only a text that has
    one of them is searched.
    `away_subject`: how the subject of an automatic answer begins. `absent`: I am away. `limits`: I read little and will
    answer later. `cover`: who is there in the meantime. `received`: your message has come. `machine`: I am a machine.
    `gone`: the person is not coming back, or the address is given up. `stop_words`: a lone word, `stop`: a phrase, that
    asks for no more mail. The examples are read by the tests.
    """

    code: str
    name: str
    away_subject: str
    absent: str
    limits: str
    cover: str
    machine: str
    gone: str
    stop_words: str
    stop: str
    subject_example: str
    away_example: str  #: A whole notice without a telling subject or header.
    gone_example: str
    stop_examples: tuple[str, ...]  #: The first is a lone word.
    common: str = ""
    script: str = ""
    received: str = r"(?!)"
    since: int = 2
