"""Dovecot 2.3, without any privilege: IMAP on two ports, LMTP, and the SASL service that Postfix asks.

Run by root it becomes `nobody` before it starts; run by anybody else it stays who it is.
"""

import grp
import json
import os
import pwd
import secrets
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
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
    """A running Dovecot. Each user is a file in `users`, read anew for every question: no cache, no waiting."""

    server: Server
    ports: DovecotPorts
    users: Path
    token_secret: bytes  #: Signs the tokens of XOAUTH2 and OAUTHBEARER.

    def set_passwords(self, passwords: Mapping[str, str]) -> None:
        """Make each address a user with this password; it counts from the next login on."""
        for address, password in passwords.items():
            new = self.users.with_name("user.new")
            new.write_text(json.dumps({"password": f"{{PLAIN}}{password}"}), encoding="utf-8")
            new.chmod(0o644)
            new.replace(self.users / address)


def start_dovecot(folder: Path, *, layout: Layout, certificates: Certificates, ports: DovecotPorts) -> Dovecot:
    """Start Dovecot with everything it has under `folder`, which must be empty. It may not listen yet on return."""
    user = pwd.getpwnam("nobody") if os.geteuid() == 0 else pwd.getpwuid(os.getuid())
    folder.mkdir()
    for name in ("run", "state", "mail", "users", "keys/default/HS256"):
        (folder / name).mkdir(parents=True)
    config = folder / "dovecot.conf"
    config.write_text(_config(folder, layout, certificates, ports, user), encoding="utf-8")
    token_secret = secrets.token_bytes(32)
    (folder / "keys/default/HS256/default").write_bytes(b64encode(token_secret))
    (folder / "oauth2.conf").write_text(_oauth2_config(folder), encoding="utf-8")
    (folder / "passdb.conf").write_text(_passdb_config(folder), encoding="utf-8")
    (folder / "userdb.conf").write_text(_userdb_config(folder, user), encoding="utf-8")
    command: list[str | Path] = ["/usr/sbin/dovecot", "-F", "-c", config]
    if os.geteuid() == 0:
        for path in (folder, *folder.iterdir()):
            os.chown(path, user.pw_uid, user.pw_gid)
        who = [f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]
        command = ["/usr/bin/setpriv", *who, "--", *command]
    server = Server("dovecot", command, log=folder / "dovecot.log")
    return Dovecot(server=server, ports=ports, users=folder / "users", token_secret=token_secret)


def _config(
    folder: Path,
    layout: Layout,
    certificates: Certificates,
    ports: DovecotPorts,
    user: pwd.struct_passwd,
) -> str:
    return f"""\
base_dir = {folder}/run
state_dir = {folder}/state
log_path = {folder}/dovecot.log
protocols = imap lmtp
listen = {LOOPBACK}

hostname = mail.example

# Everything is one user: the rootless installation of Dovecot's manual.
default_internal_user = {user.pw_name}
default_internal_group = {grp.getgrgid(user.pw_gid).gr_name}
default_login_user = {user.pw_name}
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
auth_verbose = yes
passdb {{
  driver = oauth2
  mechanisms = xoauth2 oauthbearer
  args = {folder}/oauth2.conf
}}
passdb {{
  driver = dict
  mechanisms = plain login
  args = {folder}/passdb.conf
}}
userdb {{
  driver = dict
  args = {folder}/userdb.conf
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
  client_limit = 5000
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


def _passdb_config(folder: Path) -> str:
    return f"""\
uri = fs:posix:prefix={folder}/users/
key user {{
  key = %u
  format = json
}}
passdb_objects = user
"""


def _userdb_config(folder: Path, user: pwd.struct_passwd) -> str:
    return f"""\
uri = fs:posix:prefix={folder}/users/
key user {{
  key = %u
  format = json
}}
userdb_objects = user
userdb_fields {{
  uid = {user.pw_uid}
  gid = {user.pw_gid}
  home = {folder}/mail/%d/%n
}}
"""


def _mailboxes(layout: Layout) -> list[str]:
    return [
        f'  mailbox "{folder.name.removeprefix(layout.prefix)}" {{\n'
        "    auto = subscribe\n" + (f"    special_use = {folder.role}\n" if layout.marked else "") + "  }\n"
        for folder in layout.folders
    ]
