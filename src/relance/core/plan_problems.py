"""What is wrong with a plan, all of it at once, each with its remedy. A plan with a problem is not published.

The sequence file's reader has already refused what is no plan at all (unknown keys, wrong types); here stands what can
be written and must not be walked.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from relance.core.calendar import is_open, quiet_until, zone_named
from relance.core.defaults import LONGEST_DELAY_DAYS, STEP_CEILING
from relance.core.sequence import (
    STOP,
    BranchStep,
    Delay,
    EmailStep,
    OnReply,
    Plan,
    RepliedWithin,
    Step,
    Unit,
    WaitStep,
)

_MONDAY = date(2026, 6, 1)  #: Of a week in which no clock changes anywhere that matters.
_DAYS = {Unit.SECONDS: 86_400, Unit.MINUTES: 1_440, Unit.HOURS: 24, Unit.DAYS: 1, Unit.BUSINESS_DAYS: 1}


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing that is wrong."""

    step: str | None  #: None: it concerns the whole sequence.
    message: str
    remedy: str


def problems(plan: Plan) -> tuple[Problem, ...]:
    """Return everything that is wrong with the plan, in the order of its file; empty: it may be published."""
    found = [*_policies(plan), *_window(plan), *_steps(plan)]
    ids = [step.id for step in plan.steps]
    if ids and len(ids) == len(set(ids)):  # or nobody can tell which step a way leads to
        found += _ways(plan)
    return tuple(found)


# --- policies and window ---


def _policies(plan: Plan) -> Iterator[Problem]:
    if not plan.name.strip():
        yield _whole("the sequence has no name", "give it one: name: founders-q4")
    if not plan.mailboxes and plan.pool is None:
        yield _whole("the sequence names no mailboxes", "write mailboxes: {pool: default}, or list their addresses")
    if plan.on_reply is OnReply.ENROLL and not plan.reply_sequence:
        yield _whole("on_reply enrolls, but into no sequence", "write on_reply: enroll:NAME")
    if plan.reply_sequence == plan.name:
        yield _whole("on_reply enrolls into the sequence itself", "name another sequence, or write on_reply: stop")
    for name, cap in (("daily_cap", plan.daily_cap), ("max_new_per_day", plan.max_new_per_day)):
        if cap is not None and cap < 1:
            yield _whole(f"{name} is {cap}, so nothing would ever be sent", f"set {name} to 1 or more, or leave it out")
    if plan.frequency_cap is not None:
        if plan.frequency_cap.messages < 1:
            yield _whole("frequency_cap allows no message at all", "set its messages to 1 or more, or leave it out")
        yield from _delay(None, "frequency_cap per", plan.frequency_cap.per)
    if not 0.0 <= plan.holdout < 1.0:
        yield _whole(f"holdout is {plan.holdout:.0%}", "set it to 0% or more and less than 100%")


def _window(plan: Plan) -> Iterator[Problem]:
    window, quiet = plan.window, plan.quiet_hours
    for where, name in (("window", window.timezone), ("quiet_hours", quiet.timezone if quiet else None)):
        special = where == "window" and name in {"lead", "mailbox"}
        if name is not None and not special and zone_named(name) is None:
            yield _whole(f"{where} names the unknown time zone {name!r}", "write an IANA name such as Europe/Berlin")
    unknown = window.unknown_timezone
    if unknown is not None and window.timezone != "lead":
        yield _whole("the window names a zone for leads without one, but is not read in theirs", "write timezone: lead")
    elif unknown is not None and unknown != "mailbox" and zone_named(unknown) is None:
        yield _whole(f"unknown_timezone is {unknown!r}", "write an IANA name such as Europe/Berlin, or mailbox")
    if not window.always and not (window.days and window.intervals):
        yield _whole("the window never opens", "give it days and intervals, or write window: always")
    elif any(not 0 <= day <= 6 for day in window.days):  # noqa: PLR2004 - Monday to Sunday
        yield _whole("the window names a day that no week has", "use mon, tue, wed, thu, fri, sat, sun")
    elif quiet is not None and quiet.interval.start == quiet.interval.end:
        yield _whole("the quiet hours never end", 'write them from evening to morning, such as "20:00-08:00"')
    elif quiet is not None and _always_quiet(plan):
        yield _whole(
            "the window opens in quiet hours only", "let the window and the quiet hours leave some time to send"
        )


def _always_quiet(plan: Plan) -> bool:
    """Say whether quiet hours cover the whole window, as far as one can tell: both in one zone, over a plain week."""
    zone = zone_named("UTC")
    if zone is None or plan.quiet_hours is None or plan.quiet_hours.timezone != plan.window.timezone:
        return False
    start = datetime(_MONDAY.year, _MONDAY.month, _MONDAY.day, tzinfo=zone)
    minutes = (start + timedelta(minutes=5 * n) for n in range(7 * 24 * 12))
    return not any(is_open(plan.window, zone, at) and quiet_until(plan.quiet_hours, zone, at) is None for at in minutes)


# --- steps ---


def _steps(plan: Plan) -> Iterator[Problem]:
    if not plan.steps:
        yield _whole("the sequence has no steps", "write at least one step of kind email")
    elif not any(isinstance(step, EmailStep) for step in plan.steps):
        yield _whole("the sequence sends nothing", "write at least one step of kind email")
    if len(plan.steps) > STEP_CEILING:
        yield _whole(f"the sequence has {len(plan.steps)} steps", f"use at most {STEP_CEILING}")
    seen: set[str] = set()
    for step in plan.steps:
        if not step.id.strip():
            yield _at(step, "a step has no id", "give it one: id: intro")
        elif step.id == STOP:
            yield _at(step, f"the id {STOP} is reserved for the end of a branch", "give the step another id")
        elif step.id in seen:
            yield _at(step, f"two steps have the id {step.id}", "give each step an id of its own")
        seen.add(step.id)
        yield from _delay(step, "after", step.after)
        yield from _content(plan, step)


def _content(plan: Plan, step: Step) -> Iterator[Problem]:
    match step:
        case EmailStep():
            yield from _variants(step)
        case WaitStep():
            yield from _delay(step, "for", step.duration)
        case BranchStep():
            if isinstance(step.condition, RepliedWithin):
                yield from _delay(step, "within", step.condition.within)
            for word, target in (("then", step.then), ("else", step.otherwise)):
                if target is not None and target != STOP and plan.step(target) is None:
                    ids = ", ".join(other.id for other in plan.steps)
                    yield _at(step, f"{word} leads to the unknown step {target!r}", f"use one of {ids}, or {STOP}")


def _variants(step: EmailStep) -> Iterator[Problem]:
    if not step.variants:
        yield _at(step, "the e-mail has no text", "give it a text")
    ids = [variant.id for variant in step.variants]
    for variant_id in dict.fromkeys(ids):
        if ids.count(variant_id) > 1:
            yield _at(
                step, f"two variants have the id {variant_id}", "the step itself is variant a; name others b, c, …"
            )
    for variant in step.variants:
        if variant.weight < 1:
            yield _at(step, f"variant {variant.id} has the weight {variant.weight}", "give it a weight of 1 or more")
        if not variant.text.strip() and not (variant.html or "").strip():
            yield _at(step, f"variant {variant.id} is empty", "give it a text")
        if variant.subject is not None and not variant.subject.strip():
            yield _at(
                step, f"variant {variant.id} has an empty subject", "write one, or leave it out to stay in the thread"
            )


def _delay(step: Step | None, name: str, delay: Delay) -> Iterator[Problem]:
    if delay.amount < 0 or (step is None and delay.amount == 0):
        yield Problem(step=step.id if step else None, message=f"{name} is {delay}", remedy="write a positive delay")
    if delay.amount > LONGEST_DELAY_DAYS * _DAYS[delay.unit]:
        yield Problem(
            step=step.id if step else None,
            message=f"{name} is {delay}, which is longer than {LONGEST_DELAY_DAYS} days",
            remedy="write a shorter delay",
        )


# --- ways through the plan ---


@dataclass(frozen=True, slots=True, kw_only=True)
class _Way:
    """A move that the plan allows, and whether any time passes on it."""

    target: str
    takes_time: bool


def _ways(plan: Plan) -> Iterator[Problem]:
    for step in _opening_emails(plan):
        if any(variant.subject is None for variant in step.variants):
            yield _at(
                step,
                "the first e-mail that a lead gets has no subject",
                "give it a subject; only a follow-up can stay in a thread",
            )
    yield from _instant_loops(plan)


def _leads_to(plan: Plan, step: Step) -> tuple[_Way, ...]:
    following = plan.following(step.id)
    onward = following.id if following else STOP
    ways = [(onward, False)]
    if isinstance(step, BranchStep):
        waits = isinstance(step.condition, RepliedWithin) and step.condition.within.amount > 0
        ways = [(step.then, False), (step.otherwise or onward, waits)]
    paused = isinstance(step, WaitStep) and step.duration.amount > 0
    return tuple(
        _Way(target=target, takes_time=waited or paused or entered.after.amount > 0)
        for target, waited in ways
        if (entered := plan.step(target)) is not None
    )


def _opening_emails(plan: Plan) -> Iterator[EmailStep]:
    """Yield every e-mail that can be a lead's first."""
    seen: set[str] = set()
    open_ids = [plan.steps[0].id]
    while open_ids:
        step = plan.step(open_ids.pop(0))
        if step is None or step.id in seen:
            continue
        seen.add(step.id)
        if isinstance(step, EmailStep):
            yield step
        else:
            open_ids.extend(way.target for way in _leads_to(plan, step))


def _instant_loops(plan: Plan) -> Iterator[Problem]:
    """Yield a problem for every circle in which no time passes; each is named once, at its first step."""
    instant = {step.id: [way.target for way in _leads_to(plan, step) if not way.takes_time] for step in plan.steps}
    named: set[str] = set()
    for step in plan.steps:
        if step.id in named:
            continue
        circle = _way_back(instant, step.id)
        if circle:
            named.update(circle)
            yield _at(
                step,
                f"the steps {' → '.join([*circle, circle[0]])} run in a circle without any wait",
                "give one of them an after, or put a wait between them",
            )


def _way_back(instant: dict[str, list[str]], start: str) -> list[str]:
    """Return the steps of a circle through `start`, or nothing."""
    ways: list[list[str]] = [[start]]
    seen: set[str] = set()
    while ways:
        way = ways.pop(0)
        for target in instant[way[-1]]:
            if target == start:
                return way
            if target not in seen:
                seen.add(target)
                ways.append([*way, target])
    return []


def _whole(message: str, remedy: str) -> Problem:
    return Problem(step=None, message=message, remedy=remedy)


def _at(step: Step, message: str, remedy: str) -> Problem:
    return Problem(step=step.id, message=message, remedy=remedy)
