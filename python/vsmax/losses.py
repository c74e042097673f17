# SPDX-License-Identifier: Apache-2.0
"""The loss to train with, and the score to report."""

from __future__ import annotations

from torch import Tensor

from ._library import ops, whole_number

_LINE_COORDINATES = 6


def chordal_loss(embedding: Tensor, truth: Tensor) -> Tensor:
    """The mean squared distance between mean embeddings and the true ones; a scalar.

    ``embedding`` is ``[..., d]``, from :class:`VeroneseSoftArgmax` or
    :class:`ProjectiveSoftArgmax`. ``truth`` is lines (theta, rho / D) ``[..., 2]`` where d = 6, or
    unit vectors ``[..., n + 1]``, up to sign. Between two points it is ``2 sin^2`` of their angle.

    >>> import torch, vsmax
    >>> readout = vsmax.VeroneseSoftArgmax(cover="single")
    >>> logits = torch.zeros(4, 31, 21, requires_grad=True)
    >>> loss = vsmax.chordal_loss(readout(logits), torch.rand(4, 2))
    >>> loss.backward()
    >>> logits.grad.shape
    torch.Size([4, 31, 21])
    """
    if embedding.shape[-1] == _LINE_COORDINATES and truth.shape[-1] == 2:
        return ops.veronese_loss(embedding, truth)
    return ops.chordal_loss(embedding, truth)


def ea_score(predicted: Tensor, truth: Tensor, size: tuple[int, int]) -> Tensor:
    """The EA-score of lines in images of ``size = (H, W)``: two ``[..., 2]`` to ``[...]``.

    Lines are (theta, rho / D), as everywhere. Computed in float64, not differentiable. 1 is
    perfect; a line that misses the image or is NaN scores 0.

    >>> import torch, vsmax
    >>> truth = torch.tensor([0.7, 0.1])
    >>> float(vsmax.ea_score(truth, truth, size=(256, 256)))
    1.0
    """
    if predicted.shape != truth.shape or predicted.shape[-1:] != (2,):
        raise ValueError(
            f"lines must have one shape [..., 2], not {tuple(predicted.shape)} and "
            f"{tuple(truth.shape)}"
        )
    height, width = (whole_number(n, "a size") for n in size)
    if height < 2 or width < 2:
        raise ValueError(f"size must be at least 2x2 pixels, not {height}x{width}")
    scores = ops.ea_scores(predicted.reshape(-1, 2), truth.reshape(-1, 2), width, height)
    return scores.reshape(predicted.shape[:-1])
