# SPDX-License-Identifier: Apache-2.0
"""EA over the noise of the test images, in one or several panels."""

import style
from kinds import curve_table, require_keys
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator, MultipleLocator

REQUIRED = ("lines", "panels")
OPTIONAL = ("training_maximum",)
LIMIT = {"color": "#555555", "linewidth": 0.8, "linestyle": (0, (4, 3))}


def table(item, results):
    runs = [curve["run"] for panel in item["panels"] for curve in panel["curves"]]
    if results.ceiling:
        runs.append(results.ceiling)
    points = {run: results.curve(run, item["lines"]) for run in runs}
    return curve_table(
        {results.label(run): dict(zip(*points[run], strict=True)) for run in points}
    )


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
        fig.legend(handles=list(handles.values()), loc="upper center", ncol=len(handles))
    return fig


def _draw_panel(axes, panel, item, results, narrow):
    """Returns {label: entry of the legend}."""
    handles, missing, widest = {}, [], 0.0
    for place, curve in enumerate(panel["curves"]):
        label = style.formula(curve.get("label", results.label(curve["run"])))
        look = style.look(curve, place)
        sigma, mean = results.curve(curve["run"], item["lines"])
        handles[label] = Line2D([], [], label=label, **look)
        if sigma.size == 0:
            missing.append(style.not_yet(label))
            continue
        widest = max(widest, sigma.max())
        # Markers at the edge of the axes are drawn whole.
        axes.plot(sigma, mean, clip_on=False, zorder=3, **look)
    if results.ceiling:
        look = style.ceiling_style()
        axes.plot(*results.curve(results.ceiling, item["lines"]), **look)
        label = style.formula(results.label(results.ceiling))
        handles[label] = Line2D([], [], label=label, **look)
    if "training_maximum" in item:
        axes.axvline(item["training_maximum"], zorder=1, **LIMIT)
    if missing:
        axes.legend(handles=missing, loc="lower left", handlelength=0, borderaxespad=0.2)
    axes.set(xlim=(0, widest or 1), ylim=(0, 1.02), xlabel=r"test noise $\sigma$")
    axes.set_title(style.formula(panel.get("title", "")))
    axes.xaxis.set_major_locator(MaxNLocator(5 if narrow else 10, steps=[1, 2, 5, 10]))
    axes.yaxis.set_major_locator(MultipleLocator(0.2))
    return handles
