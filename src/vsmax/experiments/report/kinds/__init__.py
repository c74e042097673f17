# SPDX-License-Identifier: Apache-2.0
"""The kinds of tables and figures that a suite can ask for, one module each.

A kind has REQUIRED and OPTIONAL, the keys of its items, table(item, results), which returns
Markdown, and figure(item, results) if it draws one.
"""

from results import ReportError


def require_keys(part, required, optional, place):
    """Raises ReportError for keys that are missing or unknown."""
    if not isinstance(part, dict):
        raise ReportError(f"{place} must hold keys, but is {part!r}")
    for key in part:  # first: a misspelt key is also missing
        if key not in (*required, *optional):
            known = ", ".join((*required, *optional))
            raise ReportError(f"the key '{key}' of {place} is unknown; known here: {known}")
    for key in required:
        if key not in part:
            raise ReportError(f"the key '{key}' of {place} is missing")
