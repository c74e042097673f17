// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <vector>

#include "vsmax/torch/train/schedules.h"

namespace vsmax {
namespace {

struct Observed {
  double loss;
  double learning_rate;  // after it
  int bad_epochs;
};

// Traces of torch.optim.lr_scheduler.ReduceLROnPlateau(mode="min", threshold_mode="rel").
TEST(PlateauSchedule, FollowsPyTorchStepByStep) {
  PlateauSchedule schedule({0.1, 2, 1e-4}, {1e-3});
  const std::vector<Observed> trace{
      {1.0, 1e-3, 0},     {0.5, 1e-3, 0},
      {0.49996, 1e-3, 1},                      // better, but by less than the relative threshold
      {0.49996, 1e-3, 2}, {0.49994, 1e-3, 0},  // against 0.5, not against 0.49996
      {0.6, 1e-3, 1},     {0.7, 1e-3, 2},
      {0.8, 1e-4, 0},      // the third bad epoch exceeds a patience of two
      {0.49994, 1e-4, 1},  // the best loss is remembered over a reduction
      {0.9, 1e-4, 2},     {0.9, 1e-5, 0},
      {0.1, 1e-5, 0},
  };
  for (std::size_t i = 0; i < trace.size(); ++i) {
    schedule.observe(trace[i].loss);
    EXPECT_DOUBLE_EQ(schedule.learning_rate(), trace[i].learning_rate) << i;
    EXPECT_EQ(schedule.state().bad_epochs, trace[i].bad_epochs) << i;
  }
}

TEST(PlateauSchedule, ThePapersPatienceOfTenReducesAtTheEleventhBadEpoch) {
  PlateauSchedule schedule({}, {1e-4});
  schedule.observe(1.0);
  for (int bad = 1; bad <= 10; ++bad) {
    schedule.observe(1.0);
    EXPECT_EQ(schedule.learning_rate(), 1e-4) << bad;
  }
  schedule.observe(1.0);
  EXPECT_DOUBLE_EQ(schedule.learning_rate(), 1e-5);
}

TEST(PlateauSchedule, TinyReductionsAreNotMade) {
  PlateauSchedule schedule({0.1, 0, 1e-4}, {1e-8});
  schedule.observe(1.0);
  schedule.observe(1.0);
  EXPECT_EQ(schedule.learning_rate(), 1e-8);
  EXPECT_EQ(schedule.state().bad_epochs, 0);
}

TEST(PlateauSchedule, GoesOnFromItsState) {
  PlateauSchedule whole({0.5, 1, 1e-4}, {1.0});
  PlateauSchedule part({0.5, 1, 1e-4}, {1.0});
  for (const double loss : {3.0, 2.0, 2.5, 2.4, 1.0, 1.0, 1.0}) {
    whole.observe(loss);
    part = PlateauSchedule({0.5, 1, 1e-4}, part.state());
    part.observe(loss);
    EXPECT_EQ(whole.learning_rate(), part.learning_rate());
  }
  EXPECT_EQ(whole.learning_rate(), 0.25);
}

TEST(EarlyStopping, StopsAfterItsPatienceWithoutAFallByMinDelta) {
  EarlyStopping stopping({3, 0.1}, {});
  for (const double loss : {1.0, 0.95, 0.91}) stopping.observe(loss);
  EXPECT_EQ(stopping.state().waited, 2);  // 0.95 and 0.91 are less, but not by 0.1
  stopping.observe(0.85);
  EXPECT_EQ(stopping.state().waited, 0);
  EXPECT_EQ(stopping.state().best, 0.85);
  stopping.observe(0.76);
  stopping.observe(2.0);
  EXPECT_FALSE(stopping.stops());
  stopping.observe(0.8);
  EXPECT_TRUE(stopping.stops());
}

TEST(EarlyStopping, ThePapersPatienceEndsAtTheTwentiethEpoch) {
  EarlyStopping stopping({}, {});
  stopping.observe(1.0);
  for (int epoch = 1; epoch < 20; ++epoch) stopping.observe(0.99991);
  EXPECT_FALSE(stopping.stops());
  stopping.observe(0.99991);
  EXPECT_TRUE(stopping.stops());
}

}  // namespace
}  // namespace vsmax
