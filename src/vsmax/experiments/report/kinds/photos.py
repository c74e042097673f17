# SPDX-License-Identifier: Apache-2.0
"""Scores on photographs, cross-validated: a row per method, over the folds of all its seeds, and
EA along the angle of the line, with the seam in the middle."""

import statistics

import markdown
import numpy as np
import style
from matplotlib.ticker import MultipleLocator

from kinds import require_keys

REQUIRED = ("runs",)
OPTIONAL = ("bin",)
BIN = 5.0  # degrees
LEAST_VIEWS = 10  # in a bin of the figure


class Method:
    """The finished runs of a family, each of which was tested on a fold of its own."""

    def __init__(self, family, results):
        runs = [results.run(name) for name in results.seeds(family).values()]
        self.tests = [run["evaluation"] for run in runs]

    def views(self, key):
        """A value of every view of every fold; NaN where there is none."""
        return np.array([value for test in self.tests for value in test["views"][key]], float)

    def folds(self):
        """The mean EA of every fold."""
        return [test["results"][0]["all"]["mean"] for test in self.tests]

    def mean(self, lines):
        """EA over the views of all folds: all, seam or interior."""
        parts = [test["results"][0][lines] for test in self.tests]
        count = sum(part["count"] for part in parts)
        return sum(part["mean"] * part["count"] for part in parts) / count if count else None

    def below_half(self):
        return float(np.mean(self.views("ea") < 0.5)) if self.tests else None

    def angle(self):
        """The mean angle error in degrees, of the views with an answer."""
        return float(np.nanmean(self.views("angle_deg"))) if self.tests else None


def _groups(item):
    for group in item["runs"]:
        require_keys(group, ("seeds",), ("label", *style.LOOK_KEYS), "a run")
    return item["runs"]


def table(item, results):
    rows = []
    for group in _groups(item):
        method = Method(group["seeds"], results)
        label = group.get("label", results.label(group["seeds"]))
        if not method.tests:
            rows.append([label, *[markdown.UNKNOWN] * 7])
            continue
        folds = method.folds()
        wanted = len(results.families[group["seeds"]]["runs"])
        if len(folds) < wanted:
            label += f" ({len(folds)} of {wanted} folds)"
        spread = f" ± {statistics.stdev(folds):.3f}" if len(folds) > 1 else ""
        seam, interior = method.mean("seam"), method.mean("interior")
        both = seam is not None and interior is not None
        rows.append(
            [
                label,
                markdown.score(method.mean("all")) + spread,
                markdown.score(min(folds)),
                markdown.score(seam),
                markdown.score(interior),
                markdown.difference(seam - interior) if both else markdown.UNKNOWN,
                markdown.share(method.below_half()),
                f"{method.angle():.2f}°",
            ]
        )
    head = ["", "EA ± over folds", "lowest fold", "seam", "interior", "seam − interior"]  # noqa: RUF001
    return markdown.table([*head, "below 0.5", "angle error"], rows)


def figure(item, results):
    """Draws only the methods with a colour: ten curves would hide each other."""
    fig = style.figure(style.WIDTH, 3.0, layout="constrained")
    axes = fig.add_subplot()
    width = item.get("bin", BIN)
    edges = np.arange(-90.0 - width / 2, 90.0 + width, width)  # one bin is centred on the seam
    handles = []
    for place, group in enumerate(_groups(item)):
        method, look = Method(group["seeds"], results), style.look(group, place)
        label = style.formula(group.get("label", results.label(group["seeds"])))
        if "colour" not in group or not method.tests:
            continue
        signed = (method.views("theta_deg") + 90.0) % 180.0 - 90.0
        scores = method.views("ea")
        bins = np.digitize(signed, edges) - 1
        used = [b for b in range(len(edges) - 1) if np.sum(bins == b) >= LEAST_VIEWS]
        middles = [(edges[b] + edges[b + 1]) / 2 for b in used]
        means = [scores[bins == b].mean() for b in used]
        handles += axes.plot(middles, means, label=label, **look)
    axes.axvline(0.0, color=style.FAINT, linewidth=0.8, linestyle=(0, (1, 1.6)))
    axes.set(ylim=(-0.02, 1.05), ylabel="EA-score")
    low, high = axes.get_xlim()
    axes.xaxis.set_major_locator(MultipleLocator(30 if high - low > 100 else 15))
    axes.set_xlabel("angle of the line from upright, degrees (the seam is at 0)")
    place = {"loc": "lower center", "bbox_to_anchor": (0.5, 1.0), "borderaxespad": 0.2}
    axes.legend(handles=handles, ncol=3, handletextpad=0.6, **place)
    return fig
