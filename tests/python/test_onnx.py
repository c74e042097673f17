# SPDX-License-Identifier: Apache-2.0
"""The exported graph in another runtime gives what the model gives."""

import math
import os

import pytest
import torch
from support import line_image, upright_lines

import vsmax

onnx = pytest.importorskip("onnx", reason="the package onnx is not installed")
onnxruntime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")


def pictures(size: tuple[int, int]) -> torch.Tensor:
    lines = [(0.0, 11.0), (0.005, -9.0), (0.8, 3.0), (math.pi / 2, 7.5), (2.5, -14.0), (3.137, 6.0)]
    images = torch.stack([line_image(theta, rho, size) for theta, rho in lines])
    return (images + 0.2 * torch.rand(len(lines), *size)).clamp(0, 1)


def models() -> dict[str, vsmax.LineModel]:
    return {
        "classic": vsmax.load("classic", size=(48, 65)),
        "paper": vsmax.load("paper"),
        "soft-argmax": vsmax.LineModel((33, 40), (31, 25), readout="softargmax", scale=1.0),
    }


@pytest.mark.parametrize("name", sorted(models()))
def test_runtime_agrees_with_the_model(name: str, tmp_path: os.PathLike[str]) -> None:
    model = models()[name]
    path = os.path.join(tmp_path, "model.onnx")
    vsmax.export_onnx(model, path)
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    images = pictures(model.size)
    theta, rho, confidence = map(torch.from_numpy, session.run(None, {"image": images.numpy()}))
    expected = model.predict(images)
    turn = (theta - expected.theta).abs()
    assert float(turn.max()) < 1e-4
    assert float((rho - expected.rho).abs().max()) < 1e-4 * model.half_diagonal
    assert float((confidence - expected.confidence).abs().max()) < 1e-4
    one = session.run(None, {"image": images[2:3].numpy()})
    assert abs(float(one[0][0]) - float(expected.theta[2])) < 1e-4
    blank = torch.zeros(1, *model.size)
    _, _, unsure = session.run(None, {"image": blank.numpy()})
    assert abs(float(unsure[0]) - float(model.predict(blank).confidence)) < 1e-4


@pytest.mark.parametrize("name", ["classic", "paper"])
def test_theta_stays_below_pi(name: str, tmp_path: os.PathLike[str]) -> None:
    model = models()[name]
    path = os.path.join(tmp_path, "model.onnx")
    vsmax.export_onnx(model, path)
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    images = upright_lines(model.size)
    theta, rho, _ = map(torch.from_numpy, session.run(None, {"image": images.numpy()}))
    assert float(theta.min()) >= 0
    assert float(theta.double().max()) < math.pi
    expected = model.predict(images)
    lines = (torch.stack([t, r / model.half_diagonal], -1) for t, r in ((theta, rho), expected[:2]))
    ours, theirs = map(vsmax.embed_line, lines)  # 0 and nearly pi are neighbours
    assert torch.allclose(ours, theirs, atol=1e-4)


def test_graph_is_small_and_of_standard_operators(tmp_path: os.PathLike[str]) -> None:
    path = os.path.join(tmp_path, "model.onnx")
    vsmax.export_onnx(vsmax.load("paper"), path)
    graph = onnx.load(path)
    assert {node.domain for node in graph.graph.node} == {""}
    assert [x.domain for x in graph.opset_import] == [""]
    assert os.path.getsize(path) < 9.5e6


def test_refuses_what_it_does_not_know(tmp_path: os.PathLike[str]) -> None:
    with pytest.raises(TypeError, match="Linear"):
        vsmax.export_onnx(torch.nn.Linear(2, 2), os.path.join(tmp_path, "x.onnx"))
