"""The words of the server that refused, taken out of the notice of the server that reports it.

Every notice of a mail system repeats the same frame ("this is a permanent error", "I'm not going to try again"), and
the frame would be read as the reason. RFC 5321 replies stand inside: after "Remote host said:", "(reason:", "<<<" and
the like.
"""

import re

_SENDER_SIDE = re.compile(r"but (?:my name|(?:the )?sender) was rejected", re.IGNORECASE)
# Words before the colon that ends the frame; where a reply or a quotation begins there is none.
_UP_TO_COLON = r"(?:(?:(?![45]\d\d)[^:\n'\"]){0,60}(?=:))?"
_SAID = re.compile(
    r"(?:the error that the other server returned was|remote host said|remote server (?:replied|returned|said)"
    rf"{_UP_TO_COLON}|returned an error|\(reason|<<<|said|server message|because of|"
    rf"error message below|diagnostic (?:code|information){_UP_TO_COLON})\s*:?\s*",
    re.IGNORECASE,
)
# Sentences of the reporting server itself: they say that, never why.
_FRAME = re.compile(
    r"i'm not going to try again[^\n]*(?:\n[^\n]*queue too long\.?)?|"
    r"this is a permanent error; i've given up[^\n]*|giving up on [\d.]+\.?|"
    r"this is an automatically generated delivery status notification|the following (?:addresses had|"
    r"address\(es\) failed|recipients?)[^\n]*|"
    r"(?:we recommend|please (?:contact(?! your internet service provider since)|reply|check|do not|direct))[^\n]*|"
    r"do(?:n't|"
    r" not) need to re-?send[^\n]*|(?:original )?message was received at[^\n]*|"
    r"if you (?:do so|believe)[^\n]*|transcript of session follows|message will be retried[^\n]*|"
    r"unrouteable address book",
    re.IGNORECASE,
)


def innermost(text: str) -> str:
    """Return the words of the server that refused; the whole text when nothing else is left."""
    found = None if _SENDER_SIDE.search(text) else _SAID.search(text)
    inner = text[found.end() :] if found else text
    plain = _FRAME.sub(" ", inner)
    return plain if plain.strip() else text
