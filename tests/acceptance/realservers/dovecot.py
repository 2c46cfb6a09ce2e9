"""Dovecot 2.3, without any privilege: IMAP on two ports, LMTP, and the SASL service that Postfix asks.

Run by root it becomes `nobody` before it starts; run by anybody else it stays who it is.
"""

import grp
import os
import pwd
import secrets
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from acceptance.realservers.authority import Certificates
from acceptance.realservers.endpoint import LOOPBACK
from acceptance.realservers.layouts import Layout
from acceptance.realservers.process import Server


@dataclass(frozen=True, slots=True, kw_only=True)
class DovecotPorts:
    """Loopback ports; `imap` takes STARTTLS and cleartext, `sasl` is Dovecot's own authentication protocol."""

    imap: int
    imaps: int
    lmtp: int
    sasl: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Dovecot:
    """A running Dovecot. Users are lines of `users_file`, which it reads again when the file changes."""

    server: Server
    ports: DovecotPorts
    users_file: Path
    token_secret: bytes  #: Signs the tokens of XOAUTH2 and OAUTHBEARER.
    _versions: "count[int]" = field(default_factory=lambda: count(1_600_000_000))

    def replace_users(self, passwords: Mapping[str, str]) -> None:
        """Make these addresses, and no others, the users.

        Dovecot compares modification times in whole seconds: each version of the file gets a second of its own.
        """
        lines = [f"{address}:{{PLAIN}}{password}::::::\n" for address, password in passwords.items()]
        new = self.users_file.with_suffix(".new")
        new.write_text("".join(lines), encoding="utf-8")
        version = next(self._versions)
        os.utime(new, (version, version))
        new.replace(self.users_file)


def start_dovecot(folder: Path, *, layout: Layout, certificates: Certificates, ports: DovecotPorts) -> Dovecot:
    """Start Dovecot with everything it has under `folder`, which must be empty. It may not listen yet on return."""
    user = pwd.getpwnam("nobody") if os.geteuid() == 0 else pwd.getpwuid(os.getuid())
    folder.mkdir()
    for name in ("run", "state", "mail", "keys/default/HS256"):
        (folder / name).mkdir(parents=True)
    users_file = folder / "users"
    users_file.touch()
    config = folder / "dovecot.conf"
    config.write_text(_config(folder, layout, certificates, ports, user), encoding="utf-8")
    token_secret = secrets.token_bytes(32)
    (folder / "keys/default/HS256/default").write_bytes(b64encode(token_secret))
    (folder / "oauth2.conf").write_text(_oauth2_config(folder), encoding="utf-8")
    privileges: list[str] = []
    if os.geteuid() == 0:
        for path in (folder, *folder.iterdir()):
            os.chown(path, user.pw_uid, user.pw_gid)
        privileges = [f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]
    server = Server(
        "dovecot",
        ["/usr/sbin/dovecot", "-F", "-c", config],
        log=folder / "dovecot.log",
        privileges=privileges,
    )
    return Dovecot(server=server, ports=ports, users_file=users_file, token_secret=token_secret)


def _config(
    folder: Path,
    layout: Layout,
    certificates: Certificates,
    ports: DovecotPorts,
    user: pwd.struct_passwd,
) -> str:
    owner = user.pw_name
    group = user.pw_gid
    return f"""\
base_dir = {folder}/run
state_dir = {folder}/state
log_path = {folder}/dovecot.log
protocols = imap lmtp
listen = {LOOPBACK}

hostname = mail.example

# Everything is one user: the rootless installation of Dovecot's manual.
default_internal_user = {owner}
default_internal_group = {_group_name(group)}
default_login_user = {owner}
first_valid_uid = 1
first_valid_gid = 1
default_process_limit = 200
default_client_limit = 1000
default_vsz_limit = 512 M

ssl = yes
ssl_cert = <{certificates.cert_file}
ssl_key = <{certificates.key_file}
ssl_min_protocol = TLSv1.2
disable_plaintext_auth = no
auth_mechanisms = plain login xoauth2 oauthbearer
auth_failure_delay = 0
passdb {{
  driver = oauth2
  mechanisms = xoauth2 oauthbearer
  args = {folder}/oauth2.conf
}}
passdb {{
  driver = passwd-file
  mechanisms = plain login
  args = scheme=PLAIN username_format=%u {folder}/users
}}
userdb {{
  driver = passwd-file
  args = username_format=%u {folder}/users
  default_fields = uid={user.pw_uid} gid={group} home={folder}/mail/%d/%n
}}

mail_location = maildir:~/Maildir
mail_max_userip_connections = 200
mailbox_idle_check_interval = 2 secs
recipient_delimiter = +
lmtp_save_to_detail_mailbox = yes
{f"imap_capability = {layout.capability}" if layout.capability else ""}
namespace inbox {{
  inbox = yes
  separator = {layout.separator}
  prefix = {layout.prefix}
{"".join(_mailboxes(layout))}}}

service imap-login {{
  chroot =
  service_count = 0
  inet_listener imap {{
    port = {ports.imap}
  }}
  inet_listener imaps {{
    port = {ports.imaps}
    ssl = yes
  }}
}}
service imap {{
  service_count = 100
}}
service lmtp {{
  inet_listener lmtp {{
    port = {ports.lmtp}
  }}
}}
service auth {{
  inet_listener sasl {{
    port = {ports.sasl}
  }}
}}
service anvil {{
  chroot =
  # No penalty after a wrong password: tests give many.
  unix_listener anvil-auth-penalty {{
    mode = 0
  }}
}}
service stats {{
  chroot =
}}
"""


def _oauth2_config(folder: Path) -> str:
    return f"""\
introspection_mode = local
local_validation_key_dict = fs:posix:prefix={folder}/keys/
username_attribute = email
"""


def _group_name(gid: int) -> str:
    return grp.getgrgid(gid).gr_name


def _mailboxes(layout: Layout) -> list[str]:
    return [
        f'  mailbox "{folder.name.removeprefix(layout.prefix)}" {{\n'
        "    auto = subscribe\n" + (f"    special_use = {folder.role}\n" if layout.marked else "") + "  }\n"
        for folder in layout.folders
    ]
