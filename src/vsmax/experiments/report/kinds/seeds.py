# SPDX-License-Identifier: Apache-2.0
"""The spread of scores over the seeds: one dot per seed, and a table."""

import statistics

import markdown
import numpy as np
import style
from matplotlib.lines import Line2D

from kinds import require_keys

REQUIRED = ("sigma", "groups")
OPTIONAL = ()
LINES = ("all", "seam", "interior")
DOTS = {"marker": "o", "markersize": 4}
PUBLISHED = {"linestyle": "none", "marker": "D", "markersize": 5.5}
PUBLISHED |= {"markerfacecolor": "white", "markeredgewidth": 1.2}


def _scores(group, lines, item, results):
    """EA of the finished runs of a group; None at a noise that this scale leaves out."""
    runs = results.seeds(group["seeds"]).values()
    found = [results.score(run, lines, item["sigma"]) for run in runs]
    return [score and score["mean"] for score in found]


def _published(group, lines, item, results):
    text = str(results.published(group["seeds"], item["sigma"], lines)).partition(" ")[0]
    return float(text) if text.replace(".", "").isdigit() else None


def _mean(values):
    if None in values:
        return markdown.UNKNOWN
    return f"{statistics.fmean(values):.3f} ± {statistics.stdev(values):.3f}"


def table(item, results):
    rows = []
    for group in item["groups"]:
        require_keys(group, ("seeds",), ("label", "colour"), "a group")
        label = group.get("label", results.label(group["seeds"]))
        seeds = results.seeds(group["seeds"])
        columns = [_scores(group, lines, item, results) for lines in LINES]
        for seed, *scores in zip(seeds, *columns, strict=True):
            rows.append([label, str(seed), *map(markdown.score, scores)])
        if len(seeds) > 1:
            mean = [label, f"mean of {len(seeds)}", *map(_mean, columns)]
            rows.append([f"**{text}**" for text in mean])
        elif not seeds:
            rows.append([label, "not yet run", *[markdown.UNKNOWN] * len(LINES)])
    return markdown.table(["", "seed", *LINES], rows)


def figure(item, results):
    fig = style.figure(5.6, 2.9, layout="constrained")
    axes = fig.add_subplot()
    groups = item["groups"]
    width = 0.8 / len(groups)
    handles = []
    published = False
    for place, group in enumerate(groups):
        colour = style.look(group, place)["color"]
        label = style.formula(group.get("label", results.label(group["seeds"])))
        handles.append(Line2D([], [], color=colour, linewidth=1.2, label=label, **DOTS))
        for column, lines in enumerate(LINES):
            centre = column + (place - (len(groups) - 1) / 2) * width
            _draw_dots(axes, centre, width, _scores(group, lines, item, results), colour)
            mark = _published(group, lines, item, results)
            if mark is not None:
                axes.plot(centre - 0.44 * width, mark, color=colour, **PUBLISHED)
                published = True
    if published:
        handles.append(Line2D([], [], color="#555555", label="published", **PUBLISHED))
    if results.ceiling:
        for column, lines in enumerate(LINES):
            best = results.score(results.ceiling, lines, item["sigma"])
            height = best["mean"] if best else None
            axes.plot([column - 0.42, column + 0.42], [height] * 2, **style.CEILING)
        handles.append(Line2D([], [], label="ceiling", **style.CEILING))
    axes.set_xticks(range(len(LINES)), LINES)
    axes.set(xlim=(-0.55, len(LINES) - 0.45), ylabel="EA-score")
    axes.set_ylim(top=min(1.01, axes.get_ylim()[1]))
    axes.grid(axis="x", visible=False)
    axes.tick_params(axis="x", length=0)
    style.legend_on_top(axes, handles, columns=None if len(groups) < 3 else 2)
    return fig


def _draw_dots(axes, centre, width, values, colour):
    """A dot per seed and a bar at their mean."""
    if not values or None in values:
        return
    last = len(values) - 1
    places = centre + (np.arange(last + 1) - last / 2) * 0.5 * width / max(1, last)
    bar = [centre - 0.34 * width, centre + 0.34 * width]
    axes.plot(bar, [statistics.fmean(values)] * 2, color=colour, linewidth=1.2)
    axes.plot(places, values, "o", color=colour, markersize=4, alpha=0.75, markeredgewidth=0)
