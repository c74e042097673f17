#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts the page together: one HTML file that makes no requests, so it also works from disk.

web/build_page.py BUILD OUT.html      BUILD holds vsmax.js and vsmax.wasm
"""

import re
import sys
import zlib
from pathlib import Path

HERE = Path(__file__).parent
PHOTOS = HERE.parent / "examples" / "photos"
MOST_BYTES = 1_000_000


def packed(data: bytes) -> str:
    """Seven bits per character. HTML would change a zero, a carriage return and what follows a "<",
    so these become letters with the same lowest seven bits; unpack.js ignores all other bits."""
    bits = int.from_bytes(data, "big") << (-8 * len(data) % 7)
    count = -(-8 * len(data) // 7)
    letters = {code: code + 0x180 for code in (0, 13, ord("<"))}
    # Slicing the binary digits is linear in their number; shifting so large an integer is not.
    digits = f"{bits:0{7 * count}b}"
    codes = (int(digits[i : i + 7], 2) for i in range(0, len(digits), 7))
    return "".join(chr(letters.get(code, code)) for code in codes)


def embedded(name: str, build: Path) -> str:
    if name == "wasm":
        return packed(zlib.compress((build / "vsmax.wasm").read_bytes(), 9))
    if name in ("sea", "saturn"):
        return packed((PHOTOS / f"{name}.jpg").read_bytes())
    text = ((build if name == "vsmax.js" else HERE) / name).read_text()
    if re.search("</script|<!--", text):
        raise SystemExit(f"{name}: would end the script that holds it")
    return re.sub(r"^\s*(//|/\*) SPDX.*\n", "", text)


def main() -> None:
    build, out = map(Path, sys.argv[1:])
    page = (HERE / "index.html").read_text()
    page = re.sub(
        r"/\*\{(.+?)\}\*/|<!--\{(.+?)\}-->", lambda m: embedded(m[1] or m[2], build), page
    )
    data = page.encode()
    if len(data) > MOST_BYTES:
        raise SystemExit(f"{out}: {len(data)} bytes, more than {MOST_BYTES}")
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_bytes(data)
    print(f"{out}: {len(data)} bytes")


if __name__ == "__main__":
    main()
