#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fills a folder with images to measure 'vsmax detect' with: crops of the example photographs,
mirrored at random and scaled, the same in every run. Needs python3-pil.

    benchmarks/make_images.py FOLDER [--count 10000] [--size 640x480] [--png]
"""

import argparse
import random
from pathlib import Path

from PIL import Image, ImageOps

PHOTOS = Path(__file__).resolve().parents[1] / "examples/photos"


def crop_of(photo, size, rng):
    """A part of the photograph with our aspect ratio, at least two thirds of what would fit."""
    fits = min(photo.width / size[0], photo.height / size[1])
    scale = fits * rng.uniform(2 / 3, 1)
    width, height = round(size[0] * scale), round(size[1] * scale)
    x = rng.randint(0, photo.width - width)
    y = rng.randint(0, photo.height - height)
    crop = photo.resize(size, Image.BILINEAR, (x, y, x + width, y + height))
    return ImageOps.mirror(crop) if rng.random() < 0.5 else crop


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--size", default="640x480")
    parser.add_argument("--png", action="store_true", help="instead of JPEG")
    arguments = parser.parse_args()
    size = tuple(map(int, arguments.size.split("x")))
    ending = "png" if arguments.png else "jpg"
    arguments.folder.mkdir(parents=True, exist_ok=True)
    photos = [Image.open(file).convert("RGB") for file in sorted(PHOTOS.glob("*.jpg"))]
    rng = random.Random(1)
    for i in range(arguments.count):
        image = crop_of(photos[i % len(photos)], size, rng)
        image.save(arguments.folder / f"{i:05}.{ending}", quality=90)


if __name__ == "__main__":
    main()
