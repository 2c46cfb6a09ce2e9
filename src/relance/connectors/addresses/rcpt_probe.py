"""Asking a mail server whether it takes mail for somebody, without writing to them (RFC 5321, sections 3.3 and 4.5.5).

MAIL with the null sender, RCPT with the address, RCPT with one that nobody has, QUIT. Nothing is transmitted. Many
servers turn such questions away or answer yes to everything, so that this is off unless a sequence says `rcpt`.
"""

import secrets

import aiosmtplib

from relance.core.address_check import AddressVerdict
from relance.mail.bounce_reasons import reason_of
from relance.ports.addresses import Finding

SMTP_PORT = 25
_TIME_LIMIT = 20.0  #: Real seconds for each command.
_YES = range(200, 300)
_HOSTS_AT_MOST = 2  #: Servers of one domain that are tried.


async def ask_servers(hosts: tuple[str, ...], address: str, *, local_name: str, port: int = SMTP_PORT) -> Finding:
    """Ask the first server that lets us ask."""
    finding = Finding(verdict=AddressVerdict.UNKNOWN, reason="no server was asked")
    for host in hosts[:_HOSTS_AT_MOST]:
        smtp = aiosmtplib.SMTP(
            hostname=host, port=port, local_hostname=local_name, timeout=_TIME_LIMIT, use_tls=False, start_tls=False
        )
        try:
            await smtp.connect()
            return await _ask(smtp, host, address)
        except (aiosmtplib.SMTPException, OSError, TimeoutError) as error:
            why = str(error) or type(error).__name__
            finding = Finding(verdict=AddressVerdict.UNKNOWN, reason=f"{host} lets nobody ask: {why}")
        finally:
            smtp.close()
    return finding


async def _ask(smtp: aiosmtplib.SMTP, host: str, address: str) -> Finding:
    await smtp.ehlo()
    for command in (b"MAIL FROM:<>", f"RCPT TO:<{address}>".encode()):
        code, text = await smtp.execute_command(command)
        if code not in _YES:
            return _refused(host, code, text, of_person=command.startswith(b"RCPT"))
    nobody = f"{secrets.token_hex(10)}@{address.rpartition('@')[2]}"
    code, _ = await smtp.execute_command(f"RCPT TO:<{nobody}>".encode())
    if code in _YES:
        return Finding(verdict=AddressVerdict.CATCH_ALL, reason=f"{host} takes mail for whomever")
    return Finding(verdict=AddressVerdict.VALID, reason=f"{host} takes mail for {address}")


def _refused(host: str, code: int, text: str, *, of_person: bool) -> Finding:
    words = f"{host} says {code} {' '.join(text.split())}"
    dead = of_person and reason_of(None, code, text).hard
    return Finding(verdict=AddressVerdict.INVALID if dead else AddressVerdict.UNKNOWN, reason=words)
