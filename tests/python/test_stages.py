# SPDX-License-Identifier: Apache-2.0
"""What holds for every module: leading dimensions, types, derivatives, copies."""

import copy
import io
import pickle

import pytest
import torch
from support import STAGES, stages
from torch.autograd import gradcheck

import vsmax


def small_stage(name: str) -> tuple[torch.nn.Module, torch.Tensor]:
    module, shape = stages()[name]
    return module.double(), torch.rand(2, *shape, dtype=torch.float64)


@pytest.mark.parametrize("name", STAGES)
def test_takes_any_leading_dimensions(name: str) -> None:
    module, shape = stages()[name]
    inputs = torch.rand(2, 3, *shape)
    together = module(inputs)
    assert together.shape[:2] == (2, 3)
    assert torch.allclose(together[1, 2], module(inputs[1, 2]), atol=1e-5)
    assert module(inputs[:0]).shape == (0, *together.shape[1:])


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("name", STAGES)
def test_keeps_the_type(name: str, dtype: torch.dtype) -> None:
    module, shape = stages()[name]
    assert module.to(dtype)(torch.rand(2, *shape, dtype=dtype)).dtype == dtype


@pytest.mark.parametrize("name", STAGES)
def test_autocast_changes_little(name: str) -> None:
    module, shape = stages()[name]
    inputs = torch.rand(2, *shape, requires_grad=True)
    plain = module(inputs)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        cast = module(inputs)
    assert cast.dtype == torch.float32
    assert torch.allclose(cast, plain, atol=0.02, rtol=0.02)
    cast.sum().backward()
    assert torch.isfinite(inputs.grad).all()


@pytest.mark.parametrize("name", STAGES)
def test_derivative_is_the_difference_quotient(name: str) -> None:
    module, inputs = small_stage(name)
    # Steps must not cross the kinks of the network's ReLU.
    eps = 1e-7 if "refine" in name or name == "model" else 1e-6
    assert gradcheck(module, inputs.requires_grad_(), eps=eps, atol=1e-4)


def test_derivative_of_the_weights() -> None:
    net = vsmax.RefineNet("double").double()
    votes = 20 * torch.rand(1, 5, 5, dtype=torch.float64)
    weight = net.refine[2].weight

    def of_weight(values: torch.Tensor) -> torch.Tensor:
        weights = [layer.weight for layer in net.refine]
        weights[2] = values
        biases = [layer.bias for layer in net.refine]
        return torch.ops.vsmax.refine_logits(votes, weights, biases, True, net.scale)

    assert gradcheck(of_weight, weight.detach()[:, :, :, :].requires_grad_(), fast_mode=True)


@pytest.mark.parametrize("components", [2, 3, 4, 5])
def test_derivative_of_the_recovery(components: int) -> None:
    points = torch.randn(6, 30, components, dtype=torch.float64)
    embedding = vsmax.embed_point(torch.nn.functional.normalize(points, dim=-1))
    weights = torch.rand(6, 30, 1, dtype=torch.float64).pow(6)
    mean = (weights * embedding).sum(1) / weights.sum(1)
    guard = 1e-7  # far below the gaps, so that the derivative is the exact one

    def squares(values: torch.Tensor) -> torch.Tensor:
        return vsmax.recover_point(values, guard).square()

    assert gradcheck(squares, mean.requires_grad_())


def test_derivative_of_the_line_and_the_losses() -> None:
    mean = vsmax.embed_line(torch.rand(4, 2, dtype=torch.float64) + 0.3)
    mean = (0.8 * mean + 0.2 * mean.flip(0)).requires_grad_()
    truth = torch.rand(4, 2, dtype=torch.float64)
    assert gradcheck(lambda v: vsmax.recover_line(v, 1e-7), mean)
    assert gradcheck(lambda v: vsmax.chordal_loss(v, truth), mean)
    votes = torch.rand(2, 4, 5, dtype=torch.float64, requires_grad=True)
    assert gradcheck(lambda v: vsmax.seam_pad(v, 2), votes)


@pytest.mark.parametrize("name", STAGES)
def test_survives_pickle_and_deepcopy(name: str) -> None:
    module, shape = stages()[name]
    inputs = torch.rand(2, *shape)
    expected = module(inputs)
    assert torch.equal(copy.deepcopy(module)(inputs), expected)
    assert torch.equal(pickle.loads(pickle.dumps(module))(inputs), expected)


@pytest.mark.parametrize("name", STAGES)
def test_state_makes_the_round_trip(name: str) -> None:
    module, shape = stages()[name]
    other = stages()[name][0]
    file = io.BytesIO()
    torch.save(module.state_dict(), file)
    file.seek(0)
    other.load_state_dict(torch.load(file))
    inputs = torch.rand(2, *shape)
    assert torch.equal(other(inputs), module(inputs))


@pytest.mark.parametrize("name", STAGES)
def test_gives_the_same_on_cuda(name: str) -> None:
    if not torch.cuda.is_available():
        pytest.skip("there is no CUDA device")
    if not vsmax.has_cuda():
        pytest.skip("this copy was built without CUDA kernels")
    module, shape = stages()[name]
    inputs = torch.rand(2, *shape)
    expected = module(inputs)
    there = module.to("cuda")(inputs.to("cuda"))
    assert there.is_cuda
    assert torch.allclose(there.cpu(), expected, atol=1e-4, rtol=1e-4)
    back = module.to("cpu")(inputs)
    assert torch.equal(back, expected)
    with torch.autocast("cuda"):
        cast = module.to("cuda")(inputs.to("cuda"))
    assert torch.allclose(cast.float().cpu(), expected, atol=0.02, rtol=0.02)


@pytest.mark.parametrize("name", STAGES)
def test_knows_its_shape_without_values(name: str) -> None:
    if not hasattr(torch, "compile"):
        pytest.skip("torch before 2.0 has no meta kernels for all of its own operators")
    module, shape = stages()[name]
    inputs = torch.rand(2, *shape)
    there = module.to("meta")(inputs.to("meta"))
    assert there.is_meta
    assert there.shape == stages()[name][0](inputs).shape


@pytest.mark.parametrize("value", [0.1, 0.3, 0.7, 0.9])
def test_whitening_leaves_nothing_of_a_constant_image(value: float) -> None:
    images = torch.full((1, 120, 90), value)
    votes = torch.ops.vsmax.hough(images, 7, 9)
    assert not torch.ops.vsmax.whitened_logits(votes, images).any()
