#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page in a headless Chromium, opened as a file: seam, keyboard, own image, camera, requests.

tests/web/page_test.py build/vsmax build-web/site/index.html [FOLDER for screenshots]
"""

import functools
import http.server
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from browser import Browser

CAMERA = ("--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream=fps=60")
LEAST_RATE = 30
failures: list[str] = []


def expect(condition: bool, message: str) -> None:
    print("ok:" if condition else "FAILED:", message)
    if not condition:
        failures.append(message)


class Page:
    def __init__(self, browser: Browser, address: str) -> None:
        self.browser = browser
        self.address = address

    def open(self, width: int = 1280, dark: bool = False) -> None:
        self.browser.open(self.address, width, 900, dark)
        self.answer()

    def answer(self) -> dict:
        ready = "!state.busy && !state.dirty && document.getElementById('lines').dataset.answer"
        guard = f"typeof state === 'undefined' || document.readyState !== 'complete' ? '' : {ready}"
        return json.loads(self.browser.wait_for(guard))

    def verdict(self) -> str:
        return self.browser.evaluate("document.getElementById('verdict').textContent")

    def shown(self, kind: str) -> dict:
        return self.browser.evaluate(f"state.shown.{kind}")

    def slide(self, name: str, value: float) -> None:
        self.act(
            f"const s = document.getElementById('{name}'); s.value = {value};"
            "s.dispatchEvent(new Event('input'));"
        )

    def act(self, script: str) -> dict:
        """Runs a script that asks for a new answer, and waits for it."""
        self.browser.evaluate(
            f"(() => {{ delete document.getElementById('lines').dataset.answer; {script} }})()"
        )
        return self.answer()

    def press(self, key: str, code: int) -> None:
        for kind in ("keyDown", "keyUp"):
            self.browser.call(
                "Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code
            )


def check_seam(page: Page) -> None:
    page.open()
    for temperature, torn in ((0, False), (1.5, True), (2, True), (2.3, True)):
        page.slide("temperature", temperature)
        vs, sa = page.shown("vsmax")["ea"], page.shown("softargmax")["ea"]
        right = vs > 0.95 and (sa < 0.1 if torn else sa > 0.95)
        expect(right, f"seam, temperature 10^{temperature}: VSmax {vs:.2f}, soft-argmax {sa:.2f}")
    page.browser.evaluate("document.querySelector('input[value=softargmax]').click()")
    expect("The seam is torn" in page.verdict(), page.verdict())
    page.browser.evaluate("document.querySelector('input[value=vsmax]').click()")
    expect("The seam is healed" in page.verdict(), page.verdict())
    page.act("document.querySelector('[data-example=inside]').click()")
    both = [page.shown(kind)["ea"] for kind in ("vsmax", "softargmax")]
    expect(min(both) > 0.95, f"away from the seam both readouts agree: {both}")


def check_keyboard(page: Page) -> None:
    page.open()
    seen = []
    for _ in range(16):
        page.press("Tab", 9)
        seen.append(
            page.browser.evaluate(
                "(() => { const e = document.activeElement;"
                "return e.dataset.example ?? (e.id || e.value || e.getAttribute('href')); })()"
            )
        )
    order = [
        "#controls",
        "temperature",
        "noise",
        "kind",
        "seam",
        "inside",
        "noisy",
        "sea",
        "saturn",
    ]
    order += ["file", "camera", "vsmax", "accumulator", "model"]
    expect(seen[: len(order)] == order, f"Tab reaches {', '.join(map(str, seen))}")
    page.browser.evaluate("document.querySelector('input[value=vsmax]').focus()")
    page.press("ArrowRight", 39)
    expect("torn" in page.verdict(), "an arrow key switches the readout")
    page.browser.evaluate("document.getElementById('accumulator').focus()")
    page.press("ArrowRight", 39)
    label = page.browser.evaluate("document.getElementById('accumulator').ariaLabel")
    expect("θ 95" in label, f"an arrow key moves the probe: {label}")


def check_names(page: Page) -> None:
    """Everything one can operate has a name for screen readers."""
    page.open()
    nodes = page.browser.call("Accessibility.getFullAXTree")["nodes"]
    roles = ("button", "radio", "slider", "combobox", "image", "link")
    role_of = [(n.get("role", {}).get("value"), n.get("name", {}).get("value")) for n in nodes]
    found = [(role, name) for role, name in role_of if role in roles]
    nameless = [role for role, name in found if not name]
    expect(len(found) > 15 and not nameless, f"{len(found)} controls and pictures have names")


def check_file(page: Page, vsmax: str, folder: Path) -> None:
    image = folder / "line.png"
    line = ["--theta=1.2", "--rho=-41.5", "--sigma=0.5", "--size=320x240"]
    subprocess.run([vsmax, "synth", *line, image], check=True)
    native = json.loads(subprocess.check_output([vsmax, "detect", "--json", image]))
    page.open()
    page.browser.evaluate("delete document.getElementById('lines').dataset.answer")
    root = page.browser.call("DOM.getDocument")["root"]["nodeId"]
    node = page.browser.call("DOM.querySelector", nodeId=root, selector="#file")["nodeId"]
    page.browser.call("DOM.setFileInputFiles", files=[str(image)], nodeId=node)
    answer = page.answer()
    (found,), (known,) = answer["lines"], native["lines"]
    apart = max(abs(found[key] - known[key]) for key in ("theta", "rho", "confidence"))
    same = answer["model"] == native["model"] and apart < 1e-9
    expect(same, f"an image of one's own: the program's line, {apart:.1g} apart")
    broken = folder / "broken.png"
    broken.write_bytes(b"not an image")
    page.browser.call("DOM.setFileInputFiles", files=[str(broken)], nodeId=node)
    page.browser.wait_for("document.getElementById('verdict').textContent.includes('broken.png')")
    expect("is not an image" in page.verdict(), page.verdict())


def check_photos(page: Page) -> None:
    page.open()
    sea = page.act("document.querySelector('[data-example=sea]').click()")
    theta = math.degrees(sea["lines"][0]["theta"])
    found = sea["model"] == "horizon" and abs(theta - 94.86) < 0.1  # examples/photos/README.md
    expect(found, f"sea: theta {theta:.2f} deg, by {sea['model']}")
    saturn = page.act("document.querySelector('[data-example=saturn]').click()")
    expect(saturn["lines"] == [], "Saturn: no line")


def check_model(page: Page) -> None:
    page.open()
    choose = "const m = document.getElementById('model'); const choose = (name) => {"
    choose += "m.value = name; m.dispatchEvent(new Event('change')); };"
    known = page.act(f"{choose} choose('edges');")
    other = page.act(f"{choose} choose('default');")
    last = page.act(f"{choose} choose('default'); choose('edges');")
    expect(last == known != other, "a model chosen during a detection answers last")


def check_failures(site: Path) -> None:
    """Whatever fails in the worker is told on the page."""
    with Browser("--js-flags=--wasm-max-mem-pages=1") as browser:
        browser.open(site.as_uri())
        verdict = "(document.getElementById('verdict') ?? {}).textContent"
        told = browser.wait_for(f"({verdict} ?? '').includes('cannot run') && {verdict}")
        expect("This browser cannot run the page: " in told, f"no memory for the module: {told}")
    with Browser() as browser:
        page = Page(browser, site.as_uri())
        page.open()
        broken = "{ kind: 'show', width: 2, height: 2, pixels: { length: 2 ** 40 } }"
        told = browser.evaluate(f"ask({broken}).then(() => 'answered', (error) => error.message)")
        expect(told != "answered", f"an exception in the worker: {told}")


def check_widths(page: Page, shots: Path | None) -> None:
    for width in (360, 768, 1366):
        for dark in (False, True):
            page.open(width, dark)
            wide = page.browser.evaluate("document.documentElement.scrollWidth")
            expect(wide <= width, f"{width} pixels wide: nothing sticks out ({wide})")
            for readout in ("vsmax", "softargmax"):
                page.browser.evaluate(f"document.querySelector('input[value={readout}]').click()")
                if shots:
                    theme = "dark" if dark else "light"
                    page.browser.screenshot(shots / f"{width}-{theme}-{readout}.png")


def check_camera(address: str) -> None:
    with Browser(*CAMERA) as browser:
        page = Page(browser, address)
        page.open()
        browser.evaluate("document.getElementById('camera').click()")
        browser.wait_for("Number(document.getElementById('rate').dataset.rate) > 0")
        for kind in ("classic", "edges"):
            browser.evaluate(f"document.getElementById('kind').value = '{kind}'")
            time.sleep(2)
            rates = []
            begin, used = time.monotonic(), browser.processor_time()
            for _ in range(10):
                time.sleep(0.5)
                rate = browser.evaluate("document.getElementById('rate').dataset.rate")
                rates.append(float(rate))
            text = browser.evaluate("document.getElementById('rate').textContent")
            frames = sum(rates) / len(rates) * (time.monotonic() - begin)
            cost = f"{1000 * (browser.processor_time() - used) / frames:.0f} ms of processor each"
            median = sorted(rates)[5]
            fast = median >= LEAST_RATE and re.search("640 . 480", text)
            load = f"load {os.getloadavg()[0]:.1f}"
            expect(fast, f"camera, {kind}: {median:.1f} frames per second, {cost}, {load}; {text}")
        browser.evaluate("document.getElementById('camera').click()")
        expect(browser.evaluate("!camera.running"), "camera: off again")


def check_server(browser: Browser, site: Path) -> None:
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    handler = functools.partial(Quiet, directory=site.parent)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        page = Page(browser, f"http://127.0.0.1:{server.server_port}/")
        page.open()
        expect(len(page.answer()["lines"]) == 1, "the same from a static file server")
        server.shutdown()


def check_requests(page: Page) -> None:
    # The page itself, and the worker, which it makes.
    others = [
        a
        for a in page.browser.requested()
        if a != page.address and not a.startswith(("blob:null/", "data:"))
    ]
    expect(not others, f"{len(page.browser.requested())} requests, to others: {others}")
    policy = page.browser.evaluate("fetch('data:,x').then(() => 'allowed', () => 'refused')")
    expect(policy == "refused", f"the page's policy: a fetch is {policy}")


def main() -> int:
    vsmax, site = sys.argv[1], Path(sys.argv[2]).resolve()
    shots = Path(sys.argv[3]) if len(sys.argv) > 3 else None
    text = site.read_text(errors="replace")
    size = sum(file.stat().st_size for file in site.parent.iterdir())
    expect(size <= 1_000_000, f"the site has {size} bytes")
    expect(not re.search(r"(https?:)?//[a-z0-9-]+\.[a-z]", text), "no address of another site")
    with tempfile.TemporaryDirectory() as folder, Browser() as browser:
        page = Page(browser, site.as_uri())
        check_seam(page)
        check_keyboard(page)
        check_names(page)
        check_file(page, vsmax, Path(folder))
        check_photos(page)
        check_model(page)
        check_widths(page, shots)
        expect(not browser.complaints(), f"console: {browser.complaints()}")
        check_requests(page)
        check_server(browser, site)
    check_failures(site)
    check_camera(site.as_uri())
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
