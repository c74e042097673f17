# SPDX-License-Identifier: Apache-2.0
"""The package against the C++ library, and both against what they mean."""

import json
import math
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
import torch
from support import line_image

import vsmax

ROOT = Path(__file__).resolve().parents[2]
MODELS = ROOT / "models"
PHOTOGRAPHS = ROOT / "examples/photos"


def answer_of_the_program(path: str, *options: str, model: str = "auto") -> list[vsmax.Line]:
    if "VSMAX" not in os.environ:
        pytest.skip("the command line tool is not there to compare with")
    command = [os.environ["VSMAX"], "detect", "--json", "--model", model, *options, path]
    answer = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    lines = []
    for line in answer["lines"]:
        ends = line["endpoints"] and tuple(tuple(end) for end in line["endpoints"])
        found = answer.get("model", model)
        spread = None
        if "theta_sd" in line:
            values = [line[name] for name in vsmax.Spread._fields]
            spread = vsmax.Spread(*values[:3], *(tuple(interval) for interval in values[3:]))
        lines.append(
            vsmax.Line(line["theta"], line["rho"], line["confidence"], ends, found, spread)
        )
    return lines


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
        [line] = vsmax.detect(image, model=name, lines=1, min_confidence=0)
        ours = model.predict(image)
        assert abs(float(ours.theta) - line.theta) < 1e-4
        assert abs(float(ours.rho) - line.rho) < 1e-2
        assert 0.0 <= line.confidence <= 1.0


@pytest.mark.parametrize("kind", ["uint8", "uint16", ">u2"])
def test_integers_reach_from_black_to_white(kind: str) -> None:
    # The network and a dark line, which both would see another range.
    dark = (line_image(0.7, 12.0, (90, 140)) < 0.5).numpy()
    asked = {"model": "paper", "lines": 1, "dark": True}
    [expected] = vsmax.detect(dark.astype(np.float64), **asked)
    assert abs(expected.theta - 0.7) < 0.1
    array = (dark * np.iinfo(kind).max).astype(kind)
    assert vsmax.detect(array, **asked) == [expected]
    if kind == "uint8" or (kind == "uint16" and hasattr(torch, "uint16")):
        assert vsmax.detect(torch.from_numpy(array), **asked) == [expected]


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
    assert answer_of_the_program(path) == [from_file]


@pytest.mark.parametrize("name", ["bridge", "galaxies", "sea"])
def test_photographs_are_answered_as_by_the_program(name: str) -> None:
    path = PHOTOGRAPHS / f"{name}.jpg"
    assert vsmax.detect(path) == answer_of_the_program(str(path))
    asked = vsmax.detect(path, "photo-lines", lines=2, min_confidence=0.1)
    limits = ("--lines", "2", "--min-confidence", "0.1")
    assert asked == answer_of_the_program(str(path), *limits, model="photo-lines")
    assert len(asked) <= 2


def test_colours_of_an_array_count(tmp_path: os.PathLike[str]) -> None:
    from PIL import Image

    pixels = np.asarray(Image.open(PHOTOGRAPHS / "bridge.jpg"))
    path = os.path.join(tmp_path, "bridge.png")
    Image.fromarray(pixels).save(path)
    for model in ("auto", "classic"):  # which makes nothing of them
        expected = vsmax.detect(path, model)
        assert vsmax.detect(pixels, model) == expected
        assert vsmax.detect(torch.from_numpy(pixels.copy()), model) == expected
        for wide in (pixels / 255, pixels.astype(np.uint16) * 257):  # rounded differently
            for line, other in zip(vsmax.detect(wide, model), expected, strict=True):
                assert line[:3] == pytest.approx(other[:3], rel=1e-6)
                assert line.model == other.model
    [found] = {line.model for line in vsmax.detect(pixels)}
    assert found == "photo-lines"
    assert vsmax.detect(pixels) != vsmax.detect(pixels[..., ::-1])


def test_a_dark_line_is_found_when_asked_for() -> None:
    bright = line_image(0.7, 12.0, (90, 140))
    for model in ("auto", "classic", "argmax"):
        [line] = vsmax.detect(1 - bright, model, lines=1, min_confidence=0, dark=True)
        assert abs(line.theta - 0.7) < 0.03
        assert abs(line.rho - 12.0) < 1.5


@pytest.mark.parametrize("kind", ["float16", "bfloat16", "float64", "uint8", "bool"])
def test_tensors_of_every_kind_are_images(kind: str) -> None:
    image = line_image(0.7, 12.0, (90, 140))
    expected = vsmax.detect(image.numpy())
    assert vsmax.detect(image.requires_grad_()) == expected
    white = 255 if kind == "uint8" else 1
    tensor = (image.detach() * white).to(getattr(torch, kind))
    assert vsmax.detect(tensor) == expected
    assert vsmax.detect(torch.stack([tensor, tensor.flip(0)]))[0] == expected


def test_image_without_contrast_has_no_line() -> None:
    assert vsmax.detect(np.ones((20, 30))) == []
    assert vsmax.detect(np.ones((20, 30, 3))) == []


def test_finds_as_many_lines_as_asked_for() -> None:
    truth = [(0.5, 20.0), (1.6, -10.0), (2.6, 15.0)]
    image = torch.stack([line_image(theta, rho, (120, 160)) for theta, rho in truth]).amax(0)
    found = vsmax.detect(image)
    assert sorted(round(line.theta, 1) for line in found) == [0.5, 1.6, 2.6]
    two = {round(line.theta, 1) for line in vsmax.detect(image, lines=2)}
    assert len(two) == 2
    assert two < {0.5, 1.6, 2.6}
    assert vsmax.detect(image, min_confidence=1.0) == [x for x in found if x.confidence == 1.0]


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
    with pytest.raises(FileNotFoundError, match=r"none\.safetensors"):
        vsmax.load(missing)
    names = [name for name, _ in vsmax.load("paper").named_parameters()]
    assert names[0] == "refinement.refine.0.weight"
    assert len(names) == 12
