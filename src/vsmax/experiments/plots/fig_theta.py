# SPDX-License-Identifier: Apache-2.0
"""EA along theta: the mean over all offsets of an angle, and its spread."""

import markdown
import numpy as np
import style
from results import CEILING

ITEM = "fig-theta"
BLOCKS = (ITEM,)

LOOKS = {
    "soft-argmax": {"color": style.DSNT, "label": "soft-argmax"},
    "VSmax": {"color": style.OURS, "label": "Veronese soft-argmax", "linewidth": 1.8},
}


def plots(item, results):
    fig = style.figure(style.WIDTH, 3.0, layout="constrained")
    axes = fig.add_subplot()
    angles = 127
    handles = []
    for entry in item["maps"]:
        found = results.map(entry)
        look = LOOKS.get(entry["title"], {"label": style.CEILING_LABEL})
        if found is None:
            handles.append(style.not_yet(look["label"]))
            continue
        angles = found.mean.size
        bins = np.arange(angles)
        if entry["run"] == CEILING:
            handles += axes.plot(bins, found.mean, **{**style.ceiling_style(), **look})
            continue
        handles += axes.plot(bins, found.mean, **look)
        low = np.clip(found.mean - found.deviation, 0, 1)
        high = np.clip(found.mean + found.deviation, 0, 1)
        axes.fill_between(bins, low, high, color=look["color"], alpha=0.16, linewidth=0)
    last = angles - 1
    axes.set(
        xlim=(0, last),
        ylim=(-0.02, 1.05),
        xlabel=rf"orientation accumulator bin $\theta$  (seam at $0$ and ${last}$)",
        ylabel="EA-score",
    )
    axes.set_xticks(sorted({round(last * sixth / 6) for sixth in range(7)}))
    style.legend_on_top(axes, handles)
    style.mark_scale(fig, item)
    return {ITEM: fig}


def blocks(item, results):
    rows = []
    for entry in item["maps"]:
        found = results.map(entry)
        if found is None:
            rows.append([entry["title"], *[markdown.UNKNOWN] * 3])
            continue
        worst = int(np.nanargmin(found.mean))
        rows.append(
            [
                entry["title"],
                f"{markdown.score(float(found.mean[worst]))} (bin {worst})",
                markdown.score(float(np.nanmax(found.mean))),
                markdown.score(float(np.nanmean(found.deviation))),
            ]
        )
    head = ["mean over the offsets of an angle", "lowest", "highest", "deviation, mean"]
    return {
        ITEM: markdown.block(
            item,
            markdown.picture(ITEM, item["title"]),
            "The band is one deviation over the lines of an angle, within 0 and 1.",
            markdown.table(head, rows),
        )
    }
