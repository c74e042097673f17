# SPDX-License-Identifier: Apache-2.0
"""Soft-argmax on RP^n: signs do not matter, distances are chordal, recovery is exact."""

import math

import pytest
import torch

import vsmax


@pytest.mark.parametrize("components", [2, 3, 4, 6])
def test_embedding_is_an_isometry_blind_to_signs(components: int) -> None:
    u, v = torch.nn.functional.normalize(
        torch.randn(2, 50, components, dtype=torch.float64), dim=-1
    )
    assert torch.allclose(vsmax.embed_point(u), vsmax.embed_point(-u))
    distance = (vsmax.embed_point(u) - vsmax.embed_point(v)).square().sum(-1)
    cosine = (u * v).sum(-1)
    assert torch.allclose(distance, 2 * (1 - cosine.square()))
    assert torch.allclose(vsmax.chordal_loss(vsmax.embed_point(u), v), distance.mean())


@pytest.mark.parametrize("components", [2, 3, 4, 6])
def test_recovers_an_embedded_point(components: int) -> None:
    u = torch.nn.functional.normalize(torch.randn(4, 5, components, dtype=torch.float64), dim=-1)
    found = vsmax.recover_point(vsmax.embed_point(u))
    assert found.shape == u.shape
    assert torch.allclose((found * u).sum(-1).abs(), torch.ones(4, 5, dtype=torch.float64))
    largest = found.gather(-1, found.abs().argmax(-1, keepdim=True))
    assert bool((largest > 0).all())


@pytest.mark.parametrize("components", [2, 3, 4])
def test_signs_of_the_points_do_not_matter(components: int) -> None:
    points = torch.randn(40, components)
    flipped = points * torch.where(torch.rand(40, 1) < 0.5, -1.0, 1.0)
    logits = torch.randn(3, 40)
    one = vsmax.ProjectiveSoftArgmax(points, 0.5)(logits)
    other = vsmax.ProjectiveSoftArgmax(flipped, 0.5)(logits)
    assert torch.allclose(one, other, atol=1e-6)


def test_lines_of_the_grid_are_a_special_case() -> None:
    thetas = torch.arange(12) * math.pi / 12
    rhos = torch.arange(9) / 4.0 - 1
    theta, rho = torch.meshgrid(thetas, rhos, indexing="ij")
    lines = torch.stack([theta.cos(), theta.sin(), -rho], -1).reshape(-1, 3)
    logits = torch.randn(2, 12, 9)
    general = vsmax.ProjectiveSoftArgmax(lines)(logits.flatten(-2))
    special = vsmax.VeroneseSoftArgmax("single")(logits)
    assert torch.allclose(general, special, atol=1e-6)


def test_derivative_stays_bounded_where_eigenvalues_meet() -> None:
    embedding = torch.tensor([0.5, 0.5, 0.0], requires_grad=True)  # every axis is as good
    vsmax.recover_point(embedding, 1e-2).sum().backward()
    assert torch.isfinite(embedding.grad).all()
    assert float(embedding.grad.norm()) <= 2 / 2e-2


def test_stays_exact_under_autocast() -> None:
    readout = vsmax.ProjectiveSoftArgmax(torch.randn(40, 4))
    logits = torch.randn(3, 40)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        cast = readout(logits)
    assert torch.equal(cast, readout(logits))
