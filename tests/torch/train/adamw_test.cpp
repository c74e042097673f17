// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/train/adamw.h"

#include <gtest/gtest.h>
#include <torch/cuda.h>
#include <torch/optim/adamw.h>

#include <algorithm>
#include <cmath>

#include "scratch_folder.h"

namespace vsmax {
namespace {

using testing::error_of;

std::vector<torch::Tensor> parameters() {
  torch::manual_seed(1);
  return {torch::randn({3, 2, 3, 3}).requires_grad_(), torch::randn({3}).requires_grad_(),
          torch::randn({}).requires_grad_()};
}

// Something curved in all parameters; the data change from step to step.
torch::Tensor loss_of(const std::vector<torch::Tensor>& p, int step) {
  const torch::Tensor x = torch::sin(torch::arange(18).reshape({2, 3, 3}) * (0.1 + step));
  const torch::Tensor y = (p[0] * x).sum({1, 2, 3}) + p[1];
  return (torch::tanh(y) * p[2]).pow(2).sum() + 0.01 * p[2].exp();
}

void one_step(AdamW& optimiser, const std::vector<torch::Tensor>& p, int step) {
  optimiser.forget_gradients();
  loss_of(p, step).backward();
  optimiser.step(step < 10 ? 1e-2 : 1e-3);
}

TEST(AdamW, FollowsTorchsOwn) {
  const auto ours = parameters();
  const auto theirs = parameters();
  AdamW optimiser(ours, {0.9, 0.99, 0.05});
  torch::optim::AdamW reference(
      theirs, torch::optim::AdamWOptions(1e-2).betas({0.9, 0.99}).weight_decay(0.05));
  for (int step = 0; step < 30; ++step) {
    one_step(optimiser, ours, step);
    static_cast<torch::optim::AdamWOptions&>(reference.param_groups()[0].options())
        .lr(step < 10 ? 1e-2 : 1e-3);
    reference.zero_grad();
    loss_of(theirs, step).backward();
    reference.step();
    for (std::size_t i = 0; i < ours.size(); ++i)
      EXPECT_TRUE(torch::allclose(ours[i], theirs[i], 1e-5, 1e-6)) << "step " << step;
  }
}

TEST(AdamW, ClipsTheGradientToItsGreatestNorm) {
  // Before any step the means are 0, so after one they are (1 - beta1) times the clipped gradient.
  const auto p = parameters();
  AdamW optimiser(p, {0.9, 0.99, 0.0, 1e-3});
  one_step(optimiser, p, 0);
  double squares = 0.0;
  for (const Tensor& mean : optimiser.state().means)
    for (const float value : mean.values) squares += static_cast<double>(value) * value;
  EXPECT_NEAR(std::sqrt(squares), 0.1 * 1e-3, 1e-8);
}

TEST(AdamW, AveragesTheParametersAndGivesThemBack) {
  const auto p = parameters();
  AdamW optimiser(p, {0.9, 0.99, 0.0, 0.0, 0.5});
  auto expected = p[1].detach().clone();
  for (int step = 0; step < 20; ++step) {
    one_step(optimiser, p, step);
    const double decay = std::min(0.5, (step + 1.0) / (step + 10.0));
    expected = expected * decay + p[1].detach() * (1.0 - decay);
  }
  const auto before = p[1].detach().clone();
  {
    const AdamW::UseAverage use(optimiser);
    EXPECT_TRUE(torch::allclose(p[1], expected, 1e-5, 1e-6));
    EXPECT_FALSE(torch::equal(p[1], before));
  }
  EXPECT_TRUE(torch::equal(p[1], before));
}

TEST(AdamW, ParametersStayTheSameTensors) {
  const auto p = parameters();
  const auto expected = parameters();
  const AdamW optimiser(p, {});
  for (std::size_t i = 0; i < p.size(); ++i) {
    EXPECT_TRUE(torch::equal(p[i], expected[i]));
    EXPECT_TRUE(p[i].requires_grad() && p[i].is_leaf());
  }
}

TEST(AdamW, GoesOnFromItsStateToTheLastBit) {
  const auto whole = parameters();
  AdamW uninterrupted(whole, {});
  for (int step = 0; step < 12; ++step) one_step(uninterrupted, whole, step);

  const auto before = parameters();
  AdamW first(before, {});
  for (int step = 0; step < 5; ++step) one_step(first, before, step);
  std::vector<torch::Tensor> after;
  for (const auto& p : before) after.push_back(p.detach().clone().requires_grad_());
  AdamW second(after, {});
  second.restore(first.state(), "c");
  for (int step = 5; step < 12; ++step) one_step(second, after, step);
  for (std::size_t i = 0; i < whole.size(); ++i) EXPECT_TRUE(torch::equal(whole[i], after[i]));
  EXPECT_EQ(second.state().step, 12);
}

TEST(AdamW, AStepInTwoPartsIsTheSameStep) {
  const AdamWSettings settings{0.9, 0.99, 0.05, 0.5, 0.9};
  const auto whole = parameters();
  const auto parts = parameters();
  AdamW first(whole, settings);
  AdamW second(parts, settings);
  for (int step = 0; step < 5; ++step) {
    one_step(first, whole, step);
    second.forget_gradients();
    loss_of(parts, step).backward();
    AdamWNumbers numbers = second.next_step(1e-2);
    second.descend(torch::from_blob(&numbers, {4}, torch::kFloat64));
    for (std::size_t i = 0; i < whole.size(); ++i) EXPECT_TRUE(torch::equal(whole[i], parts[i]));
  }
  EXPECT_EQ(second.state().step, 5);
}

TEST(AdamW, OnCudaIsThatOfTheCpu) {
  if (!torch::cuda::is_available()) GTEST_SKIP() << "no CUDA device, or built without CUDA";
  for (const AdamWSettings& settings :
       {AdamWSettings{0.9, 0.99, 0.05}, AdamWSettings{0.9, 0.99, 0.0, 0.5, 0.9}}) {
    const auto here = parameters();
    std::vector<torch::Tensor> there;
    for (const auto& p : here) there.push_back(p.detach().to(torch::kCUDA).requires_grad_());
    AdamW cpu(here, settings);
    AdamW cuda(there, settings);
    for (int step = 0; step < 20; ++step) {
      one_step(cpu, here, step);
      // The same gradients, so that only the optimiser's own roundings differ.
      for (std::size_t i = 0; i < here.size(); ++i)
        there[i].mutable_grad() = here[i].grad().to(torch::kCUDA);
      cuda.step(step < 10 ? 1e-2 : 1e-3);
    }
    for (std::size_t i = 0; i < here.size(); ++i)
      EXPECT_TRUE(torch::allclose(there[i].cpu(), here[i], 1e-6, 1e-6)) << i;
    const AdamW::UseAverage use_cpu(cpu);
    const AdamW::UseAverage use_cuda(cuda);
    for (std::size_t i = 0; i < here.size(); ++i)
      EXPECT_TRUE(torch::allclose(there[i].cpu(), here[i], 1e-6, 1e-6)) << i;
  }
}

TEST(AdamW, StateOfOtherParametersIsRefused) {
  AdamW optimiser(parameters(), {});
  AdamWState state = optimiser.state();
  state.means[1].shape = {3, 1};
  EXPECT_EQ(error_of([&] { optimiser.restore(state, "c"); }),
            "c: the optimiser's state does not fit the model's parameters");
  state = optimiser.state();
  state.squares.pop_back();
  EXPECT_NE(error_of([&] { optimiser.restore(state, "c"); }), "");
}

TEST(AdamW, SumOfSquaresTellsOfANonFiniteGradient) {
  for (const double factor : {1.0 / 0.0, 0.0 / 0.0, 1e30}) {
    const auto p = parameters();
    AdamW optimiser(p, {});
    one_step(optimiser, p, 0);
    EXPECT_TRUE(std::isfinite(optimiser.sum_of_squares().item<float>()));
    optimiser.forget_gradients();
    (p[1] * factor).sum().backward();
    optimiser.step(1e-3);
    EXPECT_FALSE(std::isfinite(optimiser.sum_of_squares().item<float>())) << factor;
  }
}

}  // namespace
}  // namespace vsmax
