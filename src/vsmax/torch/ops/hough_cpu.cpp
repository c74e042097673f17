// SPDX-License-Identifier: Apache-2.0
// The core's Hough transform behind the operator, with the last few plans kept.
#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <list>
#include <memory>
#include <mutex>

#include "vsmax/hough/hough.h"
#include "vsmax/torch/ops/op_kernels.h"

namespace vsmax::ops {

namespace {

// A program uses one grid, or a handful; each plan of the paper's size takes 1.4 MB.
std::shared_ptr<const HoughTransform> plan_for(const HoughGrid& grid) {
  constexpr std::size_t kKept = 8;
  static std::mutex mutex;
  static std::list<std::shared_ptr<const HoughTransform>> plans;  // latest first
  const std::lock_guard lock(mutex);
  const auto found = std::find_if(plans.begin(), plans.end(),
                                  [&](const auto& plan) { return plan->grid() == grid; });
  if (found != plans.end()) {
    plans.splice(plans.begin(), plans, found);
  } else {
    plans.push_front(std::make_shared<const HoughTransform>(grid));
    if (plans.size() > kKept) plans.pop_back();
  }
  return plans.front();
}

HoughScratch& thread_scratch() {
  thread_local HoughScratch scratch;
  return scratch;
}

void forward(const HoughGrid& grid, const torch::Tensor& images, torch::Tensor& accumulators) {
  const auto plan = plan_for(grid);
  const int64_t pixels = images.size(1) * images.size(2);
  const auto cells = static_cast<int64_t>(grid.cells());
  AT_DISPATCH_FLOATING_TYPES(images.scalar_type(), "hough", [&] {
    const auto* from = images.data_ptr<scalar_t>();
    auto* to = accumulators.data_ptr<scalar_t>();
    at::parallel_for(0, images.size(0), 1, [&](int64_t begin, int64_t end) {
      plan->forward(from + begin * pixels, to + begin * cells, static_cast<int>(end - begin),
                    thread_scratch());
    });
  });
}

void adjoint(const HoughGrid& grid, const torch::Tensor& accumulators, torch::Tensor& images) {
  const auto plan = plan_for(grid);
  const auto pixels = static_cast<int64_t>(grid.frame().width) * grid.frame().height;
  const auto cells = static_cast<int64_t>(grid.cells());
  AT_DISPATCH_FLOATING_TYPES(accumulators.scalar_type(), "hough_adjoint", [&] {
    const auto* from = accumulators.data_ptr<scalar_t>();
    auto* to = images.data_ptr<scalar_t>();
    at::parallel_for(0, accumulators.size(0), 1, [&](int64_t begin, int64_t end) {
      plan->adjoint(from + begin * cells, to + begin * pixels, static_cast<int>(end - begin),
                    thread_scratch());
    });
  });
}

}  // namespace

const HoughKernels kHoughCpu{forward, adjoint};

}  // namespace vsmax::ops
