# SPDX-License-Identifier: Apache-2.0
"""Draws results/bench-cuda/bench.json, which `make bench-cuda` writes, as PNG and SVG."""

import json
import os
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot as plt

GROUPS = {
    "hough forward": "Hough transform",
    "hough adjoint": "Its adjoint",
    "network": "Refinement network",
}
LEFT_OUT = {"vsmax, float"}  # of the network: made for checking, not for speed
OURS = "#08519C"
PEER = "#B0B0B0"


def rows_of(results, group, batch):
    """(name, microseconds), the slowest first."""
    rows = {
        row["name"].partition("/")[2]: row["median"]
        for row in results
        if row["batch"] == batch and row["name"].startswith(group + "/")
    }
    if group == "network":
        rows = {name: time for name, time in rows.items() if name not in LEFT_OUT}
    return sorted(rows.items(), key=lambda row: -row[1])


def draw_group(axes, rows, title):
    ours = min(time for name, time in rows if name.startswith("vsmax"))
    names = [name for name, _ in rows]
    colors = [OURS if name.startswith("vsmax") else PEER for name in names]
    axes.barh(names, [time for _, time in rows], color=colors, height=0.65)
    for place, (name, time) in enumerate(rows):
        ratio = "" if name.startswith("vsmax") else f"  ({time / ours:.1f}x)"
        axes.text(time, place, f"  {time:,.0f} µs{ratio}", va="center", fontsize=7.5)
    axes.set_title(title, loc="left", fontsize=9)
    axes.set_xlim(0, 1.35 * rows[0][1])
    axes.set_xticks([])
    axes.tick_params(labelsize=7.5, left=False)
    axes.spines[["top", "right", "bottom"]].set_visible(False)


def draw(folder):
    bench = json.loads((folder / "bench.json").read_text())
    shown = [[rows_of(bench["results"], group, batch) for batch in (64, 1)] for group in GROUPS]
    figure, axes = plt.subplots(
        len(GROUPS),
        2,
        figsize=(9.5, 5.5),
        layout="constrained",
        height_ratios=[len(left) + 0.8 for left, _ in shown],
    )
    for pair, rows, title in zip(axes, shown, GROUPS.values(), strict=True):
        draw_group(pair[0], rows[0], f"{title}, 64 images")
        draw_group(pair[1], rows[1], f"{title}, 1 image")
    figure.savefig(folder / "bench.png", dpi=150)
    os.environ["SOURCE_DATE_EPOCH"] = "0"  # no date in the file
    with plt.rc_context({"svg.hashsalt": "vsmax"}):
        figure.savefig(folder / "bench.svg")
    plt.close(figure)


if __name__ == "__main__":
    draw(Path(sys.argv[1]))
