# SPDX-License-Identifier: Apache-2.0
"""The orientation of fibres, which have no head and no tail: soft-argmax on RP^1.

Draws wavy fibres, filters the picture with lines of 36 orientations, and reads the local
orientation from the responses: by averaging angles, which breaks where 0 meets 180 degrees, and by
the Veronese soft-argmax over axes.

    python examples/axes.py [picture.png]
"""

import math
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import torch
from torch import Tensor

import vsmax

SIZE, ANGLES, REACH = 192, 36, 7


def fibres() -> tuple[Tensor, Tensor]:
    """A noisy picture of fibres and their true angle, [SIZE, SIZE] each."""
    y, x = torch.meshgrid(*(torch.linspace(-1, 1, SIZE),) * 2, indexing="ij")
    # Fibres are level lines of `height`; their direction is at right angles to its gradient.
    height = y + 0.28 * torch.sin(3.2 * x + 0.6) + 0.25 * x * y
    along_x = 0.28 * 3.2 * torch.cos(3.2 * x + 0.6) + 0.25 * y
    along_y = 1 + 0.25 * x
    angle = torch.atan2(-along_x, along_y).remainder(math.pi)
    ink = (torch.sin(70 * height) > 0.55).float()
    return (ink + 0.4 * torch.randn(ink.shape)).clamp(0, 1), angle


def line_filters(angles: Tensor) -> Tensor:
    """A soft line through the centre for each angle, of mean 0: [K, 1, side, side]."""
    offset = torch.arange(-REACH, REACH + 1).float()
    across = offset[:, None] * angles.cos()[:, None, None] - offset * angles.sin()[:, None, None]
    inside = (offset.square()[:, None] + offset.square() <= REACH**2).float()
    kernel = (torch.exp(-across.square() / 2) - 0.5 * torch.exp(-across.square() / 8)) * inside
    kernel = kernel - inside * kernel.sum((1, 2), keepdim=True) / inside.sum()
    return kernel[:, None]


def error_in_degrees(found: Tensor, truth: Tensor) -> Tensor:
    turn = (found - truth).remainder(math.pi)
    return torch.minimum(turn, math.pi - turn).rad2deg()


def main(picture: str = "axes.png") -> None:
    image, truth = fibres()
    angles = torch.arange(ANGLES) * math.pi / ANGLES
    responses = torch.nn.functional.conv2d(image[None, None], line_filters(angles), padding=REACH)[
        0
    ]
    energy = torch.nn.functional.avg_pool2d(responses.square(), 5, stride=1, padding=2)
    logits = 0.5 * energy.movedim(0, -1)  # [SIZE, SIZE, ANGLES]

    averaged = (torch.softmax(logits, -1) * angles).sum(-1)
    readout = vsmax.ProjectiveSoftArgmax(torch.stack([angles.cos(), angles.sin()], -1))
    axis = readout.recover(readout(logits))
    veronese = torch.atan2(axis[..., 1], axis[..., 0]).remainder(math.pi)

    inner = slice(REACH, -REACH)
    results = {"angles averaged": averaged, "axes averaged (Veronese)": veronese}
    figure, panels = plt.subplots(1, 4, figsize=(13, 3.7), constrained_layout=True)
    panels[0].imshow(image, cmap="gray")
    panels[0].set_title("noisy fibres")
    shades = {"cmap": "twilight", "vmin": 0, "vmax": 180, "interpolation": "nearest"}
    panels[1].imshow(truth.rad2deg(), **shades)
    panels[1].set_title("true orientation")
    for panel, (name, found) in zip(panels[2:], results.items(), strict=True):
        error = error_in_degrees(found, truth)[inner, inner].mean()
        print(f"{name}: mean error {error:.1f} degrees")
        shown = panel.imshow(found.rad2deg(), **shades)
        panel.set_title(f"{name}\nmean error {error:.1f}°")
    for panel in panels:
        panel.axis("off")
    bar = figure.colorbar(shown, ax=panels, shrink=0.8, ticks=[0, 45, 90, 135, 180])
    bar.ax.set_yticklabels([f"{d}°" for d in (0, 45, 90, 135, 180)])
    figure.savefig(picture, dpi=120)
    print(f"wrote {picture}")


if __name__ == "__main__":
    torch.manual_seed(0)
    main(*sys.argv[1:])
