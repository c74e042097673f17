# SPDX-License-Identifier: Apache-2.0
"""Draws results/bench/bench.json, which `make bench` writes, into bench.png and bench.svg."""

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


def medians(path):
    """name -> argument -> microseconds."""
    found = {}
    for entry in json.loads(path.read_text())["benchmarks"]:
        if entry.get("aggregate_name") != "median":
            continue
        name = entry["run_name"].split("/")
        wall = name[-1] == "real_time"
        argument = next((part for part in name[2:] if part.isdigit()), "")
        time = entry["real_time" if wall else "cpu_time"]
        found.setdefault("/".join(name[:2]), {})[argument] = time
    return found


def draw_group(axes, group, title, times):
    rows = {
        name.split("/")[1]: values.get("", values.get("1"))
        for name, values in times.items()
        if name.startswith(group + "/")
    }
    order = sorted(rows, key=rows.get, reverse=True)
    ours = rows["vsmax"]
    for place, name in enumerate(order):
        own = name.startswith("vsmax")
        axes.barh(place, rows[name], color=OURS if own else PEER, height=0.65)
        ratio = rows[name] / ours
        text = f"{rows[name]:,.0f} us" + ("" if name == "vsmax" else f"  ({ratio:.1f}x)")
        axes.text(rows[name] * 1.12, place, text, va="center", fontsize=7.5)
    axes.set_yticks(range(len(order)), order, fontsize=8)
    axes.set_xscale("log")
    axes.set_xlim(left=ours * 0.5, right=max(rows.values()) * 14)
    axes.set_title(title, fontsize=9, loc="left")
    axes.tick_params(axis="x", labelsize=7)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def draw_growth(axes, times):
    for name, label in (("growth/image side", "image side"), ("growth/grid bins", "grid T = R")):
        points = sorted((int(argument), time) for argument, time in times[name].items())
        axes.plot(*zip(*points, strict=True), marker="o", markersize=3, label=label)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xticks([64, 128, 256, 512, 1024, 2048], [64, 128, 256, 512, 1024, 2048], fontsize=7)
    axes.set_ylabel("us an image", fontsize=8)
    axes.tick_params(axis="y", labelsize=7)
    axes.grid(alpha=0.3)
    axes.legend(fontsize=7.5, frameon=False)
    axes.set_title("Hough transform by size (the other at 127 or 256)", fontsize=9, loc="left")


def main(folder):
    times = medians(Path(folder) / "bench.json")
    figure, axes = plt.subplots(3, 2, figsize=(10, 8.2), layout="constrained")
    for place, (group, title) in zip(axes.flat, GROUPS.items(), strict=False):
        draw_group(place, group, title, times)
    draw_growth(axes[2][1], times)
    matplotlib.rcParams["svg.hashsalt"] = "vsmax"
    for kind in ("png", "svg"):
        temporary = Path(folder) / f"bench.tmp.{kind}"
        metadata = {"Date": None} if kind == "svg" else {}
        figure.savefig(temporary, dpi=140, metadata=metadata)
        os.replace(temporary, Path(folder) / f"bench.{kind}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: benchmarks/plot.py FOLDER")
    main(sys.argv[1])
