// SPDX-License-Identifier: Apache-2.0
// Every model of the paper through its one interface.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "support/error_message.h"
#include "torch/ops/on_device.h"
#include "vsmax/geometry/projective.h"
#include "vsmax/torch/models/line_model.h"
#include "vsmax/torch/models/render.h"
#include "vsmax/torch/models/rht.h"

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

// Of a clean line the largest cell is its own. Left out are short lines in the corners, which fill
// several cells alike.
TEST(Models, ArgmaxFindsCleanLines) {
  auto spec = small_spec("argmax");
  spec.frame = {64, 64};
  spec.bins = {31, 31};
  const auto model = make_line_model(spec);
  const HoughGrid& grid = model->grid();
  int lines = 0;
  int exact = 0;
  for (const Cell cell : grid.resolvable_cells()) {
    if (std::abs(grid.shape().rho(cell.r)) > 0.5) continue;
    const auto found =
        model->predict(render_samples(grid.frame(), {{grid.line(cell), 0.0, {}}}, torch::kCPU));
    const double theta = std::abs(found.theta[0].item<double>() - grid.theta(cell.t));
    const double rho = std::abs(found.rho[0].item<double>() - grid.shape().rho(cell.r));
    exact += theta < 1e-6 && rho < 1e-6 ? 1 : 0;
    ++lines;
  }
  EXPECT_EQ(lines, 465);
  EXPECT_EQ(exact, lines);
}

// A pipeline whose logits are the votes themselves.
std::unique_ptr<LineModel> voting_model(const std::string& name,
                                        const std::function<void(ModelSpec&)>& change) {
  auto spec = small_spec(name);
  spec.frame = {64, 48};
  spec.bins = {31, 41};
  spec.scale = 1.0;
  change(spec);
  auto model = make_line_model(spec);
  const torch::NoGradGuard no_grad;
  for (torch::Tensor parameter : model->parameters()) {
    parameter.zero_();
    if (parameter.dim() == 4) parameter[0][0][1][1] = 1.0;
  }
  return model;
}

TEST(Models, TheUnitOfRhoScalesTheLossAndNotTheAnswer) {
  for (const auto& [unit, size] :
       std::vector<std::pair<RhoUnit, double>>{{RhoUnit::kHalfDiagonal, 1.0},
                                               {RhoUnit::kHalfWidth, std::hypot(63.0, 47.0) / 63.0},
                                               {RhoUnit::kPixel, std::hypot(63.0, 47.0) / 2.0},
                                               {RhoUnit::kBin, 20.0}})
    for (const std::string name :
         {"vsmax-vs", "vsmax-polar", "softargmax-vs", "softargmax-polar"}) {
      SCOPED_TRACE(name + " " + to_string(unit));
      const auto model = voting_model(name, [&](ModelSpec& spec) { spec.rho_unit = unit; });
      const HoughGrid& grid = model->grid();
      const Cell cell{12, 25};
      const auto image = render_samples(grid.frame(), {{grid.line(cell), 0.0, {}}}, torch::kCPU);
      const auto found = model->predict(image);
      const UnitLine line{found.theta[0].item<double>(), found.rho[0].item<double>()};
      EXPECT_NEAR(line.theta, grid.theta(cell.t), 0.01);
      EXPECT_NEAR(line.rho, grid.shape().rho(cell.r), 0.01);
      const UnitLine truth{line.theta + 0.3, line.rho + 0.1};
      const auto loss =
          model->loss(image, torch::tensor({{truth.theta, truth.rho}}, torch::kFloat));
      const auto scaled = [size = size](UnitLine one) {
        return UnitLine{one.theta, one.rho * size};
      };
      const double expected = model->spec().loss == Loss::kPolar
                                  ? 0.09 + 0.01 * size * size
                                  : squared_chordal_distance(vector_from_line(scaled(line)),
                                                             vector_from_line(scaled(truth)));
      EXPECT_NEAR(loss.item<double>(), expected, 0.01 * expected + 1e-5);
      EXPECT_EQ(model->spec().needs_libtorch(),
                unit != RhoUnit::kHalfDiagonal && model->spec().readout == Readout::kVeronese);
    }
}

// On either cover a readout has the same answer to the same evidence; a temperature widens it.
TEST(Models, CoverAndTemperatureBelongToTheModel) {
  for (const std::string name : {"vsmax-vs", "softargmax-vs"}) {
    const auto line_of = [&](Cover cover, double temperature) {
      const auto model = voting_model(name, [&](ModelSpec& spec) {
        spec.cover = cover;
        spec.temperature = temperature;
      });
      const HoughGrid& grid = model->grid();
      const auto found = model->predict(
          render_samples(grid.frame(), {{grid.line({12, 25}), 0.0, {}}}, torch::kCPU));
      return std::abs(found.rho[0].item<double>() - grid.shape().rho(25));
    };
    EXPECT_NEAR(line_of(Cover::kSingle, 1.0), line_of(Cover::kDouble, 1.0), 1e-4) << name;
    EXPECT_GT(line_of(Cover::kSingle, 100.0), 0.05) << name;
  }
}

TEST(Models, EveryChoiceOfAHeatMapReachesTheWeights) {
  for (const HeatTarget target : {HeatTarget::kWrapped, HeatTarget::kBlurred})
    for (const HeatLoss kind : {HeatLoss::kEntropy, HeatLoss::kSquares}) {
      auto spec = small_spec("rht");
      spec.heat_target = target;
      spec.heat_loss = kind;
      torch::manual_seed(5);
      const auto model = make_line_model(spec);
      const Batch batch = small_batch(model->grid(), torch::kCPU);
      // Logits near 0: both losses start from a probability of one half.
      const auto make = target == HeatTarget::kWrapped ? rht_target : blurred_rht_target;
      const auto blob = make(model->grid().shape(), batch.truth, spec.target_width);
      const double expected = kind == HeatLoss::kEntropy
                                  ? std::numbers::ln2
                                  : (blob - 0.5).square().mean().item<double>();
      const auto loss = model->loss(batch.images, batch.truth);
      EXPECT_NEAR(loss.item<double>(), expected, 0.15 * expected);
      loss.backward();
      for (const auto& parameter : model->parameters())
        EXPECT_GT(parameter.grad().abs().max().item<double>(), 0.0);
    }
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
