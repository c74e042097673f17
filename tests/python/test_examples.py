# SPDX-License-Identifier: Apache-2.0
"""The examples run and show what they say; the notebook is the script's."""

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"

pytest.importorskip("matplotlib", reason="the examples draw with matplotlib")


def run(name: str, folder: Path) -> str:
    picture = folder / f"{name}.png"
    told = subprocess.run(
        [sys.executable, EXAMPLES / f"{name}.py", picture],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "MPLCONFIGDIR": str(folder)},
    )
    assert picture.read_bytes().startswith(b"\x89PNG")
    return told.stdout


def numbers(pattern: str, text: str) -> list[float]:
    return [float(x) for x in re.findall(pattern, text)]


def test_readout_swap_heals_the_seam(tmp_path: Path) -> None:
    soft, veronese = numbers(r"([\d.]+) degrees at the seam", run("readout_swap", tmp_path))
    assert veronese < 1.5
    assert soft > 3 * veronese


def test_axes_are_averaged_better_than_angles(tmp_path: Path) -> None:
    angles, axes = numbers(r"mean error ([\d.]+)", run("axes", tmp_path))
    assert axes < 2
    assert angles > 3 * axes


def test_rotations_have_no_seam_either(tmp_path: Path) -> None:
    added, halved, veronese, soft = numbers(r"mean error ([\d.]+)", run("rotations", tmp_path))
    assert veronese < 4.5 < halved < added
    assert soft < 6


def test_notebook_is_the_script() -> None:
    tool = ROOT / "tools" / "make_notebook.py"
    if not tool.exists():
        pytest.skip("the tools are not part of this copy")
    spec = importlib.util.spec_from_file_location("make_notebook", tool)
    maker = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(maker)
    script = (EXAMPLES / "readout_swap.py").read_text(encoding="utf-8")
    book = json.loads((EXAMPLES / "readout_swap.ipynb").read_text(encoding="utf-8"))
    code = [cell["source"] for cell in book["cells"] if cell["cell_type"] == "code"]
    assert code[:-2] == [code for _, code in maker.cells_of(script)]
    # That the cells define what the last one needs; the training itself is the script's test.
    namespace: dict = {}
    for cell in code[:-2]:
        exec(cell, namespace)
    assert callable(namespace["main"])
