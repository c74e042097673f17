# SPDX-License-Identifier: Apache-2.0
"""Readouts and losses at a noise beyond that of the training, and the spread over seeds."""

import math
import statistics

import markdown
import style
from matplotlib.lines import Line2D

ITEM = "table-main"
SEEDS = "table-main-seeds"
BLOCKS = (ITEM, SEEDS)

PARTS = ("all", "seam", "interior")
PAPER_MARKER = {
    "linestyle": "none",
    "marker": "D",
    "markersize": 5.5,
    "markerfacecolor": "white",
    "markeredgewidth": 1.2,
}
COLOURS = {"soft-argmax + L_vs": style.DSNT, "VSmax + L_vs": style.OURS}


def seeded_rows(item):
    return [row for row in item["rows"] if row.get("seeds")]


def mean_and_spread(values):
    """Over the seeds; the spread is the deviation of the sample, zero for a single one."""
    values = [value for value in values if markdown.known(value)]
    if not values:
        return math.nan, math.nan
    return statistics.fmean(values), statistics.stdev(values) if len(values) > 1 else 0.0


def blocks(item, results):
    return {
        ITEM: markdown.block(item, _main_table(item), _pretraining(item, results)),
        SEEDS: markdown.block(item, *_seeds(item)),
    }


def _main_table(item):
    ceiling = item["ceiling"] or {}
    rows = []
    for line in item["rows"]:
        ours = line["ours"] or {}
        cells = [line["method"]]
        for part in PARTS:
            cells += [markdown.paper(line, part), markdown.summary(ours.get(part))]
        rows.append(cells)
    last = [markdown.CEILING]
    for part in PARTS:
        last += ["", markdown.summary(ceiling.get(part))]
    head = ["", *(f"{part}: {who}" for part in PARTS for who in ("paper", "ours"))]
    return markdown.table(head, [*rows, last])


def _pretraining(item, results):
    """The paper starts its MLP from ImageNet weights."""
    for line in item["rows"]:
        run = results.run(line["run"]) or {}
        if run.get("configuration", {}).get("pretrained") in ("", "none"):
            return "The MLP is trained from scratch, the paper's starts from ImageNet weights."
    return ""


def seed_table(item):
    """A row a seed and one for their mean; None without any."""
    rows = []
    for line in seeded_rows(item):
        for seed in line["seeds"]:
            rows.append(
                [line["method"], str(seed["seed"]), *(markdown.score(seed[part]) for part in PARTS)]
            )
        cells = [f"**{line['method']}**", f"**mean of {len(line['seeds'])}**"]
        for part in PARTS:
            mean, spread = mean_and_spread([seed[part] for seed in line["seeds"]])
            cells.append(f"**{markdown.score(mean)} ± {spread:.3f}**")
        rows.append(cells)
    return markdown.table(["", "seed", *PARTS], rows) if rows else None


def _seeds(item):
    table = seed_table(item)
    if not table:
        return ["No run with a seed of its own yet."]
    return [markdown.picture(SEEDS, "EA of every seed beside the paper's"), table]


def plots(item, results):
    rows = seeded_rows(item)
    if not rows:
        return {}
    fig = style.figure(5.6, 2.9, layout="constrained")
    axes = fig.add_subplot()
    width = 0.8 / len(rows)
    for group, part in enumerate(PARTS):
        for place, line in enumerate(rows):
            centre = group + (place - (len(rows) - 1) / 2) * width
            _dots(axes, centre, width, line, part)
        ceiling = ((item["ceiling"] or {}).get(part) or {}).get("mean")
        if markdown.known(ceiling):
            axes.plot([group - 0.42, group + 0.42], [ceiling] * 2, **style.ceiling_style())
    axes.set_xticks(range(len(PARTS)), PARTS)
    axes.set(xlim=(-0.55, len(PARTS) - 0.45), ylabel="EA-score")
    axes.set_ylim(top=min(1.01, axes.get_ylim()[1]))
    axes.grid(axis="x", visible=False)
    axes.tick_params(axis="x", length=0)
    _legend(axes, rows, item)
    style.mark_scale(fig, item)
    return {SEEDS: fig}


def _dots(axes, centre, width, line, part):
    """A dot a seed, a bar at their mean, a diamond at the paper's value."""
    colour = COLOURS.get(line["method"], style.BASE)
    values = [math.nan if seed[part] is None else seed[part] for seed in line["seeds"]]
    step = 0.5 * width / max(1, len(values) - 1)
    places = [centre + (i - (len(values) - 1) / 2) * step for i in range(len(values))]
    mean, _ = mean_and_spread(values)
    half = 0.34 * width
    axes.plot([centre - half, centre + half], [mean] * 2, color=colour, linewidth=1.2)
    axes.plot(places, values, "o", color=colour, markersize=4, alpha=0.75, markeredgewidth=0)
    axes.plot(centre - 0.44 * width, line["paper"][part], color=colour, **PAPER_MARKER)


def _legend(axes, rows, item):
    handles = [
        Line2D(
            [],
            [],
            color=COLOURS.get(line["method"], style.BASE),
            marker="o",
            markersize=4,
            linewidth=1.2,
            label=_formula(line["method"]),
        )
        for line in rows
    ]
    handles.append(Line2D([], [], color="#555555", label="paper", **PAPER_MARKER))
    if item["ceiling"]:
        handles.append(Line2D([], [], label="ceiling", **style.ceiling_style()))
    style.legend_on_top(axes, handles)


def _formula(method):
    readout, _, loss = method.partition(" + L_")
    return rf"{readout} + $\mathcal{{L}}_{{\mathrm{{{loss}}}}}$" if loss else method
