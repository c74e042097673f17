// SPDX-License-Identifier: Apache-2.0
// Times our CUDA code, without LibTorch, and prints JSON; benchmarks/cuda/cuda_bench.py runs it
// beside its peers. Work is captured several times in one CUDA graph, so that launch overhead does
// not count, and a sample is the time of one repetition.
//   vsmax-cuda-bench [--once] [PART]
// PART is part of the names to time, such as "hough". With --once, every piece of work runs once
// and nothing is timed or printed: for profilers.
#include <cuda_bf16.h>
#include <cuda_runtime_api.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vsmax/base/cuda_graph.h"
#include "vsmax/hough/device_hough_table.h"
#include "vsmax/readout/device_line_readout.h"
#include "vsmax/recover/cuda_recoverer.h"
#include "vsmax/recover/grid_choice.h"
#include "vsmax/recover/model.h"
#include "vsmax/refine/device_refine_weights.h"
#include "vsmax/refine/refine_net.h"
#include "vsmax/refine/refine_net_backward_cuda.h"

namespace vsmax {
namespace {

constexpr int kSamples = 30;
constexpr int kRepetitions = 20;

class Event {
 public:
  Event() { check_cuda(cudaEventCreate(&event_)); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { cudaEventDestroy(event_); }

  void record(const CudaStream& stream) { check_cuda(cudaEventRecord(event_, stream.get())); }
  double microseconds_since(const Event& begin) const {
    check_cuda(cudaEventSynchronize(event_));
    float milliseconds = 0.0F;
    check_cuda(cudaEventElapsedTime(&milliseconds, begin.event_, event_));
    return 1e3 * static_cast<double>(milliseconds);
  }

 private:
  cudaEvent_t event_ = nullptr;
};

class Bench {
 public:
  Bench(bool once, std::string part) : once_(once), part_(std::move(part)) {}

  // `enqueue(stream)` puts one repetition on the stream.
  void time(const std::string& name, std::size_t batch,
            const std::function<void(cudaStream_t)>& enqueue) {
    if (!is_wanted(name)) return;
    enqueue(stream_.get());
    if (once_) return stream_.wait();
    const CudaGraph graph(stream_, [&] {
      for (int i = 0; i < kRepetitions; ++i) enqueue(stream_.get());
    });
    Event begin;
    Event end;
    std::vector<double> samples;
    for (int i = -3; i < kSamples; ++i) {  // the first few warm up
      begin.record(stream_);
      graph.start(stream_);
      end.record(stream_);
      const double sample = end.microseconds_since(begin) / kRepetitions;
      if (i >= 0) samples.push_back(sample);
    }
    add(name, batch, samples);
  }

  // Timed on the host, from the call until its result is there.
  void time_call(const std::string& name, std::size_t batch, const std::function<void()>& call) {
    if (!is_wanted(name)) return;
    if (once_) return call();
    std::vector<double> samples;
    for (int i = -3; i < kSamples; ++i) {
      const auto begin = std::chrono::steady_clock::now();
      for (int k = 0; k < kRepetitions; ++k) call();
      const std::chrono::duration<double, std::micro> took =
          std::chrono::steady_clock::now() - begin;
      if (i >= 0) samples.push_back(took.count() / kRepetitions);
    }
    add(name, batch, samples);
  }

  void print() const {
    if (!once_) std::cout << results_.dump() << "\n";
  }

 private:
  bool is_wanted(const std::string& name) const { return name.find(part_) != std::string::npos; }

  void add(const std::string& name, std::size_t batch, const std::vector<double>& samples) {
    results_.push_back({{"name", name}, {"batch", batch}, {"us", samples}});
  }

  bool once_;
  std::string part_;
  CudaStream stream_;
  nlohmann::json results_ = nlohmann::json::array();
};

template <class Value>
DeviceArray<Value> noise(std::size_t size) {
  std::mt19937 random(1);
  std::vector<Value> values(size);
  for (Value& value : values)
    if constexpr (std::is_same_v<Value, std::uint8_t>)
      value = static_cast<std::uint8_t>(random() % 256);
    else
      value = static_cast<Value>(static_cast<float>(random() % 1024) / 1024.0F);
  return DeviceArray<Value>(values);
}

// The network's parameters as a trainer holds them.
struct TrainedParameters {
  std::vector<DeviceArray<float>> arrays;
  RefineParameters pointers{};
  DeviceArray<std::byte> packed{refine_packed_bytes()};

  explicit TrainedParameters(const std::vector<ConvLayer>& layers) {
    for (std::size_t l = 0; l < layers.size(); ++l) {
      pointers.weights[l] = arrays.emplace_back(layers[l].weights).data();
      pointers.biases[l] = arrays.emplace_back(layers[l].biases).data();
    }
  }
  PackedRefineWeights weights() const { return PackedRefineWeights(packed.data()); }
};

void run(bool once, const std::string& part) {
  const Model model = load_model("paper");
  const HoughGrid grid = grid_for(model.spec, *model.spec.frame);
  const CellShape shape = grid.shape(model.spec.cover);
  const DeviceHoughTable hough(grid);
  const DeviceRefineWeights net(model.net->layers());
  TrainedParameters parameters(model.net->layers());
  const DeviceLineReadout readout(grid, model.spec.cover, model.spec.temperature);
  Bench bench(once, part);
  for (const std::size_t batch : {64, 1}) {
    const auto images = static_cast<std::int64_t>(batch);
    const auto bytes = noise<std::uint8_t>(batch * grid.frame().pixels());
    const auto halves = noise<__nv_bfloat16>(batch * grid.frame().pixels());
    auto floats = noise<float>(batch * grid.frame().pixels());
    auto accumulators = noise<float>(batch * grid.cells());
    DeviceArray<float> logits(batch * shape.count());
    DeviceArray<std::byte> net_scratch(
        refine_net_cuda_scratch_bytes(RefinePrecision::kFloat, shape, images));
    DeviceArray<double> readout_scratch(line_readout_cuda_scratch(shape, images));
    DeviceArray<LineOnDevice> lines(batch);
    const auto forward = [&](const auto& pixels) {
      return [&](cudaStream_t stream) {
        check_cuda(hough_forward_cuda(hough.on_device(), pixels.data(), accumulators.data(), images,
                                      stream));
      };
    };
    bench.time("hough forward/vsmax, 8 bits", batch, forward(bytes));
    bench.time("hough forward/vsmax, bfloat16", batch, forward(halves));
    bench.time("hough forward/vsmax, float", batch, forward(floats));
    bench.time("hough adjoint/vsmax, float", batch, [&](cudaStream_t stream) {
      check_cuda(hough_adjoint_cuda(hough.on_device(), accumulators.data(), floats.data(), images,
                                    stream));
    });
    const auto refine = [&](RefinePrecision precision, cudaStream_t stream) {
      check_cuda(refine_net_cuda(precision, net.on_device(), shape, accumulators.data(),
                                 static_cast<float>(model.spec.scale), images, net_scratch.data(),
                                 logits.data(), stream));
    };
    const auto read = [&](cudaStream_t stream) {
      check_cuda(line_readout_cuda(readout.on_device(), logits.data(), images,
                                   readout_scratch.data(), lines.data(), stream));
    };
    bench.time("network/vsmax, bfloat16", batch,
               [&](cudaStream_t stream) { refine(RefinePrecision::kBfloat16, stream); });
    bench.time("network/vsmax, float", batch,
               [&](cudaStream_t stream) { refine(RefinePrecision::kFloat, stream); });
    bench.time("readout/vsmax", batch, read);
    bench.time("network/vsmax, bfloat16, with readout", batch, [&](cudaStream_t stream) {
      refine(RefinePrecision::kBfloat16, stream);
      read(stream);
    });

    DeviceArray<std::byte> maps(refine_net_maps_bytes(shape, images));
    DeviceArray<std::byte> gradient_scratch(refine_net_backward_scratch_bytes(shape, images));
    DeviceArray<float> parameter_gradients(kRefineParameters);
    const auto scale = static_cast<float>(model.spec.scale);
    const auto train = [&](cudaStream_t stream) {
      check_cuda(pack_refine_weights_cuda(parameters.pointers, parameters.packed.data(), stream));
      check_cuda(refine_net_with_maps_cuda(parameters.weights().forward, shape, accumulators.data(),
                                           scale, images, maps.data(), logits.data(), stream));
    };
    const auto train_backwards = [&](cudaStream_t stream) {
      check_cuda(refine_net_backward_cuda(
          parameters.weights(), shape, accumulators.data(), scale, images, maps.data(),
          logits.data(), gradient_scratch.data(), parameter_gradients.data(), nullptr, stream));
    };
    bench.time("network for training/vsmax, bfloat16, forward", batch, train);
    bench.time("network for training/vsmax, bfloat16, backward", batch, train_backwards);

    CudaLineRecoverer recover(model, {.most_images = static_cast<int>(batch)});
    bench.time_call("image to line/vsmax, from the device", batch, [&] {
      recover.start({bytes.data(), batch});
      recover.wait();
    });
    const std::vector<std::uint8_t> on_host = bytes.to_host();
    bench.time_call("image to line/vsmax, from the host", batch, [&] { recover(on_host); });
  }
  bench.print();
}

}  // namespace
}  // namespace vsmax

int main(int argc, char** argv) {
  try {
    const bool once = argc > 1 && std::string_view(argv[1]) == "--once";
    const int next = once ? 2 : 1;
    vsmax::run(once, argc > next ? argv[next] : "");
  } catch (const vsmax::Error& error) {
    std::cerr << "vsmax-cuda-bench: " << error.what() << "\n";
    return 1;
  }
  return 0;
}
