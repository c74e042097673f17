# SPDX-License-Identifier: Apache-2.0
"""Interior EA over the noise: three pipelines, each with either loss."""

import markdown
import noise_axes
import style
from matplotlib.lines import Line2D
from results import curve_of

ITEM = "fig-noise"
BLOCKS = (ITEM,)

LOOKS = {
    "L_vs": {"color": style.ORANGE, "marker": "o", "markersize": 3.2},
    "L_polar": {
        "color": style.PETROL,
        "marker": "^",
        "markersize": 4,
        "linestyle": (0, (3, 1.5)),
        "linewidth": 1.4,
    },
}
LIMIT = {"color": "#555555", "linewidth": 0.8, "linestyle": (0, (4, 3))}
LABELS = {"L_vs": r"$\mathcal{L}_{\mathrm{vs}}$", "L_polar": r"$\mathcal{L}_{\mathrm{polar}}$"}


def plots(item, results):
    fig = style.figure(style.WIDTH, 2.9)
    fig.set_layout_engine("constrained", rect=(0, 0, 1, 0.91))
    panels = fig.subplots(1, len(item["panels"]), sharey=True, squeeze=False)[0]
    for axes, panel in zip(panels, item["panels"], strict=True):
        noise_axes.prepare(axes, 0.2)
        axes.set_title(panel["title"])
        axes.axvline(style.TRAINING_SIGMA, zorder=1, **LIMIT)
        noise_axes.draw_ceiling(axes, item["ceiling"])
        missing = []
        for curve in panel["curves"]:
            label = curve["label"]
            handle = noise_axes.draw_curve(axes, curve, LABELS[label], **LOOKS[label])
            if handle not in axes.lines:
                missing.append(handle)
        if missing:
            axes.legend(handles=missing, loc="lower left", handlelength=0, borderaxespad=0.2)
    panels[0].set_ylabel("interior EA-score")
    handles = [Line2D([], [], label=LABELS[loss], **LOOKS[loss]) for loss in LOOKS]
    if curve_of(item["ceiling"]).sigma.size:
        handles.append(Line2D([], [], label=style.CEILING_LABEL, **style.ceiling_style()))
    handles.append(Line2D([], [], label="training maximum", **LIMIT))
    fig.legend(handles=handles, loc="upper center", ncol=len(handles), columnspacing=1.6)
    style.mark_scale(fig, item)
    return {ITEM: fig}


def blocks(item, results):
    rows = [
        (f"{panel['title']} + {curve['label']}", curve)
        for panel in item["panels"]
        for curve in panel["curves"]
    ]
    return {
        ITEM: markdown.block(
            item,
            markdown.picture(ITEM, item["title"]),
            noise_axes.table(rows, item["ceiling"]),
        )
    }
