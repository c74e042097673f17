# SPDX-License-Identifier: Apache-2.0
"""Soft-argmax over any finite set of directions without sign: RP^n for every n."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from ._library import ops
from .readout import _positive


def embed_point(points: Tensor) -> Tensor:
    """The Veronese embedding: ``[..., n + 1]`` to ``[..., (n + 1)(n + 2) / 2]``.

    An isometry: the distance of two embeddings is the chordal distance of the points.

    >>> import torch, vsmax
    >>> vsmax.embed_point(torch.tensor([0.6, -0.8]))
    tensor([ 0.3600,  0.6400, -0.6788])
    """
    return ops.veronese_from_points(points)


def recover_point(embedding: Tensor, guard: float = 1e-4) -> Tensor:
    """The unit vector, up to sign, that a mean embedding is closest to: back to ``[..., n + 1]``.

    Its largest entry is positive. Differentiable once, with a derivative that is bounded as for
    :func:`recover_line`.

    >>> import torch, vsmax
    >>> vsmax.recover_point(vsmax.embed_point(torch.tensor([0.6, -0.8])))
    tensor([-0.6000,  0.8000])
    """
    return ops.leading_point(embedding, guard)


class ProjectiveSoftArgmax(nn.Module):
    """The mean of K points of RP^n under a softmax: logits ``[..., K]`` to ``[..., d]``.

    ``points`` is ``[K, n + 1]``: axes for n = 1, lines for n = 2, unit quaternions for n = 3; each
    is normalised, and its sign does not matter. ``d = (n + 1)(n + 2) / 2``. The points' embeddings
    are kept as a buffer, which moves with the module and is part of its state.

    >>> import math, torch, vsmax
    >>> angles = torch.arange(180) * math.pi / 180  # axes, degree by degree
    >>> readout = vsmax.ProjectiveSoftArgmax(torch.stack([angles.cos(), angles.sin()], -1))
    >>> logits = torch.full((180,), -100.0)
    >>> logits[1] = logits[179] = 0.0  # one degree either side of 0
    >>> readout.recover(readout(logits)).round(decimals=3).abs()
    tensor([1., 0.])
    """

    embeddings: Tensor

    def __init__(self, points: Tensor, temperature: float = 1.0) -> None:
        super().__init__()
        if points.dim() != 2 or points.shape[1] < 2 or points.shape[0] < 1:
            raise ValueError(f"points must have the shape [K, n + 1], not {tuple(points.shape)}")
        lengths = torch.linalg.vector_norm(points.double(), dim=-1, keepdim=True)
        if not bool(((lengths > 0) & torch.isfinite(lengths)).all()):
            raise ValueError("a point of length 0 has no direction")
        embeddings = embed_point(points.double() / lengths)
        self.temperature = _positive(temperature)
        self.register_buffer("embeddings", embeddings.to(points.dtype))

    def forward(self, logits: Tensor) -> Tensor:
        return ops.projective_readout(logits, self.embeddings, self.temperature)

    def recover(self, embedding: Tensor, guard: float = 1e-4) -> Tensor:
        """:func:`recover_point` as a method, for readability."""
        return recover_point(embedding, guard)

    def extra_repr(self) -> str:
        count, size = self.embeddings.shape
        return f"points={count}, coordinates={size}, temperature={self.temperature}"
