// SPDX-License-Identifier: Apache-2.0
#include "vsmax/recover/cuda_recoverer.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "vsmax/base/cuda_graph.h"
#include "vsmax/hough/device_hough_table.h"
#include "vsmax/readout/device_line_readout.h"
#include "vsmax/recover/accelerator.h"
#include "vsmax/recover/grid_choice.h"
#include "vsmax/refine/device_refine_weights.h"
#include "vsmax/refine/refine_net.h"

namespace vsmax {
namespace {

void require_runnable(const Model& model) {
  const ModelSpec& spec = model.spec;
  if (!model.candidates.empty() || spec.evidence != EvidenceKind::kIntensity || !model.net ||
      spec.readout != Readout::kVeronese || !spec.frame)
    throw Error(
        "the model '" + model.name +
        "' does not run on CUDA: only models of thin lines with a network and the VSmax readout "
        "do, such as paper");
}

const Model& runnable(const Model& model, const CudaOptions& options) {
  require_runnable(model);
  if (options.most_images < 1)
    throw Error("a batch must hold at least one image, not " + std::to_string(options.most_images));
  if (const cudaError_t status = cudaSetDevice(options.device); status != cudaSuccess)
    throw Error("CUDA device " + std::to_string(options.device) + " cannot be used (" +
                cudaGetErrorString(status) + ")");
  return model;
}

// The stages on the device, and the memory for a batch.
class CudaStages {
 public:
  CudaStages(const Model& model, const CudaOptions& options)
      : grid_(grid_for(model.spec, *model.spec.frame)),
        shape_(grid_.shape(model.spec.cover)),
        scale_(static_cast<float>(model.spec.scale)),
        precision_(options.precision == CudaPrecision::kFloat ? RefinePrecision::kFloat
                                                              : RefinePrecision::kBfloat16),
        most_(static_cast<std::size_t>(options.most_images)),
        hough_(grid_),
        net_(model.net->layers()),
        readout_(grid_, model.spec.cover, model.spec.temperature),
        accumulators_(most_ * grid_.cells()),
        logits_(most_ * shape_.count()),
        net_scratch_(refine_net_cuda_scratch_bytes(precision_, shape_, options.most_images)),
        readout_scratch_(line_readout_cuda_scratch(shape_, options.most_images)) {}

  const HoughGrid& grid() const { return grid_; }
  const CellShape& shape() const { return shape_; }
  std::size_t most() const { return most_; }
  const float* accumulators() const { return accumulators_.data(); }
  const float* logits() const { return logits_.data(); }

  template <class Pixel>
  void enqueue_logits(const Pixel* images, std::size_t count, cudaStream_t stream) {
    const auto batch = static_cast<std::int64_t>(count);
    check_cuda(hough_forward_cuda(hough_.on_device(), images, accumulators_.data(), batch, stream));
    check_cuda(refine_net_cuda(precision_, net_.on_device(), shape_, accumulators_.data(), scale_,
                               batch, net_scratch_.data(), logits_.data(), stream));
  }

  // `lines` may be pinned host memory.
  void enqueue_lines(std::size_t count, LineOnDevice* lines, cudaStream_t stream) {
    check_cuda(line_readout_cuda(readout_.on_device(), logits_.data(),
                                 static_cast<std::int64_t>(count), readout_scratch_.data(), lines,
                                 stream));
  }

 private:
  HoughGrid grid_;
  CellShape shape_;
  float scale_;
  RefinePrecision precision_;
  std::size_t most_;
  DeviceHoughTable hough_;
  DeviceRefineWeights net_;
  DeviceLineReadout readout_;
  DeviceArray<float> accumulators_;
  DeviceArray<float> logits_;
  DeviceArray<std::byte> net_scratch_;
  DeviceArray<double> readout_scratch_;
};

// One CUDA graph per batch size, captured when that size occurs for the second time: the first time
// loads the kernels, which is not allowed during capture.
class Graphs {
 public:
  template <class Enqueue>
  void start(std::size_t count, const CudaStream& stream, const Enqueue& enqueue) {
    const auto [place, is_first] = graphs_.try_emplace(count);
    if (is_first) return enqueue();
    std::optional<CudaGraph>& graph = place->second;
    if (!graph) graph.emplace(stream, enqueue);
    graph->start(stream);
  }

 private:
  std::map<std::size_t, std::optional<CudaGraph>> graphs_;
};

struct Request {
  std::span<const float> pixels;
  std::span<float> accumulator;
  std::span<float> logits;
  bool done = false;
  std::exception_ptr failure{};
};

// Serves one batch at a time: copies it to the device, computes, and copies the results back.
class Lane {
 public:
  Lane(const Model& model, const CudaOptions& options)
      : stages_(model, options),
        pixels_(stages_.most() * stages_.grid().frame().pixels()),
        images_(pixels_.size()),
        accumulators_(stages_.most() * stages_.grid().cells()),
        logits_(stages_.most() * stages_.shape().count()) {}

  void serve(std::span<Request* const> requests) {
    const std::size_t pixels = stages_.grid().frame().pixels();
    const std::size_t cells = stages_.grid().cells();
    const std::size_t all = stages_.shape().count();
    const std::size_t count = requests.size();
    for (std::size_t i = 0; i < count; ++i)
      std::copy_n(requests[i]->pixels.data(), pixels, pixels_.data() + i * pixels);
    graphs_.start(count, stream_, [&] {
      copy_to_device(images_.data(), pixels_.data(), count * pixels, stream_.get());
      stages_.enqueue_logits(images_.data(), count, stream_.get());
      copy_to_host(accumulators_.data(), stages_.accumulators(), count * cells, stream_.get());
      copy_to_host(logits_.data(), stages_.logits(), count * all, stream_.get());
    });
    stream_.wait();
    for (std::size_t i = 0; i < count; ++i) {
      std::copy_n(accumulators_.data() + i * cells, cells, requests[i]->accumulator.data());
      std::copy_n(logits_.data() + i * all, all, requests[i]->logits.data());
    }
  }

 private:
  CudaStream stream_;
  CudaStages stages_;
  PinnedArray<float> pixels_;
  DeviceArray<float> images_;
  PinnedArray<float> accumulators_;
  PinnedArray<float> logits_;
  Graphs graphs_;
};

// Dynamic batching: a thread that finds a free lane serves all waiting requests, so that batches
// grow with the load. With two lanes, one can copy while the other computes.
class CudaAccelerator : public Accelerator {
 public:
  CudaAccelerator(const Model& model, const CudaOptions& options)
      : options_(options), first_(model, options), second_(model, options) {}

  void refine(std::span<const float> pixels, std::span<float> accumulator,
              std::span<float> logits) override {
    Request request{pixels, accumulator, logits};
    std::vector<Request*> taken;
    taken.reserve(static_cast<std::size_t>(options_.most_images));  // nothing below may throw
    std::unique_lock lock(mutex_);
    waiting_.push_back(&request);
    while (!request.done) {
      if (waiting_.empty() || free_.empty()) {
        changed_.wait(lock);
        continue;
      }
      Lane* lane = free_.back();
      free_.pop_back();
      const std::size_t count =
          std::min(waiting_.size(), static_cast<std::size_t>(options_.most_images));
      const auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(count);
      taken.assign(waiting_.begin(), end);
      waiting_.erase(waiting_.begin(), end);
      lock.unlock();
      const std::exception_ptr failure = serve(*lane, taken);
      lock.lock();
      free_.push_back(lane);
      for (Request* served : taken) {
        served->failure = failure;
        served->done = true;
      }
      changed_.notify_all();
    }
    if (request.failure) std::rethrow_exception(request.failure);
  }

 private:
  std::exception_ptr serve(Lane& lane, std::span<Request* const> requests) const {
    try {
      check_cuda(cudaSetDevice(options_.device));
      lane.serve(requests);
    } catch (...) {
      return std::current_exception();
    }
    return nullptr;
  }

  CudaOptions options_;
  Lane first_;
  Lane second_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Lane*> free_{&first_, &second_};
  std::vector<Request*> waiting_;
};

}  // namespace

Model on_cuda(Model model, const CudaOptions& options) {
  model.accelerator = std::make_shared<CudaAccelerator>(runnable(model, options), options);
  return model;
}

struct CudaLineRecoverer::State {
  State(const Model& model, const CudaOptions& options)
      : device(options.device),
        stages(model, options),
        pixels(stages.most() * stages.grid().frame().pixels()),
        images(pixels.size()),
        lines(stages.most()) {}

  // From `images` to `lines`.
  void start(std::size_t batch) {
    count = batch;
    graphs.start(batch, stream, [&] {
      stages.enqueue_logits(images.data(), batch, stream.get());
      stages.enqueue_lines(batch, lines.data(), stream.get());
    });
  }

  std::vector<CudaLine> wait() {
    stream.wait();
    std::vector<CudaLine> found;
    for (std::size_t i = 0; i < count; ++i)
      found.push_back({lines.data()[i].line, lines.data()[i].expected_score});
    count = 0;
    return found;
  }

  int device;
  CudaStream stream;
  CudaStages stages;
  PinnedArray<std::uint8_t> pixels;
  DeviceArray<std::uint8_t> images;
  PinnedArray<LineOnDevice> lines;
  Graphs graphs;
  std::size_t count = 0;  // images in flight
};

CudaLineRecoverer::CudaLineRecoverer(const Model& model, const CudaOptions& options)
    : state_(std::make_unique<State>(runnable(model, options), options)) {}
CudaLineRecoverer::CudaLineRecoverer(CudaLineRecoverer&&) noexcept = default;
CudaLineRecoverer& CudaLineRecoverer::operator=(CudaLineRecoverer&&) noexcept = default;
CudaLineRecoverer::~CudaLineRecoverer() = default;

const ImageFrame& CudaLineRecoverer::frame() const { return state_->stages.grid().frame(); }

std::vector<CudaLine> CudaLineRecoverer::operator()(std::span<const std::uint8_t> images) {
  State& state = *state_;
  const std::size_t pixels = frame().pixels();
  if (images.size() % pixels != 0)
    throw Error(std::to_string(images.size()) + " bytes are not a whole number of images of " +
                std::to_string(frame().width) + "x" + std::to_string(frame().height) + " pixels");
  check_cuda(cudaSetDevice(state.device));
  std::vector<CudaLine> found;
  for (std::size_t begin = 0; begin < images.size(); begin += state.pixels.size()) {
    const std::size_t size = std::min(images.size() - begin, state.pixels.size());
    std::copy_n(images.data() + begin, size, state.pixels.data());
    copy_to_device(state.images.data(), state.pixels.data(), size, state.stream.get());
    state.start(size / pixels);
    const auto batch = state.wait();
    found.insert(found.end(), batch.begin(), batch.end());
  }
  return found;
}

void CudaLineRecoverer::start(const OnDevice& batch) {
  State& state = *state_;
  if (batch.count > state.stages.most())
    throw Error("a batch of " + std::to_string(batch.count) + " images exceeds the " +
                std::to_string(state.stages.most()) + " that this recoverer was created for");
  check_cuda(cudaSetDevice(state.device));
  if (batch.count == 0) return;
  check_cuda(cudaMemcpyAsync(state.images.data(), batch.images, batch.count * frame().pixels(),
                             cudaMemcpyDeviceToDevice, state.stream.get()));
  state.start(batch.count);
}

std::vector<CudaLine> CudaLineRecoverer::wait() { return state_->wait(); }

}  // namespace vsmax
