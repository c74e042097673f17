# SPDX-License-Identifier: Apache-2.0
"""Replace soft-argmax by the Veronese soft-argmax and watch the seam heal.

Trains one small network twice, on pictures of one line each, at any angle, and draws both errors
against the angle: soft-argmax fails where theta = 0 meets theta = pi, the other does not notice.

    python examples/readout_swap.py [picture.png]
"""

import math
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import torch
from torch import Tensor, nn

import vsmax

# %% Pictures of 48x48 pixels, an accumulator of 36 angles by 31 offsets.
SIZE, THETAS, RHOS = 48, 36, 31
STEPS, BATCH, NOISE = 250, 32, 0.3


# %% The network is the same for both; a convolution across the seam costs it one call.
class Net(nn.Module):
    """The ten lines: only the readout differs."""

    def __init__(self, readout: nn.Module, to_embedding) -> None:
        super().__init__()
        self.hough = vsmax.HoughTransform(THETAS, RHOS)
        self.conv1, self.conv2 = nn.Conv2d(1, 16, 3), nn.Conv2d(16, 1, 3)
        self.readout, self.to_embedding = readout, to_embedding

    def forward(self, images: Tensor) -> Tensor:
        x = vsmax.seam_pad(self.hough(images) / SIZE, 2)[:, None]
        x = self.conv1(nn.functional.pad(x, (2, 2))).relu()
        return self.to_embedding(self.readout(self.conv2(x)[:, 0]))


# %% Lines at any angle, under noise.
def draw_lines(lines: Tensor) -> Tensor:
    """(theta, rho / D) [B, 2] -> noisy pictures [B, SIZE, SIZE]."""
    theta, rho = lines[:, 0, None, None], lines[:, 1, None, None]
    x = torch.arange(SIZE) - (SIZE - 1) / 2
    unit = (SIZE - 1) / math.sqrt(2)
    distance = (x * theta.cos() + x[:, None] * theta.sin() - unit * rho).abs()
    ink = (1.2 - distance).clamp(0, 1)
    return (ink + NOISE * torch.randn(ink.shape)).clamp(0, 1)


def random_lines(count: int) -> Tensor:
    return torch.stack([math.pi * torch.rand(count), 0.8 * torch.rand(count) - 0.4], -1)


# %% Both are trained alike, on the chordal distance of lines.
def train(net: Net) -> None:
    optimiser = torch.optim.Adam(net.parameters(), lr=1e-2)
    for step in range(STEPS):
        lines = random_lines(BATCH)
        loss = vsmax.chordal_loss(net(draw_lines(lines)), lines)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        if step % 50 == 49:
            print(f"  step {step + 1}: loss {loss.item():.4f}")


@torch.no_grad()
def errors(net: Net, lines: Tensor) -> Tensor:
    """The angle between the found and the true line, in degrees."""
    theta = vsmax.recover_line(net(draw_lines(lines)))[:, 0]
    turn = (theta - lines[:, 0]).remainder(math.pi)
    return torch.minimum(turn, math.pi - turn).rad2deg()


# %% And now both.
def main(picture: str = "readout_swap.png") -> None:
    torch.set_num_threads(1)  # on tensors this small threads wait longer than they work
    nets = {
        "soft-argmax": Net(vsmax.SoftArgmax(), vsmax.embed_line),
        "Veronese soft-argmax": Net(vsmax.VeroneseSoftArgmax(cover="single"), nn.Identity()),
    }
    test = random_lines(2000)
    degrees = (test[:, 0] + math.pi / 2).remainder(math.pi).rad2deg() - 90  # the seam at 0
    figure, axes = plt.subplots(1, 2, figsize=(10, 3.8), sharey=True, constrained_layout=True)
    for axis, (name, net), colour in zip(axes, nets.items(), ("#c1121f", "#1d6fa5"), strict=True):
        torch.manual_seed(1)
        for layer in (net.conv1, net.conv2):
            layer.reset_parameters()
        print(name)
        train(net)
        error = errors(net, test)
        near = degrees.abs() < 10
        seam, rest = error[near].mean(), error[~near].mean()
        print(f"  mean error: {seam:.1f} degrees at the seam, {rest:.1f} elsewhere")
        axis.scatter(degrees, error, s=5, color=colour, alpha=0.5, linewidths=0)
        axis.axvspan(-10, 10, color="0.9", zorder=0)
        axis.set_title(f"{name}\n{seam:.1f}° at the seam, {rest:.1f}° elsewhere")
        axis.set(xlabel="true angle of the line", xlim=(-90, 90), ylim=(0, 90))
        axis.set_xticks(range(-90, 91, 45), [f"{d % 180}°" for d in range(-90, 91, 45)])
    axes[0].set_ylabel("error of the angle")
    axes[0].set_yticks(range(0, 91, 30), [f"{d}°" for d in range(0, 91, 30)])
    figure.savefig(picture, dpi=120)
    print(f"wrote {picture}")


if __name__ == "__main__":
    torch.manual_seed(0)
    main(*sys.argv[1:])
