// SPDX-License-Identifier: Apache-2.0
// The Hough transform and its adjoint as operators: each is the other's derivative, so they can be
// differentiated any number of times.
#include "vsmax/hough/hough.h"

#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include <algorithm>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <utility>

#include "vsmax/base/error.h"
#include "vsmax/torch/ops/operator_support.h"
#include "vsmax/torch/ops/ops.h"
#ifdef VSMAX_WITH_CUDA
#include "vsmax/torch/ops/cuda_launch.h"
#include "vsmax/torch/ops/cuda_tables.h"
#endif

namespace vsmax::ops {
namespace {

constexpr const char* kHough = "vsmax::hough";
constexpr const char* kHoughAdjoint = "vsmax::hough_adjoint";

// Checks

int checked_extent(int64_t value, const char* what, const char* op) {
  TORCH_CHECK(value >= 0 && value <= INT32_MAX, op, ": ", what, " is ", value);
  return static_cast<int>(value);
}

HoughGrid checked_grid(int64_t width, int64_t height, int64_t thetas, int64_t rhos,
                       const char* op) {
  try {
    return {{checked_extent(width, "the width", op), checked_extent(height, "the height", op)},
            checked_extent(thetas, "the number of angles T", op),
            checked_extent(rhos, "the number of offsets R", op)};
  } catch (const Error& error) {
    TORCH_CHECK(false, op, ": ", error.what());
  }
}

// CPU: the core's transform, with the last few plans kept

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

struct HoughOnCpu {
  static constexpr int64_t kImagesPerThread = 4;  // starting a thread takes as long as one image

  // The transform from images to accumulators, or with kAdjoint its adjoint in the other direction.
  template <bool kAdjoint>
  static void transform(const HoughGrid& grid, const torch::Tensor& from, torch::Tensor& to) {
    const auto plan = plan_for(grid);
    AT_DISPATCH_FLOATING_TYPES(from.scalar_type(), kHough, [&] {
      const int64_t from_size = from.numel() / from.size(0);
      const int64_t to_size = to.numel() / from.size(0);
      const auto* source = from.data_ptr<scalar_t>();
      auto* target = to.data_ptr<scalar_t>();
      parallel_ranges(from.size(0), kImagesPerThread, [&](int64_t begin, int64_t end) {
        thread_local HoughScratch scratch;
        const auto count = static_cast<std::size_t>(end - begin);
        const std::span inputs(source + begin * from_size, count * from_size);
        const std::span results(target + begin * to_size, count * to_size);
        if constexpr (kAdjoint)
          plan->adjoint(inputs, results, scratch);
        else
          plan->forward(inputs, results, scratch);
      });
    });
  }
};

// CUDA

#ifdef VSMAX_WITH_CUDA
struct HoughOnCuda {
  template <bool kAdjoint>
  static void transform(const HoughGrid& grid, const torch::Tensor& from, torch::Tensor& to) {
    const auto& table = hough_table(grid, from.device());
    AT_DISPATCH_FLOATING_TYPES(from.scalar_type(), kHough, [&] {
      launch_cuda(from, [&](cudaStream_t stream) {
        const auto* source = from.data_ptr<scalar_t>();
        auto* target = to.data_ptr<scalar_t>();
        if constexpr (kAdjoint)
          return hough_adjoint_cuda(table, source, target, from.size(0), stream);
        else
          return hough_forward_cuda(table, source, target, from.size(0), stream);
      });
    });
  }
};
#endif

template <class Device>
torch::Tensor hough_on(const torch::Tensor& images, int64_t thetas, int64_t rhos) {
  const Batch batch = as_batch(images, 2, kHough);
  const HoughGrid grid = checked_grid(batch.data.size(2), batch.data.size(1), thetas, rhos, kHough);
  auto accumulators = new_result(images, 2, {thetas, rhos}, kHough);
  if (accumulators.numel() != 0) Device::template transform<false>(grid, batch.data, accumulators);
  return accumulators;
}

template <class Device>
torch::Tensor hough_adjoint_on(const torch::Tensor& accumulators, int64_t width, int64_t height) {
  const Batch batch = as_batch(accumulators, 2, kHoughAdjoint);
  const HoughGrid grid =
      checked_grid(width, height, batch.data.size(1), batch.data.size(2), kHoughAdjoint);
  auto images = new_result(accumulators, 2, {height, width}, kHoughAdjoint);
  if (images.numel() != 0) Device::template transform<true>(grid, batch.data, images);
  return images;
}

// Meta

torch::Tensor hough_meta(const torch::Tensor& images, c10::SymInt thetas, c10::SymInt rhos) {
  return new_result(images, 2, {std::move(thetas), std::move(rhos)}, kHough);
}

torch::Tensor hough_adjoint_meta(const torch::Tensor& accumulators, c10::SymInt width,
                                 c10::SymInt height) {
  return new_result(accumulators, 2, {std::move(height), std::move(width)}, kHoughAdjoint);
}

// Autograd

torch::Tensor call_hough(const torch::Tensor& images, c10::SymInt thetas, c10::SymInt rhos) {
  static const auto op = find_operator<decltype(call_hough)>(kHough);
  return op.call(images, std::move(thetas), std::move(rhos));
}

torch::Tensor call_hough_adjoint(const torch::Tensor& accumulators, c10::SymInt width,
                                 c10::SymInt height) {
  static const auto op = find_operator<decltype(call_hough_adjoint)>(kHoughAdjoint);
  return op.call(accumulators, std::move(width), std::move(height));
}

// The transform, or with kAdjoint its adjoint.
template <bool kAdjoint>
struct HoughFunction : torch::autograd::Function<HoughFunction<kAdjoint>> {
  static torch::Tensor forward(torch::autograd::AutogradContext* context,
                               const torch::Tensor& input, c10::SymInt first, c10::SymInt second) {
    // 0 for a missing dimension, which the kernel will report.
    const auto extent = [&](int64_t dim) {
      return input.dim() < -dim ? c10::SymInt(0) : input.sym_size(dim);
    };
    context->saved_data["rows"] = extent(-2);
    context->saved_data["columns"] = extent(-1);
    context->saved_data["type"] = static_cast<int64_t>(input.scalar_type());
    const at::AutoDispatchBelowADInplaceOrView below;
    return kAdjoint ? call_hough_adjoint(input, std::move(first), std::move(second))
                    : call_hough(input, std::move(first), std::move(second));
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& grads) {
    const auto type = static_cast<torch::ScalarType>(context->saved_data["type"].toInt());
    const auto rows = context->saved_data["rows"].toSymInt();
    const auto columns = context->saved_data["columns"].toSymInt();
    const auto grad = kAdjoint ? call_hough(grads[0], rows, columns)
                               : call_hough_adjoint(grads[0], columns, rows);
    return {grad.to(type), {}, {}};
  }
};

torch::Tensor hough_autograd(const torch::Tensor& images, c10::SymInt thetas, c10::SymInt rhos) {
  return HoughFunction<false>::apply(images, std::move(thetas), std::move(rhos));
}

torch::Tensor hough_adjoint_autograd(const torch::Tensor& accumulators, c10::SymInt width,
                                     c10::SymInt height) {
  return HoughFunction<true>::apply(accumulators, std::move(width), std::move(height));
}

}  // namespace

torch::Tensor hough(const torch::Tensor& images, int64_t thetas, int64_t rhos) {
  return call_hough(images, thetas, rhos);
}

torch::Tensor hough_adjoint(const torch::Tensor& accumulators, int64_t width, int64_t height) {
  return call_hough_adjoint(accumulators, width, height);
}

TORCH_LIBRARY_FRAGMENT(vsmax, library) {
  library.def("hough(Tensor images, SymInt thetas, SymInt rhos) -> Tensor");
  library.def("hough_adjoint(Tensor accumulators, SymInt width, SymInt height) -> Tensor");
}
TORCH_LIBRARY_IMPL(vsmax, CPU, library) {
  library.impl("hough", TORCH_FN(hough_on<HoughOnCpu>));
  library.impl("hough_adjoint", TORCH_FN(hough_adjoint_on<HoughOnCpu>));
}
#ifdef VSMAX_WITH_CUDA
TORCH_LIBRARY_IMPL(vsmax, CUDA, library) {
  library.impl("hough", TORCH_FN(hough_on<HoughOnCuda>));
  library.impl("hough_adjoint", TORCH_FN(hough_adjoint_on<HoughOnCuda>));
}
#endif
TORCH_LIBRARY_IMPL(vsmax, Meta, library) {
  library.impl("hough", TORCH_FN(hough_meta));
  library.impl("hough_adjoint", TORCH_FN(hough_adjoint_meta));
}
TORCH_LIBRARY_IMPL(vsmax, Autograd, library) {
  library.impl("hough", TORCH_FN(hough_autograd));
  library.impl("hough_adjoint", TORCH_FN(hough_adjoint_autograd));
}

}  // namespace vsmax::ops
