# SPDX-License-Identifier: Apache-2.0
"""torch's own checks of every operator, and what the fake kernels promise about results."""

from __future__ import annotations

import pytest
import torch
from operators import (
    CPU_KERNELS,
    CUDA_KERNELS,
    DEVICES,
    DTYPES,
    KERNELS,
    LAYOUT_KEPT,
    LAYOUTS,
    NOT_IN_GRAPHS,
    OPERATORS,
    Inputs,
    needs_cuda,
    operator,
    tensors,
)
from torch.utils._pytree import tree_map

needs_torch2 = pytest.mark.skipif(
    not hasattr(torch, "compile"), reason="fake tensors and a list of operators came with torch 2"
)

opcheck = getattr(torch.library, "opcheck", None)


def gradients(results: object, arguments: object) -> list[torch.Tensor]:
    pulled = [result for result in tensors(results) if result.requires_grad]
    inputs = [tensor for tensor in tensors(arguments) if tensor.requires_grad]
    if not pulled:
        return []
    return list(torch.autograd.grad(pulled, inputs, [torch.ones_like(x) for x in pulled]))


@needs_torch2
def test_every_operator_is_listed() -> None:
    registered = torch._C._dispatch_get_all_op_names()
    ours = {name.removeprefix("vsmax::") for name in registered if name.startswith("vsmax::")}
    assert ours - CUDA_KERNELS.keys() == OPERATORS.keys() | CPU_KERNELS.keys() | NOT_IN_GRAPHS


@pytest.mark.skipif(opcheck is None, reason="torch.library.opcheck came with torch 2.4")
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", sorted(OPERATORS))
@pytest.mark.parametrize("device", DEVICES)
def test_passes_the_checks_of_torch(
    device: str, name: str, dtype: torch.dtype, layout: str
) -> None:
    opcheck(operator(name), OPERATORS[name](Inputs(device, dtype, layout)))


@pytest.mark.skipif(opcheck is None, reason="torch.library.opcheck came with torch 2.4")
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", sorted(CPU_KERNELS))
def test_kernels_for_the_cpu_pass_the_checks_of_torch(name: str, layout: str) -> None:
    opcheck(operator(name), CPU_KERNELS[name](Inputs("cpu", torch.float32, layout)))


@needs_cuda
@pytest.mark.skipif(opcheck is None, reason="torch.library.opcheck came with torch 2.4")
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", sorted(CUDA_KERNELS))
def test_kernels_for_cuda_pass_the_checks_of_torch(
    name: str, dtype: torch.dtype, layout: str
) -> None:
    opcheck(operator(name), CUDA_KERNELS[name](Inputs("cuda", dtype, layout)))


@needs_torch2
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", sorted(OPERATORS))
@pytest.mark.parametrize("device", DEVICES)
def test_fake_results_are_like_the_real_ones(
    device: str, name: str, dtype: torch.dtype, layout: str
) -> None:
    from torch._subclasses.fake_tensor import FakeTensorMode

    arguments = OPERATORS[name](Inputs(device, dtype, layout))
    mode = FakeTensorMode()
    promised_arguments = tree_map(
        lambda x: mode.from_tensor(x) if isinstance(x, torch.Tensor) else x, arguments
    )
    real = operator(name)(*arguments)
    real_gradients = gradients(real, arguments)
    with mode:
        fake = operator(name)(*promised_arguments)
        fake_gradients = gradients(fake, promised_arguments)
    for one, other in zip(tensors(fake), tensors(real), strict=True):
        assert one.stride() == other.stride()
    for one, other in zip(fake_gradients, real_gradients, strict=True):
        # Where torch's own convolutions are involved, theirs are up to them.
        assert name not in KERNELS or one.stride() == other.stride()
    for one, other in zip(
        tensors(fake) + fake_gradients, tensors(real) + real_gradients, strict=True
    ):
        assert one.shape == other.shape
        assert one.dtype == other.dtype
        assert one.device == other.device


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", sorted(KERNELS))
@pytest.mark.parametrize("device", DEVICES)
def test_layout_of_results(device: str, name: str, dtype: torch.dtype, layout: str) -> None:
    kept = name in LAYOUT_KEPT and layout == "channels-last"
    for result in tensors(operator(name)(*KERNELS[name](Inputs(device, dtype, layout)))):
        expected = torch.channels_last if kept and result.dim() == 4 else torch.contiguous_format
        assert result.is_contiguous(memory_format=expected)


@pytest.mark.parametrize("name", sorted(KERNELS))
@pytest.mark.parametrize("device", DEVICES)
def test_result_does_not_depend_on_the_layout(device: str, name: str) -> None:
    arguments = KERNELS[name](Inputs(device, torch.float64, "contiguous"))
    results = operator(name)(*arguments)
    expected = tensors(results) + gradients(results, arguments)
    for layout in LAYOUTS:
        inputs = Inputs(device, torch.float64, layout)
        turned = [
            inputs.of(x, x.requires_grad) if isinstance(x, torch.Tensor) else x for x in arguments
        ]
        found = operator(name)(*turned)
        for one, other in zip(tensors(found) + gradients(found, turned), expected, strict=True):
            assert torch.allclose(one, other, rtol=1e-12, atol=1e-12)
