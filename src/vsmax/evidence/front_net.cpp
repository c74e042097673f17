// SPDX-License-Identifier: Apache-2.0
#include "vsmax/evidence/front_net.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>

#include "vsmax/conv/conv_kernels.h"
#include "vsmax/conv/scale_kernels.h"
#include "vsmax/conv/winograd.h"

namespace vsmax {

namespace {

constexpr std::size_t kChannels = kConvChannels;

// log(1 + e^x) without overflow.
float softplus(float x) { return std::max(x, 0.0F) + std::log1p(std::exp(-std::abs(x))); }

// One forward pass: runs kernels on groups of rows, which the threads share.
class Run {
 public:
  Run(const std::vector<PackedLayer>& layers, const ImageFrame& frame, FrontNet::Scratch& scratch)
      : layers_(layers), scratch_(scratch) {
    const int threads = resolve_threads(scratch.threads);
    if (!scratch.pool || scratch.pool->threads() != threads)
      scratch.pool = std::make_unique<ThreadPool>(threads);
    scratch.workspaces.resize(static_cast<std::size_t>(threads));
    for (std::size_t s = 0; s < FrontNet::kScales; ++s) {
      shapes_[s] = {static_cast<std::size_t>(frame.height) >> s,
                    static_cast<std::size_t>(frame.width) >> s, std::nullopt};
      scratch.scales[s].resize(shapes_[s].rows * shapes_[s].columns * kChannels);
    }
    for (auto& map : scratch.maps) map.resize(scratch.scales[0].size());
    for (auto& space : scratch.workspaces) space.resize(winograd_workspace(shapes_[0]));
  }

  const FeatureShape& shape(std::size_t scale) const { return shapes_[scale]; }

  // Calls body(range, worker) until all rows of a scale are covered.
  template <class Body>
  void for_rows(std::size_t scale, const Body& body) {
    const std::size_t rows = shapes_[scale].rows;
    const auto piece = [&](std::size_t item, std::size_t worker) {
      const std::size_t begin = item * kWinogradRows;
      body(RowRange{begin, std::min(begin + kWinogradRows, rows)}, worker);
    };
    scratch_.pool->for_each((rows + kWinogradRows - 1) / kWinogradRows, std::ref(piece));
  }

  // The next layer, which must be 32 -> 32.
  void convolve(std::size_t scale, const AlignedFloats& input, AlignedFloats& output) {
    const PackedLayer& layer = layers_[next_++];
    for_rows(scale, [&](RowRange range, std::size_t worker) {
      winograd_layer(shapes_[scale], input.data(), layer.transformed.data(), layer.biases.data(),
                     output.data(), range, scratch_.workspaces[worker].data());
    });
  }

  const PackedLayer& next_layer() { return layers_[next_++]; }

 private:
  const std::vector<PackedLayer>& layers_;
  FrontNet::Scratch& scratch_;
  std::array<FeatureShape, FrontNet::kScales> shapes_;
  std::size_t next_ = 0;
};

}  // namespace

std::vector<ChannelCounts> FrontNet::channel_counts() {
  // Two layers for each scale going down, one for each but the smallest going up, and the last.
  std::vector<ChannelCounts> counts(3 * kScales, {kChannels, kChannels});
  counts.front().first = kInputs;
  counts.back().second = 1;
  return counts;
}

FrontNet::FrontNet(const SafeTensors& file, const std::string& name)
    : layers_(read_conv_layers(file, name, "front", channel_counts())),
      packed_(layers_.begin(), layers_.end()) {}

void FrontNet::forward(std::span<const float> image, const ImageFrame& frame,
                       std::span<float> evidence, Scratch& scratch) const {
  assert(frame.width % kGranule == 0 && frame.height % kGranule == 0);
  assert(image.size() == kInputs * frame.pixels() && evidence.size() == frame.pixels());
  Run run(packed_, frame, scratch);
  AlignedFloats& map = scratch.maps[0];
  AlignedFloats& other = scratch.maps[1];

  const PackedLayer& first = run.next_layer();
  run.for_rows(0, [&](RowRange range, std::size_t) {
    first_layer(run.shape(0), kInputs, image.data(), 1.0F, first.direct.data(), first.biases.data(),
                map.data(), range);
  });
  run.convolve(0, map, scratch.scales[0]);
  for (std::size_t s = 1; s < kScales; ++s) {
    run.for_rows(s, [&](RowRange range, std::size_t) {
      halve(run.shape(s), scratch.scales[s - 1].data(), map.data(), range);
    });
    run.convolve(s, map, other);
    run.convolve(s, other, scratch.scales[s]);
  }
  const float* smaller = scratch.scales[kScales - 1].data();
  for (std::size_t s = kScales - 1; s-- > 0;) {
    run.for_rows(s, [&](RowRange range, std::size_t) {
      add_doubled(run.shape(s), smaller, scratch.scales[s].data(), range);
    });
    run.convolve(s, scratch.scales[s], map);
    smaller = map.data();
  }
  const PackedLayer& last = run.next_layer();
  run.for_rows(0, [&](RowRange range, std::size_t) {
    last_layer(run.shape(0), map.data(), last.direct.data(), last.biases[0], evidence.data(),
               range);
    const auto columns = static_cast<std::size_t>(frame.width);
    for (float& value :
         evidence.subspan(range.begin * columns, (range.end - range.begin) * columns))
      value = softplus(value);
  });
}

}  // namespace vsmax
