# SPDX-License-Identifier: Apache-2.0
"""CUDA graphs of models: captured by hand, with gradients, and by torch.compile."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from operators import needs_cuda

import vsmax

pytestmark = needs_cuda


@pytest.fixture(autouse=True)
def full_precision(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.backends.cudnn, "allow_tf32", False)


def close(ours: torch.Tensor, theirs: torch.Tensor) -> bool:
    return torch.allclose(ours, theirs, rtol=1e-4, atol=1e-4)


def captured(function: Callable[[torch.Tensor], object], images: torch.Tensor) -> Callable:
    """The function as a graph, after torch's usual warm-up on another stream."""
    static = torch.zeros_like(images)
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            function(static)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = function(static)

    def replay(images: torch.Tensor) -> object:
        static.copy_(images)
        graph.replay()
        return result

    return replay


@pytest.mark.parametrize("name", ["classic", "paper"])
def test_captured_model_is_the_same(name: str) -> None:
    model = vsmax.load(name).cuda()
    images = torch.rand(4, *model.size, device="cuda")
    with torch.no_grad():
        replay = captured(model, images)
        for _ in range(3):
            images = torch.rand_like(images)
            assert close(replay(images), model(images))


@pytest.mark.parametrize("name", ["classic", "paper"])
def test_captured_prediction_is_the_same(name: str) -> None:
    model = vsmax.load(name).cuda()
    images = torch.rand(4, *model.size, device="cuda")
    replay = captured(model.predict, images)
    images = torch.rand_like(images)
    for one, other in zip(replay(images), model.predict(images), strict=True):
        assert close(one, other)


def test_captured_training_step_is_the_same() -> None:
    model = vsmax.LineModel((48, 64), (31, 33)).cuda()
    images = torch.rand(4, 48, 64, device="cuda")
    expected = torch.autograd.grad(model(images).sum(), model.parameters())
    graphed = torch.cuda.make_graphed_callables(model, (torch.rand_like(images),))
    found = torch.autograd.grad(graphed(images).sum(), model.parameters())
    for one, other in zip(found, expected, strict=True):
        assert close(one, other)


def test_a_table_may_be_made_during_a_capture() -> None:
    hough = vsmax.HoughTransform(17, 19)
    hough(torch.rand(2, 21, 23, device="cuda"))  # loads the kernel
    images = torch.rand(2, 37, 41, device="cuda")  # a size not seen before
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        votes = hough(images)
    graph.replay()
    assert close(votes.cpu(), hough(images.cpu()))


def test_compiled_to_graphs_is_the_same() -> None:
    model = vsmax.load("paper").cuda()
    compiled = torch.compile(model, mode="reduce-overhead", fullgraph=True)
    with torch.no_grad():
        for _ in range(4):
            images = torch.rand(4, *model.size, device="cuda")
            torch.compiler.cudagraph_mark_step_begin()
            assert torch.allclose(compiled(images), model(images), rtol=1e-3, atol=1e-3)
