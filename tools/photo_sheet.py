#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes one picture of what 'vsmax detect' finds in several photographs, four in a row.

    tools/photo_sheet.py VSMAX OUT.jpg IMAGE...

Each photograph is cropped about its centre to the proportions of its place.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image, ImageOps

COLUMNS = 4
PLACE = (400, 250)  # pixels
GAP = 4


def main() -> int:
    if len(sys.argv) < 4:
        print(__doc__, file=sys.stderr)
        return 2
    program, out, *photographs = sys.argv[1:]
    rows = -(-len(photographs) // COLUMNS)
    step = [side + GAP for side in PLACE]
    sheet = Image.new("RGB", (COLUMNS * step[0] - GAP, rows * step[1] - GAP), "white")
    with tempfile.TemporaryDirectory() as folder:
        command = [program, "detect", "--overlay", folder, *photographs]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        for i, photograph in enumerate(photographs):
            with Image.open(Path(folder) / f"{Path(photograph).stem}-overlay.png") as overlay:
                small = ImageOps.fit(overlay.convert("RGB"), PLACE, Image.Resampling.LANCZOS)
            sheet.paste(small, (i % COLUMNS * step[0], i // COLUMNS * step[1]))
    sheet.save(out, quality=80)
    return 0


if __name__ == "__main__":
    sys.exit(main())
