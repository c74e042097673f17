# SPDX-License-Identifier: Apache-2.0
"""Fills the generated blocks of REPORT.md, and leaves every other word as it is."""

import re
from pathlib import Path

from results import ResultsError

TEMPLATE = Path(__file__).with_name("REPORT.template.md")
MARKER = re.compile(r"^<!-- (begin|end) ([a-z0-9-]+) -->$", re.MULTILINE)


def filled(text, blocks, name):
    """The text with `blocks` between their markers. `name` is that of the file, for complaints."""
    parts = []
    place = 0
    opened = None
    for marker in MARKER.finditer(text):
        kind, block = marker.groups()
        if kind == "begin":
            if opened is not None:
                raise ResultsError(f"{name}: the block '{opened}' has no end before '{block}'")
            if block not in blocks:
                raise ResultsError(f"{name}: there is no block '{block}' to fill")
            opened = block
            parts.append(text[place : marker.end()])
        else:
            if opened != block:
                raise ResultsError(f"{name}: the block '{block}' ends where none begins")
            parts.append(f"\n{blocks[block]}\n")
            place = marker.start()
            opened = None
    if opened is not None:
        raise ResultsError(f"{name}: the block '{opened}' has no end")
    return "".join([*parts, text[place:]])


def changed_block(old, new):
    """The name of the first block that differs, or None."""
    for one, other in zip(_sections(old), _sections(new), strict=True):
        if one != other:
            return one[0]
    return None


def _sections(text):
    """(block, content) in order."""
    markers = list(MARKER.finditer(text))
    return [
        (begin.group(2), text[begin.end() : end.start()])
        for begin, end in zip(markers[::2], markers[1::2], strict=True)
    ]
