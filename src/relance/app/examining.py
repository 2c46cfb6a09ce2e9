"""What `relance doctor` looks at. Every finding that is not well says what to do."""

import os
import shutil
import stat
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path

from relance.app.contradictions import find_broken, in_words
from relance.app.installation import Installation
from relance.app.logins import LOGIN
from relance.app.loop_health import reports_of
from relance.core.mailbox import Mailbox, MailboxStatus
from relance.core.words import counted
from relance.core.workspace import Workspace
from relance.engine.supervisor import Health
from relance.ports.store import Reader, StoreError
from relance.ports.vault import VaultError
from relance.services import leasing, mailboxes, reports
from relance.services.findings import Finding
from relance.services.leasing import Worker
from relance.services.recovering import recovery_remedy

FREE_BYTES = 512 * 1024 * 1024
CLOCK_APART = timedelta(seconds=2)
_OTHERS = stat.S_IRWXG | stat.S_IRWXO
#: Hosts where a password is on its way out: Exchange Online ends Basic authentication for SMTP AUTH.
_PASSWORDS_END = ("office365.com", "outlook.com", "hotmail.com", "live.com")


async def examine(installation: Installation, workspace: Workspace, *, records: bool = True) -> list[Finding]:
    """Return every finding, in the order in which one would mend them.

    `records`: look for contradictions among the newest records too, which takes seconds where there are many.
    """
    now = installation.clock.now()
    findings = [
        _directory(installation.config.data),
        _disk(installation.config.data),
        _key(installation, workspace),
        await _clock(installation),
        _opt_out_log(installation.config.opt_out_log),
    ]
    findings += await installation.read(_standbys)
    workers = await installation.read(leasing.workers)
    findings.append(await installation.read(_engine, workers))
    findings += _loops(installation.config.data, workers)
    boxes = await installation.read(mailboxes.of_workspace, workspace.id)
    findings += _mailbox_findings(boxes)
    if records:
        findings += await _records(installation, workspace)
    stuck = await installation.read(reports.stuck, workspace_id=workspace.id, now=now)
    findings.append(
        Finding(
            name="movement",
            ok=not stuck,
            detail=f"{len(stuck)} things ought to move and do not" if stuck else "nothing is stuck",
            remedy="see `relance stuck`" if stuck else None,
        )
    )
    return findings


def examine_outside(data: Path, opt_out_log: Path, trouble: StoreError | VaultError) -> list[Finding]:
    """Return what can be found without key or database, and last which of them cannot be used, with its own remedy."""
    what = "key" if isinstance(trouble, VaultError) else "database"
    unusable = Finding(name=what, ok=False, detail="cannot be used, so nothing else was checked", remedy=str(trouble))
    return [_directory(data), _disk(data), _opt_out_log(opt_out_log), unusable]


async def _records(installation: Installation, workspace: Workspace) -> list[Finding]:
    looked_at, broken = await find_broken(installation, workspace)
    if not broken:
        said = f"no contradiction among the newest {counted(looked_at, 'row', 'rows')}"
        return [Finding(name="records", ok=True, detail=said)]
    return [
        Finding(name=f"records: {one.rule.replace('_', ' ')}", ok=False, detail=in_words(one), remedy=one.remedy)
        for one in broken
    ]


def _directory(data: Path) -> Finding:
    mode = data.stat().st_mode
    remedy = f"chmod 700 {data}" if mode & _OTHERS else None
    writable = os.access(data, os.W_OK)
    if not writable:
        remedy = f"make {data} writable for this user"
    detail = f"{data}, {stat.filemode(mode)}"
    return Finding(name="data directory", ok=remedy is None, detail=detail, remedy=remedy)


def _disk(data: Path) -> Finding:
    free = shutil.disk_usage(data).free
    ok = free >= FREE_BYTES
    remedy = None if ok else "free some space: a full disk stops everything (nothing is lost)"
    return Finding(name="disk", ok=ok, detail=f"{free // (1024 * 1024)} MB free", remedy=remedy)


def _key(installation: Installation, workspace: Workspace) -> Finding:
    path = installation.config.master_key_file
    try:
        installation.vault.seal(workspace.wrapped_key, b"", bound_to="doctor")
    except VaultError as error:
        return Finding(name="key", ok=False, detail=str(path), remedy=str(error))
    return Finding(name="key", ok=True, detail=f"{path} opens the workspace's secrets")


async def _clock(installation: Installation) -> Finding:
    apart = await installation.clock_difference()
    seconds = abs(apart.total_seconds())
    ok = apart < CLOCK_APART and -apart < CLOCK_APART
    remedy = None if ok else "set the clocks of this machine and the database's by NTP"
    return Finding(name="clock", ok=ok, detail=f"{seconds:.3f} s from the database's", remedy=remedy)


def _opt_out_log(path: Path) -> Finding:
    place = path if path.exists() else path.parent
    ok = os.access(place, os.W_OK)
    remedy = None if ok else f"make {place} writable: opt-outs are kept there outside the database"
    return Finding(name="opt-out log", ok=ok, detail=str(path), remedy=remedy)


def _engine(reader: Reader, workers: list[Worker]) -> Finding:
    walking = reader.one(int, "enrollments.count_walking") or 0
    if workers:
        shares = ", ".join(f"{one.name} ({counted(one.shards, 'shard', 'shards')})" for one in workers)
        return Finding(name="engine", ok=True, detail=f"running as {shares}")
    remedy = "start it with `relance run`" if walking else None
    return Finding(
        name="engine",
        ok=not walking,
        detail=f"not running; {counted(walking, 'enrollment waits', 'enrollments wait')}",
        remedy=remedy,
    )


def _standbys(reader: Reader) -> list[Finding]:
    """Say nothing where there is no standby that lags."""
    lagging = reader.one(int, "server.asynchronous_standbys") or 0
    if not lagging:
        return []
    said = f"{counted(lagging, 'standby', 'standbys')} of the database may lack the last sends when it takes over"
    remedy = "make its replication synchronous (`synchronous_standby_names`)"
    return [Finding(name="standby", ok=False, detail=said, remedy=remedy)]


def _loops(data: Path, workers: list[Worker]) -> Iterator[Finding]:
    """Say how the loops of this data directory's engines do; what runs elsewhere reports there."""
    living = {one.name for one in workers}
    reports = [report for report in reports_of(data) if report.worker in living]
    for report in reports:
        failing = [one for one in report.loops if one.failing or not one.running]
        whose = "" if len(reports) == 1 else f" of {report.worker}"
        if not failing:
            said = f"{len(report.loops)} run, said at {_when(report.at)}"
            yield Finding(name=f"loops{whose}", ok=True, detail=said)
        yield from (_failing(one, whose) for one in failing)


def _failing(one: Health, whose: str) -> Finding:
    return Finding(
        name=f"loop {one.loop}{whose}",
        ok=False,
        detail=f"started again {one.restarts} times, last failed with {one.last_error}",
        remedy="it is tried again by itself; if it goes on, look into the engine's log and restart it",
    )


def _mailbox_findings(boxes: list[Mailbox]) -> Iterator[Finding]:
    if not boxes:
        yield Finding(
            name="mailboxes", ok=False, detail="none is connected", remedy="connect one with `relance mailbox add`"
        )
    for box in boxes:
        name = f"mailbox {box.address}"
        trouble = next((said for judge in _JUDGES if (said := judge(box)) is not None), None)
        if trouble is None:
            yield Finding(name=name, ok=True, detail=f"{box.status}, last read {_when(box.last_read_at)}")
        else:
            yield Finding(name=name, ok=False, detail=trouble[0], remedy=trouble[1])


def _in_trouble(box: Mailbox) -> tuple[str, str] | None:
    if box.status in {MailboxStatus.ACTIVE, MailboxStatus.PAUSED}:
        return None
    if box.status is MailboxStatus.RECOVERING:
        return f"{box.status}: {box.status_reason}", recovery_remedy(box)
    return f"{box.status}: {box.status_reason}", f"try `relance mailbox check {box.address}`"


def _unchecked(box: Mailbox) -> tuple[str, str] | None:
    if box.saves_sent is not None:
        return None
    return (
        "nobody knows yet whether its server keeps copies of what it sends",
        f"let it find out: `relance mailbox check {box.address}`",
    )


def _password_ends(box: Mailbox) -> tuple[str, str] | None:
    login = box.settings.get(LOGIN)
    oauth = isinstance(login, dict) and login.get("oauth") is True
    host = str(box.settings.get("smtp_host", "")).casefold()
    if oauth or not host.endswith(_PASSWORDS_END):
        return None
    return (
        f"{host} is logged in to with a password, which Microsoft is turning off",
        f"use a token: `relance mailbox set {box.address} --oauth-token-command CMD`",
    )


_JUDGES: tuple[Callable[[Mailbox], tuple[str, str] | None], ...] = (_in_trouble, _password_ends, _unchecked)


def _when(at: datetime | None) -> str:
    return f"{at:%Y-%m-%d %H:%M:%S} UTC" if at else "never"
