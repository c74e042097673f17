// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/train/captured_step.h"

#include <cstdlib>
#include <cstring>
#include <exception>
#include <string_view>

#ifdef VSMAX_WITH_CUDA
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>
#endif

namespace vsmax {
namespace {

#ifdef VSMAX_WITH_CUDA

bool wants_graph() {
  const char* wish = std::getenv("VSMAX_TRAIN_GRAPH");
  return wish == nullptr || std::string_view(wish) != "0";
}

// A stream other than the default one, once all work in flight on the device has finished.
c10::cuda::CUDAStream new_stream(torch::Device device) {
  const c10::cuda::CUDAGuard guard(device);
  C10_CUDA_CHECK(cudaDeviceSynchronize());
  return c10::cuda::getStreamFromPool(/*isHighPriority=*/false, device.index());
}

// The first steps run without a graph, as a warm-up that sets up tables, cuDNN's plans and cuBLAS's
// workspaces; then the step is captured. All of them are real training steps. A resumed run starts
// with warm-up steps again, yet ends with the same bits as an uninterrupted one: both kinds of step
// run compute(), so they launch the same kernels in the same order on one stream. The choice of
// kernels depends on shapes, types and memory alignment, never on timing or values, and the memory
// of a graph is aligned like any other.
class GraphedStep final : public CapturedStep {
 public:
  GraphedStep(const StepParts& parts, const std::function<void(const std::string&)>& note)
      : parts_(parts),
        note_(note),
        stream_(new_stream(parts.device)),
        batch_bytes_(static_cast<std::int64_t>(parts.source.staged_bytes())),
        staged_(torch::empty({batch_bytes_ + kNumberBytes}, bytes_on(parts.device))),
        numbers_(staged_.narrow(0, batch_bytes_, kNumberBytes).view(torch::kFloat64)),
        report_(torch::empty({2}, bytes_on(parts.device).dtype(torch::kFloat32))) {}

  // Later work may run on another stream.
  ~GraphedStep() override {
    C10_CUDA_CHECK_WARN(cudaStreamSynchronize(stream_.current_stream().stream()));
  }

  torch::Tensor run(int epoch, std::size_t step, double learning_rate) override {
    stage(epoch, step, learning_rate);
    if (batch_bytes_ == 0) keep(parts_.source.training(epoch, step));
    if (steps_++ == kWarmUp) capture();
    if (captured_)
      graph_->replay();
    else
      compute();
    return report_;
  }

 private:
  static constexpr std::int64_t kNumberBytes = sizeof(AdamWNumbers);
  static constexpr std::int64_t kWarmUp = 3;  // steps

  static torch::TensorOptions bytes_on(torch::Device device) {
    return torch::TensorOptions().dtype(torch::kUInt8).device(device);
  }

  // Copies everything that changes from step to step to the device. torch does not reuse the pinned
  // memory until the copy is done.
  void stage(int epoch, std::size_t step, double learning_rate) {
    const auto host = torch::empty(staged_.sizes(), bytes_on(torch::kCPU).pinned_memory(true));
    auto* to = host.data_ptr<std::uint8_t>();
    if (batch_bytes_ > 0) parts_.source.stage(epoch, step, to);
    const AdamWNumbers numbers = parts_.optimiser.next_step(learning_rate);
    std::memcpy(to + batch_bytes_, &numbers, sizeof(numbers));
    staged_.copy_(host, /*non_blocking=*/true);
  }

  // Puts a batch that was made on the device where the graph reads it. All batches of a run have
  // the same shapes.
  void keep(const Batch& batch) {
    if (batch_.images.defined()) {
      batch_.images.copy_(batch.images);
      batch_.truth.copy_(batch.truth);
    } else {
      batch_ = {batch.images.clone(), batch.truth.clone(), {}};
    }
  }

  // The rest of the step, which the graph captures. It launches only kernels, on memory at fixed
  // addresses, takes no changing values from the host and never waits for the device.
  void compute() {
    parts_.optimiser.forget_gradients();
    const Batch batch =
        batch_bytes_ > 0 ? parts_.source.unstage(staged_.narrow(0, 0, batch_bytes_)) : batch_;
    const torch::Tensor loss = parts_.model.loss(batch.images, batch.truth);
    loss.backward();
    parts_.optimiser.descend(numbers_);
    report_.copy_(
        torch::stack({loss.detach().to(torch::kFloat32), parts_.optimiser.sum_of_squares()}));
  }

  // Capturing runs no kernels, so a failure leaves all values as they were. With ThreadLocal, calls
  // such as allocations are forbidden in this thread only, not in torch's thread that runs the
  // backward pass.
  void capture() {
    graph_ = std::make_unique<at::cuda::CUDAGraph>();
    try {
      graph_->capture_begin({0, 0}, cudaStreamCaptureModeThreadLocal);
      compute();
      graph_->capture_end();
      captured_ = true;
    } catch (const std::exception& error) {
      end_failed_capture();
      const std::string_view text = error.what();
      note_("the training step cannot be captured as a CUDA graph and runs without one: " +
            std::string(text.substr(0, text.find('\n'))));
    }
  }

  void end_failed_capture() {
    try {
      graph_->capture_end();
    } catch (const std::exception&) {
      static_cast<void>(cudaGetLastError());  // it follows from the first error, which is reported
      // Leaked on purpose: if a capture cannot be ended properly, torch's allocator keeps asking
      // this graph about later allocations.
      static_cast<void>(graph_.release());
    }
  }

  StepParts parts_;
  std::function<void(const std::string&)> note_;
  c10::cuda::CUDAStreamGuard stream_;
  std::int64_t batch_bytes_;
  torch::Tensor staged_;   // bytes: the batch, if the host stages it, then AdamW's numbers
  torch::Tensor numbers_;  // a view of the latter
  torch::Tensor report_;
  Batch batch_;  // if it was made on the device: the memory that the graph reads
  std::unique_ptr<at::cuda::CUDAGraph> graph_;
  bool captured_ = false;
  std::int64_t steps_ = 0;
};

#endif

}  // namespace

std::unique_ptr<CapturedStep> open_captured_step(
    [[maybe_unused]] const StepParts& parts,
    [[maybe_unused]] const std::function<void(const std::string&)>& note) {
#ifdef VSMAX_WITH_CUDA
  if (parts.device.is_cuda() && parts.group.alone() && wants_graph())
    return std::make_unique<GraphedStep>(parts, note);
#endif
  return nullptr;
}

}  // namespace vsmax
