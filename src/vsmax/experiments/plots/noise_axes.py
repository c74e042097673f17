# SPDX-License-Identifier: Apache-2.0
"""Axes of EA over the noise of the test images, and the table of the same numbers."""

import markdown
import numpy as np
import style
from results import curve_of


def prepare(axes, step):
    axes.set(xlim=(0, 0.8), ylim=(0, 1.02), xlabel=r"test noise $\sigma$")
    axes.set_xticks(np.arange(0, 0.8 + step / 2, step))
    axes.set_yticks(np.arange(0, 1.01, 0.2))


def draw_curve(axes, stored, label, **look):
    """Draws a curve and returns its entry of the legend."""
    curve = curve_of(stored)
    if curve.sigma.size == 0:
        return style.not_yet(label)
    # Markers at the edge of the axes are drawn whole.
    (line,) = axes.plot(curve.sigma, curve.mean, label=label, clip_on=False, zorder=3, **look)
    return line


def draw_ceiling(axes, stored):
    """The entries of the legend: none without a ceiling."""
    curve = curve_of(stored)
    if curve.sigma.size == 0:
        return []
    return axes.plot(curve.sigma, curve.mean, label=style.CEILING_LABEL, **style.ceiling_style())


def single_axes(item, looks, label_of=str):
    """One figure over the whole width: curves in the given looks, a legend above."""
    fig = style.figure(style.WIDTH, 3.0, layout="constrained")
    axes = fig.add_subplot()
    prepare(axes, 0.1)
    axes.set_ylabel("EA-score")
    handles = [
        draw_curve(axes, curve, label_of(curve["label"]), **look)
        for curve, look in zip(item["curves"], looks, strict=True)
    ]
    handles += draw_ceiling(axes, item["ceiling"])
    style.legend_on_top(axes, handles)
    style.mark_scale(fig, item)
    return fig


def table(rows, ceiling):
    """(name, stored curve) pairs as rows, the noise as columns."""
    named = [(name, curve_of(stored)) for name, stored in rows]
    named.append((markdown.CEILING, curve_of(ceiling)))
    sigmas = sorted({sigma for _, curve in named for sigma in curve.sigma.tolist()})
    lines = []
    for name, curve in named:
        means = dict(zip(curve.sigma.tolist(), curve.mean.tolist(), strict=True))
        lines.append([name, *(markdown.score(means.get(sigma)) for sigma in sigmas)])
    return markdown.table([markdown.SIGMA, *(f"{sigma:g}" for sigma in sigmas)], lines)
