// SPDX-License-Identifier: Apache-2.0
// The paper's two losses (Eq. 30), and those for learned evidence (Eq. 44, 46). Lines are
// (theta, rho / D).
#pragma once

#include <torch/types.h>

#include "vsmax/hough/cells.h"

namespace vsmax::nn {

// The losses below for each line of a batch, [B].
torch::Tensor polar_losses(const torch::Tensor& polar, const torch::Tensor& truth);
torch::Tensor veronese_losses(const torch::Tensor& embedding, const torch::Tensor& truth);

// L_polar: the mean over the batch of (theta - theta*)^2 + (rho - rho*)^2, with theta* in [0, pi)
// and plain differences, so that lines on opposite sides of the seam count as far apart.
torch::Tensor polar_loss(const torch::Tensor& polar, const torch::Tensor& truth);

// The same lines, but without a derivative where theta is more than pi/2 from the truth's. There
// the seam lies between line and truth, and L_polar would pull the line the long way round, away
// from the truth. For a readout that is equivariant under rotation, such as VSmax, these pulls
// cancel all others on average: with an error e, the seam separates line and truth with probability
// |e| / pi, and 2 e (1 - |e| / pi) - 2 (pi - |e|) |e| / pi sign(e) = 0 for every e, so nothing is
// learned.
torch::Tensor hold_across_seam(const torch::Tensor& polar, const torch::Tensor& truth);

// L_vs: the mean over the batch of |v - v_2(truth)|^2; where v lies on the manifold, the squared
// chordal distance (Eq. 6). embedding: [B, 6], truth: [B, 2].
torch::Tensor veronese_loss(const torch::Tensor& embedding, const torch::Tensor& truth);

// v_2 of the lines of all cells, [cells, 6]; rho is multiplied by `unit`, the number of units in D.
torch::Tensor cell_embeddings(const CellShape& shape, const torch::TensorOptions& options,
                              double unit = 1.0);

// log of how near each cell is to a line: -s^2 / (2 width^2), where 2 s^2 is their squared chordal
// distance (Eq. 6). embeddings: cell_embeddings; truth: [..., 2] -> [..., cells].
torch::Tensor log_nearness(const torch::Tensor& embeddings, const torch::Tensor& truth,
                           double width);

// -log of the probability near the truth (Eq. 44), for each image. logits: [B, rows, R]; truth:
// [B, 2]. Unlike the losses above, it has a useful gradient even while the distribution is still
// flat, as it is before a front end has learned anything.
torch::Tensor likelihood_losses(const torch::Tensor& logits, const torch::Tensor& embeddings,
                                const torch::Tensor& truth, double width);

// One logit per line, [B, T, R]: on the double cover, the log of the mean of exp over both sheets.
torch::Tensor folded_logits(const torch::Tensor& logits, Cover cover);

// A peak at every line, [B, cells]. near: log_nearness of the lines, [B, K, cells]; present: [B,
// K], 1 for a line and 0 for none.
torch::Tensor peak_target(const torch::Tensor& near, const torch::Tensor& present);

// Weighted cross-entropy of sigmoid(cells) with these peaks (Eq. 46). The images may be part of a
// batch with the peaks `whole_target`: the losses of all parts then add up to that of the batch.
torch::Tensor peak_loss(const torch::Tensor& cells, const torch::Tensor& target,
                        const torch::Tensor& whole_target);

// -log of the mass that softmax(cells) has near each line, [B, K].
torch::Tensor peak_likelihood_losses(const torch::Tensor& cells, const torch::Tensor& near);

}  // namespace vsmax::nn
