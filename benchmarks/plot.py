# SPDX-License-Identifier: Apache-2.0
"""Draws results/bench/bench.json, which `make bench` writes, as bench.png and bench.svg."""

import json
import os
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot as plt

GROUPS = {
    "forward": "Hough transform, 256x256 to 127x127",
    "adjoint": "its adjoint",
    "net": "refinement network, 1 thread",
    "readout": "softmax and barycentre",
    "pipeline": "image to line, 1 thread",
}
OURS = "#08519C"
PEER = "#B0B0B0"
SIZES = {"axes.titlesize": 9, "axes.labelsize": 8, "legend.fontsize": 7.5}
SIZES |= {"xtick.labelsize": 7.5, "ytick.labelsize": 7.5, "axes.titlelocation": "left"}


def medians(path):
    """(group, name) -> argument -> microseconds."""
    found = {}
    for entry in json.loads(path.read_text())["benchmarks"]:
        if entry.get("aggregate_name") == "median":
            group, name, *rest = entry["run_name"].split("/")
            argument = int(rest[0]) if rest else 1
            clock = "real_time" if "real_time" in rest else "cpu_time"
            found.setdefault((group, name), {})[argument] = entry[clock]
    return found


def draw_group(axes, group, title, times):
    rows = {name: values[1] for (of, name), values in times.items() if of == group}
    order = sorted(rows, key=rows.get, reverse=True)
    ours = rows["vsmax"]
    colors = [OURS if name.startswith("vsmax") else PEER for name in order]
    axes.barh(order, [rows[name] for name in order], color=colors, height=0.65)
    for place, name in enumerate(order):
        text = f"{rows[name]:,.0f} us" + f"  ({rows[name] / ours:.1f}x)" * (name != "vsmax")
        axes.text(rows[name] * 1.12, place, text, va="center", fontsize=7.5)
    axes.set_xscale("log")
    axes.set(xlim=(ours * 0.5, max(rows.values()) * 14), title=title)
    axes.spines[["top", "right"]].set_visible(False)


def draw_growth(axes, times):
    for name, label in (("image side", "image side"), ("grid bins", "grid T = R")):
        points = sorted(times["growth", name].items())
        axes.plot(*zip(*points, strict=True), marker="o", markersize=3, label=label)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    ticks = [64, 128, 256, 512, 1024, 2048]
    axes.set_xticks(ticks, ticks)
    axes.grid(alpha=0.3)
    axes.legend(frameon=False)
    axes.set_ylabel("us per image")
    axes.set_title("Hough transform by size (the other one at 127 or 256)")


def main(folder):
    times = medians(folder / "bench.json")
    matplotlib.rcParams.update(SIZES, **{"svg.hashsalt": "vsmax"})
    figure, axes = plt.subplots(3, 2, figsize=(10, 8.2), layout="constrained")
    for place, (group, title) in zip(axes.flat, GROUPS.items(), strict=False):
        draw_group(place, group, title, times)
    draw_growth(axes[2][1], times)
    for kind, metadata in (("png", {}), ("svg", {"Date": None})):
        temporary = folder / f"bench.tmp.{kind}"
        figure.savefig(temporary, dpi=140, metadata=metadata)
        os.replace(temporary, folder / f"bench.{kind}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: benchmarks/plot.py FOLDER")
    main(Path(sys.argv[1]))
