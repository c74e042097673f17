#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that two builds of vsmax find the same lines, to the last printed digit.

    tools/compare_programs.py OLD NEW [DEMO_FOLDER]

Runs `detect --json` and plain `detect` of both programs with the built-in models of NEW and every
file in models/, on 50 synthetic images of several sizes and noise levels and on the images of the
demo folder. A program that finds several lines is asked for the one line that older ones print.
Confidences are not compared: they are recalibrated from time to time. Models that both programs
refuse are named and counted.
"""

import itertools
import json
import math
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SIZES = ("256x256", "256x256", "200x300", "64x48", "512x384")
SIGMAS = ("0", "0.2", "0.4", "0.6", "0.8")
IMAGES = 50


def output(*arguments):
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    return done.returncode, re.sub(r'confidence"?[: ]\s*[-+.e0-9]+', "confidence", done.stdout)


def builtin_models(program):
    text = subprocess.check_output([program, "models", "--json"], text=True)
    return [model["name"] for model in json.loads(text)]


def one_line(program):
    _, text = output(program, "detect", "--help")
    return ["--lines", "1", "--min-confidence", "0"] if "--lines" in text else []


def synthetic_images(program, folder):
    """Lines at 50 angles over the half circle, the seam included."""
    paths = []
    cases = itertools.cycle(itertools.product(SIZES, SIGMAS))
    for i, (size, sigma) in zip(range(IMAGES), cases, strict=False):
        path = str(folder / f"{i:02}.png")
        theta, rho = math.pi * i / IMAGES, (i * 7) % 41 - 20
        code, _ = output(program, "synth", "--theta", f"{theta}", f"--rho={rho}", "--sigma", sigma,
                         "--size", size, "--seed", str(i), path)  # fmt: skip
        if code != 0:
            sys.exit(f"{program} synth failed for {path}")
        paths.append(path)
    return paths


def main(old, new, demo=None):
    models = [*builtin_models(new), *map(str, sorted(ROOT.glob("models/*.safetensors")))]
    differing, refused = [], []
    with tempfile.TemporaryDirectory() as folder:
        images = synthetic_images(old, Path(folder))
        if demo:
            images += [str(p) for p in sorted(Path(demo).glob("*.png")) if "overlay" not in p.name]
        for model in models:
            for form in (["--json"], []):
                arguments = ["--model", model, *form, *images]
                case = " ".join([Path(model).name, *form])
                answers = [output(p, "detect", *one_line(p), *arguments) for p in (old, new)]
                if answers[0] != answers[1]:
                    differing.append(case)
                elif not answers[0][1]:
                    refused.append(case)
    for case in differing:
        print(f"differs: {case}")
    for case in refused:
        print(f"refused by both: {case}")
    print(
        f"{len(models)} models on {len(images)} images, {2 * len(models)} comparisons: "
        f"{len(differing)} differences, {len(refused)} refusals"
    )
    return 1 if differing else 0


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
