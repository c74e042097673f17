# SPDX-License-Identifier: Apache-2.0
"""From votes to logits, across the seam where the accumulator's ends meet."""

from __future__ import annotations

import itertools

from torch import Tensor, nn

from ._library import is_double, ops


def seam_pad(accumulator: Tensor, rows: int = 1, cover: str = "single") -> Tensor:
    """Pads either end of theta with rows from the other end.

    ``[..., T, R]`` to ``[..., T + 2 rows, R]``. On the single cover (theta over half a turn) rho is
    reversed in them, as on a Moebius strip; on the double cover (a whole turn) it is not. Use it
    before a convolution with ``padding=(0, k)``.

    >>> import torch, vsmax
    >>> votes = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    >>> vsmax.seam_pad(votes)
    tensor([[6., 5., 4.],
            [1., 2., 3.],
            [4., 5., 6.],
            [3., 2., 1.]])
    """
    return ops.seam_pad(accumulator, rows, not is_double(cover))


class RefineNet(nn.Module):
    """The paper's network that cleans an accumulator: ``[..., T, R]`` to logits.

    Six 3x3 convolutions that wrap across the seam, 37,601 parameters. With ``cover="single"`` the
    logits are ``[..., T, R]``; with ``"double"``, the paper's, ``[..., 2T, R]``, both sheets. Its
    tensors have the names used in vsmax's weights files.

    >>> import torch, vsmax
    >>> net = vsmax.RefineNet(cover="double")
    >>> net(torch.rand(5, 31, 21)).shape
    torch.Size([5, 62, 21])
    >>> sum(p.numel() for p in net.parameters())
    37601
    """

    def __init__(self, cover: str, scale: float = 1 / 64) -> None:
        super().__init__()
        is_double(cover)
        self.cover = cover
        self.scale = scale
        widths = [1, 32, 32, 32, 32, 32, 1]
        self.refine = nn.ModuleList(
            nn.Conv2d(inputs, outputs, 3) for inputs, outputs in itertools.pairwise(widths)
        )

    def forward(self, accumulator: Tensor) -> Tensor:
        weights = [layer.weight for layer in self.refine]
        biases = [layer.bias for layer in self.refine]
        return ops.refine_logits(accumulator, weights, biases, is_double(self.cover), self.scale)

    def extra_repr(self) -> str:
        return f"cover={self.cover!r}, scale={self.scale}"


class Whitening(nn.Module):
    """Logits without learning: how surprising a cell would be if the image were noise.

    ``([..., T, R], [..., H, W])`` to ``[..., T, R]``, on the single cover.

    >>> import torch, vsmax
    >>> image = torch.rand(32, 32)
    >>> vsmax.Whitening()(vsmax.HoughTransform(30, 31)(image), image).shape
    torch.Size([30, 31])
    """

    def forward(self, accumulator: Tensor, images: Tensor) -> Tensor:
        return ops.whitened_logits(accumulator, images)
