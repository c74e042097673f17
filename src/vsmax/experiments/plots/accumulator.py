# SPDX-License-Identifier: Apache-2.0
"""Panels that show a value of every line over the accumulator, theta to the right, rho upwards."""

import matplotlib
import style
from matplotlib.colors import ListedColormap

LOW, HIGH = 0.4, 0.95  # the paper's range of colours


class PanelGrid:
    """Square panels placed in inches, so that all are of one size and a colour bar fits them."""

    def __init__(self, columns, rows, side, gap, left, right, bottom, top):
        self.side, self.gap = side, gap
        self.left, self.bottom = left, bottom
        self.rows = rows
        self.width = left + columns * side + (columns - 1) * gap + right
        self.height = bottom + rows * side + (rows - 1) * gap + top
        self.figure = style.figure(self.width, self.height)

    def _axes(self, x, y, width, height):
        return self.figure.add_axes(
            (x / self.width, y / self.height, width / self.width, height / self.height)
        )

    def panel(self, column, row):
        """Axes; row 0 is the top one."""
        x = self.left + column * (self.side + self.gap)
        y = self.bottom + (self.rows - 1 - row) * (self.side + self.gap)
        return self._axes(x, y, self.side, self.side)

    def bar(self, column, row):
        """Axes of a colour bar to the right of a panel."""
        x = self.left + column * (self.side + self.gap) + self.side + 0.08
        y = self.bottom + (self.rows - 1 - row) * (self.side + self.gap)
        return self._axes(x, y, 0.08, self.side)


def show_scores(axes, cells):
    return _show(axes, cells, cmap=matplotlib.colormaps["viridis"], vmin=LOW, vmax=HIGH)


def show_support(axes, mask):
    colours = ListedColormap([style.HELD_OUT, style.ORANGE])
    return _show(axes, mask, cmap=colours, vmin=-0.5, vmax=1.5)


def show_nothing(axes, text):
    axes.set(xticks=[], yticks=[], facecolor="#F5F5F5")
    axes.text(0.5, 0.5, text, transform=axes.transAxes, ha="center", va="center", color=style.FAINT)


def _show(axes, cells, **options):
    angles, offsets = cells.shape
    image = axes.imshow(
        cells.T,
        origin="lower",
        extent=(0, angles, 0, offsets),
        aspect="auto",
        interpolation="none",
        **options,
    )
    axes.set(
        xticks=(0, angles // 2, angles - 1),
        yticks=(0, offsets // 2, offsets - 1),
    )
    axes.tick_params(labelsize=8.5)
    axes.grid(False)
    return image


def score_bar(axes, image):
    bar = axes.figure.colorbar(image, cax=axes, ticks=(0.4, 0.6, 0.8))
    bar.outline.set_linewidth(0.5)
    bar.set_label("EA-score")


def support_bar(axes, image):
    bar = axes.figure.colorbar(image, cax=axes, ticks=(0, 1))
    bar.outline.set_linewidth(0.5)
    bar.ax.tick_params(length=0)
    bar.set_ticklabels(["held-out", "sampled"])
