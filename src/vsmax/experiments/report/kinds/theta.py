# SPDX-License-Identifier: Apache-2.0
"""EA along theta: the mean over all offsets of an angle, and the deviation as a band."""

import markdown
import numpy as np
import style
from kinds import require_keys

REQUIRED = ("sigma", "curves")
OPTIONAL = ()


def _curves(item, results):
    """The curves with their labels, and the ceiling as the last."""
    for curve in item["curves"]:
        require_keys(curve, ("run",), ("label", *style.LOOK_KEYS), "a curve")
    ceiling = [{"run": results.ceiling}] if results.ceiling else []
    return [{"label": results.label(curve["run"]), **curve} for curve in item["curves"] + ceiling]


def figure(item, results):
    fig = style.figure(style.WIDTH, 3.0, layout="constrained")
    axes = fig.add_subplot()
    angles = 2
    handles = []
    for place, curve in enumerate(_curves(item, results)):
        label = style.formula(curve["label"])
        found = results.map(curve["run"], item["sigma"])
        if found is None:
            handles.append(style.not_yet(label))
            continue
        angles = found.mean.size
        bins = np.arange(angles)
        if curve["run"] == results.ceiling:
            handles += axes.plot(bins, found.mean, label=label, **style.ceiling_style())
            continue
        colour = style.look(curve, place)["color"]
        handles += axes.plot(bins, found.mean, label=label, color=colour)
        low, high = np.clip(
            [found.mean - found.deviation, found.mean + found.deviation], 0, 1
        )
        axes.fill_between(bins, low, high, color=colour, alpha=0.16, linewidth=0)
    last = angles - 1
    axes.set(
        xlim=(0, last),
        ylim=(-0.02, 1.05),
        xlabel=rf"orientation accumulator bin $\theta$  (seam at $0$ and ${last}$)",
        ylabel="EA-score",
    )
    axes.set_xticks(sorted({round(last * sixth / 6) for sixth in range(7)}))
    style.legend_on_top(axes, handles)
    return fig


def table(item, results):
    rows = []
    for curve in _curves(item, results):
        found = results.map(curve["run"], item["sigma"])
        if found is None:
            rows.append([curve["label"], *[markdown.UNKNOWN] * 3])
            continue
        worst = int(np.nanargmin(found.mean))
        rows.append(
            [
                curve["label"],
                f"{markdown.score(float(found.mean[worst]))} (bin {worst})",
                markdown.score(float(np.nanmax(found.mean))),
                markdown.score(float(np.nanmean(found.deviation))),
            ]
        )
    head = ["mean over the offsets of an angle", "lowest", "highest", "deviation, mean"]
    note = "The band is one deviation over the lines of an angle, within 0 and 1."
    return f"{note}\n\n{markdown.table(head, rows)}"
