#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Scores trained models again on the CPU, angle by angle, where a run kept only its means.

tools/angle_scores.py build/vsmax results/paper models FAMILY...

For every finished run of the families whose weights are in the folder of models, writes
RESULTS/angles/RUN.json: for each angle within 10 of the seam the mean EA, the share of lines
below 0.4 and the number of lines, at sigma 0.6. Existing files are kept unless the run has changed.
A run takes about half a minute on two free cores.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

SIGMA = 0.6
NEAR = 10  # angles on either side of the seam
LOST = 0.4  # a line that scores less is lost


def of_angle(cells):
    scores = [cell for cell in cells if cell is not None]
    if not scores:
        return None, None, 0
    lost = sum(score < LOST for score in scores) / len(scores)
    return round(sum(scores) / len(scores), 4), round(lost, 4), len(scores)


def evaluate(program, weights, seed):
    """The scores of every line, by angle and offset."""
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "scores.json"
        command = [program, "evaluate", "--model", weights, "--sigma", str(SIGMA)]
        command += ["--seed", str(seed), "--near-seam", str(NEAR), "--scores", file]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        (stored,) = json.loads(file.read_text())["maps"]
    return stored["cells"]


def write(path, content):
    path.parent.mkdir(exist_ok=True)
    temporary = path.with_suffix(".tmp")
    temporary.write_text(json.dumps(content) + "\n", encoding="utf-8")
    os.replace(temporary, path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", type=Path)
    parser.add_argument("results", type=Path)
    parser.add_argument("models", type=Path)
    parser.add_argument("families", nargs="+", metavar="FAMILY")
    options = parser.parse_args()
    suite = json.loads((options.results / "suite.json").read_text())
    runs = [run for family in options.families for run in suite["runs"][family]["runs"]]
    for run in sorted(runs, key=lambda run: run["seed"]):
        finished = options.results / "runs" / f"{run['name']}.json"
        weights = options.models / f"{run['name']}.safetensors"
        path = options.results / "angles" / f"{run['name']}.json"
        if not finished.exists() or not weights.exists():
            continue
        if path.exists() and json.loads(path.read_text())["hash"] == run["hash"]:
            continue
        print(run["name"], file=sys.stderr)
        seed = json.loads(finished.read_text())["evaluation"]["seed"]
        cells = evaluate(options.program.resolve(), weights, seed)
        mean, lost, count = zip(*map(of_angle, cells), strict=True)
        angles = [{"sigma": SIGMA, "mean": mean, "lost": lost, "count": count}]
        head = {"name": run["name"], "hash": run["hash"], "device": "cpu", "precision": "float32"}
        write(path, {**head, "angles": angles})


if __name__ == "__main__":
    main()
