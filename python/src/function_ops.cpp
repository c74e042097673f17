// SPDX-License-Identifier: Apache-2.0
// The functions of tensors that the Python package calls beside the operators. They are made of
// differentiable operators, so torch takes them apart by itself.
#include <torch/library.h>
#include <torch/types.h>

#include "vsmax/torch/ops/functions.h"
#include "vsmax/torch/ops/losses.h"
#include "vsmax/torch/ops/projective.h"

namespace vsmax {

namespace {

torch::Tensor refine_logits(const torch::Tensor& accumulator,
                            const std::vector<torch::Tensor>& weights,
                            const std::vector<torch::Tensor>& biases, bool double_cover,
                            double scale) {
  return nn::refine_logits(accumulator, weights, biases,
                           double_cover ? Cover::kDouble : Cover::kSingle, scale, false);
}

}  // namespace

TORCH_LIBRARY_FRAGMENT(vsmax, library) {
  library.def("seam_pad(Tensor accumulator, int rows, bool moebius) -> Tensor",
              TORCH_FN(nn::seam_pad));
  library.def(
      "refine_logits(Tensor accumulator, Tensor[] weights, Tensor[] biases, bool double_cover,"
      " float scale) -> Tensor",
      TORCH_FN(refine_logits));
  library.def("whitened_logits(Tensor accumulator, Tensor images) -> Tensor",
              TORCH_FN(nn::whitened_logits));
  library.def("soft_argmax(Tensor logits, float temperature) -> Tensor", TORCH_FN(nn::soft_argmax));
  library.def("polar_from_embedding(Tensor embedding, float guard) -> Tensor",
              TORCH_FN(nn::polar_from_embedding));
  library.def("veronese_from_polar(Tensor polar) -> Tensor", TORCH_FN(nn::veronese_from_polar));
  library.def("veronese_loss(Tensor embedding, Tensor polar) -> Tensor",
              TORCH_FN(nn::veronese_loss));
  library.def("veronese_from_points(Tensor points) -> Tensor", TORCH_FN(nn::veronese_from_points));
  library.def("projective_readout(Tensor logits, Tensor embeddings, float temperature) -> Tensor",
              TORCH_FN(nn::projective_readout));
  library.def("leading_point(Tensor embedding, float guard) -> Tensor",
              TORCH_FN(nn::leading_point));
  library.def("chordal_loss(Tensor embedding, Tensor points) -> Tensor",
              TORCH_FN(nn::chordal_loss));
}

}  // namespace vsmax
