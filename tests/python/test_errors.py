# SPDX-License-Identifier: Apache-2.0
"""Wrong use is answered by one sentence that holds the value."""

import numpy as np
import pytest
import torch

import vsmax

CASES = {
    "an even number of offsets": (lambda: vsmax.HoughTransform(10, 12), "12"),
    "half an angle": (lambda: vsmax.HoughTransform(7.5, 9), r"thetas .* not 7\.5"),
    "half an offset": (lambda: vsmax.HoughTransform(7, 9.5), r"rhos .* not 9\.5"),
    "a cover": (lambda: vsmax.RefineNet("triple"), "triple"),
    "a temperature": (lambda: vsmax.SoftArgmax(0), "positive, not 0"),
    "a point without direction": (
        lambda: vsmax.ProjectiveSoftArgmax(torch.zeros(2, 3)),
        "length 0",
    ),
    "points that are no list": (lambda: vsmax.ProjectiveSoftArgmax(torch.ones(3)), r"\(3,\)"),
    "a refinement": (lambda: vsmax.LineModel(refinement="x"), "'x'"),
    "an image of two channels": (lambda: vsmax.detect(np.zeros((4, 4, 2))), r"\(4, 4, 2\)"),
    "colours beyond white": (lambda: vsmax.detect(np.full((4, 4, 3), 255.0)), r"not 255"),
    "a colour that is no number": (lambda: vsmax.detect(np.full((4, 4, 3), np.nan)), "not nan"),
    "no lines": (lambda: vsmax.detect(np.eye(4), lines=0), "not 0"),
    "half a line": (lambda: vsmax.detect(np.eye(4), lines=0.5), r"not 0\.5"),
    "a confidence": (lambda: vsmax.detect(np.eye(4), min_confidence=2), "not 2"),
    "a choice of models to train": (lambda: vsmax.load("auto"), "'auto' chooses among"),
    "a trained front end": (lambda: vsmax.load("horizon"), "horizon has a trained front end"),
    "an image of one pixel": (lambda: vsmax.detect(np.zeros((1, 1))), "2x2"),
    "not a number": (lambda: vsmax.detect(np.full((4, 4), np.nan)), "finite"),
    "a size": (lambda: vsmax.ea_score(torch.rand(2), torch.rand(2), (1, 9)), "1x9"),
    "shapes": (lambda: vsmax.ea_score(torch.rand(2), torch.rand(3), (9, 9)), r"\(3,\)"),
    "a model without derivative": (lambda: vsmax.load("argmax"), "argmax"),
    "a model's size": (lambda: vsmax.load("paper", size=(9, 9)), r"\(9, 9\)"),
    "an empty model": (lambda: vsmax.LineModel(size=(0, 5)), "not 0x5"),
    "half a row": (lambda: vsmax.LineModel(size=(32.5, 9)), r"height .* not 32\.5"),
    "half a column to load": (lambda: vsmax.load("classic", (9, 2.5)), r"width .* not 2\.5"),
    "a model's size of one number": (lambda: vsmax.LineModel(size=9), r"\(H, W\), not 9"),
    "a tensor and an array": (
        lambda: vsmax.ea_score(torch.rand(2), np.zeros(2), (9, 9)),
        "two tensors .* or two arrays .* not Tensor and ndarray",
    ),
    "a list and a tensor": (lambda: vsmax.ea_score([0.1, 2], torch.rand(2), (9, 9)), "not list"),
    "half a pixel": (lambda: vsmax.ea_score(torch.rand(2), torch.rand(2), (9, 9.5)), r"not 9\.5"),
    "another size": (lambda: vsmax.load("classic", (9, 9))(torch.rand(9, 8)), r"\(9, 8\)"),
}


@pytest.mark.parametrize("case", sorted(CASES))
def test_raises_a_sentence(case: str) -> None:
    call, part = CASES[case]
    with pytest.raises(ValueError, match=part) as caught:
        call()
    assert "\n" not in str(caught.value)


TENSOR_CASES = {
    "integers": (lambda: vsmax.HoughTransform(4, 5)(torch.ones(6, 6, dtype=torch.long)), "Long"),
    "one dimension": (lambda: vsmax.HoughTransform(4, 5)(torch.ones(6)), "2 dimensions"),
    "an odd double cover": (
        lambda: vsmax.VeroneseSoftArgmax("double")(torch.rand(7, 9)),
        "7 rows .* theta from 0 to pi has the cover 'single'",
    ),
    "an embedding": (lambda: vsmax.recover_point(torch.rand(7)), "7"),
    "a loss": (lambda: vsmax.chordal_loss(torch.rand(2, 10), torch.rand(2, 3)), "10"),
    "a truth too few": (lambda: vsmax.chordal_loss(torch.rand(8, 10), torch.rand(1, 4)), "1, 4"),
    "too much padding": (lambda: vsmax.seam_pad(torch.rand(3, 5), 4), "4"),
}


@pytest.mark.parametrize("case", sorted(TENSOR_CASES))
def test_operators_name_the_value(case: str) -> None:
    call, part = TENSOR_CASES[case]
    with pytest.raises(RuntimeError, match=part):
        call()


def test_second_derivative_is_refused_where_there_is_none() -> None:
    logits = torch.rand(7, 9, requires_grad=True)
    value = vsmax.VeroneseSoftArgmax("single")(logits).sum()
    with pytest.raises(RuntimeError, match="differentiable once"):
        torch.autograd.grad(value, logits, create_graph=True)
