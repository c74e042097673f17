# SPDX-License-Identifier: Apache-2.0
"""Checks that no folder of src/vsmax includes one it must not know.

The order is that of the data (see ARCHITECTURE.md); LibTorch headers stay out of the core, and
torch headers stay out of CUDA files.
"""

import re
import sys
from pathlib import Path

ALLOWED = {
    "base": [],
    "geometry": ["base"],
    "io": ["base"],
    "evidence": ["base", "geometry", "io"],
    "hough": ["base", "geometry"],
    "refine": ["base", "io"],
    "readout": ["base", "geometry", "hough", "refine"],
    "recover": ["base", "geometry", "io", "evidence", "hough", "refine", "readout"],
    "data": ["base", "geometry", "hough"],
    "score": ["base", "geometry", "io", "hough", "recover", "data"],
}
CORE = set(ALLOWED)
ALLOWED["autograd"] = sorted(CORE)
ALLOWED["train"] = sorted(CORE | {"autograd"})
ALLOWED["experiments"] = sorted(CORE | {"autograd", "train"})

OWN_INCLUDE = re.compile(r'#include "vsmax/(\w+)/')
TORCH_INCLUDE = re.compile(r"#include [<\"](torch|ATen|c10)/")


def violations(root: Path) -> list[str]:
    found = []
    for path in sorted((root / "src" / "vsmax").rglob("*")):
        if path.suffix not in {".h", ".cpp", ".cu", ".cuh"}:
            continue
        folder = path.relative_to(root / "src" / "vsmax").parts[0]
        where = path.relative_to(root)
        if folder not in ALLOWED:
            found.append(f"{where}: the folder {folder} has no place in tools/check_layers.py")
            continue
        text = path.read_text(encoding="utf-8")
        for other in OWN_INCLUDE.findall(text):
            if other != folder and other not in ALLOWED[folder]:
                found.append(f"{where}: {folder} must not include {other}")
        if TORCH_INCLUDE.search(text) and (folder in CORE or path.suffix == ".cu"):
            found.append(f"{where}: includes a LibTorch header")
    return found


if __name__ == "__main__":
    problems = violations(Path(__file__).resolve().parent.parent)
    print("\n".join(problems), end="\n" if problems else "")
    sys.exit(1 if problems else 0)
