// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/train/checkpoint.h"

#include <gtest/gtest.h>

#include <cmath>

#include "scratch_folder.h"
#include "vsmax/base/error.h"

namespace vsmax {
namespace {

using testing::error_of;

Checkpoint example() {
  TrainConfig config;
  Checkpoint checkpoint;
  checkpoint.epoch = 7;
  checkpoint.weights.tensors["refine.0.weight"] = {{2, 1}, {1.5F, -0.0F}};
  checkpoint.weights.metadata = {{"model", "vsmax-vs"}, {"T", "127"}};
  checkpoint.optimiser = {(std::int64_t{1} << 53) + 1,
                          {{{2, 1}, {1e-40F, -1.0F}}, {{1}, {0.1F}}},
                          {{{2, 1}, {0.0F, 3e38F}}, {{1}, {0.2F}}},
                          {}};
  checkpoint.schedule = {1e-4 / 3.0, std::nextafter(0.25, 1.0), 4};
  checkpoint.early_stopping = {0.1, 19};
  checkpoint.best_epoch = 3;
  checkpoint.best_loss = 1.0 / 3.0;
  checkpoint.best_weights.tensors["refine.0.weight"] = {{2, 1}, {2.5F, 7.0F}};
  checkpoint.best_weights.metadata = checkpoint.weights.metadata;
  checkpoint.settings = settings_of(config);
  checkpoint.device = "cpu";
  checkpoint.threads = 2;
  checkpoint.data = "of the photographs";
  return checkpoint;
}

TEST(Checkpoint, RoundTripIsExactToTheLastBit) {
  const auto bytes = serialize_safetensors(pack_checkpoint(example()));
  const Checkpoint read = unpack_checkpoint(parse_safetensors(bytes, "c"), "c");
  EXPECT_EQ(serialize_safetensors(pack_checkpoint(read)), bytes);

  const Checkpoint original = example();
  EXPECT_EQ(read.epoch, original.epoch);
  EXPECT_EQ(read.optimiser.step, original.optimiser.step);  // does not fit a double
  EXPECT_EQ(read.optimiser.means.size(), 2U);
  EXPECT_EQ(read.optimiser.squares[0].values, original.optimiser.squares[0].values);
  EXPECT_EQ(read.schedule.learning_rate, original.schedule.learning_rate);
  EXPECT_EQ(read.schedule.best, original.schedule.best);
  EXPECT_EQ(read.schedule.bad_epochs, original.schedule.bad_epochs);
  EXPECT_EQ(read.early_stopping.best, original.early_stopping.best);
  EXPECT_EQ(read.early_stopping.waited, original.early_stopping.waited);
  EXPECT_EQ(read.best_epoch, original.best_epoch);
  EXPECT_EQ(read.best_loss, original.best_loss);
  EXPECT_EQ(read.data, original.data);
  EXPECT_EQ(read.weights.metadata, original.weights.metadata);
  EXPECT_TRUE(std::signbit(read.weights.tensors.at("refine.0.weight").values[1]));
  EXPECT_EQ(serialize_safetensors(read.best_weights), serialize_safetensors(original.best_weights));
}

TEST(Checkpoint, EveryFlippedBitIsNoticed) {
  auto bytes = serialize_safetensors(pack_checkpoint(example()));
  for (std::size_t i = 0; i < bytes.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      bytes[i] = static_cast<std::uint8_t>(bytes[i] ^ (1U << bit));
      EXPECT_THROW(unpack_checkpoint(parse_safetensors(bytes, "c"), "c"), Error)
          << "byte " << i << ", bit " << bit;
      bytes[i] = static_cast<std::uint8_t>(bytes[i] ^ (1U << bit));
    }
}

TEST(Checkpoint, EveryTruncationIsNoticed) {
  const auto bytes = serialize_safetensors(pack_checkpoint(example()));
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THROW(unpack_checkpoint(parse_safetensors({bytes.data(), size}, "c"), "c"), Error);
}

TEST(Checkpoint, OtherFilesAreRefused) {
  const auto model = serialize_safetensors(example().weights);
  EXPECT_EQ(error_of([&] { unpack_checkpoint(parse_safetensors(model, "m"), "m"); }),
            "m: is not a checkpoint of this version of vsmax");
  SafeTensors incomplete = pack_checkpoint(example());
  incomplete.checksum_verified = true;
  incomplete.metadata.erase("adamw.step");
  EXPECT_EQ(error_of([&] { unpack_checkpoint(incomplete, "c"); }),
            "c: the checkpoint lacks 'adamw.step'");
  incomplete.metadata["adamw.step"] = "12x";
  EXPECT_EQ(error_of([&] { unpack_checkpoint(incomplete, "c"); }),
            "c: the checkpoint's adamw.step is '12x', which is not a valid number");
}

// A setting that has its default is not written, on either side.
TEST(Checkpoint, ASettingThatWasDroppedIsADifference) {
  Checkpoint unusual = example();
  TrainConfig config;
  config.model.temperature = 2.0;
  unusual.settings = settings_of(config);
  EXPECT_NO_THROW(require_same_settings(unusual, config, "c"));
  EXPECT_EQ(error_of([&] { require_same_settings(unusual, TrainConfig(), "c"); }),
            "c: belongs to a run with temperature 2, but this configuration has unset");
}

TEST(Checkpoint, DifferencesOfConfigurationAreNamed) {
  TrainConfig config;
  config.max_epochs = 5;  // may differ
  EXPECT_NO_THROW(require_same_settings(example(), config, "c"));
  config.learning_rate = 0.01;
  EXPECT_EQ(
      error_of([&] { require_same_settings(example(), config, "c"); }),
      "c: belongs to a run with optimiser.learning_rate 0.0001, but this configuration has 0.01");
  config.learning_rate = TrainConfig().learning_rate;
  config.model.temperature = 2.0;
  EXPECT_EQ(error_of([&] { require_same_settings(example(), config, "c"); }),
            "c: belongs to a run with temperature unset, but this configuration has 2");
  config.model = named_spec("rht");
  EXPECT_EQ(error_of([&] { require_same_settings(example(), config, "c"); }),
            "c: belongs to a run with model vsmax-vs, but this configuration has rht");
}

}  // namespace
}  // namespace vsmax
