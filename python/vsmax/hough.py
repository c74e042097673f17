# SPDX-License-Identifier: Apache-2.0
"""The Hough transform as a layer."""

from __future__ import annotations

from torch import Tensor, nn

from ._library import ops, whole_number


class HoughTransform(nn.Module):
    """The votes of all pixels for all lines: ``[..., H, W]`` to ``[..., T, R]``.

    Row ``t`` of the accumulator is the angle ``pi t / T`` of the line's normal, column ``r`` its
    offset, from ``-D`` to ``D``, where ``D`` is half the image's diagonal. The layer is linear, so
    its derivative is its adjoint; it has no parameters.

    >>> import torch, vsmax
    >>> image = torch.zeros(2, 3, 64, 48)
    >>> image[..., 10] = 1  # a vertical line at x = 10 - 23.5
    >>> votes = vsmax.HoughTransform(thetas=60, rhos=41)(image)
    >>> votes.shape
    torch.Size([2, 3, 60, 41])
    >>> int(votes[0, 0].max())  # all 64 pixels, at theta = 0
    64
    """

    def __init__(self, thetas: int = 127, rhos: int = 127) -> None:
        super().__init__()
        thetas = whole_number(thetas, "thetas")
        rhos = whole_number(rhos, "rhos")
        if thetas < 1:
            raise ValueError(f"thetas must be positive, not {thetas}")
        if rhos < 3 or rhos % 2 == 0:
            raise ValueError(f"rhos must be odd and at least 3, not {rhos}")
        self.thetas = thetas
        self.rhos = rhos

    def forward(self, images: Tensor) -> Tensor:
        return ops.hough(images, self.thetas, self.rhos)

    def adjoint(self, accumulators: Tensor, size: tuple[int, int]) -> Tensor:
        """``[..., T, R]`` to ``[..., H, W]`` for ``size = (H, W)``."""
        height, width = size
        return ops.hough_adjoint(accumulators, width, height)

    def extra_repr(self) -> str:
        return f"thetas={self.thetas}, rhos={self.rhos}"
