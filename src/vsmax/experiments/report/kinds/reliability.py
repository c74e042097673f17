# SPDX-License-Identifier: Apache-2.0
"""Whether a model's statements about its own errors are true: confidence against EA, and how often
the intervals hold the true line."""

import markdown
import style
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from kinds import require_keys

REQUIRED = ("runs",)
OPTIONAL = ()
INTERVALS = {"theta_68": "θ, 68 %", "theta_95": "θ, 95 %", "rho_68": "ρ, 68 %", "rho_95": "ρ, 95 %"}  # noqa: RUF001
NOISE_COLOURS = ("blue", "petrol", "green", "orange", "vermilion", "purple", "grey")


def _entries(item, results):
    """(label, scores at one noise) of every run."""
    for entry in item["runs"]:
        require_keys(entry, ("run",), ("label",), "a run")
        label = entry.get("label", results.label(entry["run"]))
        yield label, results.scores(entry["run"])


def table(item, results):
    rows = []
    for label, scores in _entries(item, results):
        for entry in scores:
            coverage = entry.get("coverage", {})
            rows.append(
                [
                    label,
                    f"{entry['sigma']:g}",
                    markdown.score(entry["all"]["mean"]),
                    markdown.score(entry.get("calibration_error")),
                    markdown.score(entry.get("auroc")),
                    *(markdown.share(coverage.get(name)) for name in INTERVALS),
                ]
            )
    head = ["lines", markdown.SIGMA, "EA", "calibration error", "AUROC of lost lines"]
    return markdown.table([*head, *INTERVALS.values()], rows)


def figure(item, results):
    entries = [(style.formula(label), scores) for label, scores in _entries(item, results)]
    fig = style.figure(style.WIDTH, 3.2, layout="constrained")
    confidence, coverage = fig.subplots(1, 2)
    _draw_confidence(confidence, entries)
    _draw_coverage(coverage, entries)
    return fig


def _draw_confidence(axes, entries):
    """Mean EA against mean confidence, one dot per tenth of the lines, for every noise level."""
    axes.plot([0, 1], [0, 1], color=style.FAINT, linewidth=0.8, zorder=1)
    sigmas = sorted({entry["sigma"] for _, scores in entries for entry in scores})
    markers = ("o", "^", "s", "D")
    handles = []
    for place, (label, scores) in enumerate(entries):
        marker = markers[place % len(markers)]
        for entry in scores:
            name = NOISE_COLOURS[sigmas.index(entry["sigma"]) % len(NOISE_COLOURS)]
            bins = entry.get("calibration", [])
            axes.plot(
                [one["confidence"] for one in bins],
                [one["ea"] for one in bins],
                linestyle="none",
                marker=marker,
                color=style.colour(name),
                clip_on=False,
            )
        handles.append(
            Line2D([], [], linestyle="none", marker=marker, color=style.FAINT, label=label)
        )
    for sigma, name in zip(sigmas, NOISE_COLOURS, strict=False):
        text = rf"$\sigma$ = {sigma:g}"
        handles.append(Line2D([], [], color=style.colour(name), linewidth=4, label=text))
    axes.set(xlim=(0, 1), ylim=(0, 1), xlabel="confidence", ylabel="EA-score")
    axes.legend(handles=handles, loc="upper left", fontsize=8, handlelength=1.2)


def _draw_coverage(axes, entries):
    """The share of true lines inside the intervals, over the noise."""
    for level in (0.68, 0.95):
        axes.axhline(level, color=style.FAINT, linewidth=0.8, zorder=1)
    looks = {"theta": ("blue", "θ"), "rho": ("vermilion", "ρ")}  # noqa: RUF001
    handles = []
    for place, (label, scores) in enumerate(entries):
        for name, (colour, letter) in looks.items():
            look = {
                "color": style.colour(colour),
                "marker": "o" if place == 0 else "^",
                "linestyle": "solid" if place == 0 else (0, (3, 1.5)),
            }
            for level in ("68", "95"):
                points = [
                    (entry["sigma"], entry["coverage"][f"{name}_{level}"])
                    for entry in scores
                    if "coverage" in entry
                ]
                axes.plot(*zip(*points, strict=True) if points else ([], []), **look)
            handles.append(Line2D([], [], label=f"{letter}, {label}", **look))
    axes.set(
        ylim=(0.5, 1.0), xlabel=r"noise $\sigma$", ylabel="share inside the 68 and 95 % intervals"
    )
    axes.xaxis.set_major_locator(MaxNLocator(5))
    axes.legend(handles=handles, loc="center", bbox_to_anchor=(0.5, 0.58), fontsize=8)
