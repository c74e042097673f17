# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium, driven through a pipe by the DevTools protocol."""

import base64
import itertools
import json
import os
import select
import subprocess
import tempfile
import time
from pathlib import Path

WAIT = 60  # seconds, for anything


class Browser:
    def __init__(self, *flags: str) -> None:
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_read, self.to_write = os.pipe()
        self.from_read, from_write = os.pipe()

        def connect() -> None:  # the browser reads 3 and writes 4
            kept_read, kept_write = os.dup(to_read), os.dup(from_write)
            os.dup2(kept_read, 3)
            os.dup2(kept_write, 4)

        self.process = subprocess.Popen(
            [
                "chromium-headless-shell",
                "--no-sandbox",
                "--disable-gpu",
                "--remote-debugging-pipe",
                f"--user-data-dir={self.profile.name}",
                *flags,
                "about:blank",
            ],
            preexec_fn=connect,
            close_fds=False,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_read)
        os.close(from_write)
        self.ids = itertools.count(1)
        self.buffer = b""
        self.events: list[dict] = []
        self.session = None
        target = self.call("Target.getTargets")["targetInfos"][0]["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self.session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log", "DOM"):
            self.call(f"{domain}.enable")

    def __enter__(self) -> "Browser":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait()
        os.close(self.to_write)
        os.close(self.from_read)
        self.profile.cleanup()

    def receive(self, deadline: float) -> dict:
        while b"\0" not in self.buffer:
            if not select.select([self.from_read], [], [], max(0.0, deadline - time.time()))[0]:
                raise TimeoutError("the browser does not answer")
            part = os.read(self.from_read, 1 << 20)
            if not part:
                raise ConnectionError("the browser has ended")
            self.buffer += part
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method: str, **parameters: object) -> dict:
        number = next(self.ids)
        request = {"id": number, "method": method, "params": parameters}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.to_write, json.dumps(request).encode() + b"\0")
        deadline = time.time() + WAIT
        while True:
            message = self.receive(deadline)
            if message.get("id") == number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                return message["result"]
            self.events.append(message)

    def evaluate(self, expression: str) -> object:
        answer = self.call(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True
        )
        if "exceptionDetails" in answer:
            raise RuntimeError(json.dumps(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def wait_for(self, condition: str) -> object:
        deadline = time.time() + WAIT
        while time.time() < deadline:
            value = self.evaluate(condition)
            if value:
                return value
            time.sleep(0.05)
        raise TimeoutError(condition)

    def open(self, address: str, width: int = 1280, height: int = 900, dark: bool = False) -> None:
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 600,
        )
        wishes = {"color-scheme": "dark" if dark else "light", "reduced-motion": "reduce"}
        features = [{"name": f"prefers-{name}", "value": value} for name, value in wishes.items()]
        self.call("Emulation.setEmulatedMedia", features=features)
        self.call("Page.navigate", url=address)

    def screenshot(self, path: Path) -> None:
        shot = self.call("Page.captureScreenshot", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(shot["data"]))

    def processor_time(self) -> float:
        """Seconds, of all processes of the browser."""
        page, self.session = self.session, None  # a question to the browser, not to the page
        try:
            processes = self.call("SystemInfo.getProcessInfo")["processInfo"]
        finally:
            self.session = page
        return sum(process["cpuTime"] for process in processes)

    def requested(self) -> list[str]:
        """The addresses of all requests so far."""
        return [
            event["params"]["request"]["url"]
            for event in self.events
            if event.get("method") == "Network.requestWillBeSent"
        ]

    def complaints(self) -> list[str]:
        """What the page's console got to see, warnings included."""
        kinds = ("Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled")
        return [json.dumps(e["params"]) for e in self.events if e.get("method") in kinds]
