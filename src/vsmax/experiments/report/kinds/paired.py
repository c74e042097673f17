# SPDX-License-Identifier: Apache-2.0
"""The lead of one method over another, seed by seed: its mean, a paired t-test, and its sign."""

import markdown
import statistic
import style
from matplotlib.lines import Line2D
from matplotlib.ticker import MultipleLocator

from kinds import require_keys

REQUIRED = ("pairs",)
OPTIONAL = ("training_maximum",)
COLOURS = {"seam": "vermilion", "interior": "blue"}
LIMIT = {"color": "#555555", "linewidth": 0.8, "linestyle": (0, (4, 3))}


def _pairs(item):
    for pair in item["pairs"]:
        require_keys(pair, ("label", "ours", "other"), (), "a pair")
        for side in ("ours", "other"):
            require_keys(pair[side], ("seeds",), (), f"'{side}' of a pair")
    return item["pairs"]


def leads(pair, lines, results):
    """{sigma: [lead of every seed that both have]}."""
    ours, other = (results.seeds(pair[side]["seeds"]) for side in ("ours", "other"))
    found = {}
    for seed in ours.keys() & other.keys():
        theirs = results.curve(other[seed], lines)
        for sigma, score in results.curve(ours[seed], lines).items():
            if sigma in theirs:
                found.setdefault(sigma, {})[seed] = score - theirs[sigma]
    return {sigma: [by_seed[seed] for seed in sorted(by_seed)] for sigma, by_seed in found.items()}


def _cell(values):
    """mean, t, p, and for how many seeds it is positive."""
    mean, t, p = statistic.paired_t(values)
    positive = f"{sum(value > 0 for value in values)} of {len(values)}"
    return [markdown.difference(mean), markdown.plain(t, 1), markdown.probability(p), positive]


def table(item, results):
    rows = []
    for pair in _pairs(item):
        seam, interior = (leads(pair, lines, results) for lines in ("seam", "interior"))
        for sigma in sorted(seam):
            both = zip(seam[sigma], interior[sigma], strict=True)
            gap = [at_seam - inside for at_seam, inside in both]
            row = [pair["label"], f"{sigma:g}"]
            for values in (seam[sigma], interior[sigma], gap):
                row += _cell(values)
            rows.append(row)
    parts = ("seam", "interior", f"seam {markdown.MINUS} interior")
    head = [text for part in parts for text in (part, "t", "p", "> 0")]
    return markdown.table(["", markdown.SIGMA, *head], rows)


def figure(item, results):
    pairs = _pairs(item)
    fig = style.figure(style.WIDTH, 2.9)
    fig.set_layout_engine("constrained", rect=(0, 0, 1, 0.91))
    panels = fig.subplots(1, len(pairs), sharey=True, squeeze=False)[0]
    for axes, pair in zip(panels, pairs, strict=True):
        axes.axhline(0, color=style.FAINT, linewidth=0.8)
        if "training_maximum" in item:
            axes.axvline(item["training_maximum"], zorder=1, **LIMIT)
        for shift, (lines, name) in zip((-0.008, 0.008), COLOURS.items(), strict=True):
            found = sorted(leads(pair, lines, results).items())
            colour = style.colour(name)
            dots = [(sigma + shift, value) for sigma, values in found for value in values]
            if not dots:
                continue
            axes.plot(*zip(*dots, strict=True), "o", color=colour, alpha=0.45, markeredgewidth=0)
            means = [sum(values) / len(values) for _, values in found]
            axes.plot([sigma + shift for sigma, _ in found], means, color=colour)
        axes.set_title(style.formula(pair["label"]))
        axes.set_xlabel(r"test noise $\sigma$")
        axes.xaxis.set_major_locator(MultipleLocator(0.2))
    panels[0].set_yscale("symlog", linthresh=0.02, linscale=0.8)
    panels[0].set_yticks((-0.2, -0.02, -0.01, 0, 0.01, 0.02, 0.1, 0.5))
    panels[0].yaxis.set_major_formatter("{x:g}")
    panels[0].set_ylabel("lead in EA-score")
    handles = [
        Line2D([], [], color=style.colour(name), marker="o", label=lines)
        for lines, name in COLOURS.items()
    ]
    if "training_maximum" in item:
        handles.append(Line2D([], [], label="training maximum", **LIMIT))
    style.legend_above_panels(fig, handles)
    return fig
