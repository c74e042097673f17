# SPDX-License-Identifier: Apache-2.0
"""Numbers and tables as Markdown."""

import math

UNKNOWN = "–"  # noqa: RUF001
MINUS = "−"  # noqa: RUF001
SIGMA = "σ"  # noqa: RUF001


def known(value):
    return value is not None and not math.isnan(value)


def score(value):
    """Three decimals, or more if a score below 1 would be rounded to 1."""
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
    """A relative change: 0.28 is +28 %."""
    return _signed(f"{100 * value:+.0f} %") if known(value) else UNKNOWN


def _signed(text):
    """With a real minus, and no sign in front of zero."""
    return text.replace("-", MINUS) if any(digit in text for digit in "123456789") else text[1:]


def plain(value, digits):
    """With a real minus and a fixed number of digits."""
    return f"{value:.{digits}f}".replace("-", MINUS) if known(value) else UNKNOWN


def probability(value):
    return "< 0.001" if known(value) and value < 0.0005 else plain(value, 3)


def three_digits(value):
    return f"{value:.3g}" if known(value) else UNKNOWN


def share(value):
    return f"{100 * value:.1f} %" if known(value) else UNKNOWN


def count(value):
    return f"{value:,.0f}" if known(value) else UNKNOWN


def summary(stored):
    """{"mean", "deviation"} as mean ± deviation over the lines."""
    return f"{score(stored['mean'])} ± {stored['deviation']:.3f}" if stored else UNKNOWN


def table(head, rows, left=1):
    """The first columns are aligned to the left, the others to the right."""
    lines = [head, ["---" if column < left else "---:" for column in range(len(head))], *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def picture(name, title):
    """The PNG, which links to the SVG."""
    return f"[![{title}](plots/{name}.png)](plots/{name}.svg)"
