"""The domain's time in a real process, on a machine whose clock is not to be trusted."""

from datetime import UTC, datetime, timedelta

from relance.app import SystemClock

NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


class Machine:
    """A clock on the wall that can be set, and a stopwatch that cannot."""

    def __init__(self) -> None:
        self.wall = NOON
        self.passed = 0.0

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        self.passed += seconds
        self.wall += timedelta(seconds=seconds)


def _clock(machine: Machine) -> SystemClock:
    return SystemClock(machine=lambda: machine.wall, seconds=lambda: machine.passed)


def test_time_never_goes_back_and_never_stands_still():
    """The machine's clock is put back by an hour: what was read freshly must grow stale, and deadlines must pass."""
    machine = Machine()
    clock = _clock(machine)
    before = clock.now()
    machine.wall -= timedelta(hours=1)
    told = []
    for _ in range(4):
        machine.wait(60.0)
        told.append(clock.now())

    assert sorted(told) == told
    assert timedelta(seconds=120) == told[-1] - before


def test_time_goes_on_with_the_machine_once_it_has_caught_up():
    """Going slower meanwhile, it does not stay ahead for ever."""
    machine = Machine()
    clock = _clock(machine)
    machine.wall -= timedelta(minutes=10)
    told = []
    for _ in range(25):
        machine.wait(60.0)
        told.append(clock.now())

    assert machine.wall == told[-1]


def test_a_correction_backwards_is_followed_as_gently():
    """The database's clock is behind this machine's."""
    machine = Machine()
    clock = _clock(machine)
    before = clock.now()
    clock.correct(timedelta(minutes=-5))
    machine.wait(60.0)

    assert timedelta(seconds=30) == clock.now() - before


def test_a_correction_forwards_counts_at_once():
    """Leases and deadlines of other hosts are compared with it."""
    machine = Machine()
    clock = _clock(machine)
    clock.correct(timedelta(minutes=5))

    assert NOON + timedelta(minutes=5) == clock.now()


def test_between_two_looks_at_another_clock_the_machines_own_counts_no_more():
    """A host whose clock is set by hand must not move what all workers compare."""
    machine = Machine()
    clock = _clock(machine)
    clock.correct(timedelta(minutes=5))
    machine.wait(10.0)
    machine.wall += timedelta(hours=1)

    assert NOON + timedelta(minutes=5, seconds=10) == clock.now()
