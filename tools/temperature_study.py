#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What a wider distribution does to either readout at the seam.

tools/temperature_study.py         evaluates and writes results/temperature (15 minutes)
tools/temperature_study.py --draw  only redraws the stored results

The networks stay as they were trained; only the temperature of the softmax is raised.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "results" / "temperature"
SIGMA = 0.6
TEMPERATURES = (1, 2, 4, 8, 16)
READOUTS = {"soft-argmax": "softargmax-vs-s42", "VSmax": "vsmax-vs-s42"}
PARTS = ("seam", "interior")


def evaluate(model, temperature):
    command = ["build/vsmax", "evaluate", "--model", f"models/{model}.safetensors", "--json"]
    command += ["--sigma", str(SIGMA), "--temperature", str(temperature)]
    output = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
    (scores,) = json.loads(output)["results"]
    return scores


def study():
    rows = []
    for readout, model in READOUTS.items():
        for temperature in TEMPERATURES:
            print(f"{readout}, temperature {temperature}", file=sys.stderr)
            scores = evaluate(model, temperature)
            rows.append({"readout": readout, "model": model, "temperature": temperature, **scores})
    OUT.mkdir(parents=True, exist_ok=True)
    (OUT / "temperature.json").write_text(json.dumps({"sigma": SIGMA, "rows": rows}) + "\n")


def of(rows, readout, part):
    return [row[part]["mean"] for row in rows if row["readout"] == readout]


def draw(rows):
    plt.rcParams.update({"font.family": "serif", "font.size": 11, "svg.hashsalt": "vsmax"})
    figure, axes = plt.subplots(1, 2, figsize=(8, 3.2), sharey=True, layout="constrained")
    for panel, readout in zip(axes, READOUTS, strict=True):
        for part, style in zip(PARTS, ("o-", "s--"), strict=True):
            color = "#ec6602" if part == "seam" else "#009999"
            panel.plot(TEMPERATURES, of(rows, readout, part), style, color=color, label=part)
        panel.set_xscale("log", base=2)
        panel.set_xticks(TEMPERATURES, [str(t) for t in TEMPERATURES])
        panel.set(title=readout, xlabel="temperature of the softmax", ylim=(0, 1.02))
        panel.grid(alpha=0.3)
    axes[0].set_ylabel(f"EA-score at noise {SIGMA}")
    axes[0].legend(loc="lower left")
    for kind in ("svg", "png"):
        metadata = {"Date": None} if kind == "svg" else {"Software": None}
        figure.savefig(OUT / f"temperature.{kind}", dpi=180, metadata=metadata)


def describe(rows):
    lines = [
        "# The seam and the width of the distribution",
        "",
        "Two trained networks from `models/`, one read out by soft-argmax and one by VSmax. Only",
        "the temperature of the softmax is raised, so that the same logits give a wider",
        "distribution.",
        f"EA on all lines at noise {SIGMA}, on the CPU:",
        "",
        f"| temperature | {' | '.join(str(t) for t in TEMPERATURES)} |",
        f"| --- |{' ---: |' * len(TEMPERATURES)}",
    ]
    for readout in READOUTS:
        for part in PARTS:
            scores = " | ".join(f"{score:.3f}" for score in of(rows, readout, part))
            lines.append(f"| {readout}, {part} | {scores} |")
    lines += ["", "![EA over the temperature](temperature.png)", ""]
    lines += ["Made by `tools/temperature_study.py`.", ""]
    (OUT / "README.md").write_text("\n".join(lines))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--draw", action="store_true", help="redraw without evaluating")
    if not parser.parse_args().draw:
        study()
    rows = json.loads((OUT / "temperature.json").read_text())["rows"]
    draw(rows)
    describe(rows)


if __name__ == "__main__":
    main()
