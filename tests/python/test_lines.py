# SPDX-License-Identifier: Apache-2.0
"""From logits to lines."""

import pytest
import torch

import vsmax


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
