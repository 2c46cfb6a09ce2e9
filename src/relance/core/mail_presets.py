"""The servers of providers that many people have, so that nobody has to look them up.

Each line is from the provider's own page on setting up a mail program; `spf` from the one on its domain's records.
"""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class MailPreset:
    """One provider's servers, as `mailbox add` takes them, and what a domain there has to say."""

    id: str
    label: str
    smtp: str  #: HOST:PORT:SECURITY.
    imap: str
    domains: tuple[str, ...] = ()  #: Addresses at these are its own.
    exchangers: tuple[str, ...] = ()  #: What the servers that take mail for its customers' domains end in.
    spf: str | None = None  #: What a domain's SPF record names it by.
    selectors: tuple[str, ...] = ()  #: Under which it signs for its customers' domains (DKIM).
    note: str = ""  #: What has to be done there first.

    @property
    def smtp_host(self) -> str:
        """The name of the server that sends."""
        return self.smtp.partition(":")[0]


_APP_PASSWORD = "It wants an app password, made in its security settings, not the one you sign in with."  # noqa: S105 - words

PRESETS: Final = (
    MailPreset(
        id="google",
        label="Google Workspace, Gmail",
        smtp="smtp.gmail.com:465:tls",
        imap="imap.gmail.com:993:tls",
        exchangers=("google.com", "googlemail.com"),
        domains=("gmail.com", "googlemail.com"),
        spf="include:_spf.google.com",
        selectors=("google",),
        note=f"{_APP_PASSWORD} An administrator may have to allow IMAP.",
    ),
    MailPreset(
        id="microsoft",
        label="Microsoft 365, Outlook.com",
        smtp="smtp.office365.com:587:starttls",
        imap="outlook.office365.com:993:tls",
        exchangers=("outlook.com", "mx.microsoft"),
        domains=("outlook.com", "hotmail.com", "live.com", "msn.com"),
        spf="include:spf.protection.outlook.com",
        selectors=("selector1", "selector2"),
        note="It takes access tokens and, for most, no passwords: connect with "
        "`relance mailbox add … --oauth-token-command`, and look after it here.",
    ),
    MailPreset(
        id="fastmail",
        label="Fastmail",
        smtp="smtp.fastmail.com:465:tls",
        imap="imap.fastmail.com:993:tls",
        exchangers=("messagingengine.com",),
        domains=("fastmail.com", "fastmail.fm"),
        spf="include:spf.messagingengine.com",
        selectors=("fm1", "fm2", "fm3"),
        note=_APP_PASSWORD,
    ),
    MailPreset(
        id="zoho",
        label="Zoho Mail",
        smtp="smtppro.zoho.com:465:tls",
        imap="imappro.zoho.com:993:tls",
        exchangers=("zoho.com", "zoho.eu"),
        domains=("zohomail.com",),
        note="IMAP has to be switched on there first. In Europe its servers end in zoho.eu.",
    ),
    MailPreset(
        id="ionos",
        label="IONOS",
        smtp="smtp.ionos.de:465:tls",
        imap="imap.ionos.de:993:tls",
        exchangers=("ionos.de", "ionos.com", "kundenserver.de"),
        spf="include:_spf-eu.ionos.com",
        selectors=("s1-ionos", "s2-ionos"),
    ),
    MailPreset(
        id="ovh",
        label="OVHcloud",
        smtp="ssl0.ovh.net:465:tls",
        imap="ssl0.ovh.net:993:tls",
        exchangers=("ovh.net",),
        spf="include:mx.ovh.com",
    ),
    MailPreset(
        id="infomaniak",
        label="Infomaniak",
        smtp="mail.infomaniak.com:465:tls",
        imap="mail.infomaniak.com:993:tls",
        exchangers=("infomaniak.ch", "infomaniak.com"),
        spf="include:spf.infomaniak.ch",
    ),
    MailPreset(
        id="gandi",
        label="Gandi",
        smtp="mail.gandi.net:465:tls",
        imap="mail.gandi.net:993:tls",
        exchangers=("gandi.net",),
        spf="include:_mailcust.gandi.net",
        selectors=("gm1", "gm2", "gm3"),
    ),
    MailPreset(
        id="mailbox_org",
        label="mailbox.org",
        smtp="smtp.mailbox.org:465:tls",
        imap="imap.mailbox.org:993:tls",
        exchangers=("mailbox.org",),
        domains=("mailbox.org",),
        spf="include:mailbox.org",
        selectors=("mbo0001", "mbo0002", "mbo0003", "mbo0004"),
    ),
    MailPreset(
        id="migadu",
        label="Migadu",
        smtp="smtp.migadu.com:465:tls",
        imap="imap.migadu.com:993:tls",
        exchangers=("migadu.com",),
        spf="include:spf.migadu.com",
        selectors=("key1", "key2", "key3"),
    ),
    MailPreset(
        id="rackspace",
        label="Rackspace Email",
        smtp="secure.emailsrvr.com:465:tls",
        imap="secure.emailsrvr.com:993:tls",
        exchangers=("emailsrvr.com",),
        spf="include:emailsrvr.com",
    ),
    MailPreset(
        id="strato",
        label="STRATO",
        smtp="smtp.strato.de:465:tls",
        imap="imap.strato.de:993:tls",
        exchangers=("rzone.de",),
    ),
    MailPreset(
        id="gmx",
        label="GMX",
        smtp="mail.gmx.net:465:tls",
        imap="imap.gmx.net:993:tls",
        domains=("gmx.de", "gmx.net", "gmx.at", "gmx.ch"),
        note="POP3 and IMAP have to be switched on there first.",
    ),
    MailPreset(
        id="web_de",
        label="WEB.DE",
        smtp="smtp.web.de:587:starttls",
        imap="imap.web.de:993:tls",
        domains=("web.de",),
        note="POP3 and IMAP have to be switched on there first.",
    ),
    MailPreset(
        id="yahoo",
        label="Yahoo Mail",
        smtp="smtp.mail.yahoo.com:465:tls",
        imap="imap.mail.yahoo.com:993:tls",
        domains=("yahoo.com", "yahoo.de", "yahoo.fr", "ymail.com"),
        note=_APP_PASSWORD,
    ),
    MailPreset(
        id="icloud",
        label="iCloud Mail",
        smtp="smtp.mail.me.com:587:starttls",
        imap="imap.mail.me.com:993:tls",
        exchangers=("icloud.com",),
        domains=("icloud.com", "me.com", "mac.com"),
        spf="include:icloud.com",
        selectors=("sig1",),
        note=_APP_PASSWORD,
    ),
)


def preset_named(name: str) -> MailPreset | None:
    """Return a provider by its id."""
    return next((one for one in PRESETS if one.id == name), None)


def preset_of_address(address: str) -> MailPreset | None:
    """Return the provider whose own domain an address is at."""
    domain = address.casefold().rpartition("@")[2]
    return next((one for one in PRESETS if domain in one.domains), None)


def preset_of_exchanger(host: str) -> MailPreset | None:
    """Return the provider that takes a domain's mail on this server."""
    name = host.casefold().rstrip(".")
    return next(
        (one for one in PRESETS if any(name == end or name.endswith(f".{end}") for end in one.exchangers)), None
    )


def preset_of_server(smtp_host: str) -> MailPreset | None:
    """Return the provider whose server this is."""
    host = smtp_host.casefold().rstrip(".")
    return next((one for one in PRESETS if one.smtp_host == host), None)
