# SPDX-License-Identifier: Apache-2.0
"""EA over the noise: what cannot be trained through its readout, against VSmax."""

import markdown
import noise_axes
import style

ITEM = "fig-end-to-end"
BLOCKS = (ITEM,)

LOOKS = (
    {"color": style.mixed(style.ORANGE, 0.55), "marker": "s", "markersize": 3.2},
    {"color": style.ORANGE, "marker": "D", "markersize": 3.2, "linestyle": (0, (3, 1.5))},
    {
        "color": style.mixed(style.ORANGE, 0.7, "#000000"),
        "marker": "o",
        "markersize": 3.6,
        "linewidth": 1.8,
    },
)


def plots(item, results):
    return {ITEM: noise_axes.single_axes(item, LOOKS)}


def blocks(item, results):
    rows = [(curve["label"], curve) for curve in item["curves"]]
    return {
        ITEM: markdown.block(
            item,
            markdown.picture(ITEM, item["title"]),
            noise_axes.table(rows, item["ceiling"]),
        )
    }
