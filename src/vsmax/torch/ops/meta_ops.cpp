// SPDX-License-Identifier: Apache-2.0
// The operators' results as shapes and types alone, for torch.compile and torch.export: extents may
// be symbols, so nothing here asks for their values.
#include "vsmax/torch/ops/op_functions.h"
#include "vsmax/torch/ops/op_support.h"

namespace vsmax::ops::meta {

namespace {

// [..., tail dropped] + [tail], in the type that the operator computes in.
torch::Tensor like(const torch::Tensor& tensor, int64_t dropped,
                   std::initializer_list<c10::SymInt> tail, const char* op) {
  TORCH_CHECK(tensor.is_floating_point(), op, ": needs floating-point values, not ",
              tensor.scalar_type());
  TORCH_CHECK(tensor.dim() >= dropped, op, ": needs at least ", dropped, " dimensions, not ",
              tensor.dim());
  std::vector<c10::SymInt> shape = tensor.sym_sizes().vec();
  shape.resize(shape.size() - static_cast<std::size_t>(dropped));
  shape.insert(shape.end(), tail);
  return torch::empty_symint(shape, tensor.options().dtype(compute_type(tensor.scalar_type())));
}

torch::Tensor contiguous_like(const torch::Tensor& tensor) {
  return torch::empty_symint(tensor.sym_sizes(), tensor.options());
}

}  // namespace

torch::Tensor hough(const torch::Tensor& images, c10::SymInt thetas, c10::SymInt rhos) {
  return like(images, 2, {std::move(thetas), std::move(rhos)}, "vsmax::hough");
}

torch::Tensor hough_adjoint(const torch::Tensor& accumulators, c10::SymInt width,
                            c10::SymInt height) {
  return like(accumulators, 2, {std::move(height), std::move(width)}, "vsmax::hough_adjoint");
}

torch::Tensor veronese_readout(const torch::Tensor& logits, bool /*double_cover*/,
                               double /*temperature*/) {
  return like(logits, 2, {6}, "vsmax::veronese_readout");
}

std::tuple<torch::Tensor, torch::Tensor> veronese_readout_forward(const torch::Tensor& logits,
                                                                  bool /*double_cover*/,
                                                                  double /*temperature*/) {
  return {like(logits, 2, {6}, "vsmax::veronese_readout"),
          like(logits, 2, {}, "vsmax::veronese_readout").to(torch::kDouble)};
}

torch::Tensor veronese_readout_backward(const torch::Tensor& /*grad*/, const torch::Tensor& logits,
                                        const torch::Tensor& /*barycentre*/,
                                        const torch::Tensor& /*log_sum*/, bool /*double_cover*/,
                                        double /*temperature*/) {
  return contiguous_like(logits);
}

torch::Tensor leading_line(const torch::Tensor& embedding, double /*guard*/) {
  return like(embedding, 1, {3}, "vsmax::leading_line");
}

torch::Tensor leading_line_backward(const torch::Tensor& /*grad*/, const torch::Tensor& embedding,
                                    double /*guard*/) {
  return contiguous_like(embedding);
}

torch::Tensor seam_relu(const torch::Tensor& input, const torch::Tensor& /*bias*/,
                        bool /*moebius*/) {
  TORCH_CHECK(input.dim() == 4, "vsmax::seam_relu: needs the shape [B, C, T, R], not ", input.dim(),
              " dimensions");
  return torch::empty_symint(
      {input.sym_size(0), input.sym_size(1), input.sym_size(2) + 2, input.sym_size(3)},
      input.options());
}

std::tuple<torch::Tensor, torch::Tensor> seam_relu_backward(const torch::Tensor& grad,
                                                            const torch::Tensor& /*output*/,
                                                            bool /*moebius*/) {
  return {torch::empty_symint(
              {grad.sym_size(0), grad.sym_size(1), grad.sym_size(2) - 2, grad.sym_size(3)},
              grad.options()),
          torch::empty_symint({grad.sym_size(1)},
                              grad.options().dtype(compute_type(grad.scalar_type())))};
}

}  // namespace vsmax::ops::meta
