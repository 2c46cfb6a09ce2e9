"""Debian's Chromium before the product: over the demo's world, and before `relance run` with the sandbox's servers."""

import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from acceptance.product import COMMAND, Product
from acceptance.realservers.waiting import wait_until
from browser.looking import Console, first
from peers import Require

_STARTS_WITHIN = 90.0


@pytest.fixture(scope="module")
def chromium(require: Require) -> Iterator[Browser]:
    """Return the browser, for no longer than a module: its event loop runs on, and other tests have their own."""
    with sync_playwright() as playwright:
        # It refuses its own sandbox to root, which CI and this package's makers often are; it only sees our own pages.
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=str(require("chromium")), args=arguments)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Return the link into a demo that is served for the session, its time standing still."""
    folder = tmp_path_factory.mktemp("demo")
    log = folder / "log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [COMMAND, "demo", "--serve", "--leads", "60", "--bind", f"127.0.0.1:{free_port()}"],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
        )
    try:
        link = wait_until(
            lambda: first(r"http://\S+/demo/\S+", log.read_text("utf-8")), _STARTS_WITHIN, what="the demo"
        )
        assert link is not None
        yield link
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(30)


@pytest.fixture
def console(tmp_path: Path) -> Console:
    """Return an installation that `relance init` has made, and where its console will be."""
    product = Product(tmp_path)
    product.ask("init")
    return Console(product=product, bind=f"127.0.0.1:{free_port()}")


def free_port() -> int:
    """Return a port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
