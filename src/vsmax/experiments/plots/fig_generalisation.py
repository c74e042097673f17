# SPDX-License-Identifier: Apache-2.0
"""Where each model was trained, and its EA everywhere, on clean images."""

import accumulator
import markdown
import style
from results import numbers

ITEM = "fig-generalisation"
BLOCKS = (ITEM,)


def plots(item, results):
    columns = len(item["settings"])
    rows = 1 + len(item["rows"])
    grid = accumulator.PanelGrid(
        columns=columns, rows=rows, side=1.28, gap=0.24, left=0.6, right=0.76, bottom=0.48, top=0.28
    )
    for column, setting in enumerate(item["settings"]):
        axes = _panel(grid, column, 0, "Training distribution")
        axes.set_title(f"$g_{{{setting.removeprefix('g')}}}$")
        image = accumulator.show_support(axes, numbers(item["support"][column]))
        _trim(axes, column, 0, rows)
        if column == columns - 1:
            accumulator.support_bar(grid.bar(column, 0), image)
    for row, line in enumerate(item["rows"], start=1):
        image = None
        for column, entry in enumerate(line["maps"]):
            axes = _panel(grid, column, row, line["title"])
            found = results.map(entry)
            if found is None:
                accumulator.show_nothing(axes, "not yet run")
            else:
                image = accumulator.show_scores(axes, found.cells)
            _trim(axes, column, row, rows)
        if image is not None:
            accumulator.score_bar(grid.bar(columns - 1, row), image)
    style.mark_scale(grid.figure, item)
    return {ITEM: grid.figure}


def _panel(grid, column, row, title):
    axes = grid.panel(column, row)
    if column == 0:
        axes.set_ylabel(title, labelpad=4)
    return axes


def _trim(axes, column, row, rows):
    """Labels at the left and the lower edge alone."""
    if column > 0:
        axes.set_yticklabels([])
    if row == rows - 1:
        axes.set_xlabel(r"$\theta$ bin", labelpad=2)
    else:
        axes.set_xticklabels([])


def blocks(item, results):
    return {ITEM: markdown.block(item, markdown.picture(ITEM, item["title"]))}
