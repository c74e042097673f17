#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page's module finds the lines that the program finds, with the same digits.

tests/web/parity_test.py build/vsmax build-web
"""

import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parents[2]
# name, theta, rho, noise, size: those of tools/demo.sh.
DRAWN = [
    ("clean", 0.7, 20, 0, (256, 256)),
    ("noisy", 2.2, -35, 0.6, (256, 256)),
    ("seam", 3.1376, 60, 0.4, (256, 256)),
    ("corner", 0.7854, 160, 0.2, (256, 256)),
    ("wide", 1.35, 25, 0.5, (400, 180)),
]
# How far apart the numbers may be. Where they come from sums in single precision, each instruction
# set adds in another order.
UNLEARNED = {"default": 1e-9, "classic": 1e-9, "argmax": 1e-9, "edges": 1e-5}
LEARNED = {"horizon": 1e-4, "photo-lines": 1e-4}
HALF = 0.02  # degrees and pixels: what half precision may change
failures: list[str] = []


def expect(condition: bool, message: str) -> None:
    if not condition:
        failures.append(message)
        print("FAILED:", message)


def native(vsmax: str, model: str, images: list[Path]) -> list[dict]:
    output = subprocess.run(
        [vsmax, "detect", "--json", "--model", model, *map(str, images)],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return [json.loads(line) for line in output.splitlines()]


def in_node(build: Path, requests: list[dict]) -> list[dict]:
    output = subprocess.run(
        ["node", str(ROOT / "tests/web/detect.cjs"), str(build / "web")],
        input="\n".join(map(json.dumps, requests)),
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return [json.loads(line) for line in output.splitlines()]


def numbers(value: object) -> list[float]:
    if isinstance(value, dict):
        return [n for key in sorted(value) for n in numbers(value[key])]
    if isinstance(value, list):
        return [n for item in value for n in numbers(item)]
    return [] if value is None else [float(value)]


def difference(one: list[dict], other: list[dict]) -> float:
    """The largest between two lists of lines, relative to numbers above 1."""
    a, b = numbers(one), numbers(other)
    if len(one) != len(other) or len(a) != len(b):
        return math.inf
    return max((abs(x - y) / max(1.0, abs(x)) for x, y in zip(a, b, strict=True)), default=0.0)


class Images:
    """PNG files for the program, and the same pixels as bytes for the module."""

    def __init__(self, vsmax: str, folder: Path) -> None:
        self.files: list[Path] = []
        self.requests: list[dict] = []
        for name, theta, rho, sigma, (width, height) in DRAWN:
            file = folder / f"{name}.png"
            line = [f"--theta={theta}", f"--rho={rho}", f"--sigma={sigma}"]
            subprocess.run([vsmax, "synth", *line, f"--size={width}x{height}", file], check=True)
            self.add(file, Image.open(file))
        for photo in sorted((ROOT / "examples/photos").glob("*.jpg")):
            image = Image.open(photo).convert("RGB")
            file = folder / f"{photo.stem}.png"
            image.save(file)
            self.add(file, image)

    def add(self, file: Path, image: Image.Image) -> None:
        raw = file.with_suffix(".rgba")
        raw.write_bytes(image.convert("RGBA").tobytes())
        self.files.append(file)
        self.requests.append({"image": str(raw), "width": image.width, "height": image.height})


def compare(label: str, ours: list[dict], theirs: list[dict], limit: float, files: list) -> None:
    worst = 0.0
    for file, a, b in zip(files, ours, theirs, strict=True):
        apart = difference(a["lines"], b["lines"])
        worst = max(worst, apart)
        expect(apart <= limit, f"{label}, {file.name}: {apart:.2g} apart")
    lines = sum(len(a["lines"]) for a in ours)
    print(f"{label}: {len(ours)} images, {lines} lines, largest difference {worst:.2g}")


def check_auto(ours: list[dict], theirs: list[dict], files: list) -> None:
    """With the program's own weights, in single precision."""
    worst = {"theta": 0.0, "rho": 0.0, "confidence": 0.0}
    for file, a, b in zip(files, ours, theirs, strict=True):
        same = a.get("model") == b.get("model") and len(a["lines"]) == len(b["lines"])
        expect(same, f"auto, {file.name}: another model or number of lines")
        if not same:
            continue
        for mine, its in zip(a["lines"], b["lines"], strict=True):
            for key in worst:
                apart = abs(mine[key] - its[key]) * (180 / math.pi if key == "theta" else 1)
                worst[key] = max(worst[key], apart)
                expect(apart <= HALF, f"auto, {file.name}: {key} is {apart:.2g} apart")
    print(
        "auto, page against program: the same models and lines, at most "
        f"{worst['theta']:.2g} deg, {worst['rho']:.2g} px and {worst['confidence']:.2g} apart"
    )


def check_noise(build: Path, folder: Path, images: Images) -> None:
    """The noise slider adds the noise of `vsmax synth`."""
    requests = [
        {"draw": {"theta": theta, "rho": rho}, "sigma": sigma, "width": size[0], "height": size[1]}
        | {"save": str(folder / f"{name}.noise"), "model": "argmax"}
        for name, theta, rho, sigma, size in DRAWN
    ]
    in_node(build, requests)
    other = 0
    for request, file in zip(requests, images.files[: len(DRAWN)], strict=True):
        ours = Path(request["save"]).read_bytes()
        theirs = file.with_suffix(".rgba").read_bytes()
        other += sum(a != b for a, b in zip(ours, theirs, strict=True))
    expect(other == 0, f"noise: {other} samples differ")
    print(f"noise: {other} samples differ from those of vsmax synth")


def main() -> int:
    vsmax, build = sys.argv[1], Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        images = Images(vsmax, folder)

        def ask(model: str) -> list[dict]:
            return in_node(build, [request | {"model": model} for request in images.requests])

        for model, limit in UNLEARNED.items():
            theirs = native(vsmax, model, images.files)
            compare(model, ask(model), theirs, limit, images.files)
        for model, limit in LEARNED.items():
            half = str(build / "half" / f"{model}.safetensors")
            theirs = native(vsmax, half, images.files)
            compare(f"{model}, half precision", ask(model), theirs, limit, images.files)
        check_auto(ask("auto"), native(vsmax, "auto", images.files), images.files)
        check_noise(build, folder, images)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
