# SPDX-License-Identifier: Apache-2.0
"""EA of every line over the accumulator, or the region trained on; theta to the right, rho up."""

import markdown
import matplotlib
import numpy as np
import style
from matplotlib.colors import ListedColormap
from results import ReportError

from kinds import require_keys

REQUIRED = ("columns", "rows")
OPTIONAL = ()
LOW, HIGH = 0.4, 0.95  # the range of colours
OUTER_BINS = 5  # visible offsets at either end of an angle: the short lines in the corners


def figure(item, results):
    rows, columns = item["rows"], item["columns"]
    for row in rows:
        require_keys(row, ("sigma", "runs"), ("title", "support"), "a row")
        if len(row["runs"]) != len(columns):
            raise ReportError(f"a row must have {len(columns)} runs, one for each column")
    grid = _PanelGrid(len(columns), len(rows), side=1.8 if len(columns) < 4 else 1.28)
    for y, row in enumerate(rows):
        image = None
        for x, run in enumerate(row["runs"]):
            axes = grid.panel(x, y)
            image = _draw(axes, row, run, results) or image
            if y == 0:
                axes.set_title(style.formula(columns[x]))
            if y == len(rows) - 1:
                axes.set_xlabel(r"$\theta$ bin", labelpad=2)
            else:
                axes.set_xticklabels([])
            if x == 0:
                axes.set_ylabel(row.get("title", r"$\rho$ bin"), labelpad=4)
            else:
                axes.set_yticklabels([])
        if image is not None:
            _colour_bar(grid.bar(y), image, row.get("support", False))
    return grid.figure


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
        axes.set(xticks=[], yticks=[], facecolor="#F5F5F5")
        centre = {"ha": "center", "va": "center", "transform": axes.transAxes}
        axes.text(0.5, 0.5, "not yet run", color=style.FAINT, **centre)
        return None
    angles, offsets = cells.shape
    image = axes.imshow(
        cells.T,
        origin="lower",
        extent=(0, angles, 0, offsets),
        aspect="auto",
        interpolation="none",
        **colours,
    )
    axes.set(xticks=(0, angles // 2, angles - 1), yticks=(0, offsets // 2, offsets - 1))
    axes.tick_params(labelsize=8.5)
    axes.grid(False)
    return image


def _colour_bar(axes, image, support):
    bar = axes.figure.colorbar(image, cax=axes, ticks=(0, 1) if support else (0.4, 0.6, 0.8))
    bar.outline.set_linewidth(0.5)
    if support:
        bar.ax.tick_params(length=0)
        bar.set_ticklabels(["held-out", "sampled"])
    else:
        bar.set_label("EA-score")


class _PanelGrid:
    """Square panels placed in inches, so that all have one size and a colour bar fits them."""

    GAP, LEFT, RIGHT, BOTTOM, TOP = 0.24, 0.6, 0.76, 0.5, 0.3

    def __init__(self, columns, rows, side):
        self.side, self.columns, self.rows = side, columns, rows
        self.width = self.LEFT + columns * side + (columns - 1) * self.GAP + self.RIGHT
        self.height = self.BOTTOM + rows * side + (rows - 1) * self.GAP + self.TOP
        self.figure = style.figure(self.width, self.height)

    def _axes(self, column, row, shift, width):
        x = self.LEFT + column * (self.side + self.GAP) + shift
        y = self.BOTTOM + (self.rows - 1 - row) * (self.side + self.GAP)
        return self.figure.add_axes(
            (x / self.width, y / self.height, width / self.width, self.side / self.height)
        )

    def panel(self, column, row):
        """Row 0 is the top one."""
        return self._axes(column, row, 0, self.side)

    def bar(self, row):
        """To the right of the last panel."""
        return self._axes(self.columns - 1, row, self.side + 0.08, 0.08)


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
            figures = [None] * 3
            if cells is not None:
                figures = [np.nanmean(cells), outermost(cells), share_below(cells)]
            forms = (markdown.score, markdown.score, markdown.share)
            texts = [form(value) for form, value in zip(forms, figures, strict=True)]
            lines.append([results.label(run), *texts])
    head = ["", "mean EA", f"outermost {OUTER_BINS} offsets at either end", f"lines below {LOW}"]
    return markdown.table(head, lines)
