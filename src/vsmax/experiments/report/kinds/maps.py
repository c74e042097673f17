# SPDX-License-Identifier: Apache-2.0
"""EA of every line over the accumulator, or the region trained on; theta to the right, rho up."""

import markdown
import matplotlib
import numpy as np
import style
from matplotlib.colors import ListedColormap
from results import LOST, ReportError

from kinds import require_keys

REQUIRED = ("columns", "rows")
OPTIONAL = ()
LOW, HIGH = LOST, 0.95  # the range of colours
OUTER_BINS = 5  # visible offsets at either end of an angle: the short lines in the corners


def figure(item, results):
    rows, columns = item["rows"], item["columns"]
    for row in rows:
        require_keys(row, ("sigma", "runs"), ("title", "support"), "a row")
        if len(row["runs"]) != len(columns):
            raise ReportError(f"a row must have {len(columns)} runs, one for each column")
    side = 2.05 if len(columns) < 4 else 1.5  # inches, with the space around a panel
    width, height = side * len(columns) + 0.9, side * len(rows) + 0.35
    fig = style.figure(width, height, layout="constrained")
    panels = fig.subplots(len(rows), len(columns), squeeze=False, sharex=True, sharey=True)
    for y, row in enumerate(rows):
        image = None
        for x, run in enumerate(row["runs"]):
            panels[y, x].set_box_aspect(1)
            image = _draw(panels[y, x], row, run, results) or image
        panels[y, 0].set_ylabel(style.formula(row.get("title", r"$\rho$ bin")))
        if image is not None:
            _colour_bar(panels[y, -1], image, row.get("support", False))
    for x, title in enumerate(columns):
        panels[0, x].set_title(style.formula(title))
        panels[-1, x].set_xlabel(r"$\theta$ bin")
    return fig


def _draw(axes, row, run, results):
    """Returns the image, or None if there is nothing to draw."""
    if row.get("support"):
        cells = results.support(run, row["sigma"])
        colours = {"cmap": ListedColormap([style.HELD_OUT, style.colour("orange")])}
        colours |= {"vmin": -0.5, "vmax": 1.5}
    else:
        cells = results.map(run, row["sigma"])
        colours = {"cmap": matplotlib.colormaps["viridis"], "vmin": LOW, "vmax": HIGH}
    if cells is None:
        axes.set_facecolor("#F5F5F5")
        axes.grid(False)
        centre = {"ha": "center", "va": "center", "transform": axes.transAxes}
        axes.text(0.5, 0.5, "not yet run", color=style.FAINT, **centre)
        return None
    angles, offsets = cells.shape
    shape = {"origin": "lower", "extent": (0, angles, 0, offsets), "aspect": "auto"}
    image = axes.imshow(cells.T, interpolation="none", **shape, **colours)
    axes.set(xticks=(0, angles // 2, angles - 1), yticks=(0, offsets // 2, offsets - 1))
    axes.tick_params(labelsize=8.5)
    axes.grid(False)
    return image


def _colour_bar(panel, image, support):
    ticks = (0, 1) if support else (0.4, 0.6, 0.8)
    bar = panel.figure.colorbar(image, cax=panel.inset_axes((1.05, 0, 0.05, 1)), ticks=ticks)
    bar.outline.set_linewidth(0.5)
    if support:
        bar.ax.tick_params(length=0)
        bar.set_ticklabels(["held-out", "sampled"])
    else:
        bar.set_label("EA-score")


def outermost(cells):
    """Mean EA over the outermost visible offsets of every angle."""
    scores = []
    for row in cells:
        visible = row[~np.isnan(row)]
        ends = min(OUTER_BINS, visible.size // 2)
        scores.extend([*visible[:ends], *visible[visible.size - ends :]])
    return float(np.mean(scores))


def share_below(cells, limit=LOW):
    """The share of lines whose EA is below the limit."""
    return float(np.mean(cells[~np.isnan(cells)] < limit))


def table(item, results):
    lines = []
    for row in item["rows"]:
        for run in row["runs"] if not row.get("support") else []:
            cells = results.map(run, row["sigma"])
            texts = [markdown.UNKNOWN] * 3
            if cells is not None:
                means = [markdown.score(np.nanmean(cells)), markdown.score(outermost(cells))]
                texts = [*means, markdown.share(share_below(cells))]
            lines.append([results.label(run), *texts])
    head = ["", "mean EA", f"outermost {OUTER_BINS} offsets at either end", f"lines below {LOW}"]
    return markdown.table(head, lines)
