# SPDX-License-Identifier: Apache-2.0
"""The whole pipeline as one module, and trained models by name."""

from __future__ import annotations

import json
import math
import os
import warnings
from typing import NamedTuple

import torch
from torch import Tensor, nn

from ._library import Error, ModelFile, errors_in_words, is_double, ops, whole_number
from .detection import model_changed
from .hough import HoughTransform
from .readout import SoftArgmax, VeroneseSoftArgmax, embed_line, recover_line
from .refine import RefineNet, Whitening


class Prediction(NamedTuple):
    """The lines of a batch: theta in [0, pi), rho in pixels, confidence in [0, 1].

    The confidence says how concentrated the model's distribution is, not how often it is right;
    that of :func:`vsmax.detect` is the EA-score to expect.
    """

    theta: Tensor
    rho: Tensor
    confidence: Tensor


def _image_size(size: tuple[int, int]) -> tuple[int, int]:
    try:
        height, width = size
    except (TypeError, ValueError):
        raise Error(f"size must be (H, W), not {size!r}") from None
    height, width = whole_number(height, "the height"), whole_number(width, "the width")
    if min(height, width) < 2:
        raise Error(f"size must be at least 2x2 pixels, not {height}x{width}")
    return height, width


class LineModel(nn.Module):
    """Hough transform, refinement and readout: images ``[..., H, W]`` to lines ``[..., 2]``.

    A line is (theta, rho / D). ``size`` is (H, W), ``bins`` (T, R). ``refinement`` is ``"network"``
    (to train) or ``"whitening"`` (nothing to learn); ``readout`` is ``"vsmax"`` or
    ``"softargmax"``. The network works on the double cover for ``"vsmax"``, else on the single one.

    >>> import torch, vsmax
    >>> model = vsmax.LineModel(size=(64, 64), bins=(31, 31))
    >>> model(torch.rand(2, 64, 64)).shape
    torch.Size([2, 2])
    >>> loss = vsmax.chordal_loss(model.embedding(torch.rand(2, 64, 64)), torch.rand(2, 2))
    >>> loss.backward()
    """

    def __init__(
        self,
        size: tuple[int, int] = (256, 256),
        bins: tuple[int, int] = (127, 127),
        refinement: str = "network",
        readout: str = "vsmax",
        temperature: float = 1.0,
        scale: float = 1 / 64,
    ) -> None:
        super().__init__()
        if refinement not in {"network", "whitening"}:
            raise ValueError(f"refinement must be 'network' or 'whitening', not {refinement!r}")
        if readout not in {"vsmax", "softargmax"}:
            raise ValueError(f"readout must be 'vsmax' or 'softargmax', not {readout!r}")
        self.size = _image_size(size)
        learned = refinement == "network"
        cover = "double" if learned and readout == "vsmax" else "single"
        self.hough = HoughTransform(*bins)
        self.refinement = RefineNet(cover, scale) if learned else Whitening()
        self.veronese = VeroneseSoftArgmax(cover, temperature)
        self.soft_argmax = SoftArgmax(temperature) if readout == "softargmax" else None

    @property
    def half_diagonal(self) -> float:
        """D in pixels: the unit of rho."""
        return 0.5 * math.hypot(self.size[0] - 1, self.size[1] - 1)

    def logits(self, images: Tensor) -> Tensor:
        """``[..., H, W]`` to ``[..., T, R]``, or ``[..., 2T, R]`` on the double cover."""
        if tuple(images.shape[-2:]) != self.size:
            raise ValueError(
                f"the model is for images of {self.size[0]}x{self.size[1]} (H x W), not for the "
                f"shape {tuple(images.shape)}"
            )
        votes = self.hough(images)
        if isinstance(self.refinement, Whitening):
            return self.refinement(votes, images)
        return self.refinement(votes)

    def embedding(self, images: Tensor) -> Tensor:
        """The input of :func:`chordal_loss`: ``[..., H, W]`` to ``[..., 6]``."""
        logits = self.logits(images)
        if self.soft_argmax is not None:
            return embed_line(self.soft_argmax(logits))
        return self.veronese(logits)

    def forward(self, images: Tensor) -> Tensor:
        logits = self.logits(images)
        if self.soft_argmax is not None:
            return self.soft_argmax(logits)
        return recover_line(self.veronese(logits))

    @torch.no_grad()
    def predict(self, images: Tensor) -> Prediction:
        """Lines in pixels with their confidence, each ``[...]``; not differentiable.

        For a model without learning, a constant image has confidence 0. An image that is not finite
        has theta and rho NaN, and confidence 0.
        """
        logits = self.logits(images).float()
        softmax = (is_double(self.veronese.cover), self.veronese.temperature)
        mean, log_sum = ops.veronese_readout_forward(logits, *softmax)
        lines = recover_line(mean) if self.soft_argmax is None else self.soft_argmax(logits)
        confidence = ops.concentration(logits, log_sum, mean, lines, *softmax)
        theta, rho = lines.unbind(-1)
        return Prediction(theta, rho * self.half_diagonal, confidence)

    def extra_repr(self) -> str:
        return f"size={self.size}"


def load(name: str | os.PathLike[str], size: tuple[int, int] | None = None) -> LineModel:
    """A built-in model by its name (``classic``, ``paper``) or a safetensors file by its path.

    ``size = (H, W)`` is that of its images: any for ``classic``, 256x256 by default; a learned
    model has its own. The model is in evaluation mode. Models with a trained front end, such as
    ``horizon``, run only in :func:`vsmax.detect`.

    >>> import torch, vsmax
    >>> model = vsmax.load("classic", size=(100, 160))
    >>> image = torch.zeros(100, 160)
    >>> image[:, 40] = 1
    >>> abs(float(model.predict(image).rho) + 39.5) < 1
    True
    """
    name = os.fsdecode(name)
    model_changed(name)
    with errors_in_words():
        source = ModelFile(name)
    about = json.loads(source.description())
    if about["evidence"] == "several":
        raise ValueError(f"{name!r} chooses among several models; load one of them by name")
    if about["evidence"] == "learned":
        raise ValueError(f"the model {name} has a trained front end, which only vsmax.detect runs")
    if about["refinement"] in {"none", "posterior"} or about["evidence"] == "edges":
        raise ValueError(f"the model {name} has no derivative; use vsmax.detect")
    if about["warning"]:
        warnings.warn(about["warning"], stacklevel=2)
    trained = tuple(about["size"]) if "size" in about else None
    size = _image_size(trained or (256, 256) if size is None else size)
    if trained and size != trained:
        raise ValueError(f"the model {name} is for images of {trained}, not of {size}")
    with errors_in_words():
        bins = source.bins(size[1], size[0])
    model = LineModel(
        size, tuple(bins), about["refinement"], about["readout"], about["temperature"],
        about["scale"],
    )  # fmt: skip
    weights = source.weights()
    with torch.no_grad():
        for own, stored in zip(model.parameters(), weights, strict=True):
            own.copy_(stored)
    return model.eval()
