// SPDX-License-Identifier: Apache-2.0
// Internal: where a run's images and their true lines come from. A batch is a function of the seed,
// the epoch and its place in it, so that a resumed run sees exactly the same.
#pragma once

#include <torch/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "vsmax/torch/train/config.h"

namespace vsmax {

struct Batch {
  torch::Tensor images;  // [B, H, W] or [B, 3, H, W] float32
  torch::Tensor truth;   // [B, 2], or [B, K, 2] for several lines, float32: theta, rho / D; NaN for
                         // none
  torch::Tensor whole;   // the truth of the whole batch, if this is only part of it
};

// Which samples of every training batch a process gets: every `count`th one from `index` on, so
// that all parts have a similar mix.
struct Part {
  int index = 0;
  int count = 1;
};

class BatchSource {
 public:
  BatchSource() = default;
  BatchSource(const BatchSource&) = delete;
  BatchSource& operator=(const BatchSource&) = delete;
  virtual ~BatchSource() = default;

  // Training steps per epoch; epochs count from 1, steps from 0. A batch is this process's part.
  virtual std::size_t steps() const = 0;
  virtual Batch training(int epoch, std::size_t step) = 0;

  // training() in two parts, for a step that is captured as a CUDA graph: stage() writes a fixed
  // number of bytes on the host, and unstage() turns a copy of them on the device into a batch,
  // using nothing but kernels. 0 bytes: this source has only training().
  virtual std::size_t staged_bytes() const { return 0; }
  virtual void stage(int /*epoch*/, std::size_t /*step*/, std::uint8_t* /*to*/) {}
  virtual Batch unstage(const torch::Tensor& /*bytes*/) { return {}; }

  // The same images after every epoch; the last batch may be smaller. These are whole batches.
  virtual std::size_t validation_batches() const = 0;
  virtual Batch validation(std::size_t index) = 0;

  // Writes a whole batch to one safetensors file, to find out what went wrong.
  virtual void save_training(const std::string& path, int epoch, std::size_t step) = 0;
  virtual void save_validation(const std::string& path, std::size_t index) = 0;

  // Identifies the photographs and their labels; empty if there are none.
  virtual std::string data_digest() const { return {}; }
};

// The source that the configuration asks for; `folder` holds the photographs, if it needs any.
std::unique_ptr<BatchSource> open_source(const TrainConfig& config, const std::string& folder,
                                         torch::Device device, const Part& part = {});

}  // namespace vsmax
