"""Subjects without what replying, forwarding and gateways put in front of them.

`RE:`, `AW:`, `SV:`, `Re[2]:`, `回复:`, `[EXTERNAL]`, `[SPAM?]` and the like are folded, any number, in any order.
"""

import re

MAX_SUBJECT = 2000

_REPLIES = (
    "re|aw|antw|antwort|sv|vs|vá|odp|ynt|yanıt|cevap|ref|rv|res|resp|ré|rép|réf|rif|r|ri|bls|atb|回复|回覆|答复|答覆|"
    "返信|답장|회신|ответ|на|ha|отг|відп|αποτ|απ|σχετ|re_|"
    "rép|ответить|تعليق|رد|השב|תשובה|balas|trả lời|ตอบ|ตอบกลับ"
)
_FORWARDS = (
    "fwd?|wg|tr|vl|vb|doorst|videresendt|vidarebefordrat|vidarebefordra|rv|enc|i|inoltrato|inoltro|"
    "továbbítás|továbbított|pd|ytr|ilt|转发|轉寄|轉發|転送|전달|"
    "пересл|fw_|itr|prosl|vs_fwd|προώθ|πρθ|إعادة توجيه|הועבר|terusan|chuyển tiếp|ส่งต่อ"
)
_MARK = re.compile(
    rf"\s*(?:(?:{_REPLIES})\s*(?:\[\d{{1,4}}\]|\(\d{{1,4}}\)|\^\d{{1,4}}|\*\d{{1,4}})?\s*[:：]"
    rf"|(?:{_FORWARDS})\s*(?:\[\d{{1,4}}\]|\(\d{{1,4}}\))?\s*[:：]"
    r"|[\[(*]{1,3}\s*(?:ext(?:ern(?:al|e|o|í)?)?(?:[ _-](?:e?-?mail|sender|mail|msg|message))?|outside|"
    r"extérieur|externer? absender|"
    r"(?:suspected |possible |probable )?(?:spam|phish(?:ing)?|bulk)\??|caution|warning|secure|"
    r"unverified sender|newsletter|"
    r"marketing|possible spam|\W{0,3}spam\W{0,3})\s*[\])*]{1,3}\s*:?"
    r"|(?:external|extern)\s*[:：])\s*",
    re.IGNORECASE,
)
_REPLY = re.compile(
    rf"(?:{_REPLIES})\s*(?:\[\d{{1,4}}\]|\(\d{{1,4}}\)|\^\d{{1,4}}|\*\d{{1,4}})?\s*[:：]", re.IGNORECASE
)
_FORWARD = re.compile(rf"(?:{_FORWARDS})\s*(?:\[\d{{1,4}}\]|\(\d{{1,4}}\))?\s*[:：]", re.IGNORECASE)
_TAG = re.compile(r"\s*(?:[\[(*][^\[\]()*:]{0,40}[\])*]\s*)+")


def folded_subject(subject: str) -> str:
    """Return the subject of the conversation: prefixes and gateway tags gone, white space single."""
    text = " ".join(subject[:MAX_SUBJECT].split())
    at = 0
    while (mark := _MARK.match(text, at)) is not None and mark.end() > at:
        at = mark.end()
    return text[at:] if at < len(text) else ""


def is_forward(subject: str) -> bool:
    """Tell whether the outermost mark says that the message was forwarded (`Fwd:`, `WG:`, `TR:`)."""
    text = _untagged(subject)
    return bool(_FORWARD.match(text)) and not text.casefold().startswith(("re:", "rv: re"))


def is_reply(subject: str) -> bool:
    """Tell whether the outermost mark says that the message is an answer (`Re:`, `AW:`, `SV:`)."""
    return bool(_REPLY.match(_untagged(subject))) and not is_forward(subject)


def _untagged(subject: str) -> str:
    text = " ".join(subject[:MAX_SUBJECT].split())
    tag = _TAG.match(text)
    return text[tag.end() :] if tag else text
