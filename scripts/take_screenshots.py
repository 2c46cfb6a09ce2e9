"""Take the pictures of the README: the console over a demo's world, in Debian's Chromium.

`make screenshots` writes docs/pictures/*.png. Whoever changes a page says it again and commits what comes out.
"""

import re
import signal
import subprocess
import sys
import time
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).parent.parent
PICTURES = ROOT / "docs" / "pictures"
CHROMIUM = "/usr/bin/chromium"
COMMAND = Path(sys.executable).with_name("relance")
WITHIN = 120.0  #: Seconds in which the demo has to stand.
#: Name of a picture, page, theme, width and height.
WANTED = (
    ("today", "today", "light", 1280, 900),
    ("sequence", "sequences/1", "light", 1280, 1000),
    ("builder", "sequences/1/edit?step=1", "dark", 1280, 1000),
    ("inbox", "inbox", "light", 1280, 700),
    ("numbers", "numbers", "dark", 1280, 900),
    ("phone", "today", "light", 390, 844),
)


def main() -> None:
    """Serve a demo, go some days on, and look at it."""
    PICTURES.mkdir(exist_ok=True)
    command = [str(COMMAND), "demo", "--serve", "--leads", "240", "--bind", "127.0.0.1:8029"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as demo:
        try:
            link = _link(demo)
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
                _take_all(browser, link)
                browser.close()
        finally:
            demo.send_signal(signal.SIGINT)


def _link(demo: "subprocess.Popen[str]") -> str:
    end = time.monotonic() + WITHIN
    while demo.stderr is not None and time.monotonic() < end:
        found = re.search(r"http://\S+/demo/\S+", demo.stderr.readline())
        if found:
            return found[0]
    raise SystemExit("the demo did not say where it is")


def _take_all(browser: Browser, link: str) -> None:
    base = link.partition("/demo/")[0]
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(link)
        _settle(page, base)
        for name, where, theme, width, height in WANTED:
            page.set_viewport_size({"width": width, "height": height})
            page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
            page.goto(f"{base}/w/default/{where}")
            page.screenshot(path=PICTURES / f"{name}.png")


def _settle(page: Page, base: str) -> None:
    """Let some days go by, stop the clock, and open a draft of the demo's sequence."""
    page.goto(f"{base}/w/default/sequences/1")
    for _ in range(9):
        page.get_by_role("button", name="Jump a day").click()
        page.wait_for_load_state()
        page.wait_for_timeout(4_000)
    page.locator("#clock-go").click()
    page.wait_for_load_state()
    page.get_by_role("button", name="Edit").click()
    page.wait_for_url("**/edit")


if __name__ == "__main__":
    main()
