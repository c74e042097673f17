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
  kFloat,     // for comparison
};

struct CudaOptions {
  int device = 0;
  int most_images = 64;  // per batch
  CudaPrecision precision = CudaPrecision::kBfloat16;
};

// The model with an accelerator, for LineRecoverer and BatchRecoverer: the device runs the Hough
// transform and the network, the CPU does the rest, including the confidences. Copies share the
// accelerator. Throws Error if the model cannot run on CUDA, or if there is no device.
Model on_cuda(Model model, const CudaOptions& options = {});

struct CudaLine {
  PixelLine line;  // as from LineRecoverer; not finite if no line was found
  // The EA-score to expect under the network's distribution, given that there is a line. It may be
  // high in an image without one; LineRecoverer's confidence accounts for that.
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

  const ImageFrame& frame() const;  // of every image

  // Any number of images, one after the other, each row by row from the top.
  std::vector<CudaLine> operator()(std::span<const std::uint8_t> images);

  // The same for images that are already on the device, at most CudaOptions::most_images. Returns
  // at once; wait() returns the lines. The images must be complete, because no other stream is
  // waited for, and must stay valid until then.
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
