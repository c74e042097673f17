# SPDX-License-Identifier: Apache-2.0
"""From logits to lines: theta stays in [0, pi), and what has no line is not mistaken for one."""

import math

import pytest
import torch
from support import line_image, upright_lines

import vsmax

TYPES = [torch.float32, torch.float64]


def is_canonical(theta: torch.Tensor) -> bool:
    """In double, because the nearest float to pi is beyond it."""
    return bool(((theta.double() >= 0) & (theta.double() < math.pi)).all())


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_recovered_lines_are_canonical(dtype: torch.dtype) -> None:
    turns = torch.tensor([0.0, 1e-20, 1e-17, 1e-12, 1e-9, 1e-8, 1e-7, 1e-6, 1e-3], dtype=dtype)
    theta = torch.cat([turns, -turns, math.pi - turns, math.pi + turns])
    lines = torch.cartesian_prod(theta, torch.tensor([-2.0, -0.3, 0.0, 0.3, 2.0], dtype=dtype))
    embeddings = vsmax.embed_line(lines).requires_grad_()
    found = vsmax.recover_line(embeddings)
    assert is_canonical(found.detach()[:, 0])
    assert torch.allclose(vsmax.embed_line(found), embeddings, atol=1e-6)
    [pull] = torch.autograd.grad(found.sum(), embeddings)
    assert torch.isfinite(pull).all()
    assert (pull.norm(dim=-1) > 0.1).all()


def test_a_line_that_rounds_to_pi_is_at_zero() -> None:
    found = vsmax.recover_line(vsmax.embed_line(torch.tensor([-1e-9, 0.3])))
    assert float(found[0]) == 0
    assert float(found[1]) == pytest.approx(0.3)


@pytest.mark.parametrize("name", ["classic", "paper"])
def test_predictions_are_canonical(name: str) -> None:
    model = vsmax.load(name)
    images = upright_lines(model.size)
    theta, rho, _ = model.predict(images)
    assert is_canonical(theta)
    assert int((theta / math.pi * 127).long().max()) < 127
    for image, t, r in zip(images, theta, rho, strict=True):
        [line] = vsmax.detect(image, name, lines=1, min_confidence=0)
        assert vsmax.ea_score((float(t), float(r)), line, model.size) > 0.999


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_the_line_at_infinity(dtype: torch.dtype) -> None:
    embedding = torch.tensor([0.0, 0.0, 1.0, 0.0, 0.0, 0.0], dtype=dtype, requires_grad=True)
    line = vsmax.recover_line(embedding)
    assert line.tolist() == [0.0, math.inf]
    [pull] = torch.autograd.grad(line.sum(), embedding)
    assert torch.isfinite(pull).all()


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_an_embedding_that_is_not_finite_has_no_line(value: float) -> None:
    for line in [(0.4, 0.2), (0.0, 0.0)]:
        for i in range(6):
            embedding = vsmax.embed_line(torch.tensor(line))
            embedding[i] = value
            assert torch.isnan(vsmax.recover_line(embedding)).all()


@pytest.mark.parametrize("name", ["classic", "paper", "soft-argmax"])
@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_an_image_that_is_not_finite_has_no_line(name: str, value: float) -> None:
    if name == "soft-argmax":
        model = vsmax.LineModel((33, 40), (31, 25), readout="softargmax")
    else:
        model = vsmax.load(name)
    good = line_image(0.7, 3.0, model.size)
    bad = good.clone()
    bad[3, 4] = value
    theta, rho, confidence = model.predict(torch.stack([good, bad]))
    assert torch.isnan(theta).tolist() == torch.isnan(rho).tolist() == [False, True]
    assert float(confidence[1]) == 0


def test_an_ordinary_accumulator_needs_no_cover() -> None:
    logits = torch.full((180, 181), -50.0)
    logits[120, 100] = 0.0
    theta, rho = vsmax.recover_line(vsmax.VeroneseSoftArgmax()(logits))
    assert float(theta.rad2deg()) == pytest.approx(120)
    assert float(rho) == pytest.approx(1 / 9)


def test_the_network_is_told_its_cover() -> None:
    with pytest.raises(TypeError, match="cover"):
        vsmax.RefineNet()
    for cover, rows in (("single", 8), ("double", 16)):
        logits = vsmax.RefineNet(cover)(torch.rand(8, 9))
        assert logits.shape == (rows, 9)
        assert vsmax.VeroneseSoftArgmax(cover)(logits).shape == (6,)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_half_precision_is_computed_in_float32(dtype: torch.dtype) -> None:
    images, votes = torch.rand(2, 12, 10).to(dtype), torch.rand(2, 8, 9).to(dtype)
    model = vsmax.LineModel((12, 10), (7, 9))
    results = [
        vsmax.HoughTransform(8, 9)(images),
        vsmax.Whitening()(votes, images),
        vsmax.VeroneseSoftArgmax()(votes),
        vsmax.recover_line(torch.rand(6).to(dtype)),
        vsmax.recover_point(torch.rand(10).to(dtype)),
        vsmax.ProjectiveSoftArgmax(torch.rand(9, 2))(torch.rand(9).to(dtype)),
        model(images),
        *model.predict(images),
    ]
    assert {result.dtype for result in results} == {torch.float32}
