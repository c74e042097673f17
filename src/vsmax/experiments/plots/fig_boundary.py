# SPDX-License-Identifier: Apache-2.0
"""EA of every line over the accumulator, only the readout changed."""

import accumulator
import markdown
import numpy as np
import style

ITEM = "fig-boundary"
BLOCKS = (ITEM,)

OUTER_BINS = 5  # visible offsets at either end of an angle: the short lines in the corners
DARK = 0.4  # the lower end of the colours


def plots(item, results):
    grid = accumulator.PanelGrid(
        columns=len(item["maps"]),
        rows=1,
        side=1.8,
        gap=0.24,
        left=0.6,
        right=0.72,
        bottom=0.5,
        top=0.3,
    )
    image = None
    for column, entry in enumerate(item["maps"]):
        axes = grid.panel(column, 0)
        axes.set_title(entry["title"])
        axes.set_xlabel(r"$\theta$ bin", labelpad=2)
        found = results.map(entry)
        if found is None:
            accumulator.show_nothing(axes, "not yet run")
        else:
            image = accumulator.show_scores(axes, found.cells)
        if column == 0:
            axes.set_ylabel(r"$\rho$ bin", labelpad=2)
        else:
            axes.set_yticklabels([])
    if image is not None:
        accumulator.score_bar(grid.bar(len(item["maps"]) - 1, 0), image)
    style.mark_scale(grid.figure, item)
    return {ITEM: grid.figure}


def outer_band(cells):
    """Mean EA over the outermost visible offsets of every angle."""
    scores = []
    for row in cells:
        visible = row[~np.isnan(row)]
        ends = min(OUTER_BINS, visible.size // 2)
        scores.extend(visible[:ends])
        scores.extend(visible[visible.size - ends :])
    return float(np.mean(scores)) if scores else None


def dark_share(cells):
    """The part of all lines with an EA below the range of the colours."""
    visible = cells[~np.isnan(cells)]
    return float(np.mean(visible < DARK)) if visible.size else None


def blocks(item, results):
    rows = []
    for entry in item["maps"]:
        found = results.map(entry)
        cells = np.full((1, 1), np.nan) if found is None else found.cells
        rows.append(
            [
                entry["title"],
                markdown.score(float(np.nanmean(cells)) if found else None),
                markdown.score(outer_band(cells)),
                markdown.share(dark_share(cells)),
            ]
        )
    head = ["", "mean EA", f"outermost {OUTER_BINS} offsets at either end", f"lines below {DARK}"]
    return {
        ITEM: markdown.block(
            item, markdown.picture(ITEM, item["title"]), markdown.table(head, rows)
        )
    }
