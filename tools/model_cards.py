# SPDX-License-Identifier: Apache-2.0
"""Writes the card of every model in a folder from the results of its run.

tools/model_cards.py results/paper models
"""

import json
import os
import sys
from pathlib import Path

TEMPLATE = Path(__file__).with_name("model_card.template.md")

VSMAX = "The refinement network on the double cover, read out by Veronese soft-argmax."
SOFTARGMAX = "The refinement network on the single cover, read out by soft-argmax."
L_VS = "Trained with the squared chordal distance between lines (L_vs)."
L_POLAR = "Trained with the squared error of (theta, rho) (L_polar)."
HELD = (
    "Lines whose angle is off by more than pi/2, across the seam, pass no gradient "
    "(`hold_across_seam`); the paper does not mention such a rule, without which a small network "
    "learns nothing (docs/math.md, Eq. 30)."
)
RHT = (
    "The RHT baseline: the refinement network, trained to produce a heat map and read out at the "
    "centroid of its strongest blob. It cannot be used with `vsmax detect`."
)
PURPOSE = {
    "vsmax-vs": f"{VSMAX} {L_VS}",
    "vsmax-polar": f"{VSMAX} {L_POLAR} {HELD}",
    "softargmax-vs": f"{SOFTARGMAX} {L_VS}",
    "softargmax-polar": f"{SOFTARGMAX} {L_POLAR}",
    "rht": RHT,
}


def scores(run, ceiling):
    best = {entry["sigma"]: entry["all"]["mean"] for entry in ceiling["evaluation"]["results"]}
    rows = [
        "| sigma | all | seam | interior | ceiling, all |",
        "| ---: | ---: | ---: | ---: | ---: |",
    ]
    for entry in run["evaluation"]["results"]:
        means = " | ".join(f"{entry[part]['mean']:.4f}" for part in ("all", "seam", "interior"))
        rows.append(f"| {entry['sigma']:g} | {means} | {best[entry['sigma']]:.4f} |")
    return "\n".join(rows)


def card(run, ceiling):
    setting = run["configuration"]
    name = run["name"]
    use = f"vsmax detect --model models/{name}.safetensors image.png"
    if setting["model"] == "rht":
        use = f"vsmax evaluate --model models/{name}.safetensors   # needs vsmax-torch"
    width = setting.get("target_width")
    scale = float(setting["scale"])
    votes = "not scaled" if scale == 1 else f"divided by {1 / scale:g} before the network"
    return TEMPLATE.read_text(encoding="utf-8").format(
        purpose=PURPOSE[setting["model"]],
        use=use,
        scores=scores(run, ceiling),
        settings={key.replace(".", "_"): value for key, value in setting.items()},
        width=f", target width {width} bins" if width else "",
        votes=votes,
        run=run,
    )


def write(path, text):
    temporary = path.with_suffix(".tmp")
    temporary.write_text(text, encoding="utf-8")
    os.replace(temporary, path)


def main(results, models):
    runs = Path(results) / "runs"
    ceiling = json.loads((runs / "posterior.json").read_text())
    for weights in sorted(Path(models).glob("*.safetensors")):
        path = runs / f"{weights.stem}.json"
        if path.exists():  # other models have cards written by hand
            write(weights.with_suffix(".md"), card(json.loads(path.read_text()), ceiling))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: tools/model_cards.py RESULTS MODELS")
    main(*sys.argv[1:])
