#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Doxygen's INPUT_FILTER: turns the headers' plain comments into those that Doxygen reads.

doxygen_filter.py HEADER
"""

import re
import sys
from pathlib import Path

MACHINE = re.compile(r"\s*(//|/\*) ?(SPDX|NOLINT).*")


def with_samples(texts: list[str], language: str) -> list[str]:
    """Lines of a comment; those indented by three or more are code."""
    lines: list[str] = []
    in_code = False
    for text in texts:
        is_code = text.startswith("   ")
        if is_code != in_code and (is_code or text.strip()):
            lines.append(f" @code{{.{language}}}" if is_code else " @endcode")
            in_code = is_code
        lines.append(text)
    return [*lines, " @endcode"] if in_code else lines


def cpp(source: list[str]) -> list[str]:
    lines: list[str] = []
    block: list[str] = []
    column = -1  # of the trailing comment in the line before
    in_head = True
    is_private = False
    for line in [*source, ""]:
        is_private = line == " private:" or (is_private and line != "};")
        if is_private or MACHINE.fullmatch(line):
            continue
        comment = re.fullmatch(r"(\s*)//(.*)", line)
        if comment and column >= 0 and len(comment[1]) == column:
            lines.append(f"{comment[1]}///<{comment[2]}")
            continue
        column = -1
        if comment:
            block.append(comment[2])
            continue
        if block and (line.strip() or in_head):
            if in_head:
                block.insert(0, " @file")
            lines += [f"///{text}" for text in with_samples(block, "cpp")]
            in_head = False
        block = []
        trailing = re.fullmatch(r"(\s*[^\s/#}].*?[;,{}]\s*)//( (?!NOLINT).*)", line)
        if trailing and not trailing[1].strip().endswith("{"):
            column = len(trailing[1])
            line = f"{trailing[1]}///<{trailing[2]}"
        lines.append(line)
    return lines


def c(source: str) -> str:
    is_first = True

    def convert(match: re.Match[str]) -> str:
        nonlocal is_first
        before, text = match.groups()
        if MACHINE.match(match[0].strip()) or before.lstrip().startswith("#"):
            return before
        if before.strip():
            return f"{before}/**<{text}*/"
        lines = [re.sub(r"^ \*", "", line) for line in text.split("\n")]
        if is_first:
            lines.insert(0, " @file")
        is_first = False
        return before + "/**" + "\n".join(with_samples(lines, "c")) + "*/"

    return re.sub(r"^([^\n]*?)/\*(.*?)\*/", convert, source, flags=re.DOTALL | re.MULTILINE)


def main() -> None:
    path = Path(sys.argv[1])
    text = path.read_text()
    sys.stdout.write(c(text) if path.parent.name == "c" else "\n".join(cpp(text.splitlines())))


if __name__ == "__main__":
    main()
