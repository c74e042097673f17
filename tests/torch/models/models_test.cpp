// SPDX-License-Identifier: Apache-2.0
// Every model of the paper through its one interface.
#include <algorithm>
#include <numbers>

#include "support/error_message.h"
#include "torch/ops/on_device.h"
#include "vsmax/torch/models/line_model.h"
#include "vsmax/torch/models/render.h"

namespace vsmax::test {
namespace {

ModelSpec small_spec(const std::string& name) {
  ModelSpec spec = named_spec(name);
  spec.frame = {32, 24};
  spec.bins = {15, 17};
  spec.scale = 1.0 / 16.0;
  return spec;
}

std::vector<std::string> trainable_names() {
  std::vector<std::string> names;
  for (const ModelSpec& spec : named_specs())
    if (spec.learns()) names.push_back(spec.name);
  return names;
}

std::vector<std::string> model_names() {
  auto names = trainable_names();
  names.emplace_back("argmax");
  return names;
}

struct Batch {
  torch::Tensor images, truth;
};

Batch small_batch(const HoughGrid& grid, torch::Device device) {
  const auto cells = grid.resolvable_cells();
  std::vector<LineSample> samples;
  std::vector<float> truth;
  for (uint32_t i = 0; i < 8; ++i) {
    const Cell cell = cells[i * cells.size() / 8 + 3];
    samples.push_back({grid.line(cell), 0.2, {7, Split::kTrain, 0, i}});
    const UnitLine line = grid.shape().line(cell);
    truth.push_back(static_cast<float>(line.theta));
    truth.push_back(static_cast<float>(line.rho));
  }
  return {render_samples(grid.frame(), samples, device),
          torch::tensor(truth).view({8, 2}).to(device)};
}

class EveryModel : public ::testing::TestWithParam<std::tuple<std::string, std::string>> {
 protected:
  void SetUp() override {
    if (std::get<1>(GetParam()) == "cuda" && !has_cuda())
      GTEST_SKIP() << "no CUDA device, or built without CUDA";
    seed_from_test_name();
  }
  std::string name() const { return std::get<0>(GetParam()); }
  torch::Device device() const { return torch::Device(std::get<1>(GetParam())); }
};

TEST_P(EveryModel, HasAFiniteLossThatReachesAllItsParameters) {
  const auto spec = small_spec(name());
  const auto model = make_line_model(spec);
  model->to(device());
  EXPECT_EQ(model->parameters().empty(), !spec.learns());
  const Batch batch = small_batch(model->grid(), device());
  model->train_mode(true);
  if (!spec.learns()) {
    EXPECT_TRUE(throws_error_with({name(), "does not learn"},
                                  [&] { model->loss(batch.images, batch.truth); }));
    return;
  }
  const auto loss = model->loss(batch.images, batch.truth);
  ASSERT_EQ(loss.dim(), 0);
  EXPECT_TRUE(std::isfinite(loss.item<double>()));
  loss.backward();
  for (const auto& parameter : model->parameters()) {
    ASSERT_TRUE(parameter.grad().defined());
    EXPECT_EQ(parameter.grad().device(), parameter.device());
    EXPECT_TRUE(parameter.grad().isfinite().all().item<bool>());
    // The softmax does not see a constant added to all logits: the last bias is the only exception.
    const bool invisible = parameter.numel() == 1 && spec.readout != Readout::kHeatMap;
    EXPECT_TRUE(invisible || parameter.grad().abs().max().item<double>() > 0.0);
  }
}

TEST_P(EveryModel, PredictsOneLinePerImage) {
  const auto spec = small_spec(name());
  const auto model = make_line_model(spec);
  model->to(device());
  model->train_mode(true);
  const Batch batch = small_batch(model->grid(), device());
  const auto lines = model->predict(batch.images);
  EXPECT_EQ(lines.theta.sizes(), torch::IntArrayRef({8}));
  EXPECT_EQ(lines.theta.scalar_type(), torch::kDouble);
  EXPECT_EQ(lines.rho.scalar_type(), torch::kDouble);
  EXPECT_EQ(lines.found.scalar_type(), torch::kBool);
  EXPECT_TRUE(lines.theta.is_cpu());
  EXPECT_TRUE((lines.theta >= 0).all().item<bool>());
  EXPECT_TRUE((lines.theta < std::numbers::pi).all().item<bool>());
  EXPECT_TRUE(lines.rho.isfinite().all().item<bool>());
  // The same again, alone: no statistics of the batch, no trace of the first call.
  const auto alone = model->predict(batch.images.narrow(0, 5, 1));
  EXPECT_NEAR(alone.rho[0].item<double>(), lines.rho[5].item<double>(), 1e-4);
  EXPECT_EQ(model->predict(batch.images.narrow(0, 0, 0)).theta.numel(), 0);
}

TEST_P(EveryModel, EqualSeedsGiveEqualBits) {
  const auto spec = small_spec(name());
  std::vector<torch::Tensor> results[2];
  for (auto& result : results) {
    torch::manual_seed(42);
    const auto model = make_line_model(spec);
    model->to(device());
    const Batch batch = small_batch(model->grid(), device());
    const auto lines = model->predict(batch.images);
    result = {lines.theta, lines.rho};
    if (!spec.learns()) continue;
    const auto loss = model->loss(batch.images, batch.truth);
    result.push_back(loss.detach());
    loss.backward();
    for (const auto& parameter : model->parameters()) result.push_back(parameter.grad());
  }
  for (std::size_t i = 0; i < results[0].size(); ++i)
    EXPECT_TRUE(same_bits(results[0][i], results[1][i])) << "tensor " << i;
}

INSTANTIATE_TEST_SUITE_P(Models, EveryModel,
                         ::testing::Combine(::testing::ValuesIn(model_names()),
                                            ::testing::Values("cpu", "cuda")),
                         [](const auto& model) {
                           std::string name =
                               std::get<0>(model.param) + "_" + std::get<1>(model.param);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Models, ArgmaxFindsCleanLines) {
  auto spec = small_spec("argmax");
  spec.frame = {64, 64};
  spec.bins = {31, 31};
  const auto model = make_line_model(spec);
  const HoughGrid& grid = model->grid();
  const Cell cell{20, 19};
  const auto lines =
      model->predict(render_samples(grid.frame(), {{grid.line(cell), 0.0, {}}}, torch::kCPU));
  EXPECT_NEAR(lines.theta[0].item<double>(), grid.theta(20), 0.11);
  EXPECT_NEAR(lines.rho[0].item<double>(), grid.shape().rho(19), 0.07);
}

TEST(Models, BadSpecificationsAreErrors) {
  EXPECT_TRUE(throws_error_with({"'classic'", "needs no LibTorch"},
                                [&] { make_line_model(small_spec("classic")); }));
  EXPECT_TRUE(throws_error_with({"'argmax'", "image size"},
                                [&] { make_line_model(named_spec("argmax")); }));
  auto spec = small_spec("rht");
  spec.target_width = -1.0;
  EXPECT_TRUE(throws_error_with({"target width", "-1"}, [&] { make_line_model(spec); }));
  spec = small_spec("vsmax-vs");
  const auto model = make_line_model(spec);
  EXPECT_THROW(model->predict(torch::zeros({1, 32, 24})), c10::Error);
}

TEST(ModelsCuda, MatchesTheCpuAndTrainsInBfloat16) {
  if (!has_cuda()) GTEST_SKIP() << "no CUDA device, or built without CUDA";
  for (const auto& name : trainable_names()) {
    SCOPED_TRACE(name);
    const auto spec = small_spec(name);
    torch::manual_seed(1);
    const auto cpu = make_line_model(spec);
    torch::manual_seed(1);
    const auto cuda = make_line_model(spec);
    cuda->to(torch::kCUDA);
    torch::manual_seed(1);
    const auto narrow = make_line_model(spec, /*bfloat16=*/true);
    narrow->to(torch::kCUDA);
    const Batch here = small_batch(cpu->grid(), torch::kCPU);
    const Batch there = small_batch(cpu->grid(), torch::kCUDA);
    const double truth = cpu->loss(here.images, here.truth).item<double>();
    EXPECT_NEAR(cuda->loss(there.images, there.truth).item<double>(), truth, 2e-2 * truth);
    const auto loss = narrow->loss(there.images, there.truth);
    EXPECT_NEAR(loss.item<double>(), truth, 1e-1 * truth);
    loss.backward();
    for (const auto& parameter : narrow->parameters()) {
      EXPECT_EQ(parameter.grad().scalar_type(), torch::kFloat);
      EXPECT_TRUE(parameter.grad().isfinite().all().item<bool>());
    }
  }
}

}  // namespace
}  // namespace vsmax::test
