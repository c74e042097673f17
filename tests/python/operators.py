# SPDX-License-Identifier: Apache-2.0
"""Every operator with arguments, for the tests that treat all of them alike."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest
import torch

import vsmax
from vsmax._library import ops

Arguments = tuple[object, ...]

has_cuda = torch.cuda.is_available() and torch._C._dispatch_has_kernel_for_dispatch_key(
    "vsmax::hough", "CUDA"
)
needs_cuda = pytest.mark.skipif(not has_cuda, reason="no CUDA device, or built without CUDA")
DEVICES = ["cpu", pytest.param("cuda", marks=needs_cuda)]
DTYPES = [torch.float32, torch.float64, torch.bfloat16]
LAYOUTS = ["contiguous", "channels-last", "sliced"]


def laid_out(tensor: torch.Tensor, layout: str) -> torch.Tensor:
    """The same values in another layout; only maps with four dimensions have channels."""
    if layout == "channels-last" and tensor.dim() == 4:
        return tensor.contiguous(memory_format=torch.channels_last)
    if layout == "sliced":
        return tensor.repeat_interleave(2, -1)[..., ::2]
    return tensor


class Inputs:
    """Makes random tensors of one device, type and layout."""

    def __init__(self, device: str, dtype: torch.dtype, layout: str) -> None:
        self.kind = {"device": device, "dtype": dtype}
        self.layout = layout

    def __call__(self, *shape: int, grad: bool = True) -> torch.Tensor:
        return self.of(torch.rand(*shape), grad)

    def of(self, values: torch.Tensor, grad: bool = True) -> torch.Tensor:
        tensor = laid_out(values.detach().to(**self.kind), self.layout)
        return tensor.detach().requires_grad_(grad)

    def embeddings(self, grad: bool = True) -> torch.Tensor:
        return self.of(vsmax.embed_line(torch.rand(2, 3, 4, 2)), grad)

    def layers(self) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
        return [self(32, 1, 3, 3), self(1, 32, 3, 3)], [self(32), self(1)]

    def conv_layer(self, grad: bool = True) -> Arguments:
        return self(2, 3, 6, 5, grad=grad), self(32, 3, 3, 3, grad=grad), self(32, grad=grad), 2

    def refine_net(self, grad: bool = True, double_cover: bool = True) -> Arguments:
        """An accumulator and the layers of the refinement network."""
        channels = [1, 32, 32, 32, 32, 32, 1]
        weights = [
            self.of(0.1 * torch.randn(outputs, inputs, 3, 3), grad)
            for inputs, outputs in pairwise(channels)
        ]
        biases = [self(c, grad=grad) for c in channels[1:]]
        return self(2, 7, 9, grad=grad), weights, biases, double_cover, 0.5


def readout(x: Inputs) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    logits = x(2, 3, 14, 9, grad=False)
    return (logits, *ops.veronese_readout_forward(logits, True, 0.7))


def readout_backward(x: Inputs) -> Arguments:
    logits, mean, log_sum = readout(x)
    return torch.rand_like(mean), logits, mean, log_sum, True, 0.7


def concentration(x: Inputs) -> Arguments:
    logits, mean, log_sum = readout(x)
    return logits, log_sum, mean, vsmax.recover_line(mean), True, 0.7


def seam_relu_backward(x: Inputs) -> Arguments:
    return x(2, 3, 8, 5, grad=False), x(2, 3, 8, 5, grad=False), True


def conv_layer_backward(x: Inputs) -> Arguments:
    maps, weight, bias, cover = x.conv_layer(False)
    output = ops.conv_layer(maps, weight, bias, cover)
    return torch.rand_like(output), maps, output, weight, cover, True


def refine_net_backward(x: Inputs) -> Arguments:
    arguments = x.refine_net(False)
    logits, maps, packed = ops.refine_net_forward(*arguments)
    return torch.rand_like(logits), arguments[0], maps, packed, True, 0.5, True


# Results are contiguous, but for those of LAYOUT_KEPT.
KERNELS: dict[str, Callable[[Inputs], Arguments]] = {
    "concentration": concentration,
    "hough": lambda x: (x(2, 3, 12, 10), 7, 9),
    "hough_adjoint": lambda x: (x(2, 3, 7, 9), 10, 12),
    "leading_line": lambda x: (x.embeddings(), 1e-4),
    "leading_line_backward": lambda x: (x(2, 3, 4, 3, grad=False), x.embeddings(False), 1e-4),
    "seam_relu": lambda x: (x(2, 3, 6, 5), x(3), True),
    "seam_relu_backward": seam_relu_backward,
    "veronese_readout": lambda x: (x(2, 3, 14, 9), True, 0.7),
    "veronese_readout_backward": readout_backward,
    "veronese_readout_forward": lambda x: (x(2, 3, 14, 9, grad=False), True, 0.7),
}
LAYOUT_KEPT = {"seam_relu", "seam_relu_backward"}

# Only on the CPU, and only for float32. Results are channels-last.
CPU_KERNELS: dict[str, Callable[[Inputs], Arguments]] = {
    "conv_layer": lambda x: x.conv_layer(),
    "conv_layer_backward": conv_layer_backward,
}

# Only on CUDA, and only in a build with it.
CUDA_KERNELS: dict[str, Callable[[Inputs], Arguments]] = {
    "refine_net": lambda x: x.refine_net(double_cover=False),
    "refine_net_backward": refine_net_backward,
    "refine_net_forward": lambda x: x.refine_net(False),
}

# Made of torch's own operators and of those above.
COMPOSITES: dict[str, Callable[[Inputs], Arguments]] = {
    "chordal_loss": lambda x: (x(2, 3, 4, 10), x(2, 3, 4, 4, grad=False)),
    "ea_scores": lambda x: (x(5, 2, grad=False), x(5, 2, grad=False), 10, 12),
    "leading_point": lambda x: (x(2, 3, 4, 10), 1e-4),
    "polar_from_embedding": lambda x: (x.embeddings(), 1e-4),
    "projective_readout": lambda x: (x(2, 3, 4, 9), x(9, 6, grad=False), 0.7),
    "refine_logits": lambda x: (x(2, 3, 7, 9), *x.layers(), True, 0.5),
    "seam_pad": lambda x: (x(2, 3, 7, 9), 2, True),
    "soft_argmax": lambda x: (x(2, 3, 7, 9), 0.7),
    "veronese_from_points": lambda x: (x(2, 3, 4, 4),),
    "veronese_from_polar": lambda x: (x(2, 3, 4, 2),),
    "veronese_loss": lambda x: (x.embeddings(), x(2, 3, 4, 2, grad=False)),
    "whitened_logits": lambda x: (x(2, 3, 7, 9), x(2, 3, 12, 10)),
}

# Takes no tensor: a table for export_onnx, not part of any graph.
NOT_IN_GRAPHS = {"vote_table"}

OPERATORS = KERNELS | COMPOSITES


def operator(name: str) -> torch._ops.OpOverload:
    return getattr(ops, name).default


def tensors(value: object) -> list[torch.Tensor]:
    """The tensors in arguments or results, in order."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, list | tuple):
        return [tensor for part in value for tensor in tensors(part)]
    return []
