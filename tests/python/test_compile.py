# SPDX-License-Identifier: Apache-2.0
"""torch.compile and torch.export of operators, modules and models, where torch has them."""

from __future__ import annotations

import io
import os
import shutil
from collections.abc import Callable

import pytest
import torch
from operators import DEVICES, OPERATORS, Inputs, laid_out, operator, tensors
from support import STAGES, line_image, stages

import vsmax

pytestmark = pytest.mark.skipif(
    not hasattr(torch, "compile"), reason="torch.compile came with torch 2.0"
)
has_compiler = shutil.which(os.environ.get("CXX", "g++")) is not None
needs_compiler = pytest.mark.skipif(not has_compiler, reason="inductor needs a C++ compiler")
BACKENDS = ["aot_eager", pytest.param("inductor", marks=needs_compiler)]
SIZE, BINS = (12, 10), (7, 9)


@pytest.fixture(autouse=True)
def fresh_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    # A compiled convolution may be another one, which agrees only at full precision.
    monkeypatch.setattr(torch.backends.cudnn, "allow_tf32", False)
    if hasattr(torch, "_dynamo"):
        torch._dynamo.reset()


def models(device: str) -> dict[str, torch.nn.Module]:
    made = {
        "paper": vsmax.load("paper"),
        "vsmax": vsmax.LineModel(SIZE, BINS),
        "soft-argmax": vsmax.LineModel(SIZE, BINS, readout="softargmax"),
        "classic": vsmax.load("classic", size=SIZE),
    }
    return {name: model.to(device) for name, model in made.items()}


MODELS = ["classic", "paper", "soft-argmax", "vsmax"]


def same(ours: object, theirs: object, tolerance: float) -> bool:
    pairs = zip(tensors(ours), tensors(theirs), strict=True)
    return all(torch.allclose(a, b, rtol=tolerance, atol=tolerance) for a, b in pairs)


def with_gradients(function: Callable, inputs: list[torch.Tensor]) -> list[torch.Tensor]:
    """The results of function() and the gradients of the inputs that need one."""
    results = tensors(function())
    pulled = [result for result in results if result.requires_grad]
    needed = [tensor for tensor in inputs if tensor.requires_grad]
    if not pulled or not needed:
        return results
    pulls = [torch.linspace(0.5, 1.5, x.numel()).view(x.shape).to(x) for x in pulled]
    return results + list(torch.autograd.grad(pulled, needed, pulls))


@pytest.mark.parametrize("layout", ["contiguous", "channels-last"])
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", sorted(OPERATORS))
@pytest.mark.parametrize("device", DEVICES)
def test_compiled_operator_is_the_same(device: str, name: str, backend: str, layout: str) -> None:
    arguments = OPERATORS[name](Inputs(device, torch.float32, layout))
    compiled = torch.compile(
        lambda *arguments: operator(name)(*arguments), backend=backend, fullgraph=True
    )
    expected = with_gradients(lambda: operator(name)(*arguments), tensors(arguments))
    found = with_gradients(lambda: compiled(*arguments), tensors(arguments))
    assert same(found, expected, 1e-4)


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("name", STAGES)
def test_compiled_stage_is_the_same(name: str, dynamic: bool) -> None:
    module, shape = stages()[name]
    compiled = torch.compile(module, backend="aot_eager", dynamic=dynamic, fullgraph=True)
    for batch in (2, 5):
        images = torch.rand(batch, *shape).requires_grad_()
        expected = with_gradients(lambda x=images: module(x), [images])
        assert same(with_gradients(lambda x=images: compiled(x), [images]), expected, 1e-4)


@pytest.mark.parametrize("autocast", [False, True], ids=["float32", "autocast"])
@pytest.mark.parametrize("layout", ["contiguous", "channels-last"])
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("device", DEVICES)
def test_compiled_model_is_the_same(
    device: str, name: str, backend: str, layout: str, autocast: bool
) -> None:
    model = models(device)[name]
    if layout == "channels-last":  # of the weights
        model = model.to(memory_format=torch.channels_last)
    noisy = line_image(1.0, 2.0, model.size) + 0.1 * torch.rand(2, 2, *model.size)
    images = laid_out(noisy.to(device), layout).requires_grad_()
    compiled = torch.compile(model, backend=backend, fullgraph=True)
    inputs = [images, *model.parameters()]
    with torch.autocast(device, torch.bfloat16, enabled=autocast):
        expected = with_gradients(lambda: model(images), inputs)
        found = with_gradients(lambda: compiled(images), inputs)
    # Inductor keeps more digits than bfloat16 has where it fuses.
    assert same(found[0], expected[0], 0.1 if autocast else 1e-3)
    assert found[0].stride() == expected[0].stride()
    for one, other in zip(found[1:], expected[1:], strict=True):
        distance = (one - other).float().norm() / other.float().norm().clamp_min(1e-3)
        assert float(distance) < (0.2 if autocast else 1e-2)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("device", DEVICES)
def test_compiled_prediction_is_the_same(device: str, name: str) -> None:
    model = models(device)[name]
    images = torch.rand(3, *model.size, device=device)
    compiled = torch.compile(model.predict, backend="aot_eager", fullgraph=True)
    assert same(compiled(images), model.predict(images), 1e-4)


@pytest.mark.skipif(not hasattr(torch, "export"), reason="torch.export came with torch 2.1")
@pytest.mark.parametrize("name", STAGES)
def test_exported_stage_is_the_same(name: str) -> None:
    module, shape = stages()[name]
    check_export(module.eval(), torch.rand(3, *shape), torch.rand(7, *shape))


@pytest.mark.skipif(not hasattr(torch, "export"), reason="torch.export came with torch 2.1")
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("device", DEVICES)
def test_exported_model_is_the_same(device: str, name: str) -> None:
    model = models(device)[name].eval()
    check_export(model, *(torch.rand(count, *model.size, device=device) for count in (3, 7)))


def check_export(module: torch.nn.Module, example: torch.Tensor, images: torch.Tensor) -> None:
    """Exports for any batch size, writes and reads the program, and runs it."""
    batch = torch.export.Dim("batch", min=2, max=64)
    program = torch.export.export(module, (example,), dynamic_shapes=({0: batch},))
    file = io.BytesIO()
    torch.export.save(program, file)
    file.seek(0)
    again = torch.export.load(file).module()
    assert same(again(images), module(images), 1e-4)
