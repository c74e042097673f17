# SPDX-License-Identifier: Apache-2.0
"""The mean of rotations as unit quaternions, where q and -q are the same: soft-argmax on RP^3.

Measures a turning camera's orientation many times with noise; the sign of each measurement is
arbitrary. Averages them by adding quaternions, by adding them with w >= 0, and by the
Veronese soft-argmax, and draws the error over a whole turn.

    python examples/rotations.py [picture.png]
"""

import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import torch
from torch import Tensor

import vsmax

MEASUREMENTS, TRIALS, SPREAD = 24, 60, 0.35


def product(a: Tensor, b: Tensor) -> Tensor:
    """The product of quaternions (w, x, y, z), [..., 4]."""
    w, u = a[..., :1], a[..., 1:]
    v, s = b[..., 1:], b[..., :1]
    vector = w * v + s * u + torch.linalg.cross(*torch.broadcast_tensors(u, v), dim=-1)
    return torch.cat([w * s - (u * v).sum(-1, keepdim=True), vector], -1)


def turn_about(axis: Tensor, angle: Tensor) -> Tensor:
    half = angle[..., None] / 2
    return torch.cat([half.cos(), half.sin() * torch.nn.functional.normalize(axis, dim=-1)], -1)


def angle_between(a: Tensor, b: Tensor) -> Tensor:
    cosine = (torch.nn.functional.normalize(a, dim=-1) * b).sum(-1).abs().clamp(max=1)
    return (2 * torch.acos(cosine)).rad2deg()


def measurements(truth: Tensor) -> Tensor:
    """Noisy copies of [A, 4] with random signs: [A, TRIALS, MEASUREMENTS, 4]."""
    shape = (truth.shape[0], TRIALS, MEASUREMENTS)
    noise = turn_about(torch.randn(*shape, 3), SPREAD * torch.randn(shape))
    signs = torch.randint(2, (*shape, 1)) * 2.0 - 1
    return signs * product(truth[:, None, None], noise)


def main(picture: str = "rotations.png") -> None:
    degrees = torch.linspace(0, 360, 121)
    truth = turn_about(torch.tensor([1.0, 2.0, 3.0]).expand(len(degrees), 3), degrees.deg2rad())
    seen = measurements(truth)

    # Every measurement counts the same: the points are the measurements, the logits are equal.
    barycentre = vsmax.embed_point(seen).mean(-2)
    upper = seen * torch.where(seen[..., :1] < 0, -1.0, 1.0)
    found = {
        "quaternions added": (seen.mean(-2), "0.6"),
        "added with w ≥ 0": (upper.mean(-2), "#c1121f"),
        "Veronese": (vsmax.recover_point(barycentre), "#1d6fa5"),
    }

    # The same as a readout: logits over a fixed set of rotations, here how well each one fits.
    candidates = torch.nn.functional.normalize(torch.randn(20000, 4), dim=-1)
    # Warm enough to average over neighbours, which are some ten degrees apart.
    readout = vsmax.ProjectiveSoftArgmax(candidates, temperature=MEASUREMENTS / 3)
    fit = (seen[:, 0] @ candidates.T).square().sum(-2) / (SPREAD / 2) ** 2
    soft = angle_between(readout.recover(readout(fit)), truth)

    figure, axis = plt.subplots(figsize=(8.5, 4.2), constrained_layout=True)
    for name, (mean, colour) in found.items():
        error = angle_between(mean, truth[:, None])
        print(f"{name}: mean error {error.mean():.1f} degrees")
        axis.plot(degrees, error.mean(-1), color=colour, label=name, linewidth=2)
    print(f"soft-argmax over {len(candidates)} rotations: mean error {soft.mean():.1f} degrees")
    axis.plot(degrees, soft, ".", color="#1d6fa5", alpha=0.5, markersize=4,
              label=f"ProjectiveSoftArgmax, {len(candidates)} rotations")  # fmt: skip
    axis.set(xlabel="true rotation about (1, 2, 3)", ylabel="error of the mean", xlim=(0, 360))
    axis.set_xticks(range(0, 361, 60), [f"{d}°" for d in range(0, 361, 60)])
    axis.set_ylim(0, 100)
    axis.yaxis.set_major_formatter("{x:.0f}°")
    axis.set_title(f"The mean of {MEASUREMENTS} noisy rotations, q and -q being one")
    axis.grid(alpha=0.3)
    axis.legend(frameon=False, loc="upper center", ncol=2)
    figure.savefig(picture, dpi=120)
    print(f"wrote {picture}")


if __name__ == "__main__":
    torch.manual_seed(0)
    main(*sys.argv[1:])
