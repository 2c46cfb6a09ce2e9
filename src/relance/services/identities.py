"""What identifies a person beside the address, in the one spelling that it is compared by.

Rule 1: a number is an identity only with its country code (E.164).
Rule 2: a LinkedIn profile is its path: scheme, `www.`, country and query are how one happened to get there.
"""

import re
from collections.abc import Mapping

from relance.core.lead import Lead

#: Fields with a meaning of their own, kept in columns because they identify a person.
IDENTITIES = ("external_id", "phone", "linkedin_url")
_E164 = re.compile(r"\+[1-9][0-9]{6,14}")
_LINKEDIN = re.compile(r"(?:https?://)?(?:[a-z]{2,3}\.)?linkedin\.com/(.+)")
_NAMES = ("first_name", "last_name")


def normalised(values: Mapping[str, str]) -> dict[str, str]:
    """Return the values with every identity in its one spelling; a phone that is none keeps its own."""
    spelled = dict(values)
    phone = re.sub(r"[\s()./-]", "", spelled.get("phone", ""))
    phone = f"+{phone[2:]}" if phone.startswith("00") else phone
    if _E164.fullmatch(phone):
        spelled["phone"] = phone
    if spelled.get("linkedin_url"):
        url = spelled["linkedin_url"].strip().casefold().partition("?")[0].partition("#")[0].rstrip("/")
        profile = _LINKEDIN.fullmatch(url)
        spelled["linkedin_url"] = f"https://linkedin.com/{profile[1]}" if profile else url
    return spelled


def identities_of(values: Mapping[str, str]) -> dict[str, str]:
    """Return what among normalised values identifies a person."""
    found = {name: values[name] for name in IDENTITIES if values.get(name)}
    if not _E164.fullmatch(found.get("phone", "")):
        found.pop("phone", None)
    return found


def shares_only_phone(lead: Lead, address: str, values: Mapping[str, str]) -> bool:
    """Whether nothing but a number speaks for the same person: colleagues share a switchboard.

    Who has the same first and last name at the same number is the same person.
    """
    found = identities_of(values)
    same = {name for name in IDENTITIES if found.get(name) and getattr(lead, name) == found[name]}
    return lead.email != address and same == {"phone"} and not _same_name(lead, values)


def _same_name(lead: Lead, values: Mapping[str, str]) -> bool:
    ours = [str(lead.fields.get(name, "")).casefold() for name in _NAMES]
    return all(ours) and ours == [values.get(name, "").casefold() for name in _NAMES]
