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
        label, colour = style.formula(curve["label"]), style.look(curve, place)["color"]
        cells = results.map(curve["run"], item["sigma"])
        if cells is None:
            continue
        angles = len(cells)
        mean, deviation = np.nanmean(cells, axis=1), np.nanstd(cells, axis=1)
        if curve["run"] == results.ceiling:
            handles += axes.plot(mean, label=label, **style.CEILING)
            continue
        handles += axes.plot(mean, label=label, color=colour)
        low, high = np.clip([mean - deviation, mean + deviation], 0, 1)
        axes.fill_between(range(angles), low, high, color=colour, alpha=0.16, linewidth=0)
    last = angles - 1
    axes.set(xlim=(0, last), ylim=(-0.02, 1.05), ylabel="EA-score")
    axes.set_xlabel(rf"orientation accumulator bin $\theta$  (seam at $0$ and ${last}$)")
    axes.set_xticks(sorted({round(last * sixth / 6) for sixth in range(7)}))
    style.legend_on_top(axes, handles)
    return fig


def table(item, results):
    rows = []
    for curve in _curves(item, results):
        cells = results.map(curve["run"], item["sigma"])
        if cells is None:
            rows.append([curve["label"], *[markdown.UNKNOWN] * 3])
            continue
        mean = np.nanmean(cells, axis=1)
        worst = int(mean.argmin())
        lowest = f"{markdown.score(mean[worst])} (bin {worst})"
        deviation = np.nanstd(cells, axis=1).mean()
        rows.append([curve["label"], lowest, markdown.score(mean.max()), markdown.score(deviation)])
    head = ["mean over the offsets of an angle", "lowest", "highest", "deviation, mean"]
    note = "The band is one deviation over the lines of an angle, within 0 and 1."
    return f"{note}\n\n{markdown.table(head, rows)}"
