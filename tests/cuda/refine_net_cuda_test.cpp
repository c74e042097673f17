// SPDX-License-Identifier: Apache-2.0
// The refinement network's kernels: in float as the core, in bfloat16 as a slow network that rounds
// in the same places.
#include "vsmax/refine/refine_net_cuda.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "bfloat16_rounding.h"
#include "cuda_test.h"
#include "support/largest_error.h"
#include "support/reference_net.h"

namespace vsmax {
namespace {

std::vector<float> on_cover(const std::vector<float>& once, const CellShape& shape) {
  if (shape.cover == Cover::kSingle) return once;
  std::vector<float> twice(shape.count());
  double_cover<float>({once.data(), shape.on(Cover::kSingle)}, Cells<float>(twice.data(), shape));
  return twice;
}

struct BatchOf {
  CellShape shape;
  int images = 1;
};

// Rows and rhos below, at and above the kernels' strips of 16 rhos, tiles of 128, and groups of
// 3 and 8 rows.
std::vector<BatchOf> batches() {
  std::vector<BatchOf> all{
      {{1, 1}},
      {{1, 3, Cover::kDouble}},
      {{2, 15}, 3},
      {{5, 16, Cover::kDouble}, 3},
      {{5, 17}, 3},
      {{36, 5, Cover::kDouble}},
      {{1, 127, Cover::kDouble}},
      {{1, 254, Cover::kDouble}},
  };
#if !defined(VSMAX_CUDA_ON_HOST)  // the paper's grid would take half a minute there
  all.push_back({{127, 127, Cover::kDouble}, 2});
  all.push_back({{127, 127}, 2});
#endif
  return all;
}

class RefineNetCuda : public test::CudaTest {
 protected:
  // Calls body(input, logits, shape) for every image of a batch: what went in, on the shape's
  // cover, and what came out.
  template <class Body>
  void for_each_image(const test::Layers& layers, RefinePrecision precision, const BatchOf& batch,
                      const std::vector<float>& accumulators, float scale, const Body& body) {
    const RefineWeights packed(layers);
    const DeviceArray<float> values(packed.values);
    const DeviceArray<std::uint32_t> fragments(packed.fragments);
    const DeviceArray<float> input(accumulators);
    const auto found = test::in_any_order([&] {
      DeviceArray<std::byte> scratch(
          refine_net_cuda_scratch_bytes(precision, batch.shape, batch.images));
      DeviceArray<float> logits(static_cast<std::size_t>(batch.images) * batch.shape.count());
      check_cuda(refine_net_cuda(precision, {values.data(), fragments.data()}, batch.shape,
                                 input.data(), scale, batch.images, scratch.data(), logits.data(),
                                 nullptr));
      return logits.to_host();
    });
    const auto part = [](const std::vector<float>& all, int i, std::size_t size) {
      const auto begin = all.begin() + static_cast<std::ptrdiff_t>(i * size);
      return std::vector<float>(begin, begin + static_cast<std::ptrdiff_t>(size));
    };
    for (int i = 0; i < batch.images; ++i)
      body(on_cover(part(accumulators, i, single_count(batch)), batch.shape),
           part(found, i, batch.shape.count()), batch.shape);
  }

  static std::size_t single_count(const BatchOf& batch) {
    return batch.shape.on(Cover::kSingle).count();
  }
  static double largest(const std::vector<float>& values) {
    double most = 0.0;
    for (const float value : values) most = std::max(most, std::abs(static_cast<double>(value)));
    return most;
  }

  // Weights of -1, 0 and 1, so few that no sum in the network needs more than 24 bits.
  test::Layers layers_of_integers() {
    test::Layers layers = test::empty_layers();
    for (auto& layer : layers) {
      for (float& weight : layer.weights)
        weight =
            random_.integer(0, 3) == 0 ? static_cast<float>(2 * random_.integer(0, 1) - 1) : 0.0F;
      layer.biases = random_.integers<float>(layer.biases.size(), -2, 2);
    }
    return layers;
  }

  test::Random random_;
};

// The network in double, rounding where the kernels in bfloat16 do; `scale` is a power of two.
std::vector<double> rounding_net(test::Layers layers, const std::vector<float>& input,
                                 const CellShape& shape, double scale) {
  layers[0].weights = test::to_two_bfloat16s(layers[0].weights);
  layers[0].biases = test::to_two_bfloat16s(layers[0].biases);
  return test::reference_net(layers, test::to_two_bfloat16s(input), shape, scale,
                             test::to_bfloat16);
}

std::vector<double> core(const RefineNet& net, const std::vector<float>& input,
                         const CellShape& shape, float scale) {
  std::vector<float> logits(input.size());
  RefineNet::Scratch scratch;
  scratch.method = RefineNet::Method::kDirect;
  net.forward({input.data(), shape}, scale, {logits.data(), shape}, scratch);
  return {logits.begin(), logits.end()};
}

TEST_F(RefineNetCuda, IsTheCoresInFloat) {
  const auto layers = test::random_layers(random_);
  const RefineNet net = test::net_of(layers);
  for (const BatchOf& batch : batches()) {
    const auto input = random_.uniforms<float>(batch.images * single_count(batch), -2.0, 4.0);
    for_each_image(layers, RefinePrecision::kFloat, batch, input, 0.25F,
                   [&](const auto& image, const auto& logits, const CellShape& shape) {
                     const auto truth = core(net, image, shape, 0.25F);
                     EXPECT_LE(test::largest_error(logits, truth), 1e-5 * largest(logits));
                   });
  }
}

TEST_F(RefineNetCuda, RoundsOnlyBetweenLayers) {
  const auto layers = layers_of_integers();
  for (const BatchOf& batch : batches()) {
    const auto input = random_.integers<float>(batch.images * single_count(batch), -6, 12);
    for_each_image(layers, RefinePrecision::kBfloat16, batch, input, 0.5F,
                   [&](const auto& image, const auto& logits, const CellShape& shape) {
                     const auto truth = rounding_net(layers, image, shape, 0.5);
                     EXPECT_EQ(std::vector<double>(logits.begin(), logits.end()), truth)
                         << shape.rows() << " x " << shape.rhos;
                   });
  }
}

// Whatever else is a small integer, 16 bits of the inputs, weights or biases of the first layer
// count. The other layers only pass one of its channels on.
TEST_F(RefineNetCuda, TheFirstLayerKeepsSixteenBits) {
  constexpr int kSixteenBits = 65535;
  const auto signs = [&](std::size_t count) { return random_.integers<float>(count, -1, 1); };
  const auto wide = [&](std::size_t count) {
    return random_.integers<float>(count, -kSixteenBits, kSixteenBits);
  };
  for (const BatchOf& batch : {BatchOf{{2, 15}, 2}, BatchOf{{5, 17, Cover::kDouble}}})
    for (const bool wide_weights : {false, true}) {
      test::Layers layers = test::empty_layers();
      const auto weights = layers[0].weights.size();
      layers[0].weights = wide_weights ? wide(weights) : signs(weights);
      layers[0].biases = wide(layers[0].biases.size());
      for (std::size_t l = 1; l < layers.size(); ++l)
        for (std::size_t o = 0; o < layers[l].outputs; ++o) {
          constexpr std::size_t kTaps = 9;
          const auto input = static_cast<std::size_t>(random_.integer(0, 31));
          layers[l].weights[(o * layers[l].inputs + input) * kTaps + kTaps / 2] = 1.0F;
        }
      const std::size_t count = batch.images * single_count(batch);
      const auto input = wide_weights ? signs(count) : wide(count);
      for_each_image(layers, RefinePrecision::kBfloat16, batch, input, 1.0F,
                     [&](const auto& image, const auto& logits, const CellShape& shape) {
                       const auto truth = rounding_net(layers, image, shape, 1.0);
                       EXPECT_EQ(std::vector<double>(logits.begin(), logits.end()), truth);
                     });
    }
}

TEST_F(RefineNetCuda, IsNearTheCoresInBfloat16) {
  const auto layers = test::random_layers(random_);
  const RefineNet net = test::net_of(layers);
  for (const BatchOf& batch : {BatchOf{{5, 17}, 2}, BatchOf{{3, 17, Cover::kDouble}}}) {
    const auto input = random_.uniforms<float>(batch.images * single_count(batch), -2.0, 4.0);
    for_each_image(layers, RefinePrecision::kBfloat16, batch, input, 0.25F,
                   [&](const auto& image, const auto& logits, const CellShape& shape) {
                     // A sum in float may be rounded to the other side than one in double.
                     EXPECT_LE(
                         test::largest_error(logits, rounding_net(layers, image, shape, 0.25)),
                         5e-3 * largest(logits));
                     EXPECT_LE(test::largest_error(logits, core(net, image, shape, 0.25F)),
                               3e-2 * largest(logits));
                   });
  }
}

TEST_F(RefineNetCuda, ShowsAnOverflowInItsLogits) {
  auto layers = test::random_layers(random_);
  for (float& weight : layers[0].weights) weight *= 1e30F;
  const BatchOf batch{{3, 9}};
  const std::vector<float> input(single_count(batch), 1e30F);
  for (const auto precision : {RefinePrecision::kFloat, RefinePrecision::kBfloat16}) {
    const RefineWeights packed(layers);
    const DeviceArray<float> values(packed.values);
    const DeviceArray<std::uint32_t> fragments(packed.fragments);
    const DeviceArray<float> from(input);
    DeviceArray<std::byte> scratch(refine_net_cuda_scratch_bytes(precision, batch.shape, 1));
    DeviceArray<float> logits(batch.shape.count());
    check_cuda(refine_net_cuda(precision, {values.data(), fragments.data()}, batch.shape,
                               from.data(), 1.0F, 1, scratch.data(), logits.data(), nullptr));
    for (const float logit : logits.to_host()) EXPECT_FALSE(std::isfinite(logit));
  }
}

}  // namespace
}  // namespace vsmax
