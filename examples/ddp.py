# SPDX-License-Identifier: Apache-2.0
"""Train a LineModel in several processes with DistributedDataParallel.

Every process takes its part of each batch; gradients are averaged, so that the losses are those of
one process with the whole batch.

    python examples/ddp.py [weights.pt [steps]]
    torchrun --nproc_per_node 2 examples/ddp.py [weights.pt [steps]]
"""

import math
import os
import sys

import torch
from torch import Tensor, distributed, nn
from torch.nn.parallel import DistributedDataParallel

import vsmax

SIZE, BINS = 24, (15, 15)
BATCH, NOISE = 16, 0.2  # the batch is divided between the processes


class LineLoss(nn.Module):
    """DistributedDataParallel synchronises what `forward` computes, so that is the loss."""

    def __init__(self, model: vsmax.LineModel) -> None:
        super().__init__()
        self.model = model

    def forward(self, images: Tensor, truth: Tensor) -> Tensor:
        return vsmax.chordal_loss(self.model.embedding(images), truth)


def draw_batch(generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Noisy pictures [BATCH, SIZE, SIZE] and their lines, (theta, rho / D)."""
    theta, rho = torch.rand(2, BATCH, generator=generator)
    lines = torch.stack([math.pi * theta, 0.8 * rho - 0.4], -1)
    theta, rho = lines[:, 0, None, None], lines[:, 1, None, None]
    x = torch.arange(SIZE) - (SIZE - 1) / 2
    distance = x * theta.cos() + x[:, None] * theta.sin() - rho * (SIZE - 1) / math.sqrt(2)
    ink = (1.2 - distance.abs()).clamp(0, 1)
    return ink + NOISE * torch.randn(ink.shape, generator=generator), lines


def main(weights: str = "ddp.pt", steps: str = "60") -> None:
    rank, processes = 0, 1
    if "RANK" in os.environ:  # started by torchrun
        distributed.init_process_group("nccl" if torch.cuda.is_available() else "gloo")
        rank, processes = distributed.get_rank(), distributed.get_world_size()
    device = torch.device("cpu")
    if torch.cuda.is_available():
        device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", 0)))
        torch.cuda.set_device(device)
    if BATCH % processes:
        sys.exit(f"a batch of {BATCH} cannot be divided equally between {processes} processes")

    torch.manual_seed(0)  # the same weights everywhere
    loss_of = LineLoss(vsmax.LineModel((SIZE, SIZE), BINS)).to(device)
    model = loss_of.model
    if processes > 1:
        loss_of = DistributedDataParallel(loss_of)
    optimiser = torch.optim.SGD(loss_of.parameters(), lr=0.3, momentum=0.9)
    generator = torch.Generator().manual_seed(1)  # the same batches everywhere
    for step in range(1, int(steps) + 1):
        images, lines = (part[rank::processes].to(device) for part in draw_batch(generator))
        loss = loss_of(images, lines)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        mean = loss.detach()
        if processes > 1:
            distributed.all_reduce(mean)  # only for display
        if rank == 0 and step % 10 in {0, 1}:
            print(f"step {step}: loss {mean.item() / processes:.5f}")
    if rank == 0:
        torch.save(model.state_dict(), weights)
        print(f"wrote {weights}")
    if processes > 1:
        distributed.destroy_process_group()


if __name__ == "__main__":
    main(*sys.argv[1:])
