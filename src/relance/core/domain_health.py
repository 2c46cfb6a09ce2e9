"""What a domain's records are worth to whoever sends from it, and the record to add where one is wanting.

SPF: RFC 7208. DKIM: RFC 6376. DMARC: RFC 7489. MX: RFC 5321, section 5.1. Google and Yahoo refuse bulk mail without all
of SPF, DKIM and DMARC since February 2024, Microsoft since May 2025.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

_LOOKUPS_MOST = 10  #: RFC 7208, section 4.6.4.
_LOOKUP = re.compile(r"^[+?~-]?(include:|a$|a[:/]|mx$|mx[:/]|ptr|exists:)|^redirect=", re.IGNORECASE)
_PUBLIC_KEY = re.compile(r"(?:^|;)\s*p\s*=\s*([^;\s]*)", re.IGNORECASE)
_POLICY = re.compile(r";\s*p\s*=\s*(none|quarantine|reject)\b", re.IGNORECASE)


class RecordKind(StrEnum):
    """What a domain says about its mail."""

    SPF = "spf"  #: Who may send for it.
    DKIM = "dkim"  #: By which key its mail is signed.
    DMARC = "dmarc"  #: What is to become of mail that is neither.
    MX = "mx"  #: Who takes its mail: answers and bounces need one.


class RecordStatus(StrEnum):
    """How it is with one of them."""

    GOOD = "good"
    WEAK = "weak"  #: It is there, and could be better.
    WANTING = "wanting"  #: It is not there: add it.
    WRONG = "wrong"  #: It is there, and does harm or nothing: change it.
    UNKNOWN = "unknown"  #: Name servers did not say, or it cannot be known.


@dataclass(frozen=True, slots=True, kw_only=True)
class ToAdd:
    """A record as it is entered at whoever keeps the domain's names."""

    name: str
    type: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One kind of record, what was found, and what to do."""

    kind: RecordKind
    status: RecordStatus
    why: str
    found: tuple[str, ...] = ()
    to_add: ToAdd | None = None


def judge_spf(domain: str, texts: Sequence[str], *, sends_through: Sequence[str]) -> Judged:
    """Judge who may send. `sends_through`: what the servers of its mailboxes are named by, where that is known."""
    found = tuple(text for text in texts if re.match(r"v=spf1(\s|$)", text.strip(), re.IGNORECASE))
    names = " ".join(dict.fromkeys(sends_through)) or "mx"
    wanted = ToAdd(name=domain, type="TXT", value=f"v=spf1 {names} ~all")

    def say(status: RecordStatus, why: str, to_add: ToAdd | None = None) -> Judged:
        return Judged(kind=RecordKind.SPF, status=status, why=why, found=found, to_add=to_add)

    if not found:
        return say(RecordStatus.WANTING, "nothing says which servers may send for this domain", wanted)
    if len(found) > 1:
        return say(RecordStatus.WRONG, f"there are {len(found)} SPF records, and then none counts: leave one")
    terms = found[0].split()[1:]
    if any(term.casefold() in {"+all", "all"} for term in terms):
        return say(RecordStatus.WRONG, "it lets the whole world send for this domain: end it with ~all")
    lookups = sum(bool(_LOOKUP.match(term)) for term in terms)
    if lookups > _LOOKUPS_MOST:
        return say(RecordStatus.WRONG, f"it asks {lookups} further questions, and only {_LOOKUPS_MOST} are allowed")
    absent = [name for name in sends_through if name.casefold() not in {term.casefold() for term in terms}]
    if absent:
        value = " ".join(["v=spf1", *terms[:-1], *absent, *terms[-1:]] if terms else ["v=spf1", *absent, "~all"])
        why = f"it does not name {', '.join(absent)}, through which its mailboxes send"
        return say(RecordStatus.WEAK, why, ToAdd(name=domain, type="TXT", value=value))
    last = terms[-1].casefold() if terms else ""
    if last not in {"-all", "~all"} and not last.startswith("redirect="):
        return say(RecordStatus.WEAK, "it does not say what holds for everybody else: end it with ~all")
    return say(RecordStatus.GOOD, "it says which servers may send for this domain")


def judge_dkim(domain: str, keys: Mapping[str, Sequence[str]]) -> Judged:
    """Judge whether its mail can be signed. `keys`: by selector, what stands there."""
    there = {selector: key for selector, texts in keys.items() for text in texts if (key := _key_of(text)) is not None}
    found = tuple(f"{selector}._domainkey.{domain}" for selector, key in there.items() if key)
    if found:
        return Judged(
            kind=RecordKind.DKIM, status=RecordStatus.GOOD, why="a key to sign with is published", found=found
        )
    if there:
        withdrawn = ", ".join(there)
        why = f"the key of {withdrawn} is withdrawn (p= is empty): make a new one at your provider"
        return Judged(kind=RecordKind.DKIM, status=RecordStatus.WRONG, why=why)
    asked = ", ".join(keys) or "none"
    why = (
        f"no key was found under the names that providers use ({asked}): make one at your provider, which shows the "
        "record to add; if yours has another selector, say which"
    )
    return Judged(kind=RecordKind.DKIM, status=RecordStatus.WANTING, why=why)


def judge_dmarc(domain: str, texts: Sequence[str], *, reports_to: str) -> Judged:
    """Judge what is to become of mail that is neither allowed nor signed."""
    found = tuple(text for text in texts if re.match(r"v=dmarc1\s*(;|$)", text.strip(), re.IGNORECASE))
    wanted = ToAdd(name=f"_dmarc.{domain}", type="TXT", value=f"v=DMARC1; p=none; rua=mailto:{reports_to}")

    def say(status: RecordStatus, why: str, to_add: ToAdd | None = None) -> Judged:
        return Judged(kind=RecordKind.DMARC, status=status, why=why, found=found, to_add=to_add)

    if not found:
        return say(RecordStatus.WANTING, "large providers refuse bulk mail from domains without a policy", wanted)
    if len(found) > 1:
        return say(RecordStatus.WRONG, f"there are {len(found)} policies, and then none counts: leave one")
    policy = _POLICY.search(found[0])
    if policy is None:
        return say(RecordStatus.WRONG, "it has no policy p=none, p=quarantine or p=reject: add one", wanted)
    if policy[1].casefold() == "none":
        return say(RecordStatus.GOOD, "a policy is there; p=none only watches, which is enough to begin with")
    return say(RecordStatus.GOOD, f"a policy is there: p={policy[1].casefold()}")


def judge_mx(domain: str, hosts: Sequence[str]) -> Judged:
    """Judge who takes its mail."""
    if not hosts:
        why = "nobody takes mail for this domain, so that no answer arrives: add the record your provider shows"
        return Judged(kind=RecordKind.MX, status=RecordStatus.WANTING, why=why)
    if not any(hosts):
        why = f"{domain} says that it takes no mail (a null MX record), so that no answer arrives"
        return Judged(kind=RecordKind.MX, status=RecordStatus.WRONG, why=why)
    return Judged(kind=RecordKind.MX, status=RecordStatus.GOOD, why="answers have a place to go", found=tuple(hosts))


def not_known(kind: RecordKind, why: str) -> Judged:
    """Say that name servers did not say."""
    return Judged(kind=kind, status=RecordStatus.UNKNOWN, why=why)


def _key_of(text: str) -> str | None:
    """Return a DKIM record's public key, empty where it was withdrawn; None: it is no such record."""
    found = _PUBLIC_KEY.search(text)
    return found[1] if found else None
