# SPDX-License-Identifier: Apache-2.0
"""From logits over the accumulator to a line, with derivatives."""

from __future__ import annotations

from torch import Tensor, nn

from ._library import is_double, ops


def _positive(temperature: float) -> float:
    if not temperature > 0:
        raise ValueError(f"the temperature must be positive, not {temperature}")
    return temperature


class SoftArgmax(nn.Module):
    """The mean (theta, rho / D) under the softmax: ``[..., T, R]`` to ``[..., 2]``.

    The usual readout, which breaks at the seam: the mean of a line at theta = 0.01 and its
    neighbour at theta = pi - 0.01 is perpendicular to both.

    >>> import torch, vsmax
    >>> logits = torch.full((90, 3), -100.0)
    >>> logits[1, 1] = logits[89, 1] = 0.0  # two vertical lines through the centre
    >>> theta, rho = vsmax.SoftArgmax()(logits)
    >>> round(float(theta.rad2deg()))  # a horizontal line
    90
    """

    def __init__(self, temperature: float = 1.0) -> None:
        super().__init__()
        self.temperature = _positive(temperature)

    def forward(self, logits: Tensor) -> Tensor:
        return ops.soft_argmax(logits, self.temperature)

    def extra_repr(self) -> str:
        return f"temperature={self.temperature}"


class VeroneseSoftArgmax(nn.Module):
    """The mean embedded line under the softmax: ``[..., T, R]`` to ``[..., 6]``.

    The rows are the angles from 0 to pi; with ``cover="double"`` they are 2T, from 0 to 2 pi, as
    :class:`RefineNet` returns them for that cover. Train on the result with :func:`chordal_loss`,
    read the line from it with :func:`recover_line`. No seam:

    >>> import torch, vsmax
    >>> logits = torch.full((90, 3), -100.0)
    >>> logits[1, 1] = logits[89, 1] = 0.0  # two vertical lines through the centre
    >>> embedding = vsmax.VeroneseSoftArgmax()(logits)
    >>> theta, rho = vsmax.recover_line(embedding)
    >>> round(float(theta.rad2deg())) % 180
    0
    """

    def __init__(self, cover: str = "single", temperature: float = 1.0) -> None:
        super().__init__()
        is_double(cover)
        self.cover = cover
        self.temperature = _positive(temperature)

    def forward(self, logits: Tensor) -> Tensor:
        return ops.veronese_readout(logits, is_double(self.cover), self.temperature)

    def extra_repr(self) -> str:
        return f"cover={self.cover!r}, temperature={self.temperature}"


def recover_line(embedding: Tensor, guard: float = 1e-4) -> Tensor:
    """The line closest to a mean embedding: ``[..., 6]`` to (theta, rho / D) ``[..., 2]``.

    theta is in [0, pi). The line at infinity is (0, inf); an embedding that is not finite gives
    (NaN, NaN). Differentiable; the derivative is bounded by about ``1 / (2 guard)`` where two lines
    are equally close.

    >>> import math, torch, vsmax
    >>> line = torch.tensor([math.pi / 3, -0.25])
    >>> vsmax.recover_line(vsmax.embed_line(line))
    tensor([ 1.0472, -0.2500])
    """
    return ops.polar_from_embedding(embedding, guard)


def embed_line(line: Tensor) -> Tensor:
    """The embedding of a line: (theta, rho / D) ``[..., 2]`` to ``[..., 6]``.

    >>> import torch, vsmax
    >>> one, other = torch.tensor([[0.5, 0.25], [0.5 + torch.pi, -0.25]])  # one line
    >>> torch.allclose(vsmax.embed_line(one), vsmax.embed_line(other), atol=1e-6)
    True
    """
    return ops.veronese_from_polar(line)
