#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fills a folder with JPEG files of 640x480 pixels to measure 'vsmax detect' with: crops of the
example photographs, mirrored at random and enlarged, the same in every run. Needs python3-pil.

    benchmarks/make_images.py FOLDER [--count 10000]
"""

import argparse
import random
from pathlib import Path

from PIL import Image, ImageOps

SIZE = (640, 480)
PHOTOS = Path(__file__).resolve().parents[1] / "examples/photos"


def crop_of(photo, rng):
    """A part of the photograph with our aspect ratio, at least two thirds of what would fit."""
    fits = min(photo.width / SIZE[0], photo.height / SIZE[1])
    scale = fits * rng.uniform(2 / 3, 1)
    width, height = round(SIZE[0] * scale), round(SIZE[1] * scale)
    x = rng.randint(0, photo.width - width)
    y = rng.randint(0, photo.height - height)
    crop = photo.resize(SIZE, Image.BILINEAR, (x, y, x + width, y + height))
    return ImageOps.mirror(crop) if rng.random() < 0.5 else crop


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, default=10_000)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    photos = [Image.open(file).convert("RGB") for file in sorted(PHOTOS.glob("*.jpg"))]
    rng = random.Random(1)
    for i in range(arguments.count):
        image = crop_of(photos[i % len(photos)], rng)
        image.save(arguments.folder / f"{i:05}.jpg", quality=90)


if __name__ == "__main__":
    main()
