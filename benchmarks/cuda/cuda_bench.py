#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Our CUDA code beside torch's and cuSPARSE's, on the same GPU in the same run.

    benchmarks/cuda/cuda_bench.py build-cuda/vsmax-cuda-bench OUT

writes OUT/bench.json (median, 10th and 90th percentile, in microseconds), OUT/bench.md,
OUT/bench.png and OUT/bench.svg. Needs torch 2 with CUDA and matplotlib. Also measures what the GPU
achieves at best: a memory copy, and a matrix product.
"""

import argparse
import json
import statistics
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import plot
import torch

T, R, SIDE = 127, 127, 256  # the paper's grid and images
CHANNELS = [1, 32, 32, 32, 32, 32, 1]
SAMPLES, REPETITIONS = 30, 20
FLOPS = [2 * 9 * a * b * 2 * T * R for a, b in pairwise(CHANNELS)]  # an image, per layer


def graph_of(work):
    """The work, several times, as one CUDA graph."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(3):
            work()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(REPETITIONS):
            work()
    return graph.replay


def samples_of(call, repetitions):
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    found = []
    for sample in range(-3, SAMPLES):
        begin.record()
        call()
        end.record()
        end.synchronize()
        if sample >= 0:
            found.append(1e3 * begin.elapsed_time(end) / repetitions)
    return found


def time(name, batch, work, captured=True):
    """One entry of the results; `captured` replays a CUDA graph, which hides launch overhead."""

    def several():
        for _ in range(REPETITIONS):
            work()

    call = graph_of(work) if captured else several
    return {"name": name, "batch": batch, "us": samples_of(call, REPETITIONS)}


def votes():
    """The transform as a sparse matrix, [T R, pixels], by its definition."""
    position = torch.arange(SIDE, dtype=torch.float64, device="cuda") - (SIDE - 1) / 2
    y, x = torch.meshgrid(position, position, indexing="ij")
    theta = torch.arange(T, dtype=torch.float64, device="cuda") * torch.pi / T
    half = torch.hypot(position[-1], position[-1])
    offsets = x.flatten() * theta.cos()[:, None] + y.flatten() * theta.sin()[:, None]
    bins = (offsets / half * ((R - 1) // 2)).round().long() + (R - 1) // 2
    rows = (bins + R * torch.arange(T, device="cuda")[:, None]).flatten()
    columns = torch.arange(SIDE * SIDE, device="cuda").repeat(T)
    ones = torch.ones(rows.numel(), device="cuda")
    return torch.sparse_coo_tensor(torch.stack([rows, columns]), ones, (T * R, SIDE * SIDE))


def network():
    """The refinement network in plain torch: theta wrapped, rho padded with zeros."""

    class Refine(torch.nn.Module):
        def __init__(self):
            super().__init__()
            pairs = pairwise(CHANNELS)
            self.layers = torch.nn.ModuleList(torch.nn.Conv2d(a, b, 3) for a, b in pairs)

        def forward(self, x):
            for i, layer in enumerate(self.layers):
                wrapped = torch.nn.functional.pad(x, (0, 0, 1, 1), mode="circular")
                x = layer(torch.nn.functional.pad(wrapped, (1, 1)))
                x = x if i == len(self.layers) - 1 else x.relu()
            return x

    return Refine().cuda().bfloat16().to(memory_format=torch.channels_last).requires_grad_(False)


def peers_of_hough(batch):
    matrix = votes()
    forward, adjoint = matrix.to_sparse_csr(), matrix.t().to_sparse_csr()
    images = torch.rand(SIDE * SIDE, batch, device="cuda")
    cells = torch.rand(T * R, batch, device="cuda")
    yield time("hough forward/cuSPARSE", batch, lambda: forward @ images, captured=False)
    yield time("hough adjoint/cuSPARSE", batch, lambda: adjoint @ cells, captured=False)
    dense = matrix.to_dense().half()
    halves = images.half()
    yield time("hough forward/dense product, half", batch, lambda: dense @ halves)


def peers_of_network(batch):
    net = network()
    x = torch.rand(batch, 1, 2 * T, R, device="cuda", dtype=torch.bfloat16)
    x = x.to(memory_format=torch.channels_last)
    yield time("network/torch", batch, lambda: net(x), captured=False)
    yield time("network/torch, as a graph", batch, lambda: net(x))
    compiled = torch.compile(net, mode="max-autotune")
    yield time("network/torch.compile, max-autotune", batch, lambda: compiled(x), captured=False)


def ceilings():
    """What this GPU reaches: bytes and operations per microsecond."""
    source = torch.empty(1 << 30, dtype=torch.uint8, device="cuda")
    target = torch.empty_like(source)
    copy = time("copy of 1 GiB", 1, lambda: target.copy_(source))
    size = 8192
    a = torch.randn(size, size, device="cuda", dtype=torch.bfloat16)
    product = time("product 8192, bfloat16", 1, lambda: a @ a)
    return {
        "TB/s": 2 * source.numel() / statistics.median(copy["us"]) / 1e6,
        "TFLOP/s": 2 * size**3 / statistics.median(product["us"]) / 1e6,
    }


def summary(entry):
    ordered = sorted(entry["us"])
    tenth = len(ordered) // 10
    return {
        "name": entry["name"],
        "batch": entry["batch"],
        "median": statistics.median(ordered),
        "low": ordered[tenth],
        "high": ordered[-1 - tenth],
    }


def network_flops(name):
    """Of an image. Backward, the gradients of a layer's weights and of its input each cost as much
    as the layer itself; the first layer's input needs no gradient."""
    return 2 * sum(FLOPS) - FLOPS[0] if name.endswith("backward") else sum(FLOPS)


def table(results, best):
    yield "| | batch | µs | 10 to 90 % | of the GPU's best |\n|---|---|---|---|---|\n"
    for row in results:
        share = ""
        if row["name"].startswith("network"):
            reached = network_flops(row["name"]) * row["batch"] / row["median"] / 1e6
            share = f"{reached:.0f} TFLOP/s, {100 * reached / best['TFLOP/s']:.0f} %"
        yield (
            f"| {row['name']} | {row['batch']} | {row['median']:.1f} | {row['low']:.1f} to "
            f"{row['high']:.1f} | {share} |\n"
        )
    yield f"\nBest: {best['TB/s']:.2f} TB/s, {best['TFLOP/s']:.0f} TFLOP/s (bfloat16).\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("program", help="vsmax-cuda-bench")
    parser.add_argument("out", type=Path)
    arguments = parser.parse_args()
    if not torch.cuda.is_available():
        sys.exit("cuda_bench.py: torch finds no CUDA device")
    arguments.out.mkdir(parents=True, exist_ok=True)

    entries = json.loads(
        subprocess.run([arguments.program], check=True, capture_output=True).stdout
    )
    for batch in (64, 1):
        entries += [*peers_of_hough(batch), *peers_of_network(batch)]
    best = ceilings()
    results = sorted(map(summary, entries), key=lambda row: (-row["batch"], row["name"]))
    gpu = torch.cuda.get_device_name()
    written = {"gpu": gpu, "torch": torch.__version__, "best": best, "results": results}
    (arguments.out / "bench.json").write_text(json.dumps(written, indent=1) + "\n")
    text = "".join(table(results, best))
    (arguments.out / "bench.md").write_text(text)
    plot.draw(arguments.out)
    print(text)


if __name__ == "__main__":
    main()
