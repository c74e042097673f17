# SPDX-License-Identifier: Apache-2.0
"""The package against the C++ library, and both against what they mean."""

import math
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
import torch
from support import line_image

import vsmax

MODELS = Path(__file__).resolve().parents[2] / "models"


def test_hough_counts_the_votes_of_the_table() -> None:
    image = torch.rand(9, 14, dtype=torch.float64)
    table = torch.ops.vsmax.vote_table(14, 9, 8, 11).long()
    expected = torch.zeros(8, 11, dtype=torch.float64)
    for t in range(8):
        expected[t].index_add_(0, table[t].flatten(), image.flatten())
    assert torch.allclose(vsmax.HoughTransform(8, 11)(image), expected)


def test_adjoint_is_the_adjoint() -> None:
    hough = vsmax.HoughTransform(8, 11)
    image = torch.rand(9, 14, dtype=torch.float64)
    votes = torch.rand(8, 11, dtype=torch.float64)
    there = (hough(image) * votes).sum()
    back = (image * hough.adjoint(votes, (9, 14))).sum()
    assert torch.allclose(there, back)


@pytest.mark.parametrize("name", ["classic", "paper", "softargmax-vs-s42.safetensors"])
@pytest.mark.parametrize("sigma", [0.0, 0.3])
def test_modules_agree_with_the_library(name: str, sigma: float) -> None:
    if name.endswith(".safetensors"):
        name = str(MODELS / name)
        if not os.path.exists(name):
            pytest.skip("the trained models are not part of this copy")
    model = vsmax.load(name)
    for theta, rho in [(0.01, 30.0), (1.3, -80.5), (3.1, 10.2), (2.0, 0.0)]:
        image = line_image(theta, rho, model.size)
        image = (image + sigma * torch.randn(model.size)).clamp(0, 1)
        [line] = vsmax.detect(image, model=name)
        ours = model.predict(image)
        assert abs(float(ours.theta) - line.theta) < 1e-4
        assert abs(float(ours.rho) - line.rho) < 1e-2
        assert 0.0 <= line.confidence <= 1.0


@pytest.mark.parametrize("kind", ["uint8", "uint16", ">u2"])
def test_integers_reach_from_black_to_white(kind: str) -> None:
    # The network and a dark line, which both would see another range.
    dark = (line_image(0.7, 12.0, (90, 140)) < 0.5).numpy()
    [expected] = vsmax.detect(dark.astype(np.float64), "paper", dark=True)
    assert abs(expected.theta - 0.7) < 0.1
    array = (dark * np.iinfo(kind).max).astype(kind)
    assert vsmax.detect(array, "paper", dark=True) == [expected]
    if kind == "uint8" or (kind == "uint16" and hasattr(torch, "uint16")):
        assert vsmax.detect(torch.from_numpy(array), "paper", dark=True) == [expected]


def test_finds_the_line_of_a_file(tmp_path: os.PathLike[str]) -> None:
    from PIL import Image

    pixels = (255 * line_image(0.7, 12.0, (90, 140))).byte().numpy()
    path = os.path.join(tmp_path, "line.png")
    Image.fromarray(pixels).save(path)
    [from_file] = vsmax.detect(path)
    [from_array] = vsmax.detect(pixels)
    assert from_file == from_array
    assert abs(from_file.theta - 0.7) < 0.02
    assert abs(from_file.rho - 12.0) < 0.7
    (x, y), _ = from_file.endpoints
    offset = (x - 69.5) * math.cos(from_file.theta) + (y - 44.5) * math.sin(from_file.theta)
    assert abs(offset - from_file.rho) < 1e-6
    if "VSMAX" not in os.environ:
        pytest.skip("the command line tool is not there to compare with")
    told = subprocess.run(
        [os.environ["VSMAX"], "detect", "--json", "--lines", "1", path],
        capture_output=True,
        text=True,
        check=True,
    )
    assert f'"theta":{from_file.theta:.10f}'[:18] in told.stdout.replace(" ", "")


def test_a_dark_line_is_found_when_asked_for() -> None:
    bright = line_image(0.7, 12.0, (90, 140))
    for model in ("classic", "argmax"):
        [line] = vsmax.detect(1 - bright, model, dark=True)
        assert abs(line.theta - 0.7) < 0.03
        assert abs(line.rho - 12.0) < 1.5


def test_image_without_contrast_has_no_line() -> None:
    assert vsmax.detect(np.ones((20, 30))) == []


def test_ea_score_of_equal_lines_is_one_even_across_the_seam() -> None:
    lines = torch.stack([math.pi * torch.rand(2, 3), torch.rand(2, 3) - 0.5], -1)
    turned = torch.stack([lines[..., 0] + math.pi, -lines[..., 1]], -1)
    scores = vsmax.ea_score(lines, turned, size=(120, 80))
    assert scores.shape == (2, 3)
    assert torch.allclose(scores, torch.ones(2, 3, dtype=torch.float64), atol=1e-5)
    at_right_angles = torch.stack([lines[..., 0] + math.pi / 2, lines[..., 1]], -1)
    assert float(vsmax.ea_score(lines, at_right_angles, size=(120, 80)).max()) < 1e-6
    nowhere = torch.full((2, 3, 2), math.nan)
    assert float(vsmax.ea_score(nowhere, lines, size=(120, 80)).max()) == 0


def test_weights_file_becomes_the_same_model(tmp_path: os.PathLike[str]) -> None:
    with pytest.raises(ValueError, match=r"there is no built-in model 'nosuch'"):
        vsmax.load("nosuch")
    missing = os.path.join(tmp_path, "none.safetensors")
    with pytest.raises(ValueError, match=r"none\.safetensors"):
        vsmax.load(missing)
    names = [name for name, _ in vsmax.load("paper").named_parameters()]
    assert names[0] == "refinement.refine.0.weight"
    assert len(names) == 12
