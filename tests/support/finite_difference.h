// SPDX-License-Identifier: Apache-2.0
// Derivatives by central differences of fourth order.
#pragma once

namespace vsmax::test {

// d/dh f(h) at h = 0; error of order step^4 plus rounding / step.
template <class Function>
double derivative(const Function& f, double step = 1e-3) {
  return (8.0 * (f(step) - f(-step)) - (f(2.0 * step) - f(-2.0 * step))) / (12.0 * step);
}

}  // namespace vsmax::test
