// SPDX-License-Identifier: Apache-2.0
// The trainable front end and the core's: one weights file, the same evidence and the same lines.
#include "vsmax/evidence/front_net.h"

#include <algorithm>

#include "torch/ops/gradcheck.h"
#include "vsmax/recover/line_recoverer.h"
#include "vsmax/torch/models/line_model.h"
#include "vsmax/torch/models/trainable_front_net.h"
#include "vsmax/torch/models/weights.h"

namespace vsmax::test {
namespace {

using TrainableFrontNet = OnDevice;

TEST_P(TrainableFrontNet, MatchesTheCoreThroughAWeightsFile) {
  nn::FrontNet net;
  SafeTensors stored;
  store_weights(*net, stored);
  const FrontNet core(parse_safetensors(serialize_safetensors(stored), "test"), "test");
  FrontNet::Scratch scratch;
  net->to(device());
  for (const ImageFrame frame : {ImageFrame{24, 16}, {40, 56}}) {
    const auto images = torch::randn({2, 3, frame.height, frame.width});
    const auto evidence = net(images.to(device())).to(torch::kCPU);
    for (int64_t b = 0; b < 2; ++b) {
      const auto pixels = images[b].permute({1, 2, 0}).contiguous();
      auto expected = torch::empty({frame.height, frame.width});
      core.forward({pixels.data_ptr<float>(), 3 * frame.pixels()}, frame,
                   {expected.data_ptr<float>(), frame.pixels()}, scratch);
      EXPECT_LT(distance(evidence[b], expected), 1e-4 * expected.max().item<double>());
    }
  }
}

TEST_P(TrainableFrontNet, Derivatives) {
  nn::FrontNet net;
  net->to(device(), torch::kDouble);
  const auto images = random_on(float64(), {1, 3, 8, 16});
  check_random_directions([&](const Tensors& x) { return net(x[0]); }, {images}, 1e-6);
  const auto parameters = net->parameters();
  const auto pull = random_on(float64(), net(images).sizes());
  const auto grads = gradients(net(images), parameters, pull);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const auto direction = torch::randn_like(parameters[i]);
    const auto at = [&](double step) {
      const torch::NoGradGuard no_grad;
      parameters[i].add_(direction, step);
      const double value = (net(images) * pull).sum().item<double>();
      parameters[i].sub_(direction, step);
      return value;
    };
    const double numeric = (at(1e-6) - at(-1e-6)) / 2e-6;
    EXPECT_NEAR((grads[i] * direction).sum().item<double>(), numeric,
                1e-5 * (1.0 + std::abs(numeric)))
        << i;
  }
}

// float32 on the CPU goes through the core's kernels.
TEST_P(TrainableFrontNet, GradientsOfFloat32AreThoseOfDouble) {
  nn::FrontNet net;
  SafeTensors stored;
  store_weights(*net, stored);
  nn::FrontNet wide;
  restore_weights(*wide, stored, "test");
  net->to(device());
  wide->to(device(), torch::kDouble);
  const auto images = random_on(float64(), {2, 3, 24, 40});
  // All of one sign: where contributions cancel, the few ReLUs that rounding switches would weigh
  // as much as all others together.
  const auto pull = random_on(float64(), {2, 24, 40}).abs();
  const auto narrow = leaves({images.to(torch::kFloat)});
  auto inputs = net->parameters();
  inputs.push_back(narrow[0]);
  const auto found = gradients(net(narrow[0]), inputs, pull.to(torch::kFloat));
  const auto truth = leaves({images});
  auto wide_inputs = wide->parameters();
  wide_inputs.push_back(truth[0]);
  const auto expected = gradients(wide(truth[0]), wide_inputs, pull);
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_LT(distance(found[i], expected[i]), 1e-3 * expected[i].abs().max().item<double>()) << i;
}

TEST_P(TrainableFrontNet, RejectsSidesThatItCannotHalve) {
  nn::FrontNet net;
  EXPECT_THROW(net(torch::zeros({1, 3, 12, 16})), c10::Error);
  EXPECT_THROW(net(torch::zeros({1, 1, 16, 16})), c10::Error);
}

VSMAX_ON_EACH_DEVICE(TrainableFrontNet);

class FrontedModel : public ::testing::TestWithParam<std::pair<const char*, Cover>> {};

TEST_P(FrontedModel, FindsTheLinesOfTheCore) {
  ModelSpec spec = named_spec(GetParam().first);
  spec.cover = GetParam().second;
  spec.name = "fronted";
  spec.evidence = EvidenceKind::kLearned;
  spec.frame = {48, 32};
  spec.bins = {31, 33};
  spec.scale = 1.0 / 16.0;
  torch::manual_seed(3);
  const auto model = make_line_model(spec);
  LineRecoverer recover(model_from_safetensors(model->weights(), "fronted"));
  for (int repeat = 0; repeat < 5; ++repeat) {
    RgbImage image(48, 32);
    const auto bytes = torch::randint(0, 256, {32, 48, 3}).to(torch::kByte);
    std::copy_n(bytes.data_ptr<std::uint8_t>(), image.pixels.size(), image.pixels.begin());
    const auto pixels = bytes.to(torch::kFloat) / 255.0;
    const auto normalised = (pixels - pixels.mean()) / (pixels.std() + 1e-3);
    const auto lines = model->predict(normalised.permute({2, 0, 1}).unsqueeze(0).contiguous());
    const Recovery found = recover(image);
    ASSERT_EQ(found.lines.size(), 1U);
    const UnitLine expected{lines.theta[0].item<double>(), lines.rho[0].item<double>()};
    const UnitLine line = unit_from_pixel(found.lines[0].line, ImageFrame{48, 32});
    EXPECT_LT(projective_sine(vector_from_line(line), vector_from_line(expected)), 1e-3);
  }
}

INSTANTIATE_TEST_SUITE_P(ReadoutsAndCovers, FrontedModel,
                         ::testing::Values(std::pair{"vsmax-vs", Cover::kDouble},
                                           std::pair{"vsmax-vs", Cover::kSingle},
                                           std::pair{"softargmax-vs", Cover::kDouble},
                                           std::pair{"softargmax-vs", Cover::kSingle}));

}  // namespace
}  // namespace vsmax::test
