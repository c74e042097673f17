#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws how well confidences predict the EA-score.

    tools/calibration_plot.py OUT.svg LABEL=FILE.csv[,FILE.csv...] ...

Each label is one curve, from the files of 'vsmax evaluate --per-image' or '--per-line': the answers
sorted by confidence, in the ten bins of equal count of the calibration error (docs/data.md).
"""

import csv
import itertools
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

BINS = 10


def read(files: str) -> list[tuple[float, float]]:
    pairs = []
    for file in files.split(","):
        with open(file, newline="", encoding="utf-8") as rows:
            pairs += [(float(row["confidence"]), float(row["ea"])) for row in csv.DictReader(rows)]
    return sorted(pairs)


def bins_of(pairs: list[tuple[float, float]]) -> list[tuple[float, float, int]]:
    edges = [i * len(pairs) // BINS for i in range(BINS + 1)]
    parts = [pairs[a:b] for a, b in itertools.pairwise(edges) if b > a]
    return [(sum(c for c, _ in p) / len(p), sum(e for _, e in p) / len(p), len(p)) for p in parts]


def main() -> int:
    if len(sys.argv) < 3 or any("=" not in curve for curve in sys.argv[2:]):
        print(__doc__, file=sys.stderr)
        return 2
    figure, axes = plt.subplots(figsize=(4.6, 4.2))
    axes.plot([0, 1], [0, 1], color="0.7", linewidth=1)
    for curve in sys.argv[2:]:
        label, files = curve.split("=", 1)
        pairs = read(files)
        bins = bins_of(pairs)
        error = sum(n * abs(c - e) for c, e, n in bins) / len(pairs)
        axes.plot(
            [c for c, _, _ in bins],
            [e for _, e, _ in bins],
            marker="o",
            markersize=4,
            label=f"{label} ({len(pairs)} answers, error {error:.3f})",
        )
    axes.set(xlim=(0, 1.02), ylim=(0, 1.02), xlabel="confidence", ylabel="mean EA-score")
    axes.legend(loc="lower right", fontsize=8, frameon=False)
    figure.tight_layout()
    figure.savefig(sys.argv[1], metadata={"Date": None} if sys.argv[1].endswith("svg") else None)
    return 0


if __name__ == "__main__":
    sys.exit(main())
