# SPDX-License-Identifier: Apache-2.0
"""Numbers and tables as Markdown."""

import math

UNKNOWN = "–"  # noqa: RUF001
MINUS = "−"  # noqa: RUF001
SIGMA = "σ"  # noqa: RUF001
CEILING = "ceiling (exact posterior)"
COLUMNS = ("paper", "ours", "ceiling")


def known(value):
    return value is not None and not math.isnan(value)


def score(value):
    """Three digits, but never 1 for less than 1."""
    if not known(value):
        return UNKNOWN
    for digits in (3, 4, 5):
        text = f"{value:.{digits}f}"
        if value >= 1 or float(text) < 1:
            break
    return text


def difference(value):
    return _signed(f"{value:+.3f}") if known(value) else UNKNOWN


def percent(value):
    """A ratio of change: 0.28 is +28 %."""
    return _signed(f"{100 * value:+.0f} %") if known(value) else UNKNOWN


def _signed(text):
    """With a minus that is one, and no sign where nothing is left but zeros."""
    return text.replace("-", MINUS) if any(digit in text for digit in "123456789") else text[1:]


def share(value):
    return f"{100 * value:.1f} %" if known(value) else UNKNOWN


def count(value):
    return f"{value:,.0f}" if known(value) else UNKNOWN


def summary(stored):
    """{"mean", "deviation", ..} as mean ± deviation over the lines."""
    if not stored or not known(stored["mean"]):
        return UNKNOWN
    return f"{score(stored['mean'])} ± {stored['deviation']:.3f}"


def paper(row, part):
    """The paper's figure, with its deviation over the lines where it prints one."""
    deviation = row.get("paper_deviation", {}).get(part)
    return (
        summary({"mean": row["paper"][part], "deviation": deviation})
        if known(deviation)
        else (score(row["paper"][part]))
    )


def table(head, rows, left=1):
    """The first columns to the left, the others to the right."""
    lines = [head, ["---" if column < left else "---:" for column in range(len(head))], *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def picture(name, title):
    """The PNG, which leads to the SVG."""
    return f"[![{title}](plots/{name}.png)](plots/{name}.svg)"


def missing_runs(item):
    """A sentence on what an item is not, or nothing."""
    sentences = []
    if item.get("scale", "full") != "full":
        sentences.append(f"At {item['scale']} scale: this shows that it runs, not what comes out.")
    if item.get("missing"):
        sentences.append(f"Not yet run: {', '.join(f'`{name}`' for name in item['missing'])}.")
    return " ".join(sentences)


def block(item, *parts):
    """Parts with empty lines between, and what is missing beneath."""
    return "\n\n".join(part for part in (*parts, missing_runs(item)) if part)
