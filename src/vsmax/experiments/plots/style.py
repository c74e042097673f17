# SPDX-License-Identifier: Apache-2.0
"""The look that all figures share: the paper's colours, and one font for text and formulas."""

import io

import matplotlib
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

WIDTH = 7.2  # inches, of a figure over the whole text
PNG_DPI = 200

# The paper's colour definitions.
ORANGE = "#EC6602"
PETROL = "#009999"
BASE = "#7A7A7A"
OURS = "#08519C"
DSNT = "#E6550D"
MLP = "#31A354"
HOUGH = "#756BB1"
HELD_OUT = "#D9D9D9"

CEILING_LABEL = "ceiling (exact posterior)"
FAINT = "#8A8A8A"
TRAINING_SIGMA = 0.5  # the largest noise of the training


def mixed(colour, share, other="#FFFFFF"):
    """`share` of one colour and the rest of another, as LaTeX's colour!55 and colour!70!black."""
    channels = zip(matplotlib.colors.to_rgb(colour), matplotlib.colors.to_rgb(other), strict=True)
    return tuple(share * one + (1 - share) * rest for one, rest in channels)


SETTINGS = {
    "font.family": "STIXGeneral",
    "mathtext.fontset": "stix",
    "font.size": 10,
    "axes.titlesize": 10.5,
    "axes.labelsize": 10,
    "xtick.labelsize": 9,
    "ytick.labelsize": 9,
    "legend.fontsize": 9.5,
    "legend.frameon": False,
    "legend.handlelength": 2.2,
    "axes.edgecolor": mixed("#808080", 0.6),
    "axes.linewidth": 0.7,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": mixed("#808080", 0.2),
    "grid.linewidth": 0.5,
    "xtick.color": mixed("#808080", 0.6),
    "ytick.color": mixed("#808080", 0.6),
    "xtick.labelcolor": "black",
    "ytick.labelcolor": "black",
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "lines.linewidth": 1.5,
    "lines.markersize": 4,
    "figure.constrained_layout.w_pad": 0.06,
    "figure.constrained_layout.h_pad": 0.05,
    "svg.fonttype": "path",
    "svg.hashsalt": "vsmax",
}


def apply():
    """Makes the style that of all figures to come, whatever the user's matplotlibrc says."""
    matplotlib.rcdefaults()
    matplotlib.rcParams.update(SETTINGS)


def figure(width, height, **options):
    return Figure(figsize=(width, height), facecolor="white", **options)


def ceiling_style():
    return {"color": FAINT, "linewidth": 1.0, "linestyle": (0, (1, 1.6)), "zorder": 1.5}


def not_yet(label):
    """An entry of a legend for what is not drawn."""
    return Line2D([], [], linestyle="none", label=f"{label} (not yet run)")


def legend_on_top(axes, handles):
    """In one row above the axes; entries for what is not drawn are long and take more rows."""
    drawn = all(
        handle.get_linestyle() != "None" or handle.get_marker() != "None" for handle in handles
    )
    axes.legend(
        handles=handles,
        loc="lower center",
        bbox_to_anchor=(0.5, 1.0),
        ncol=len(handles) if drawn else min(3, len(handles)),
        columnspacing=1.6,
        handletextpad=0.6,
        borderaxespad=0.2,
    )


def mark_scale(fig, item):
    """Says on the figure that the runs were not those of the paper."""
    if item.get("scale", "full") != "full":
        fig.text(
            0.995, 0.012, f"{item['scale']} scale", ha="right", va="bottom", fontsize=7, color=FAINT
        )


def rendered(fig, kind):
    """The figure as the bytes of an SVG or PNG file, the same ones every time."""
    data = io.BytesIO()
    if kind == "svg":
        fig.savefig(data, format="svg", metadata={"Date": None, "Creator": "vsmax"})
    else:
        fig.savefig(data, format="png", dpi=PNG_DPI, metadata={"Software": None})
    return data.getvalue()
