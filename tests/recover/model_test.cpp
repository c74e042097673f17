// SPDX-License-Identifier: Apache-2.0
#include "vsmax/recover/model.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <string>

#include "support/error_message.h"
#include "support/models.h"
#include "support/random.h"

namespace vsmax {
namespace {

using test::throws_error_with;

TEST(BuiltInModels, AreFoundByTheirNames) {
  for (const auto& description : builtin_models()) {
    EXPECT_EQ(load_model(description.name).name, description.name);
    EXPECT_FALSE(description.sentence.empty());
  }
  EXPECT_EQ(load_model("classic").refinement, Refinement::kWhitening);
  EXPECT_EQ(load_model("classic").readout, Readout::kVeronese);
  EXPECT_EQ(load_model("argmax").refinement, Refinement::kNone);
  EXPECT_EQ(load_model("argmax").readout, Readout::kArgmax);
  EXPECT_EQ(load_model("paper").refinement, Refinement::kNetwork);
}

TEST(BuiltInModels, AreListedWhereANameIsUnknown) {
  EXPECT_TRUE(throws_error_with({"'clasic'", "classic", "argmax"}, [] { load_model("clasic"); }));
}

TEST(ModelFile, ThatIsNotThereIsNamed) {
  EXPECT_TRUE(
      throws_error_with({"no/such.safetensors"}, [] { load_model("no/such.safetensors"); }));
}

TEST(ModelGrid, OfTheArgmaxIsThePapersForEverySize) {
  const Model model = load_model("argmax");
  EXPECT_TRUE(model.grid_for({256, 256}) == HoughGrid::paper());
  EXPECT_TRUE(model.grid_for({40, 700}) == HoughGrid({40, 700}, 127, 127));
}

TEST(ModelGrid, OfTheClassicHasBinsOfAboutAPixelAndAHalf) {
  const Model model = load_model("classic");
  for (const ImageFrame& frame : {ImageFrame{256, 256}, {64, 64}, {300, 200}, {97, 401}}) {
    const HoughGrid grid = model.grid_for(frame);
    EXPECT_TRUE(grid.frame() == frame);
    EXPECT_NEAR(grid.bin_width(), 1.431, 0.05);
    EXPECT_GE(grid.thetas(), 127);
  }
  EXPECT_EQ(model.grid_for({256, 256}).rhos(), 253);
  EXPECT_EQ(model.grid_for({256, 256}).thetas(), 127);
}

TEST(ModelGrid, StaysWithinItsBoundsForEverySize) {
  const Model model = load_model("classic");
  for (const int width : {2, 3, 5, 50, 1000, 30000})
    for (const int height : {2, 3, 5, 50, 1000, 30000}) {
      const HoughGrid grid = model.grid_for({width, height});
      EXPECT_GE(grid.rhos(), 3);
      EXPECT_LE(grid.rhos(), 509);
      EXPECT_LE(grid.thetas(), 255);
    }
}

TEST(LearnedModel, IsWhatItsFileSays) {
  test::Random random;
  const Model model = test::learned_model(random);
  EXPECT_EQ(model.refinement, Refinement::kNetwork);
  EXPECT_EQ(model.readout, Readout::kVeronese);
  EXPECT_EQ(model.cover, Cover::kDouble);
  EXPECT_EQ(model.scale, 0.25F);
  ASSERT_TRUE(model.grid && model.net);
  EXPECT_TRUE(*model.grid == HoughGrid({24, 20}, 11, 13));
  EXPECT_EQ(model.net->parameters(), 37601U);
  EXPECT_TRUE(model.grid_for({500, 400}) == *model.grid);
  EXPECT_EQ(test::learned_model(random, "softargmax").readout, Readout::kSoftArgmax);
  EXPECT_EQ(test::learned_model(random, "softargmax").cover, Cover::kSingle);
}

TEST(LearnedModel, KnowsWhatItWasTrainedAs) {
  test::Random random;
  auto file = test::model_file(random);
  EXPECT_EQ(model_from_safetensors(file, "my").trained_as, "");
  file.metadata["model"] = "vsmax-vs";
  EXPECT_EQ(model_from_safetensors(file, "my").trained_as, "vsmax-vs");
  EXPECT_FALSE(needs_libtorch(file));
}

TEST(LearnedModel, IsRefusedWhereItNeedsLibTorch) {
  test::Random random;
  for (const std::string model : {"rht", "mlp-vs", "mlp-polar"}) {
    auto file = test::model_file(random);
    file.metadata["model"] = model;
    EXPECT_TRUE(needs_libtorch(file));
    EXPECT_TRUE(
        throws_error_with({"my", model, "LibTorch"}, [&] { model_from_safetensors(file, "my"); }));
  }
}

TEST(LearnedModel, NamesTheMetadataKeyThatIsMissing) {
  test::Random random;
  const auto whole = test::model_file(random);
  for (const std::string key : {"T", "R", "W", "H", "scale", "readout"}) {
    auto file = whole;
    file.metadata.erase(key);
    EXPECT_TRUE(throws_error_with({"my.safetensors", "'" + key + "'"},
                                  [&] { model_from_safetensors(file, "my.safetensors"); }));
  }
}

TEST(LearnedModel, NamesTheMetadataThatIsNoNumber) {
  test::Random random;
  const auto whole = test::model_file(random);
  for (const std::string key : {"T", "R", "W", "H", "scale"})
    for (const std::string text : {"", "twelve", "12x", " 12", "1e999"}) {
      auto file = whole;
      file.metadata[key] = text;
      EXPECT_TRUE(throws_error_with({"my.safetensors", key, "'" + text + "'"},
                                    [&] { model_from_safetensors(file, "my.safetensors"); }));
    }
  for (const std::string key : {"T", "R", "W", "H"})
    for (const std::string text : {"12.5", "99999999999999999999"}) {
      auto file = whole;
      file.metadata[key] = text;
      EXPECT_TRUE(throws_error_with({key, text}, [&] { model_from_safetensors(file, "my"); }));
    }
}

TEST(LearnedModel, RefusesAScaleThatIsNotFinite) {
  test::Random random;
  for (const std::string text : {"inf", "-inf", "nan"}) {
    auto file = test::model_file(random);
    file.metadata["scale"] = text;
    EXPECT_TRUE(throws_error_with({"my", "scale"}, [&] { model_from_safetensors(file, "my"); }));
  }
}

TEST(LearnedModel, ReadsOutAtTheTemperatureOfItsFile) {
  test::Random random;
  auto file = test::model_file(random);
  EXPECT_EQ(model_from_safetensors(file, "my").temperature, 1.0);
  file.metadata["temperature"] = "0.125";
  EXPECT_EQ(model_from_safetensors(file, "my").temperature, 0.125);
}

TEST(LearnedModel, RefusesATemperatureThatIsNotPositiveAndFinite) {
  test::Random random;
  for (const std::string text : {"0", "-1", "nan", "inf", "", "warm", "1 "}) {
    auto file = test::model_file(random);
    file.metadata["temperature"] = text;
    EXPECT_TRUE(throws_error_with({"my", "temperature", text},
                                  [&] { model_from_safetensors(file, "my"); }));
  }
}

TEST(LearnedModel, RefusesGridsThatAreNone) {
  test::Random random;
  const auto whole = test::model_file(random);
  for (const auto& [key, text] : {std::pair<std::string, std::string>{"R", "14"},
                                  {"R", "1"},
                                  {"R", "-13"},
                                  {"T", "0"},
                                  {"T", "100000"},
                                  {"W", "1"},
                                  {"H", "-20"},
                                  {"W", "0"}}) {
    auto file = whole;
    file.metadata[key] = text;
    EXPECT_TRUE(throws_error_with({"my", text}, [&] { model_from_safetensors(file, "my"); }));
  }
  auto file = whole;
  file.metadata["R"] = "14";
  EXPECT_TRUE(throws_error_with({"R", "odd", "14"}, [&] { model_from_safetensors(file, "my"); }));
}

// A frame that no image may have would exhaust the memory at the first image.
TEST(LearnedModel, RefusesFramesBeyondTheLimitOfImages) {
  test::Random random;
  auto file = test::model_file(random);
  file.metadata["W"] = file.metadata["H"] = "1000000";
  EXPECT_TRUE(throws_error_with({"my", "1000000"}, [&] { model_from_safetensors(file, "my"); }));
}

TEST(LearnedModel, NamesTheReadoutThatIsUnknown) {
  test::Random random;
  auto file = test::model_file(random, "hardmax");
  EXPECT_TRUE(throws_error_with({"my", "readout", "hardmax", "vsmax"},
                                [&] { model_from_safetensors(file, "my"); }));
}

TEST(LearnedModel, NamesTheTensorThatIsMissing) {
  test::Random random;
  auto file = test::model_file(random);
  file.tensors.erase("refine.3.bias");
  EXPECT_TRUE(
      throws_error_with({"my", "refine.3.bias"}, [&] { model_from_safetensors(file, "my"); }));
}

TEST(LearnedModel, WarnsOfAFileWithoutAChecksum) {
  test::Random random;
  auto file = test::model_file(random);
  EXPECT_NE(model_from_safetensors(file, "my").warning.find("my"), std::string::npos);
  file.checksum_verified = true;
  EXPECT_EQ(model_from_safetensors(file, "my").warning, "");
}

TEST(LearnedModel, SurvivesTheWayThroughAFile) {
  test::Random random;
  const auto path =
      std::filesystem::temp_directory_path() /
      ("vsmax_model_test_" + std::to_string(test::seed_from_test_name()) + ".safetensors");
  const auto file = test::model_file(random);
  write_safetensors(path.string(), file);
  const Model model = load_model(path.string());
  std::filesystem::remove(path);
  EXPECT_EQ(model.warning, "");
  EXPECT_EQ(model.name, path.string());
  EXPECT_EQ(model.net->layers()[2].weights, file.tensors.at("refine.2.weight").values);
}

}  // namespace
}  // namespace vsmax
