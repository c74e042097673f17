# SPDX-License-Identifier: Apache-2.0
"""The kinds of tables and figures that a suite can ask for, one module each.

A kind has REQUIRED and OPTIONAL, the keys of its items, table(item, results), which returns
Markdown, and figure(item, results) if it draws one.
"""

import markdown
from results import ReportError


def entries(runs):
    """The runs of an item as dictionaries: a name, a dictionary, or a list of them."""
    listed = runs if isinstance(runs, list) else [runs]
    return [run if isinstance(run, dict) else {"run": run} for run in listed]


def require_keys(part, required, optional, place):
    """Raises ReportError for keys that are missing or unknown."""
    if not isinstance(part, dict):
        raise ReportError(f"{place} must hold keys, but is {part!r}")
    for key in required:
        if key not in part:
            raise ReportError(f"{place}: the key '{key}' is missing")
    for key in part:
        if key not in (*required, *optional):
            known = ", ".join((*required, *optional))
            raise ReportError(f"{place}: the key '{key}' is unknown; known here: {known}")


def curve_table(rows):
    """{label: {x: value}} with one column per x."""
    places = sorted({x for values in rows.values() for x in values})
    lines = [
        [label, *(markdown.score(values.get(x)) for x in places)] for label, values in rows.items()
    ]
    return markdown.table([markdown.SIGMA, *(f"{x:g}" for x in places)], lines)
