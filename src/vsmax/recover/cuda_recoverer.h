// SPDX-License-Identifier: Apache-2.0
// Models of thin lines with a network, such as `paper`, on a CUDA device, without LibTorch.
//
//   vsmax::LineRecoverer recover(vsmax::on_cuda(vsmax::load_model("paper")));  // any image
//
//   vsmax::CudaLineRecoverer recover(vsmax::load_model("paper"));  // batches of small images
//   for (const auto& found : recover(bytes)) use(found.line);
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "vsmax/geometry/image_frame.h"
#include "vsmax/geometry/line.h"
#include "vsmax/recover/model.h"

namespace vsmax {

enum class CudaPrecision {
  kBfloat16,  // tensor cores; sums in float
  kFloat,     // to compare with
};

struct CudaOptions {
  int device = 0;
  int most_images = 64;  // at a time
  CudaPrecision precision = CudaPrecision::kBfloat16;
};

// The model with an accelerator, for LineRecoverer and BatchRecoverer: the device votes and
// refines, the processor does the rest, confidences included. Copies share the device. Throws Error
// for a model that cannot run there, and without a device.
Model on_cuda(Model model, const CudaOptions& options = {});

struct CudaLine {
  PixelLine line;  // as LineRecoverer's; not finite where no line was found
  // The EA-score to expect if there is a line: under the network's distribution alone. An image
  // without a line may get a high one; LineRecoverer's confidence knows better.
  double expected_score = 0.0;
};

// 8-bit images in, lines out, as one CUDA graph: everything is computed on the device. One per
// thread.
class CudaLineRecoverer {
 public:
  explicit CudaLineRecoverer(const Model& model, const CudaOptions& options = {});
  CudaLineRecoverer(const CudaLineRecoverer&) = delete;
  CudaLineRecoverer& operator=(const CudaLineRecoverer&) = delete;
  CudaLineRecoverer(CudaLineRecoverer&&) noexcept;
  CudaLineRecoverer& operator=(CudaLineRecoverer&&) noexcept;
  ~CudaLineRecoverer();

  const ImageFrame& frame() const;  // that all images have

  // Images one after the other, row by row from the top; any number of them.
  std::vector<CudaLine> operator()(std::span<const std::uint8_t> images);

  // The same for images that are on the device already, at most CudaOptions::most_images; the lines
  // stay there as well. Returns at once: the results are there after wait().
  struct OnDevice {
    const std::uint8_t* images;
    std::size_t count;
  };
  void start(const OnDevice& batch);
  std::vector<CudaLine> wait();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace vsmax
