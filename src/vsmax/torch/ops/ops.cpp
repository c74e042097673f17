// SPDX-License-Identifier: Apache-2.0
// The list of operators: their schemas, which function serves which dispatch key, and the C++
// entry points. Everything is named here, so that a linker that takes this file takes all of it.
#include "vsmax/torch/ops/ops.h"

#include <torch/library.h>

#include "vsmax/torch/ops/op_functions.h"

namespace vsmax::ops {

namespace {

template <class Signature>
auto find(const char* name) {
  return c10::Dispatcher::singleton().findSchemaOrThrow(name, "").typed<Signature>();
}

void register_meta(torch::Library& library) {
  library.impl("hough", TORCH_FN(meta::hough));
  library.impl("hough_adjoint", TORCH_FN(meta::hough_adjoint));
  library.impl("veronese_readout", TORCH_FN(meta::veronese_readout));
  library.impl("veronese_readout_forward", TORCH_FN(meta::veronese_readout_forward));
  library.impl("veronese_readout_backward", TORCH_FN(meta::veronese_readout_backward));
  library.impl("leading_line", TORCH_FN(meta::leading_line));
  library.impl("leading_line_backward", TORCH_FN(meta::leading_line_backward));
  library.impl("seam_relu", TORCH_FN(meta::seam_relu));
  library.impl("seam_relu_backward", TORCH_FN(meta::seam_relu_backward));
}

void register_backend(torch::Library& library) {
  library.impl("hough", TORCH_FN(backend::hough));
  library.impl("hough_adjoint", TORCH_FN(backend::hough_adjoint));
  library.impl("veronese_readout", TORCH_FN(backend::veronese_readout));
  library.impl("veronese_readout_forward", TORCH_FN(backend::veronese_readout_forward));
  library.impl("veronese_readout_backward", TORCH_FN(backend::veronese_readout_backward));
  library.impl("leading_line", TORCH_FN(backend::leading_line));
  library.impl("leading_line_backward", TORCH_FN(backend::leading_line_backward));
  library.impl("seam_relu", TORCH_FN(backend::seam_relu));
  library.impl("seam_relu_backward", TORCH_FN(backend::seam_relu_backward));
}

}  // namespace

TORCH_LIBRARY(vsmax, library) {
  library.def("hough(Tensor images, SymInt thetas, SymInt rhos) -> Tensor");
  library.def("hough_adjoint(Tensor accumulators, SymInt width, SymInt height) -> Tensor");
  library.def("veronese_readout(Tensor logits, bool double_cover, float temperature) -> Tensor");
  library.def(
      "veronese_readout_forward(Tensor logits, bool double_cover, float temperature)"
      " -> (Tensor barycentre, Tensor log_sum)");
  library.def(
      "veronese_readout_backward(Tensor grad, Tensor logits, Tensor barycentre, Tensor log_sum,"
      " bool double_cover, float temperature) -> Tensor");
  library.def("leading_line(Tensor embedding, float guard) -> Tensor");
  library.def("leading_line_backward(Tensor grad, Tensor embedding, float guard) -> Tensor");
  library.def("seam_relu(Tensor input, Tensor bias, bool moebius) -> Tensor");
  library.def(
      "seam_relu_backward(Tensor grad, Tensor output, bool moebius)"
      " -> (Tensor grad_input, Tensor grad_bias)");
}

TORCH_LIBRARY_IMPL(vsmax, CPU, library) { register_backend(library); }
TORCH_LIBRARY_IMPL(vsmax, Meta, library) { register_meta(library); }
#ifdef VSMAX_WITH_CUDA
TORCH_LIBRARY_IMPL(vsmax, CUDA, library) { register_backend(library); }
#endif

TORCH_LIBRARY_IMPL(vsmax, Autograd, library) {
  library.impl("hough", TORCH_FN(autograd::hough));
  library.impl("hough_adjoint", TORCH_FN(autograd::hough_adjoint));
  library.impl("veronese_readout", TORCH_FN(autograd::veronese_readout));
  library.impl("leading_line", TORCH_FN(autograd::leading_line));
  library.impl("seam_relu", TORCH_FN(autograd::seam_relu));
}

torch::Tensor hough(const torch::Tensor& images, int64_t thetas, int64_t rhos) {
  return dispatch::hough(images, thetas, rhos);
}

torch::Tensor hough_adjoint(const torch::Tensor& accumulators, int64_t width, int64_t height) {
  return dispatch::hough_adjoint(accumulators, width, height);
}

torch::Tensor veronese_readout(const torch::Tensor& logits, bool double_cover, double temperature) {
  static const auto op = find<decltype(veronese_readout)>("vsmax::veronese_readout");
  return op.call(logits, double_cover, temperature);
}

torch::Tensor leading_line(const torch::Tensor& embedding, double guard) {
  static const auto op = find<decltype(leading_line)>("vsmax::leading_line");
  return op.call(embedding, guard);
}

torch::Tensor seam_relu(const torch::Tensor& input, const torch::Tensor& bias, bool moebius) {
  static const auto op = find<decltype(seam_relu)>("vsmax::seam_relu");
  return op.call(input, bias, moebius);
}

namespace dispatch {

torch::Tensor hough(const torch::Tensor& images, c10::SymInt thetas, c10::SymInt rhos) {
  static const auto op = find<decltype(hough)>("vsmax::hough");
  return op.call(images, std::move(thetas), std::move(rhos));
}

torch::Tensor hough_adjoint(const torch::Tensor& accumulators, c10::SymInt width,
                            c10::SymInt height) {
  static const auto op = find<decltype(hough_adjoint)>("vsmax::hough_adjoint");
  return op.call(accumulators, std::move(width), std::move(height));
}

std::tuple<torch::Tensor, torch::Tensor> veronese_readout_forward(const torch::Tensor& logits,
                                                                  bool double_cover,
                                                                  double temperature) {
  static const auto op =
      find<decltype(veronese_readout_forward)>("vsmax::veronese_readout_forward");
  return op.call(logits, double_cover, temperature);
}

torch::Tensor veronese_readout_backward(const torch::Tensor& grad, const torch::Tensor& logits,
                                        const torch::Tensor& barycentre,
                                        const torch::Tensor& log_sum, bool double_cover,
                                        double temperature) {
  static const auto op =
      find<decltype(veronese_readout_backward)>("vsmax::veronese_readout_backward");
  return op.call(grad, logits, barycentre, log_sum, double_cover, temperature);
}

torch::Tensor leading_line_backward(const torch::Tensor& grad, const torch::Tensor& embedding,
                                    double guard) {
  static const auto op = find<decltype(leading_line_backward)>("vsmax::leading_line_backward");
  return op.call(grad, embedding, guard);
}

std::tuple<torch::Tensor, torch::Tensor> seam_relu_backward(const torch::Tensor& grad,
                                                            const torch::Tensor& output,
                                                            bool moebius) {
  static const auto op = find<decltype(seam_relu_backward)>("vsmax::seam_relu_backward");
  return op.call(grad, output, moebius);
}

}  // namespace dispatch

}  // namespace vsmax::ops
