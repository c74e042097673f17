# SPDX-License-Identifier: Apache-2.0
"""Scores of runs, one row per run; columns are sets of lines at a noise."""

import markdown
from results import ReportError

from kinds import require_keys

REQUIRED = ("columns", "runs")
OPTIONAL = ("show",)
SHOWN = ("published", "deviation", "ceiling")
NAMES = {"in": "in support", "out": "held out"}


def table(item, results):
    show = item.get("show", [])
    for word in show:
        if word not in SHOWN:
            raise ReportError(f"'show' may list {', '.join(SHOWN)}, but lists '{word}'")
    if "ceiling" in show and not results.ceiling:
        raise ReportError("'show' lists 'ceiling', but the suite names none")
    for column in item["columns"]:
        require_keys(column, ("lines", "sigma"), (), "a column")
    endings = _endings(show)
    titles = [_name(column, item) + ending for column in item["columns"] for ending in endings]
    rows = []
    for run in item["runs"]:
        cells = [results.label(run)]
        for column in item["columns"]:
            cells += _cells(run, column["lines"], column["sigma"], show, results)
        rows.append(cells)
    return markdown.table(["", *titles], rows)


def _name(column, item):
    name = NAMES.get(column["lines"], column["lines"])
    same = len({other["sigma"] for other in item["columns"]}) == 1
    return name if same else f"{name}, {markdown.SIGMA} = {column['sigma']:g}"


def _endings(show):
    shown = [word for word in ("published", "ours", "ceiling") if word in [*show, "ours"]]
    return [f": {word}" for word in shown] if len(shown) > 1 else [""]


def _cells(run, lines, sigma, show, results):
    cells = []
    if "published" in show:
        text = results.published(run, sigma, lines)
        cells.append(markdown.UNKNOWN if text is None else str(text))
    ours = results.score(run, lines, sigma)
    mean = markdown.score(ours and ours["mean"])
    cells.append(markdown.summary(ours) if "deviation" in show else mean)
    if "ceiling" in show:
        best = results.score(results.ceiling, lines, sigma, region_of=run)
        cells.append(markdown.score(best and best["mean"]))
    return cells
