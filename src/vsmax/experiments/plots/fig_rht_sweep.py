# SPDX-License-Identifier: Apache-2.0
"""EA of RHT over the noise, by the width of its target."""

import markdown
import noise_axes
import style

ITEM = "fig-rht-sweep"
BLOCKS = (ITEM,)

LOOKS = (
    {"color": style.BASE, "marker": "o", "markersize": 3.2},
    {"color": style.MLP, "marker": "s", "markersize": 3.2},
    {"color": style.DSNT, "marker": "^"},
    {"color": style.HOUGH, "marker": "D", "markersize": 3.4},
    {"color": style.OURS, "marker": "p"},
)


def plots(item, results):
    return {ITEM: noise_axes.single_axes(item, LOOKS, lambda width: rf"$\sigma_t={width}$")}


def blocks(item, results):
    rows = [(f"{markdown.SIGMA}_t = {curve['label']}", curve) for curve in item["curves"]]
    return {
        ITEM: markdown.block(
            item,
            markdown.picture(ITEM, item["title"]),
            noise_axes.table(rows, item["ceiling"]),
        )
    }
