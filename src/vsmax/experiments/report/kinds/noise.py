# SPDX-License-Identifier: Apache-2.0
"""EA over the noise of the test images, in one or several panels."""

import markdown
import style
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator, MultipleLocator

from kinds import require_keys

REQUIRED = ("lines", "panels")
OPTIONAL = ("training_maximum",)
LIMIT = {"color": "#555555", "linewidth": 0.8, "linestyle": (0, (4, 3))}


def table(item, results):
    runs = [curve["run"] for panel in item["panels"] for curve in panel["curves"]]
    runs += [results.ceiling] if results.ceiling else []
    curves = {results.label(run): results.curve(run, item["lines"]) for run in runs}
    sigmas = sorted({sigma for curve in curves.values() for sigma in curve})
    rows = [
        [label, *(markdown.score(curve.get(sigma)) for sigma in sigmas)]
        for label, curve in curves.items()
    ]
    return markdown.table([markdown.SIGMA, *(f"{sigma:g}" for sigma in sigmas)], rows)


def figure(item, results):
    for panel in item["panels"]:
        require_keys(panel, ("curves",), ("title",), "a panel")
        for curve in panel["curves"]:
            require_keys(curve, ("run",), ("label", *style.LOOK_KEYS), "a curve")
    single = len(item["panels"]) == 1
    fig = style.figure(style.WIDTH, 3.0 if single else 2.9)
    fig.set_layout_engine("constrained", rect=(0, 0, 1, 1 if single else 0.91))
    all_axes = fig.subplots(1, len(item["panels"]), sharey=True, squeeze=False)[0]
    handles = {}
    for axes, panel in zip(all_axes, item["panels"], strict=True):
        handles |= _draw_panel(axes, panel, item, results, narrow=not single)
    lines = item["lines"]
    all_axes[0].set_ylabel("EA-score" if lines == "all" else f"{lines} EA-score")
    if "training_maximum" in item:
        handles["limit"] = Line2D([], [], label="training maximum", **LIMIT)
    if single:
        style.legend_on_top(all_axes[0], list(handles.values()))
    else:
        style.legend_above_panels(fig, list(handles.values()))
    return fig


def _draw_panel(axes, panel, item, results, narrow):
    """Returns {label: entry of the legend}."""
    curves = [(curve, style.look(curve, place)) for place, curve in enumerate(panel["curves"])]
    if results.ceiling:
        curves.append(({"run": results.ceiling}, style.CEILING))
    handles = {}
    widest = 0.0
    for curve, look in curves:
        label = style.formula(curve.get("label", results.label(curve["run"])))
        points = results.curve(curve["run"], item["lines"])
        widest = max(widest, *points, 0.0)
        if points:
            # Unclipped, so that markers at the edge of the axes are drawn whole.
            axes.plot(points.keys(), points.values(), clip_on=False, **look)
            handles[label] = Line2D([], [], label=label, **look)
    if "training_maximum" in item:
        axes.axvline(item["training_maximum"], zorder=1, **LIMIT)
    axes.set(xlim=(0, widest or 1), ylim=(0, 1.02), xlabel=r"test noise $\sigma$")
    axes.set_title(style.formula(panel.get("title", "")))
    axes.xaxis.set_major_locator(MaxNLocator(5 if narrow else 10, steps=[1, 2, 5, 10]))
    axes.yaxis.set_major_locator(MultipleLocator(0.2))
    return handles
