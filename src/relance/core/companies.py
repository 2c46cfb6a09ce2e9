"""Which addresses belong to one company, and which domains are many people's."""

from functools import cache

from publicsuffixlist import PublicSuffixList

#: Providers at which strangers share a domain, by the part before the public suffix where they have many of those.
_SHARED_NAMES = frozenset(
    {
        *("gmail", "googlemail", "outlook", "hotmail", "live", "msn", "yahoo", "ymail", "rocketmail", "aol", "icloud"),
        *("me", "mac", "gmx", "web", "freenet", "t-online", "posteo", "mailbox", "arcor", "vodafonemail", "proton"),
        *("protonmail", "pm", "tutanota", "tuta", "hey", "fastmail", "zoho", "zohomail", "mail", "email", "inbox"),
        *("yandex", "ya", "rambler", "bk", "list", "qq", "163", "126", "sina", "sohu", "naver", "daum", "hanmail"),
        *("orange", "wanadoo", "free", "laposte", "sfr", "neuf", "libero", "virgilio", "tiscali", "alice", "wp"),
        *("onet", "interia", "o2", "seznam", "centrum", "abv", "ukr", "comcast", "verizon", "att", "sbcglobal"),
        *("bellsouth", "cox", "charter", "earthlink", "btinternet", "sky", "virginmedia", "ntlworld", "bigpond"),
        *("optusnet", "rediffmail", "uol", "bol", "terra", "bluewin", "hispeed", "telenet", "skynet", "ziggo"),
    },
)


def company_of(address: str) -> str | None:
    """Return the registrable domain that stands for the company of an address; None if strangers share it."""
    domain = _suffixes().privatesuffix(address.rpartition("@")[2].casefold())
    if not domain or domain.partition(".")[0] in _SHARED_NAMES:
        return None
    return str(domain)


@cache
def _suffixes() -> PublicSuffixList:
    return PublicSuffixList()
