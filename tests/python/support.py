# SPDX-License-Identifier: Apache-2.0
"""Pictures and stages that several tests use."""

import math

import torch

import vsmax


def line_image(theta: float, rho: float, size: tuple[int, int]) -> torch.Tensor:
    """A white line, one pixel wide, on black; rho in pixels."""
    height, width = size
    y = torch.arange(height, dtype=torch.float64)[:, None] - (height - 1) / 2
    x = torch.arange(width, dtype=torch.float64)[None, :] - (width - 1) / 2
    distance = (x * math.cos(theta) + y * math.sin(theta) - rho).abs()
    return (distance <= max(abs(math.cos(theta)), abs(math.sin(theta))) / 2).float()


def upright_lines(size: tuple[int, int]) -> torch.Tensor:
    """White columns on black: the seam, where theta is 0 up to rounding."""
    height, width = size
    columns = range(width // 32, width, width // 16)
    images = torch.zeros(len(columns), height, width)
    for image, column in zip(images, columns, strict=True):
        image[:, column] = 1
    return images


def stages() -> dict[str, tuple[torch.nn.Module, tuple[int, ...]]]:
    """Each module and the shape of one input, leading dimensions apart."""
    axes = torch.randn(9, 2)
    return {
        "hough": (vsmax.HoughTransform(7, 9), (12, 10)),
        "refine single": (vsmax.RefineNet("single"), (7, 9)),
        "refine double": (vsmax.RefineNet("double"), (7, 9)),
        "soft-argmax": (vsmax.SoftArgmax(), (7, 9)),
        "vsmax single": (vsmax.VeroneseSoftArgmax("single", 0.7), (7, 9)),
        "vsmax double": (vsmax.VeroneseSoftArgmax("double"), (14, 9)),
        "projective": (vsmax.ProjectiveSoftArgmax(axes), (9,)),
        "model": (vsmax.LineModel((12, 10), (7, 9), readout="softargmax"), (12, 10)),
        "classic": (vsmax.LineModel((12, 10), (7, 9), "whitening"), (12, 10)),
    }


STAGES = sorted(stages())
