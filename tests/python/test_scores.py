# SPDX-License-Identifier: Apache-2.0
"""The EA-score, and the evaluation of a model on synthetic lines."""

import json
import os
import signal
import subprocess
import sys

import numpy as np
import pytest
from drawing import drawn_line

import vsmax

SMALL = {"size": (48, 64), "grid": (15, 15)}


def test_scores_lines_in_pixels() -> None:
    size = (90, 140)
    [line] = vsmax.detect(255 * drawn_line(0.7, 12.0, size))
    assert vsmax.ea_score(line, line, size) == 1.0
    assert 0.95 < vsmax.ea_score(line, (0.7, 12.0), size) < 1.0
    # Across the seam, and upside down: the same line.
    assert vsmax.ea_score((0.0, 5.0), (np.pi, -5.0), size) == pytest.approx(1.0)
    assert vsmax.ea_score((0.7, 12.0), (0.7, 500.0), size) == 0.0
    assert vsmax.ea_score((float("nan"), 12.0), (0.7, 12.0), size) == 0.0


def test_scores_arrays_of_lines() -> None:
    rng = np.random.default_rng(7)
    a, b = rng.uniform(0, 3, (2, 4, 5, 2))
    scores = vsmax.ea_score(a, b, (50, 60))
    assert scores.shape == (4, 5)
    assert scores[2, 3] == vsmax.ea_score(a[2, 3], b[2, 3], (50, 60))
    assert vsmax.ea_score(np.zeros((0, 2)), np.zeros((0, 2)), (9, 9)).shape == (0,)


@pytest.mark.parametrize(
    ("a", "b", "size", "named"),
    [
        ((0.1, 2.0), (0.1, 2.0), (1, 9), "1x9"),
        ((0.1, 2.0), (0.1, 2.0), (9, 2**40), str(2**40)),
        ((0.1, 2.0), (0.1, 2.0, 3.0), (9, 9), r"\(3,\)"),
        ((0.1, 2.0), (0.1, float("inf")), (9, 9), "inf"),
    ],
)
def test_wrong_lines_are_named(a, b, size, named: str) -> None:
    with pytest.raises(vsmax.Error, match=named):
        vsmax.ea_score(a, b, size)


@pytest.mark.parametrize("lines", ["grid", "continuous"])
def test_evaluates_as_the_program_does(lines: str) -> None:
    if "VSMAX" not in os.environ:
        pytest.skip("the command line tool is not there to compare with")
    command = [os.environ["VSMAX"], "evaluate", "--json", "--model", "classic", "--sigma", "0.2"]
    command += ["--lines", lines, "--size", "64x48", "--line-grid", "15x15", "--seed", "7"]
    told = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    [row] = told["results"]
    ours = vsmax.evaluate("classic", sigma=0.2, lines=lines, seed=7, **SMALL)
    assert ours == vsmax.evaluate("classic", sigma=0.2, lines=lines, seed=7, threads=1, **SMALL)
    for name in ("all", "seam", "interior"):
        assert getattr(ours, name).mean == pytest.approx(row[name]["mean"], abs=1e-12)
        assert getattr(ours, name).count == row[name]["count"]
    assert ours.all.count == ours.seam.count + ours.interior.count


@pytest.mark.parametrize(
    ("asked", "named"),
    [
        ({"sigma": -1}, "^sigma .* not -1$"),
        ({"sigma": float("nan")}, "^sigma .* not nan$"),
        ({"lines": "all"}, "'all'"),
        ({"size": (0, 9)}, "not 0"),
        ({"size": (1, 9)}, "9x1"),
        ({"grid": (15, 14)}, "14"),
        ({"seed": -1}, "-1"),
        ({"threads": 5000}, "5000"),
        ({"model": "nosuch"}, "nosuch"),
        ({"model": "paper", "size": (9, 9)}, "paper"),
    ],
)
def test_wrong_evaluations_are_named(asked: dict, named: str) -> None:
    with pytest.raises(vsmax.Error, match=named):
        vsmax.evaluate(**asked)


def test_sizes_are_whole_numbers() -> None:
    with pytest.raises(TypeError, match="float"):
        vsmax.evaluate("classic", size=(32.5, 32), grid=(15, 15))
    with pytest.raises(TypeError, match="float"):
        vsmax.ea_score((0.7, 2.0), (0.7, 2.0), size=(32, 32.5))


def test_an_evaluation_can_be_interrupted() -> None:
    script = """
import signal, vsmax
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
print('go', flush=True)
vsmax.evaluate('paper', sigma=0.5)
"""
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=300)
    assert b"KeyboardInterrupt" in errors
    assert process.returncode != 0
