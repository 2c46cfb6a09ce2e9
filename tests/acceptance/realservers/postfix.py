"""Postfix 3.7 as a submission and delivery server of our own, next to any that the machine may have.

Postfix changes between several users and therefore needs root; its configuration, queue, data and log are the test's,
and it listens on loopback only. Nothing can leave: every transport except LMTP to our Dovecot is an error.
"""

import os
import pwd
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from grp import getgrnam
from pathlib import Path

from acceptance.realservers.authority import Certificates
from acceptance.realservers.endpoint import LOOPBACK
from acceptance.realservers.process import Server

DAEMONS = Path("/usr/lib/postfix/sbin")
LONG_AGO = 1_600_000_000  #: Postfix waits until its configuration has not been edited for a second.

#: Directory of the queue → owner, group, mode, as Postfix's own `postfix-files` has them.
_QUEUE = {
    "active": ("postfix", "root", 0o700),
    "bounce": ("postfix", "root", 0o700),
    "corrupt": ("postfix", "root", 0o700),
    "defer": ("postfix", "root", 0o700),
    "deferred": ("postfix", "root", 0o700),
    "flush": ("postfix", "root", 0o700),
    "hold": ("postfix", "root", 0o700),
    "incoming": ("postfix", "root", 0o700),
    "maildrop": ("postfix", "postdrop", 0o1730),
    "pid": ("root", "root", 0o755),
    "private": ("postfix", "root", 0o700),
    "public": ("postfix", "postdrop", 0o2710),
    "saved": ("postfix", "root", 0o700),
    "trace": ("postfix", "root", 0o700),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PostfixPorts:
    """Three submission ports on loopback."""

    tls: int
    starttls: int
    plain: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Postfix:
    """A running Postfix."""

    server: Server
    ports: PostfixPorts
    config: Path

    def replace_recipients(self, addresses: Iterable[str]) -> None:
        """Make these, and no others, the recipients that RCPT accepts.

        The table is replaced by a rename, because a daemon sees a deleted inode at once and a modification time only
        once a second.
        """
        write_recipients(self.config, addresses)


def write_recipients(config: Path, addresses: Iterable[str]) -> None:
    """Build the lookup table of recipients. An entry `@domain` accepts whatever stands before it."""
    source = config / "recipients.new"
    source.write_text("".join(f"{address} ok\n" for address in addresses), encoding="ascii")
    subprocess.run(["/usr/sbin/postmap", "-c", config, f"hash:{source}"], check=True, capture_output=True)
    source.with_name("recipients.new.db").replace(config / "recipients.db")


def start_postfix(
    folder: Path,
    *,
    domains: Iterable[str],
    recipients: Iterable[str],
    certificates: Certificates,
    ports: PostfixPorts,
    lmtp_port: int,
    sasl_port: int,
    sent_copies: str | None,
) -> Postfix:
    """Start Postfix with everything it has under `folder`, which must be empty. It may not listen yet on return.

    With `sent_copies`, the name of a folder, each message is also delivered into that folder of its sender, as some
    providers do.
    """
    config = folder / "config"
    log = folder / "mail.log"
    owner = pwd.getpwnam("postfix")
    folder.mkdir()
    config.mkdir()
    (folder / "data").mkdir(mode=0o700)
    os.chown(folder / "data", owner.pw_uid, owner.pw_gid)
    _make_queue(folder / "queue")
    copies = ""
    if sent_copies is not None:
        rule = rf"/^([^@+]+)(\+[^@]*)?@(.*)$/ ${{1}}+{sent_copies}@${{3}}"
        (config / "sent_copies").write_text(f"{rule}\n", encoding="ascii")
        copies = f"sender_bcc_maps = regexp:{config}/sent_copies\n"
    main = _main_cf(folder, domains, certificates, lmtp_port=lmtp_port, sasl_port=sasl_port) + copies
    (config / "main.cf").write_text(main, encoding="ascii")
    (config / "master.cf").write_text(_master_cf(ports), encoding="ascii")
    for name in ("main.cf", "master.cf"):
        os.utime(config / name, (LONG_AGO, LONG_AGO))
    write_recipients(config, recipients)
    # -d keeps the master in the foreground with its output; its own group it has already.
    server = Server("postfix", [DAEMONS / "master", "-d", "-c", config], log=log)
    return Postfix(server=server, ports=ports, config=config)


def _make_queue(queue: Path) -> None:
    queue.mkdir()
    for name, (owner, group, mode) in _QUEUE.items():
        path = queue / name
        path.mkdir()
        os.chown(path, pwd.getpwnam(owner).pw_uid, getgrnam(group).gr_gid)
        path.chmod(mode)


def _main_cf(
    folder: Path,
    domains: Iterable[str],
    certificates: Certificates,
    *,
    lmtp_port: int,
    sasl_port: int,
) -> str:
    return f"""\
compatibility_level = 3.6
config_directory = {folder}/config
queue_directory = {folder}/queue
data_directory = {folder}/data
daemon_directory = {DAEMONS}
command_directory = /usr/sbin
mail_owner = postfix
setgid_group = postdrop
maillog_file = {folder}/mail.log
maillog_file_prefixes = {folder}
multi_instance_enable = no

# Loopback only, and no way out.
inet_interfaces = {LOOPBACK}
inet_protocols = ipv4
smtp_dns_support_level = disabled
myhostname = mail.example
mydestination =
mynetworks = {LOOPBACK}/32
relay_domains =
local_transport = error:5.1.1 there is no local mail here
relay_transport = error:5.7.1 nothing is relayed here
default_transport = error:5.4.4 nothing leaves this machine

virtual_mailbox_domains = {" ".join(domains)}
virtual_mailbox_maps = hash:{folder}/config/recipients
virtual_transport = lmtp:inet:{LOOPBACK}:{lmtp_port}
local_recipient_maps =
alias_maps =
alias_database =
recipient_delimiter = +
lmtp_destination_concurrency_limit = 10
lmtp_destination_recipient_limit = 1

smtpd_recipient_restrictions = permit_sasl_authenticated, reject_unauth_destination
smtpd_relay_restrictions = permit_sasl_authenticated, reject_unauth_destination
smtpd_sasl_auth_enable = yes
smtpd_sasl_type = dovecot
smtpd_sasl_path = inet:{LOOPBACK}:{sasl_port}
smtpd_sasl_security_options = noanonymous
smtpd_tls_cert_file = {certificates.cert_file}
smtpd_tls_key_file = {certificates.key_file}
smtpd_tls_security_level = may
smtpd_tls_loglevel = 1
tls_random_source = dev:/dev/urandom

# Fast, for a test: no punishments, at once to the end.
smtpd_error_sleep_time = 0
smtpd_client_connection_count_limit = 0
smtpd_peername_lookup = no
in_flow_delay = 0
queue_run_delay = 1s
minimal_backoff_time = 1s
maximal_backoff_time = 2s
bounce_queue_lifetime = 0
notify_classes =
"""


def _master_cf(ports: PostfixPorts) -> str:
    return f"""\
{LOOPBACK}:{ports.tls} inet n - n - - smtpd
  -o syslog_name=postfix/tls
  -o smtpd_tls_wrappermode=yes
{LOOPBACK}:{ports.starttls} inet n - n - - smtpd
  -o syslog_name=postfix/starttls
  -o smtpd_tls_security_level=encrypt
{LOOPBACK}:{ports.plain} inet n - n - - smtpd
  -o syslog_name=postfix/plain
  -o smtpd_tls_security_level=none
cleanup   unix  n - n - 0 cleanup
qmgr      unix  n - n 300 1 qmgr
tlsmgr    unix  - - n 1000? 1 tlsmgr
rewrite   unix  - - n - - trivial-rewrite
bounce    unix  - - n - 0 bounce
defer     unix  - - n - 0 bounce
trace     unix  - - n - 0 bounce
proxymap  unix  - - n - - proxymap
error     unix  - - n - - error
retry     unix  - - n - - error
lmtp      unix  - - n - - lmtp
anvil     unix  - - n - 1 anvil
scache    unix  - - n - 1 scache
showq     unix  n - n - - showq
postlog   unix-dgram n - n - 1 postlogd
"""
