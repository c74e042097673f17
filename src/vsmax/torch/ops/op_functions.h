// SPDX-License-Identifier: Apache-2.0
// Internal: the functions that ops.cpp registers. "backend" serves CPU and CUDA; "meta"
// gives the shape alone; "autograd" records the derivative; "dispatch" goes through the dispatcher,
// below autograd. Where an extent may be a symbol of torch.compile, it is a SymInt.
#pragma once

#include <torch/types.h>

#include <tuple>

namespace vsmax::ops {

namespace backend {
torch::Tensor hough(const torch::Tensor& images, int64_t thetas, int64_t rhos);
torch::Tensor hough_adjoint(const torch::Tensor& accumulators, int64_t width, int64_t height);

torch::Tensor veronese_readout(const torch::Tensor& logits, bool double_cover, double temperature);
std::tuple<torch::Tensor, torch::Tensor> veronese_readout_forward(const torch::Tensor& logits,
                                                                  bool double_cover,
                                                                  double temperature);
torch::Tensor veronese_readout_backward(const torch::Tensor& grad, const torch::Tensor& logits,
                                        const torch::Tensor& barycentre,
                                        const torch::Tensor& log_sum, bool double_cover,
                                        double temperature);

torch::Tensor leading_line(const torch::Tensor& embedding, double guard);
torch::Tensor leading_line_backward(const torch::Tensor& grad, const torch::Tensor& embedding,
                                    double guard);

torch::Tensor seam_relu(const torch::Tensor& input, const torch::Tensor& bias, bool moebius);
std::tuple<torch::Tensor, torch::Tensor> seam_relu_backward(const torch::Tensor& grad,
                                                            const torch::Tensor& output,
                                                            bool moebius);
}  // namespace backend

namespace meta {
torch::Tensor hough(const torch::Tensor& images, c10::SymInt thetas, c10::SymInt rhos);
torch::Tensor hough_adjoint(const torch::Tensor& accumulators, c10::SymInt width,
                            c10::SymInt height);

torch::Tensor veronese_readout(const torch::Tensor& logits, bool double_cover, double temperature);
std::tuple<torch::Tensor, torch::Tensor> veronese_readout_forward(const torch::Tensor& logits,
                                                                  bool double_cover,
                                                                  double temperature);
torch::Tensor veronese_readout_backward(const torch::Tensor& grad, const torch::Tensor& logits,
                                        const torch::Tensor& barycentre,
                                        const torch::Tensor& log_sum, bool double_cover,
                                        double temperature);

torch::Tensor leading_line(const torch::Tensor& embedding, double guard);
torch::Tensor leading_line_backward(const torch::Tensor& grad, const torch::Tensor& embedding,
                                    double guard);

torch::Tensor seam_relu(const torch::Tensor& input, const torch::Tensor& bias, bool moebius);
std::tuple<torch::Tensor, torch::Tensor> seam_relu_backward(const torch::Tensor& grad,
                                                            const torch::Tensor& output,
                                                            bool moebius);
}  // namespace meta

namespace autograd {
torch::Tensor hough(const torch::Tensor& images, c10::SymInt thetas, c10::SymInt rhos);
torch::Tensor hough_adjoint(const torch::Tensor& accumulators, c10::SymInt width,
                            c10::SymInt height);
torch::Tensor veronese_readout(const torch::Tensor& logits, bool double_cover, double temperature);
torch::Tensor leading_line(const torch::Tensor& embedding, double guard);
torch::Tensor seam_relu(const torch::Tensor& input, const torch::Tensor& bias, bool moebius);
}  // namespace autograd

namespace dispatch {
torch::Tensor hough(const torch::Tensor& images, c10::SymInt thetas, c10::SymInt rhos);
torch::Tensor hough_adjoint(const torch::Tensor& accumulators, c10::SymInt width,
                            c10::SymInt height);
std::tuple<torch::Tensor, torch::Tensor> veronese_readout_forward(const torch::Tensor& logits,
                                                                  bool double_cover,
                                                                  double temperature);
torch::Tensor veronese_readout_backward(const torch::Tensor& grad, const torch::Tensor& logits,
                                        const torch::Tensor& barycentre,
                                        const torch::Tensor& log_sum, bool double_cover,
                                        double temperature);
torch::Tensor leading_line_backward(const torch::Tensor& grad, const torch::Tensor& embedding,
                                    double guard);
std::tuple<torch::Tensor, torch::Tensor> seam_relu_backward(const torch::Tensor& grad,
                                                            const torch::Tensor& output,
                                                            bool moebius);
}  // namespace dispatch

}  // namespace vsmax::ops
