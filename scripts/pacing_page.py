"""The page of docs/reference that lists every rule of pacing, with its default read from the code."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from relance.core import defaults
from relance.core.ceilings import CEILINGS
from relance.core.mailbox import Pacing
from relance.core.sequence import Plan

OPENING = """\
# Pacing

Written by `make reference`; do not edit. Every rule that decides how fast and when messages leave, with its default,
the field that sets it and the [gate](gates.md) that asks it. `relance explain` names the gate that holds somebody and
until when; a due time never slides, and a rule that says "not now" never loses anybody.

Fields of a mailbox are options of `relance mailbox add` and `set`, those of a sequence are keys of its
[file](sequence-file.md).

**When a cap begins anew.** A mailbox's day and hour are those of its own zone, else of the workspace's, else UTC: the
day begins at the first instant of the date there, an hour when the clock on the wall shows another hour (one that the
clocks repeat is two). The day of a sequence, of a company and of a
workspace is the workspace's. What a provider takes is counted over the last 24 hours and
the last minute, as providers do. A reservation takes its place in every cap at once; a definite failure gives all of
them back; an outcome that is unknown keeps them. A cap that is lowered below what was already sent means: nothing more
until it begins anew."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One row."""

    what: str
    default: str
    field: str
    gate: str = "–"


def pacing_page(value: Callable[[object], str]) -> str:
    """Return the page; `value` writes a default as the other pages do."""
    parts = [OPENING]
    for title, rules in (
        ("A mailbox", _mailbox(value)),
        ("Health", _health(value)),
        ("A sequence", _sequence(value)),
        ("A workspace", _workspace()),
        ("Whose turn it is", _turns(value)),
    ):
        rows = [f"| {rule.what} | {rule.default} | {rule.field} | {rule.gate} |" for rule in rules]
        parts += [f"## {title}", "\n".join(["| Rule | Default | Field | Gate |", "|---|---|---|---|", *rows])]
    return "\n\n".join(parts) + "\n"


def _mailbox(value: Callable[[object], str]) -> list[Rule]:
    usual = Pacing()
    ceilings = "; ".join(
        f"{name}: {ceiling.daily} in 24 h" + (f", {ceiling.per_minute} a minute" if ceiling.per_minute else "")
        for name, ceiling in CEILINGS.items()
    )
    return [
        Rule(what="Messages a day", default=value(usual.daily_cap), field="`--daily-cap`", gate="`daily_cap`"),
        Rule(what="Messages an hour", default=value(usual.hourly_cap), field="`--hourly-cap`", gate="`hourly_cap`"),
        Rule(
            what="Rest between two messages, drawn anew each time. A gap longer than what is left of the window means "
            "one message a window",
            default=f"{usual.min_gap:g} to {usual.max_gap:g} s",
            field="`--min-gap`, `--max-gap`",
            gate="`gap`",
        ),
        Rule(
            what="Ramp of a new mailbox, up to its daily cap: so many on the first day, and more after each day on "
            "which it sent",
            default=f"{value(usual.ramp_start)}, and {value(usual.ramp_step)} more a day",
            field="`--ramp-start`, `--ramp-step`, `--no-ramp`",
            gate="`daily_cap`",
        ),
        Rule(
            what="After a silence the ramp begins again gently: each day beyond these takes one day of it back",
            default=f"{defaults.RAMP_REST_DAYS} days",
            field="`RAMP_REST_DAYS`",
            gate="`daily_cap`",
        ),
        Rule(
            what="Working day as a person keeps it: beginning, lunch and end, each moved by up to `jitter` minutes, "
            "another way each day, in the mailbox's zone. Which weekdays are worked is the sequence's window",
            default="all day; preset `human` sets one",
            field="`--workday`, `--preset human`",
            gate="`workday`",
        ),
        Rule(
            what="What the provider takes, recognised by the server that sends, whatever the connector",
            default=ceilings,
            field="`--ceiling`",
            gate="`provider_ceiling`",
        ),
        Rule(
            what="Zone in which its days begin", default="the workspace's, else UTC", field="`--timezone`",
            gate="`daily_cap`, `hourly_cap`, `workday`",
        ),
    ]  # fmt: skip


def _health(value: Callable[[object], str]) -> list[Rule]:
    least = f"judged over {defaults.HEALTH_PERIOD.days} days, from {defaults.HEALTH_MIN_SENDS} messages on"

    def shares(reduce_at: float, pause_at: float) -> str:
        return f"{value(reduce_at)} and {value(pause_at)}"

    return [
        Rule(
            what=f"Bounces: from the first share on it sends at {defaults.REDUCED_FACTOR:.0%} of its cap, from the "
            f"second on it rests; {least}",
            default=shares(defaults.BOUNCES_REDUCE, defaults.BOUNCES_PAUSE),
            field="`BOUNCES_REDUCE`, `BOUNCES_PAUSE`",
            gate="`daily_cap`, `mailbox`",
        ),
        Rule(
            what="Blocks: refused as unwanted; likewise",
            default=shares(defaults.BLOCKS_REDUCE, defaults.BLOCKS_PAUSE),
            field="`BLOCKS_REDUCE`, `BLOCKS_PAUSE`",
            gate="`daily_cap`, `mailbox`",
        ),
        Rule(
            what="Complaints; likewise",
            default=shares(defaults.COMPLAINTS_REDUCE, defaults.COMPLAINTS_PAUSE),
            field="`COMPLAINTS_REDUCE`, `COMPLAINTS_PAUSE`",
            gate="`daily_cap`, `mailbox`",
        ),
        Rule(
            what="How long a mailbox rests that its health pauses",
            default=value(defaults.HEALTH_REST),
            field="`HEALTH_REST`",
            gate="`mailbox`",
        ),
        Rule(
            what="Score, 100 to 0, and its reasons: 50 where a share begins to reduce, 0 where it pauses; the worst "
            "counts",
            default="–",
            field="`relance mailbox health`",
        ),
    ]


def _sequence(value: Callable[[object], str]) -> list[Rule]:
    usual = Plan(name="", steps=())
    window = usual.window
    hours = ", ".join(f"{each.start:%H:%M}–{each.end:%H:%M}" for each in window.intervals)
    return [
        Rule(what="Messages a day", default=_cap(usual.daily_cap), field="`daily_cap`", gate="`sequence_cap`"),
        Rule(
            what="People written to for the first time a day",
            default=_cap(usual.max_new_per_day),
            field="`max_new_per_day`",
            gate="`new_leads_cap`",
        ),
        Rule(
            what="Messages to one person in a period, over all sequences",
            default="no limit" if usual.frequency_cap is None else str(usual.frequency_cap),
            field="`frequency_cap`",
            gate="`frequency_cap`",
        ),
        Rule(
            what="A due step waits for the hour at which its person reads mail, by when they opened earlier messages "
            f"(in {defaults.OPENS_LEAST} hours or more of the last {defaults.OPENS_PERIOD.days} days); at most "
            f"{value(defaults.SEND_TIME_MOST)} after it was due",
            default=f"`{usual.send_time}`",
            field="`send_time`",
            gate="`send_time`",
        ),
        Rule(
            what="Report: who is in two sequences at once, whom such a cap would concern",
            default="–",
            field="`relance enrollment overlaps`",
        ),
        Rule(
            what="Report: live and paused sequences out of which nothing has left for long",
            default="14 days",
            field="`relance sequence stale --days`",
        ),
        Rule(
            what="Sending window: weekdays and hours, over midnight if an end lies before its beginning; wall-clock "
            "hours across every change of the clocks",
            default=f"Monday to Friday, {hours}",
            field="`window.days`, `window.intervals`",
            gate="`window`",
        ),
        Rule(
            what="The window's zone: fixed, `lead` or `mailbox`",
            default="the workspace's, else UTC",
            field="`window.timezone`",
            gate="`window`",
        ),
        Rule(
            what="The zone of a lead whose own is not known, for a window in the lead's",
            default="the workspace's, else UTC",
            field="`window.unknown_timezone`",
            gate="`window`",
        ),
        Rule(
            what="Holidays of a country or a part of it, frozen when published; dates on which nothing is sent",
            default="none",
            field="`window.holidays`, `window.blackout`",
            gate="`window`",
        ),
        Rule(
            what="Quiet hours: the sequence's, else the workspace's; in their own zone, else the workspace's",
            default="none",
            field="`quiet_hours`",
            gate="`quiet_hours`",
        ),
        Rule(
            what="Waits in business days: days on which the window opens. Sunday and one of them is Monday's opening",
            default="–",
            field="`after: 3bd`, `for: 3bd`",
        ),
        Rule(
            what="A step never becomes due outside the window: it is moved to the next opening",
            default="–",
            field="`after`, `for`",
            gate="`window`",
        ),
        Rule(
            what="A person rests after a failure, doubling",
            default=f"{value(defaults.COOLDOWN_FIRST)} to {value(defaults.COOLDOWN_MOST)}",
            field="`COOLDOWN_FIRST`, `COOLDOWN_MOST`",
            gate="`cooldown`",
        ),
    ]


def _workspace() -> list[Rule]:
    return [
        Rule(
            what="Messages a day, over every sequence and mailbox; the day is the workspace's",
            default="no limit",
            field="`relance workspace set --daily-cap`",
            gate="`workspace_cap`",
        ),
        Rule(
            what="Messages a day to the people of one company's domain, subdomains included. Domains that strangers "
            "share, such as gmail.com, are no company",
            default="no limit",
            field="`relance workspace set --recipient-domain-daily-cap`",
            gate="`recipient_domain_cap`",
        ),
        Rule(
            what="Quiet hours of sequences that have none of their own",
            default="none",
            field="`relance workspace set --quiet-hours`",
            gate="`quiet_hours`",
        ),
    ]


def _turns(value: Callable[[object], str]) -> list[Rule]:
    return [
        Rule(
            what="Which mailboxes of the workspace open a sequence's conversations: a pool, a domain, or addresses",
            default="`{pool: default}`",
            field="`mailboxes`",
        ),
        Rule(
            what="Whether a mailbox sends a sequence's follow-ups before it writes to somebody new, or the other way "
            "round",
            default=f"`{Plan(name='', steps=()).order}`",
            field="`order`",
        ),
        Rule(
            what="Which of the free mailboxes opens the next conversation: the least recently served, the one that has "
            "used the least of its day's cap, or the one that has sent the least today for its weight. It is an "
            "order, and a share only where more mailboxes are free than people are due: while somebody waits, no free "
            "mailbox does. Whose share must never be exceeded gets a daily cap. Each worker chooses among its own",
            default=f"`{Plan(name='', steps=()).rotation}`",
            field="`rotation`, `--weight`",
        ),
        Rule(
            what="Mailboxes that are free take turns, the least recently served first; workspaces take turns before "
            "them, sequences after them: each one's most due first, then each one's second",
            default="–",
            field="–",
        ),
        Rule(
            what="A conversation is opened from a mailbox of the person's own provider, by the MX records of their "
            "domain: if one is free, or in any case",
            default=f"`{Plan(name='', steps=()).match_provider}`",
            field="`match_provider`",
            gate="`verification`",
        ),
        Rule(
            what="First messages leave once it is known that the address takes mail; one that cannot be judged is "
            f"asked about {defaults.VERIFICATION_CAP} times, ever later",
            default=f"`{Plan(name='', steps=()).verification}`",
            field="`verification`",
            gate="`verification`",
        ),
        Rule(
            what="Follow-ups stay on the mailbox that opened the thread, and leave only if it was read a moment ago",
            default=value(timedelta(seconds=defaults.FRESHNESS.total_seconds())),
            field="`FRESHNESS`",
            gate="`reply_freshness`",
        ),
        Rule(
            what="Follow-ups of a mailbox that was removed wait, since an answer may lie where nobody reads it; or "
            "others go on with them in a new thread under the same subject, without waiting for such an answer",
            default="they wait",
            field="`relance mailbox hand-over`",
            gate="`mailbox`, `reply_freshness`",
        ),
    ]


def _cap(cap: int | None) -> str:
    return "no limit" if cap is None else str(cap)
