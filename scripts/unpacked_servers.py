"""Unpack servers whose Debian packages conflict with those that are installed, each into a folder of its own.

Debian allows one IMAP server a machine. The packages of the others, and those that they need and this machine lacks,
are downloaded and unpacked, not installed: no script of theirs runs, no service starts, nothing outside changes.
"""

import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

#: A Debian package and the file that shows it is there (below the folder that bears the package's name).
UNPACKED: Mapping[str, str] = {
    "cyrus-imapd": "usr/lib/cyrus/bin/imapd",
    "courier-imap": "usr/bin/imapd",
}
#: What Debian's resolver must not see, because one of these shuts the others out.
RIVALS = re.compile(r"Package: (?:dovecot|cyrus|courier)-")
DPKG_STATUS = Path("/var/lib/dpkg/status")
#: The index that apt keeps of the machine's packages stays as it is; the archives are read by ourselves alone.
NO_CACHE = ("Dir::Cache::pkgcache=", "Dir::Cache::srcpkgcache=", "APT::Sandbox::User=root")


def missing(servers: Path) -> list[str]:
    """Return the packages that are not unpacked below `servers` yet."""
    return [package for package, proof in UNPACKED.items() if not (servers / package / proof).exists()]


def unpack(package: str, servers: Path) -> str | None:
    """Put `package` below `servers`; return what kept it from being there, in apt's or dpkg's words."""
    servers.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=servers) as made:
        work = Path(made)
        (work / "archives" / "partial").mkdir(parents=True)
        stanzas = DPKG_STATUS.read_text(encoding="utf-8").split("\n\n")
        status = work / "status"
        status.write_text("\n\n".join(each for each in stanzas if not RIVALS.match(each)), encoding="utf-8")
        options = (f"Dir::State::status={status}", f"Dir::Cache::archives={work}/archives", *NO_CACHE)
        chosen = [f"-o{option}" for option in options]
        wanted = ["install", "--yes", "--quiet", "--download-only", "--no-install-recommends", package]
        if trouble := _run(["apt-get", *chosen, *wanted]):
            return trouble
        for archive in sorted((work / "archives").glob("*.deb")):
            if trouble := _run(["dpkg-deb", "--extract", str(archive), str(work / "root")]):
                return trouble
        shutil.rmtree(servers / package, ignore_errors=True)
        (work / "root").rename(servers / package)
    return None


def _run(command: list[str]) -> str | None:
    """Run a program of Debian's; return its last words where it fails."""
    done = subprocess.run(command, check=False, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode == 0:
        return None
    words = (done.stderr.strip() or done.stdout.strip() or f"{command[0]} failed").splitlines()
    return words[-1]
