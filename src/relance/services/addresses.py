"""One spelling for every e-mail address that people write: trimmed, case-folded, its domain in ASCII, checked."""

from email_validator import EmailNotValidError, validate_email

from relance.core.identifiers import ascii_domain
from relance.services.refusals import WrongInputError

_LONGEST = 320
_ANY_DOMAIN = "example.com"
_ONE_LABEL = frozenset({"localhost"})  #: A machine of one's own, for trying things out.


class BadAddressError(WrongInputError):
    """It is not an address that mail can be sent to. `reason` says why, without the address."""

    def __init__(self, address: str, reason: str) -> None:
        super().__init__(f"{address[:_LONGEST]!r} is not an e-mail address: {reason}")
        self.reason = reason


def clean_address(text: str) -> str:
    """Return the address in the spelling it is kept and compared by. Asks no DNS. Raises BadAddressError."""
    address = text.strip().removeprefix("mailto:").strip("<> \t\u00a0\u200b\ufeff")
    if not address:
        raise BadAddressError(text, "it is empty")
    if len(address) > _LONGEST:
        raise BadAddressError(address, "it is too long")
    local, at, domain = address.rpartition("@")
    if not at:
        raise BadAddressError(address, "it has no @")
    try:
        # The library refuses domains of one's own machines (.test, .local): the domain is ours to check.
        found = validate_email(f"{local}@{_ANY_DOMAIN}", allow_smtputf8=False, check_deliverability=False)
        domain = ascii_domain(domain)
    except EmailNotValidError as error:
        raise BadAddressError(address, _lower_first(str(error))) from error
    except ValueError as error:
        raise BadAddressError(address, str(error)) from error
    if domain not in _ONE_LABEL and ("." not in domain or domain.rpartition(".")[2].isdecimal()):
        raise BadAddressError(address, f"{domain} is not the name of a mail domain")
    return f"{found.local_part}@{domain}".casefold()


def _lower_first(sentence: str) -> str:
    return (sentence[:1].lower() + sentence[1:]).rstrip(".")
