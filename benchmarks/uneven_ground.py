#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How well `vsmax detect` places thin lines on uneven ground.

    benchmarks/uneven_ground.py build/vsmax FOLDER [--model default]

draws one line per image, bright or dark, 1 to 5 pixels wide, among stars, on clouds, on blurred
noise and in a JPEG with shading, and prints for each kind and size how many lines were found and
how far they are off. Needs NumPy and Pillow.
"""

import argparse
import json
import subprocess
from pathlib import Path

import numpy as np
from PIL import Image

SIZES = [(640, 480), (1700, 1700)]
WIDTHS = [1, 2, 5]
PER_WIDTH = 8


def smooth_noise(rng, shape, deviation):
    """White noise blurred by a Gaussian, with variance 1."""
    fy, fx = np.fft.fftfreq(shape[0])[:, None], np.fft.rfftfreq(shape[1])[None]
    blur = np.exp(-2 * (np.pi * deviation) ** 2 * (fx**2 + fy**2))
    field = np.fft.irfft2(np.fft.rfft2(rng.normal(size=shape)) * blur, s=shape)
    return field / field.std()


def stars(rng, shape):
    image = 40 + 8 * rng.normal(size=shape)
    for _ in range(shape[0] * shape[1] // 3000):
        row, column = rng.uniform(0, shape[0]), rng.uniform(0, shape[1])
        rows = np.arange(max(int(row) - 8, 0), min(int(row) + 9, shape[0]))[:, None]
        columns = np.arange(max(int(column) - 8, 0), min(int(column) + 9, shape[1]))
        squared = (rows - row) ** 2 + (columns - column) ** 2
        spread = 2 * rng.uniform(0.9, 1.6) ** 2
        image[rows, columns] += rng.exponential(90) * np.exp(-squared / spread)
    return image


GROUNDS = {
    "stars": stars,
    "clouds": lambda rng, shape: (
        120 + 20 * smooth_noise(rng, shape, 20) + 4 * smooth_noise(rng, shape, 1)
    ),
    "blurred noise": lambda rng, shape: 100 + 8 * smooth_noise(rng, shape, 1.2),
    "JPEG": lambda rng, shape: 110 + 10 * smooth_noise(rng, shape, 30) + 3 * rng.normal(size=shape),
}


def draw(rng, kind, size, width, dark):
    """An image and its line, (theta, rho)."""
    shape = size[::-1]
    y, x = np.mgrid[: shape[0], : shape[1]]
    theta, rho = rng.uniform(0, np.pi), rng.uniform(-0.25, 0.25) * min(size)
    across = (x - (size[0] - 1) / 2) * np.cos(theta) + (y - (size[1] - 1) / 2) * np.sin(theta) - rho
    line = rng.uniform(30, 70) * np.clip(0.5 * width + 0.5 - abs(across), 0, 1)
    image = GROUNDS[kind](rng, shape) + (-line if dark else line)
    return Image.fromarray(np.clip(image, 0, 255).astype(np.uint8)), (theta, rho)


def error(found, truth):
    """Degrees, and pixels at the foot of the true line's normal."""
    turn = (found["theta"] - truth[0] + np.pi / 2) % np.pi - np.pi / 2
    foot = truth[1] * np.cos(truth[0] - found["theta"])
    return abs(np.degrees(turn)), abs(foot - found["rho"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("program", help="vsmax")
    parser.add_argument("folder", type=Path, help="where to draw the images")
    parser.add_argument("--model", default="default")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(7)
    truths = {}
    for kind in GROUNDS:
        for size in SIZES:
            for i in range(PER_WIDTH * len(WIDTHS)):
                dark = kind != "stars" and i % 2 == 1
                image, line = draw(rng, kind, size, WIDTHS[i % len(WIDTHS)], dark)
                name = f"{kind.replace(' ', '-')}-{size[0]}-{i:02}"
                name += ".jpg" if kind == "JPEG" else ".png"
                image.save(arguments.folder / name, **({"quality": 75} if kind == "JPEG" else {}))
                truths[str(arguments.folder / name)] = (kind, size, line)
    command = [arguments.program, "detect", "--model", arguments.model, "--json", *truths]
    answers = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    rows = {}
    for answer in map(json.loads, answers.splitlines()):
        kind, size, line = truths[answer["image"]]
        row = rows.setdefault((kind, size), [])
        row.append([error(found, line) for found in answer["lines"]])
    print("| ground | size | found | false | median error | largest error |")
    print("|---|---|---|---|---|---|")
    for (kind, size), row in rows.items():
        best = [min(found) for found in row if found and min(found)[0] < 1]
        others = sum(map(len, row)) - len(best)
        middle, largest = np.median(best, axis=0), np.max(best, axis=0)
        print(
            f"| {kind} | {size[0]}x{size[1]} | {len(best)} of {len(row)} | {others} "
            f"| {middle[0]:.3f}°, {middle[1]:.2f} px | {largest[0]:.3f}°, {largest[1]:.2f} px |"
        )


if __name__ == "__main__":
    main()
