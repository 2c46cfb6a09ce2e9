"""Cyrus IMAP, unpacked from Debian's packages, without any privilege: IMAP on two ports, and LMTP.

Run by root it becomes `nobody` before it starts; run by anybody else it stays who it is. What it would log goes to the
system's journal: Cyrus knows no other place.
"""

import os
import pwd
from dataclasses import dataclass
from pathlib import Path

from acceptance.realservers.authority import Certificates
from acceptance.realservers.endpoint import LOOPBACK
from acceptance.realservers.layouts import Layout
from acceptance.realservers.process import Server
from acceptance.realservers.unpacked import SERVERS, library_path

ROOT = SERVERS / "cyrus-imapd"
PROGRAMS = ROOT / "usr/lib/cyrus/bin"


@dataclass(frozen=True, slots=True, kw_only=True)
class CyrusPorts:
    """Loopback ports; `imap` takes STARTTLS and cleartext."""

    imap: int
    imaps: int
    lmtp: int


def start_cyrus(folder: Path, *, layout: Layout, certificates: Certificates, ports: CyrusPorts) -> Server:
    """Start Cyrus with everything it has under `folder`, where `auth` is the socket that it asks about passwords.

    It may not listen yet on return.
    """
    user = pwd.getpwnam("nobody") if os.geteuid() == 0 else pwd.getpwuid(os.getuid())
    for name in ("state/socket", "spool", "proc", "lock", "run"):
        (folder / name).mkdir(parents=True)
    imapd, master = folder / "imapd.conf", folder / "cyrus.conf"
    imapd.write_text(_imapd_config(folder, layout, certificates, user), encoding="utf-8")
    master.write_text(_master_config(imapd, ports), encoding="utf-8")
    environment = ["/usr/bin/env", f"LD_LIBRARY_PATH={library_path(ROOT)}"]
    command: list[str | Path] = [*environment, PROGRAMS / "master", "-D", "-p", folder / "run/master.pid"]
    command += ["-M", master, "-C", imapd]
    if os.geteuid() == 0:
        for path in (folder, *folder.rglob("*")):
            os.chown(path, user.pw_uid, user.pw_gid)
        who = [f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]
        command = ["/usr/bin/setpriv", *who, "--", *command]
    return Server("cyrus", command, log=folder / "cyrus.log")


def _imapd_config(folder: Path, layout: Layout, certificates: Certificates, user: pwd.struct_passwd) -> str:
    inside = {each.role: each.wire.removeprefix(layout.prefix) for each in layout.folders}
    uses = "".join(f"xlist-{role[1:].lower()}: {name}\n" for role, name in inside.items()) if layout.marked else ""
    return f"""\
configdirectory: {folder}/state
defaultpartition: default
partition-default: {folder}/spool
proc_path: {folder}/proc
mboxname_lockpath: {folder}/lock
lmtpsocket: {folder}/run/lmtp
idlesocket: {folder}/run/idle
notifysocket: {folder}/run/notify
cyrus_user: {user.pw_name}
admins: admin
virtdomains: userid
defaultdomain: nowhere.example
altnamespace: {"no" if layout.prefix else "yes"}
unixhierarchysep: {"yes" if layout.separator == "/" else "no"}
autocreate_quota: 0
autocreate_inbox_folders: {" | ".join(inside.values())}
{uses}lmtp_downcase_rcpt: yes
allowplaintext: yes
failedloginpause: 0
sasl_pwcheck_method: saslauthd
sasl_saslauthd_path: {folder}/auth
sasl_mech_list: PLAIN LOGIN
tls_server_cert: {certificates.cert_file}
tls_server_key: {certificates.key_file}
"""


def _master_config(imapd: Path, ports: CyrusPorts) -> str:
    def program(name: str, *options: str) -> str:
        return f'cmd="{" ".join([str(PROGRAMS / name), *options, "-C", str(imapd)])}"'

    return f"""\
START {{
  recover {program("ctl_cyrusdb", "-r")}
}}
SERVICES {{
  imap {program("imapd")} listen="{LOOPBACK}:{ports.imap}" prefork=1
  imaps {program("imapd", "-s")} listen="{LOOPBACK}:{ports.imaps}" prefork=1
  lmtp {program("lmtpd", "-a")} listen="{LOOPBACK}:{ports.lmtp}" prefork=0
}}
DAEMON {{
  idled {program("idled")}
}}
"""
