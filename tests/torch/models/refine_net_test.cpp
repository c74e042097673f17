// SPDX-License-Identifier: Apache-2.0
// The trainable network and the core's: one weights file, the same logits.
#include "vsmax/refine/refine_net.h"

#include "torch/ops/gradcheck.h"
#include "vsmax/torch/models/trainable_refine_net.h"
#include "vsmax/torch/models/weights.h"

namespace vsmax::test {
namespace {

using TrainableRefineNet = OnDevice;

constexpr double kScale = 1.0 / 64.0;

// The core's network on the content of a file, for one accumulator [T, R].
torch::Tensor by_the_core(const SafeTensors& file, const torch::Tensor& accumulator, Cover cover) {
  const RefineNet net(file, "test");
  const auto one = accumulator.to(torch::kCPU, torch::kFloat).contiguous();
  const auto input =
      (cover == Cover::kDouble ? torch::cat({one, one.flip({1})}, 0) : one).contiguous();
  auto logits = torch::empty_like(input);
  RefineNet::Scratch scratch;
  const CellShape shape{static_cast<int>(one.size(0)), static_cast<int>(one.size(1)), cover};
  net.forward({input.data_ptr<float>(), shape}, static_cast<float>(kScale),
              {logits.data_ptr<float>(), shape}, scratch);
  return logits;
}

TEST_P(TrainableRefineNet, MatchesTheCoreThroughAWeightsFile) {
  for (const Cover cover : {Cover::kSingle, Cover::kDouble}) {
    nn::RefineNet net(cover, kScale);
    SafeTensors stored;
    store_weights(*net, stored);
    const SafeTensors file = parse_safetensors(serialize_safetensors(stored), "test");
    net->to(device());
    const auto accumulators = (200.0 * torch::rand({2, 31, 21})).to(device());
    const auto logits = net(accumulators);
    for (int64_t b = 0; b < 2; ++b) {
      const auto core = by_the_core(file, accumulators[b], cover);
      EXPECT_LT(distance(logits[b], core), 1e-5 * core.abs().max().item<double>());
    }
  }
}

TEST_P(TrainableRefineNet, HasThePaperParameters) {
  const nn::RefineNet net(Cover::kDouble, kScale);
  int64_t count = 0;
  for (const auto& parameter : net->parameters()) count += parameter.numel();
  EXPECT_EQ(count, 37601);
}

// A shift along theta, rho reversed where it crosses the seam, is a symmetry of the double cover:
// what the paper's choice of padding is for.
TEST_P(TrainableRefineNet, TurnsWithItsInputOnTheDoubleCover) {
  nn::RefineNet net(Cover::kDouble, kScale);
  net->to(device(), torch::kDouble);
  const auto accumulator = random_on(float64(), {1, 12, 9}) * 50.0;
  const auto turned =
      torch::cat({accumulator.narrow(1, 5, 7), accumulator.narrow(1, 0, 5).flip({2})}, 1);
  EXPECT_LT(distance(net(turned), torch::roll(net(accumulator), -5, 1)), 1e-12);
}

// On the single cover the same shift is a glide reflection. Moebius padding supplies the right
// values beyond the seam, but the kernel meets them reversed.
TEST_P(TrainableRefineNet, MoebiusPaddingDoesNotTurnWithItsInput) {
  nn::RefineNet net(Cover::kSingle, kScale);
  net->to(device(), torch::kDouble);
  constexpr int64_t kRows = 40;
  constexpr int64_t kShift = 15;
  constexpr int64_t kReach = 6;  // of six 3x3 convolutions
  const auto turned = [](const torch::Tensor& rows) {
    return torch::cat({rows.narrow(1, kShift, kRows - kShift), rows.narrow(1, 0, kShift).flip({2})},
                      1);
  };
  const auto accumulator = random_on(float64(), {1, kRows, 9}) * 50.0;
  const auto apart = [&] {
    const auto logits = net(accumulator);
    return ((net(turned(accumulator)) - turned(logits)).abs() / logits.std()).amax({0, 2}).cpu();
  };
  const auto plain = apart();
  const int64_t kept = kRows - kShift;  // rows that do not cross the seam
  EXPECT_GT(plain.narrow(0, kept, kShift).min().item<double>(), 0.01);
  EXPECT_GT(plain.narrow(0, 0, kReach).max().item<double>(), 0.01);
  EXPECT_LT(plain.narrow(0, kReach, kept - 2 * kReach).max().item<double>(), 1e-12);
  // The kernels are the cause: with kernels that are symmetric in rho it turns.
  const torch::NoGradGuard no_grad;
  for (const auto& parameter : net->parameters())
    if (parameter.dim() == 4) torch::Tensor(parameter).copy_(parameter + parameter.flip({3}));
  EXPECT_LT(apart().max().item<double>(), 1e-12);
}

TEST_P(TrainableRefineNet, Derivatives) {
  for (const Cover cover : {Cover::kSingle, Cover::kDouble}) {
    nn::RefineNet net(cover, kScale);
    net->to(device(), torch::kDouble);
    const auto input = 100.0 * random_on(float64(), {2, 6, 5});
    const auto parameters = net->parameters();
    Tensors points{input};
    for (const auto& parameter : parameters) points.push_back(parameter.detach().clone());
    const TensorFunction f = [&](const Tensors& x) {
      for (std::size_t i = 0; i < parameters.size(); ++i)
        torch::Tensor(parameters[i]).set_data(x[i + 1].detach());
      return net(x[0]);
    };
    // In the input by random directions; in each parameter by its own.
    check_random_directions([&](const Tensors& x) { return net(x[0]); }, {input}, 1e-5);
    const auto pull = random_on(float64(), net(input).sizes());
    const auto grads = gradients(net(input), parameters, pull);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      Tensors directions{torch::zeros_like(input)};
      for (const auto& parameter : parameters)
        directions.push_back(torch::zeros_like(parameter).detach());
      directions[i + 1] = random_on(float64(), parameters[i].sizes());
      const torch::NoGradGuard no_grad;
      const double numerical =
          (numerical_derivative(f, points, directions, 1e-6) * pull).sum().item<double>();
      f(points);
      const double analytic = (grads[i] * directions[i + 1]).sum().item<double>();
      EXPECT_NEAR(analytic, numerical, 1e-5 * (1.0 + std::abs(numerical))) << "parameter " << i;
    }
  }
}

// float32 on the CPU goes through the core's kernels.
TEST_P(TrainableRefineNet, GradientsOfFloat32AreThoseOfDouble) {
  for (const Cover cover : {Cover::kSingle, Cover::kDouble}) {
    nn::RefineNet net(cover, kScale);
    SafeTensors stored;
    store_weights(*net, stored);
    nn::RefineNet wide(cover, kScale);
    restore_weights(*wide, stored, "test");
    net->to(device());
    wide->to(device(), torch::kDouble);
    const auto accumulators = leaves({200.0 * torch::rand({2, 31, 21}).to(device())});
    const auto truth = leaves({accumulators[0].to(torch::kDouble)});
    auto inputs = net->parameters();
    inputs.push_back(accumulators[0]);
    auto wide_inputs = wide->parameters();
    wide_inputs.push_back(truth[0]);
    const auto logits = net(accumulators[0]);
    // All of one sign: where contributions cancel, the few ReLUs that rounding switches would weigh
    // as much as all others together.
    const auto pull = torch::rand(logits.sizes()).to(device());
    const auto found = gradients(logits, inputs, pull);
    const auto expected = gradients(wide(truth[0]), wide_inputs, pull.to(torch::kDouble));
    for (std::size_t i = 0; i < found.size(); ++i)
      EXPECT_LT(distance(found[i], expected[i]), 1e-3 * expected[i].abs().max().item<double>())
          << i;
  }
}

TEST(RefineNetCuda, MatchesTheCpuAndBfloat16IsClose) {
  if (!has_cuda()) GTEST_SKIP() << "no CUDA device, or built without CUDA";
  use_reproducible_convolutions();
  seed_from_test_name();
  for (const Cover cover : {Cover::kSingle, Cover::kDouble}) {
    nn::RefineNet cpu(cover, kScale);
    SafeTensors file;
    store_weights(*cpu, file);
    const auto accumulators = 200.0 * torch::rand({3, 127, 127});
    const auto truth = cpu(accumulators);
    const double size = truth.abs().max().item<double>();
    // All of one sign: where contributions cancel, the few ReLUs that rounding switches would weigh
    // as much as all others together.
    const auto pull = torch::rand(truth.sizes());
    const auto expected = gradients(truth, cpu->parameters(), pull);
    for (const bool narrow : {false, true}) {
      nn::RefineNet cuda(cover, kScale, narrow);
      restore_weights(*cuda, file, "test");
      cuda->to(torch::kCUDA);
      const auto logits = cuda(accumulators.to(torch::kCUDA));
      EXPECT_EQ(logits.scalar_type(), torch::kFloat);
      EXPECT_LT(distance(logits, truth), (narrow ? 3e-2 : 1e-5) * size);
      const auto grads = gradients(logits, cuda->parameters(), pull.to(torch::kCUDA));
      for (std::size_t i = 0; i < grads.size(); ++i)
        EXPECT_LT(distance(grads[i], expected[i]),
                  (narrow ? 1e-1 : 1e-3) * (expected[i].abs().max().item<double>() + 1e-3))
            << "parameter " << i;
    }
  }
}

VSMAX_ON_EACH_DEVICE(TrainableRefineNet);

}  // namespace
}  // namespace vsmax::test
