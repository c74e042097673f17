// SPDX-License-Identifier: Apache-2.0
// Analytic against numerical derivatives, in double: all of the Jacobian for tiny inputs, random
// directions through it for larger ones; and the derivative of the derivative.
#pragma once

#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/types.h>

#include <functional>
#include <vector>

#include "torch/ops/on_device.h"

namespace vsmax::test {

using Tensors = std::vector<torch::Tensor>;
using TensorFunction = std::function<torch::Tensor(const Tensors&)>;

inline Tensors leaves(const Tensors& inputs) {
  Tensors result;
  for (const auto& input : inputs) result.push_back(input.detach().clone().requires_grad_());
  return result;
}

inline Tensors gradients(const torch::Tensor& output, const Tensors& inputs,
                         const torch::Tensor& weights, bool create_graph = false) {
  return torch::autograd::grad({output}, inputs, {weights}, true, create_graph, true);
}

// (f(x + h u) - f(x - h u)) / 2h, the directions given for every input.
inline torch::Tensor numerical_derivative(const TensorFunction& f, const Tensors& inputs,
                                          const Tensors& directions, double step) {
  Tensors plus;
  Tensors minus;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    plus.push_back(inputs[i].detach() + step * directions[i]);
    minus.push_back(inputs[i].detach() - step * directions[i]);
  }
  return ((f(plus) - f(minus)) / (2.0 * step)).detach();
}

// <v, J u> both ways for random u and v.
inline void check_random_directions(const TensorFunction& f, const Tensors& points,
                                    double tolerance = 1e-6, double step = 1e-5) {
  for (int trial = 0; trial < 4; ++trial) {
    const Tensors inputs = leaves(points);
    const auto output = f(inputs);
    const auto v = random_on(output.options().requires_grad(false), output.sizes());
    Tensors directions;
    for (const auto& input : inputs)
      directions.push_back(random_on(input.options().requires_grad(false), input.sizes()));
    const Tensors grads = gradients(output, inputs, v);
    double analytic = 0.0;
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (grads[i].defined()) analytic += (grads[i] * directions[i]).sum().item<double>();
    const double numerical =
        (numerical_derivative(f, inputs, directions, step) * v).sum().item<double>();
    EXPECT_NEAR(analytic, numerical, tolerance * (1.0 + std::abs(numerical)));
  }
}

// Zeros of that shape in plain row-major layout, whatever the layout of `like`.
inline torch::Tensor plain_zeros(const torch::Tensor& like) {
  return torch::zeros(like.sizes(), like.options());
}

// Every entry of the Jacobian.
inline void check_jacobian(const TensorFunction& f, const Tensors& points, double tolerance = 1e-7,
                           double step = 1e-5) {
  const Tensors inputs = leaves(points);
  const auto output = f(inputs);
  Tensors rows;  // for each output entry, the gradients of all inputs side by side
  for (int64_t o = 0; o < output.numel(); ++o) {
    auto pick = plain_zeros(output);
    pick.view(-1)[o] = 1.0;
    Tensors row;
    const Tensors grads = gradients(output, inputs, pick);
    for (std::size_t i = 0; i < inputs.size(); ++i)
      row.push_back(grads[i].defined() ? grads[i].reshape(-1) : plain_zeros(inputs[i]).view(-1));
    rows.push_back(torch::cat(row));
  }
  Tensors columns;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    for (int64_t entry = 0; entry < inputs[i].numel(); ++entry) {
      Tensors directions;
      for (const auto& input : inputs) directions.push_back(plain_zeros(input));
      directions[i].view(-1)[entry] = 1.0;
      columns.push_back(numerical_derivative(f, inputs, directions, step).reshape(-1));
    }
  EXPECT_LT(distance(torch::stack(rows, 0), torch::stack(columns, 1)), tolerance);
}

// The derivative of x, v -> J(x)' v, by random directions.
inline void check_second_derivative(const TensorFunction& f, const Tensors& points) {
  const auto output = f(points);
  Tensors arguments = points;
  arguments.push_back(random_on(output.options(), output.sizes()));
  const TensorFunction pullback = [&](const Tensors& all) {
    Tensors inputs;
    for (std::size_t i = 0; i + 1 < all.size(); ++i)
      inputs.push_back(all[i].requires_grad() ? all[i] : all[i].detach().requires_grad_());
    Tensors flat;
    for (const auto& grad : gradients(f(inputs), inputs, all.back(), true))
      flat.push_back(grad.reshape(-1));
    return torch::cat(flat);
  };
  check_random_directions(pullback, arguments);
}

}  // namespace vsmax::test
