# SPDX-License-Identifier: Apache-2.0
"""torch.compile, torch.export and torch's own checks of operators, where torch has them."""

import pytest
import torch
from support import STAGES, stages

import vsmax

pytestmark = pytest.mark.skipif(
    not hasattr(torch, "compile"), reason="torch.compile came with torch 2.0"
)

opcheck = getattr(torch.library, "opcheck", None)


def random(*shape: int) -> torch.Tensor:
    return torch.rand(*shape, dtype=torch.float64, requires_grad=True)


OPERATORS = {
    "hough": lambda: (random(2, 12, 10), 7, 9),
    "hough_adjoint": lambda: (random(2, 7, 9), 12, 10),
    "veronese_readout": lambda: (random(2, 14, 9), True, 0.7),
    "leading_line": lambda: (vsmax.embed_line(random(3, 2)).detach().requires_grad_(), 1e-4),
    "seam_relu": lambda: (random(2, 3, 6, 5), random(3), True),
}


@pytest.mark.skipif(opcheck is None, reason="torch.library.opcheck came with torch 2.4")
@pytest.mark.parametrize("name", sorted(OPERATORS))
def test_operator_passes_the_checks_of_torch(name: str) -> None:
    opcheck(getattr(torch.ops.vsmax, name).default, OPERATORS[name]())


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("name", STAGES)
def test_compiled_is_the_same(name: str, dynamic: bool) -> None:
    module, shape = stages()[name]
    compiled = torch.compile(module, backend="aot_eager", dynamic=dynamic, fullgraph=True)
    for batch in (2, 5):
        inputs = torch.rand(batch, *shape)
        plain, cast = inputs.clone().requires_grad_(), inputs.clone().requires_grad_()
        expected, found = module(plain), compiled(cast)
        assert torch.allclose(found, expected, atol=1e-5)
        pull = torch.rand_like(expected)
        expected.backward(pull)
        found.backward(pull)
        assert torch.allclose(cast.grad, plain.grad, atol=1e-4)
    torch._dynamo.reset()


def test_compiled_by_the_default_backend_is_the_same() -> None:
    module, shape = stages()["model"]
    inputs = torch.rand(2, *shape)
    assert torch.allclose(torch.compile(module)(inputs), module(inputs), atol=1e-4)


@pytest.mark.skipif(not hasattr(torch, "export"), reason="torch.export came with torch 2.1")
@pytest.mark.parametrize("name", STAGES)
def test_exported_is_the_same(name: str) -> None:
    module, shape = stages()[name]
    batch = torch.export.Dim("batch", min=2, max=64)
    program = torch.export.export(
        module.eval(), (torch.rand(3, *shape),), dynamic_shapes=({0: batch},)
    )
    inputs = torch.rand(7, *shape)
    assert torch.allclose(program.module()(inputs), module(inputs), atol=1e-5)
