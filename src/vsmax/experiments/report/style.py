# SPDX-License-Identifier: Apache-2.0
"""The look that all figures share: the paper's colours, and one font for text and formulas."""

import io
import re

import matplotlib
from matplotlib import cbook
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.mathtext import MathTextParser
from results import ReportError

WIDTH = 7.2  # inches, of a figure as wide as the text
PNG_DPI = 200
FAINT = "#8A8A8A"
HELD_OUT = "#D9D9D9"
CEILING = {"color": FAINT, "linewidth": 1.0, "linestyle": (0, (1, 1.6)), "zorder": 1.5}

# Names that a suite may use, beside those that Matplotlib knows.
COLOURS = {
    "orange": "#EC6602",
    "light orange": "#F4AC75",
    "dark orange": "#A54701",
    "petrol": "#009999",
    "grey": "#7A7A7A",
    "green": "#31A354",
    "vermilion": "#E6550D",
    "purple": "#756BB1",
    "blue": "#08519C",
}
# For curves that do not choose a look themselves.
CYCLE = (("grey", "o"), ("green", "s"), ("vermilion", "^"), ("purple", "D"), ("blue", "p"))
LOOK_KEYS = ("colour", "marker", "dashed")
FORMULAS = MathTextParser("path")

SETTINGS = {
    "font.family": "STIXGeneral",
    "mathtext.fontset": "stix",
    "font.size": 10,
    "axes.titlesize": 10.5,
    "legend.fontsize": 9.5,
    "legend.frameon": False,
    "legend.handlelength": 2.2,
    "legend.columnspacing": 1.4,
    "axes.edgecolor": "#B3B3B3",
    "axes.linewidth": 0.7,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#E6E6E6",
    "grid.linewidth": 0.5,
    "lines.linewidth": 1.5,
    "lines.markersize": 4,
    "figure.constrained_layout.w_pad": 0.06,
    "figure.constrained_layout.h_pad": 0.05,
    "svg.fonttype": "path",
    "svg.hashsalt": "vsmax",
}
for ticks in ("xtick", "ytick"):
    SETTINGS |= {f"{ticks}.labelsize": 9, f"{ticks}.major.width": 0.6}
    SETTINGS |= {f"{ticks}.color": "#B3B3B3", f"{ticks}.labelcolor": "black"}


def apply():
    """For all figures to come, whatever the user's matplotlibrc says."""
    matplotlib.rcdefaults()
    matplotlib.rcParams.update(SETTINGS)


def figure(width, height, **options):
    return Figure(figsize=(width, height), facecolor="white", **options)


def colour(name):
    found = COLOURS.get(name, name)
    if not matplotlib.colors.is_color_like(found):
        raise ReportError(f"there is no colour '{name}'; try {', '.join(COLOURS)} or #RRGGBB")
    return found


def look(entry, place):
    """The look of a curve: its own keys, or else the entry of the cycle at its place."""
    usual, marker = CYCLE[place % len(CYCLE)]
    marker = entry.get("marker", "o" if "colour" in entry else marker)
    if marker not in Line2D.markers:
        raise ReportError(f"there is no marker '{marker}'; try o, s, ^, D or p")
    return {
        "color": colour(entry.get("colour", usual)),
        "marker": marker,
        "markersize": 4 if marker in "^p" else 3.2,
        "linestyle": (0, (3, 1.5)) if entry.get("dashed") else "solid",
    }


def formula(text):
    """A text with real subscripts in L_vs and the like. Checks formulas here, because Matplotlib
    rejects them only when drawing, possibly after hours of training."""
    symbols = {"L": r"\mathcal{L}", "σ": r"\sigma"}  # noqa: RUF001

    def subscript(match):
        symbol, index = match.groups()
        index = index if len(index) == 1 else rf"\mathrm{{{index}}}"
        return rf"${symbols.get(symbol, symbol)}_{{{index}}}$"

    text = re.sub(r"\b(\w)_(\w+)", subscript, text)
    try:
        FORMULAS.parse(text if cbook.is_math_text(text) else "")
    except ValueError as error:
        reason = str(error).strip().splitlines()[-1]
        raise ReportError(f"the formula in '{text}' cannot be typeset ({reason})") from error
    return text


def legend_on_top(axes, handles, columns=None):
    """Above the axes, in one row or in a number of columns."""
    place = {"loc": "lower center", "bbox_to_anchor": (0.5, 1.0), "borderaxespad": 0.2}
    columns = columns or max(1, len(handles))
    axes.legend(handles=handles, ncol=columns, handletextpad=0.6, **place)


def legend_above_panels(fig, handles):
    """In one row above all panels; there may be nothing to explain yet."""
    fig.legend(handles=handles, loc="upper center", ncol=max(1, len(handles)))


def rendered(fig, kind):
    """The figure as the bytes of an SVG or PNG file, the same bytes every time."""
    metadata = {"svg": {"Date": None, "Creator": "vsmax"}, "png": {"Software": None}}[kind]
    dpi = PNG_DPI if kind == "png" else "figure"
    data = io.BytesIO()
    fig.savefig(data, format=kind, dpi=dpi, metadata=metadata)
    return data.getvalue()
