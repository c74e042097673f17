# SPDX-License-Identifier: Apache-2.0
"""EA against the distance from the seam: the mean over the seeds, and their range as a band.
The seam cuts between the last angle and the first, both half an angle away from it; angles at the
same distance are pooled. Angles near the seam suffice."""

import markdown
import numpy as np
import style
from matplotlib.ticker import MultipleLocator

from kinds import require_keys

REQUIRED = ("sigma", "panels")
OPTIONAL = ("reach",)
REACH = 10  # angles on either side of the seam
SHOWN = (0, 1, 2, 3, 5, 9)  # rows of angles of the table; the first is half an angle away


def by_distance(item, curve, results):
    """{seed: mean EA, from the pair of angles next to the seam on}, of the seeds that are known."""
    found = {}
    for seed, run in results.seeds(curve["seeds"]).items():
        angles = results.angles(run, item["sigma"])
        if angles is None:
            continue
        mean, count = (np.array(angles[key], float) for key in ("mean", "count"))
        bins = np.flatnonzero((count > 0) & (count[::-1] > 0))  # tested on both sides
        away = _pairs(count.size)[bins]
        found[seed] = np.bincount(away, (mean * count)[bins]) / np.bincount(away, count[bins])
    known = min(map(len, found.values()), default=0)  # some seeds were tested only near the seam
    return {seed: scores[:known] for seed, scores in found.items()}


def _pairs(angles):
    """How many angles lie between each angle and the seam."""
    return np.minimum(np.arange(angles), np.arange(angles)[::-1])


def _distances(rows):
    return np.arange(rows) + 0.5


def _curves(item, results):
    for panel in item["panels"]:
        require_keys(panel, ("title", "curves"), (), "a panel")
        for curve in panel["curves"]:
            require_keys(curve, ("seeds",), ("label", *style.LOOK_KEYS), "a curve")
            label = curve.get("label", results.label(curve["seeds"]))
            yield panel, {**curve, "label": label}, by_distance(item, curve, results)


def _ceiling(item, results):
    cells = results.ceiling and results.map(results.ceiling, item["sigma"])
    if cells is None:
        return None
    away = _pairs(len(cells))
    return np.array([np.nanmean(cells[away == pair]) for pair in range(away.max() + 1)])


def figure(item, results):
    reach = item.get("reach", REACH)
    titles = [panel["title"] for panel in item["panels"]]
    fig = style.figure(style.WIDTH, 3.0)
    fig.set_layout_engine("constrained", rect=(0, 0, 1, 0.91))
    panels = dict(zip(titles, fig.subplots(1, len(titles), sharey=True, squeeze=False)[0],
                      strict=True))  # fmt: skip
    handles = {}
    best = _ceiling(item, results)
    for title, axes in panels.items():
        axes.set(title=style.formula(title), xlim=(0, reach), xlabel="angles from the seam")
        axes.xaxis.set_major_locator(MultipleLocator(2))
        if best is not None:
            (handles["ceiling"],) = axes.plot(
                _distances(len(best[:reach])), best[:reach], label="ceiling", **style.CEILING
            )
    for place, (panel, curve, found) in enumerate(_curves(item, results)):
        look, label = style.look(curve, place), style.formula(curve["label"])
        if not found:
            continue
        axes = panels[panel["title"]]
        scores = np.array(list(found.values()))[:, :reach]
        low, high = scores.min(axis=0), scores.max(axis=0)
        at = _distances(low.size)
        axes.fill_between(at, low, high, color=look["color"], alpha=0.16, linewidth=0)
        handles[label] = axes.plot(at, scores.mean(axis=0), label=label, clip_on=False, **look)[0]
    first = next(iter(panels.values()))
    first.set_ylabel("EA-score")
    first.set_ylim(top=1.005)
    order = sorted(handles, key=lambda label: label == "ceiling")
    style.legend_above_panels(fig, [handles[key] for key in order])
    return fig


def table(item, results):
    rows = []
    for panel, curve, found in _curves(item, results):
        cells = [panel["title"], curve["label"], str(len(found))]
        scores = np.array(list(found.values()))
        for pair in SHOWN:
            if not found or pair >= scores.shape[1]:
                cells.append(markdown.UNKNOWN)
                continue
            column = scores[:, pair]
            mean = markdown.score(float(column.mean()))
            low, high = (markdown.score(float(end)) for end in (column.min(), column.max()))
            cells.append(f"{mean} ({low} to {high})")
        rows.append(cells)
    head = ["", "", "seeds", *(f"{pair + 0.5}" for pair in SHOWN)]
    note = (
        "Columns: distance from the seam in angles, both sides pooled; mean over the seeds "
        "(lowest to highest seed)."
    )
    return f"{note}\n\n{markdown.table(head, rows, left=2)}"
