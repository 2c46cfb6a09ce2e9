"""A process that has imported everything and does nothing but fork: the product then starts in milliseconds.

It forks before any thread or event loop exists, says which process it made, and says when and how each one ended.
"""

import json
import os
import select
import signal
import sys

from crash import product_process
from crash.orders import Order


def main() -> int:
    """Serve orders from standard input, one a line, until it is closed."""
    waking, told = os.pipe()
    for end in (waking, told):
        os.set_blocking(end, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(told)
    pending = b""
    while True:
        ready, _, _ = select.select([0, waking], [], [])
        if waking in ready:
            os.read(waking, 1024)
            _reap()
        if 0 not in ready:
            continue
        data = os.read(0, 65_536)
        if not data:
            return 0
        *lines, pending = (pending + data).split(b"\n")
        for line in lines:
            _fork(line.decode(), (waking, told))


def _fork(line: str, pipe: tuple[int, int]) -> None:
    pid = os.fork()
    if pid:
        _say(forked=pid)
        return
    code = 70
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for end in (0, 1, *pipe):
            os.close(end)
        for end in (os.O_RDONLY, os.O_WRONLY):
            os.open(os.devnull, end)  # 0 and 1 again
        code = product_process.live(Order.parse(line))
    finally:
        sys.stderr.flush()
        os._exit(code)


def _reap() -> None:
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
        _say(ended=pid, code=os.waitstatus_to_exitcode(status))


def _say(**facts: int) -> None:
    os.write(1, f"{json.dumps(facts)}\n".encode())


if __name__ == "__main__":
    sys.exit(main())
