// SPDX-License-Identifier: Apache-2.0
// What a model is, and how its weights file says so.
#include "vsmax/recover/model_spec.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "support/error_message.h"
#include "support/models.h"
#include "support/random.h"
#include "vsmax/io/safetensors.h"

namespace vsmax {
namespace {

using test::small_spec;
using test::throws_error_with;

// All that the metadata carries; eigen_guard is left out, because it only matters in training.
void expect_same_spec(const ModelSpec& a, const ModelSpec& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.evidence, b.evidence) << a.name;
  EXPECT_EQ(a.refinement, b.refinement) << a.name;
  EXPECT_EQ(a.background, b.background) << a.name;
  EXPECT_EQ(a.several, b.several) << a.name;
  EXPECT_EQ(a.cover, b.cover) << a.name;
  EXPECT_EQ(a.readout, b.readout) << a.name;
  EXPECT_EQ(a.loss, b.loss) << a.name;
  EXPECT_TRUE(a.frame == b.frame) << a.name;
  EXPECT_TRUE(a.bins == b.bins) << a.name;
  EXPECT_EQ(a.scale, b.scale) << a.name;
  EXPECT_EQ(a.temperature, b.temperature) << a.name;
  EXPECT_EQ(a.target_width, b.target_width) << a.name;
}

ModelSpec round_trip(const ModelSpec& spec) {
  return spec_from_metadata(metadata_from_spec(spec), "model.safetensors");
}

// Whether metadata with this one entry changed is an error, in one sentence that names `parts`.
bool rejects(const Metadata& valid, const std::string& key, const std::string& text,
             const std::vector<std::string>& parts) {
  Metadata metadata = valid;
  metadata[key] = text;
  try {
    spec_from_metadata(metadata, "my.safetensors");
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_EQ(message.rfind("my.safetensors: ", 0), 0U) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    for (const auto& part : parts)
      EXPECT_NE(message.find(part), std::string::npos) << message << " does not name " << part;
    return true;
  }
  return false;
}

TEST(NamedSpecs, AreFoundByTheirNames) {
  for (const ModelSpec& spec : named_specs()) expect_same_spec(named_spec(spec.name), spec);
  EXPECT_TRUE(
      throws_error_with({"'vsmax-vz'", "vsmax-vs", "classic"}, [] { named_spec("vsmax-vz"); }));
}

TEST(NamedSpecs, SayWhatTheirNamesSay) {
  for (const ModelSpec& spec : named_specs()) {
    const auto starts_with = [&](const char* text) { return spec.name.rfind(text, 0) == 0; };
    const auto ends_with = [&](const std::string& text) {
      return spec.name.size() > text.size() &&
             spec.name.substr(spec.name.size() - text.size()) == text;
    };
    EXPECT_EQ(spec.readout == Readout::kVeronese, starts_with("vsmax") || spec.name == "classic" ||
                                                      spec.name == "default" ||
                                                      spec.name == "edges");
    EXPECT_EQ(spec.evidence == EvidenceKind::kEdges, spec.name == "edges");
    EXPECT_EQ(spec.polarity == Polarity::kAuto, spec.name == "classic" || spec.name == "default");
    EXPECT_EQ(spec.readout == Readout::kSoftArgmax, starts_with("softargmax"));
    EXPECT_EQ(spec.readout == Readout::kRegression, starts_with("mlp"));
    EXPECT_EQ(spec.readout == Readout::kHeatMap, spec.name == "rht");
    EXPECT_EQ(spec.readout == Readout::kArgmax, spec.name == "argmax");
    EXPECT_EQ(spec.loss == Loss::kVeronese, ends_with("-vs"));
    EXPECT_EQ(spec.loss == Loss::kPolar, ends_with("-polar"));
    EXPECT_EQ(spec.loss == Loss::kHeatMap, spec.name == "rht");
    EXPECT_EQ(spec.cover == Cover::kDouble, starts_with("vsmax"));
    EXPECT_EQ(spec.learns(), spec.frame && spec.bins);
    EXPECT_EQ(spec.needs_libtorch(), starts_with("mlp") || spec.name == "rht");
  }
}

TEST(ModelSpec, SurvivesTheRoundTripThroughMetadata) {
  for (ModelSpec spec : named_specs()) {
    if (!spec.learns()) {  // weights files always state a size
      EXPECT_TRUE(throws_error_with({"model.safetensors", "'W'"}, [&] { round_trip(spec); }));
      spec.frame = {30, 40};
      spec.bins = {7, 9};
    }
    expect_same_spec(round_trip(spec), spec);
  }
}

TEST(ModelSpec, SurvivesTheRoundTripWithRandomChanges) {
  test::Random random;
  const auto any_of = [&](auto... values) {
    const std::array list{values...};
    return list[static_cast<std::size_t>(random.integer(0, static_cast<int>(list.size()) - 1))];
  };
  for (int repeat = 0; repeat < 300; ++repeat) {
    ModelSpec spec;
    spec.name = any_of("vsmax-vs", "classic", "my-vsmax-polarised", "rht", "", "mlp");
    spec.evidence = any_of(EvidenceKind::kIntensity, EvidenceKind::kLearned);
    if (repeat % 2 == 0) spec.background = random.uniform(-20.0, 20.0);
    spec.several = repeat % 3 == 0;
    spec.refinement = any_of(Refinement::kNone, Refinement::kWhitening, Refinement::kNetwork);
    spec.cover = any_of(Cover::kSingle, Cover::kDouble);
    spec.readout = any_of(Readout::kArgmax, Readout::kSoftArgmax, Readout::kVeronese,
                          Readout::kHeatMap, Readout::kRegression);
    spec.loss = any_of(Loss::kNone, Loss::kPolar, Loss::kVeronese, Loss::kHeatMap);
    spec.frame = {random.integer(2, 900), random.integer(2, 900)};
    spec.bins = {random.integer(1, 500), 2 * random.integer(1, 300) + 1};
    spec.scale = std::exp(random.uniform(-80.0, 80.0));
    spec.temperature = any_of(1.0, std::exp(random.uniform(-80.0, 80.0)));
    if (spec.readout == Readout::kHeatMap) spec.target_width = random.uniform(0.1, 9.0);
    expect_same_spec(round_trip(spec), spec);
  }
}

// The text of every choice is unlike the others, so that each reads back as itself.
TEST(ModelSpec, HasATextForEveryChoice) {
  EXPECT_EQ(to_string(Refinement::kWhitening), "whitening");
  EXPECT_EQ(to_string(Readout::kVeronese), "vsmax");
  EXPECT_EQ(to_string(Loss::kVeronese), "vs");
  EXPECT_EQ(to_string(Cover::kDouble), "double");
}

// Files from before version 0.1 state neither refinement nor cover nor loss.
Metadata old_metadata(const std::string& readout) {
  return {{"T", "11"}, {"R", "13"},       {"W", "24"},
          {"H", "20"}, {"scale", "0.25"}, {"readout", readout}};
}

TEST(OldFile, FollowsItsReadout) {
  for (const auto& [readout, cover] :
       {std::pair{Readout::kVeronese, Cover::kDouble}, {Readout::kSoftArgmax, Cover::kSingle}}) {
    const ModelSpec spec = spec_from_metadata(old_metadata(to_string(readout)), "my");
    EXPECT_EQ(spec.name, "");
    EXPECT_EQ(spec.refinement, Refinement::kNetwork);
    EXPECT_EQ(spec.readout, readout);
    EXPECT_EQ(spec.cover, cover);
    EXPECT_EQ(spec.scale, 0.25);
    EXPECT_TRUE(spec.frame == (ImageFrame{24, 20}));
    EXPECT_TRUE(spec.bins == (GridBins{11, 13}));
  }
}

TEST(OldFile, TakesTheRestFromItsName) {
  for (const ModelSpec& named : named_specs()) {
    if (!named.learns()) continue;
    Metadata metadata = metadata_from_spec(named);
    for (const char* key : {"refinement", "cover", "loss"}) metadata.erase(key);
    expect_same_spec(spec_from_metadata(metadata, "my"), named);
  }
}

// A name is compared as a whole; parts of it mean nothing.
TEST(OldFile, IsNotReadFromPartsOfItsName) {
  for (const std::string name :
       {"my-vsmax-polarised", "vsmax-vs2", "not-rht", "mlp-vs-softargmax"}) {
    Metadata metadata = old_metadata("softargmax");
    metadata["model"] = name;
    const ModelSpec spec = spec_from_metadata(metadata, "my");
    EXPECT_EQ(spec.name, name);
    EXPECT_EQ(spec.readout, Readout::kSoftArgmax);
    EXPECT_EQ(spec.cover, Cover::kSingle);
    EXPECT_EQ(spec.refinement, Refinement::kNetwork);
    EXPECT_EQ(spec.loss, Loss::kNone);
    EXPECT_FALSE(spec.needs_libtorch());
  }
}

// "vsmax-polar-raw-s42": a named spec, what was varied, and a seed.
TEST(RepositoryModels, AreTheSpecsThatTheirNamesSay) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(VSMAX_MODELS)) {
    if (entry.path().extension() != ".safetensors") continue;
    ++files;
    const std::string stem = entry.path().stem().string();
    const ModelSpec spec =
        spec_from_metadata(read_safetensors(entry.path().string()).metadata, stem);
    if (spec.evidence == EvidenceKind::kLearned) continue;  // named after what it finds
    ASSERT_EQ(stem.rfind(spec.name + "-", 0), 0U) << stem << " holds " << spec.name;
    ModelSpec expected = named_spec(spec.name);
    if (stem.find("-raw-") != std::string::npos) expected.scale = 1.0;
    const std::string width = spec.name + "-t";
    if (expected.readout == Readout::kHeatMap)
      expected.target_width = std::stod(stem.substr(width.size()));
    expect_same_spec(spec, expected);
  }
  EXPECT_GT(files, 30U);
}

TEST(Metadata, LackingAnEntryIsAnError) {
  const Metadata complete = metadata_from_spec(small_spec());
  for (const auto& [key, text] : complete) {
    if (key == "refinement") continue;  // that of an old file
    Metadata metadata = complete;
    metadata.erase(key);
    EXPECT_TRUE(throws_error_with({"my.safetensors: ", "'" + key + "'"},
                                  [&] { spec_from_metadata(metadata, "my.safetensors"); }));
  }
  const Metadata old = old_metadata("vsmax");
  for (const auto& [key, text] : old) {
    Metadata metadata = old;
    metadata.erase(key);
    EXPECT_TRUE(throws_error_with({"my.safetensors: ", "'" + key + "'"},
                                  [&] { spec_from_metadata(metadata, "my.safetensors"); }));
  }
}

TEST(Metadata, ThatIsNotANumberIsAnError) {
  for (const Metadata& valid : {metadata_from_spec(small_spec()), old_metadata("vsmax")}) {
    for (const std::string key : {"T", "R", "W", "H", "scale", "temperature", "target_width"})
      for (const std::string text : {"", "twelve", "12x", " 12", "12 ", "1e999"})
        EXPECT_TRUE(rejects(valid, key, text, {key, "'" + text + "'"})) << key << " " << text;
    for (const std::string key : {"T", "R", "W", "H"})
      for (const std::string text : {"12.5", "99999999999999999999"})
        EXPECT_TRUE(rejects(valid, key, text, {key, text})) << key << " " << text;
  }
}

TEST(Metadata, OfScaleAndTemperatureMustBePositiveAndFinite) {
  const Metadata valid = metadata_from_spec(small_spec());
  for (const std::string key : {"scale", "temperature", "target_width"})
    for (const std::string text : {"0", "-1", "nan", "inf", "-inf"})
      EXPECT_TRUE(rejects(valid, key, text, {key, text})) << key << " " << text;
  Metadata warm = valid;
  EXPECT_EQ(spec_from_metadata(warm, "my").temperature, 1.0);
  warm["temperature"] = "0.125";
  EXPECT_EQ(spec_from_metadata(warm, "my").temperature, 0.125);
}

TEST(Metadata, OfAnUnknownChoiceNamesTheKnownOnes) {
  const Metadata valid = metadata_from_spec(small_spec());
  for (const auto& [key, known] : {std::pair<std::string, std::string>{"refinement", "whitening"},
                                   {"cover", "double"},
                                   {"readout", "softargmax"},
                                   {"loss", "polar"}})
    for (const std::string& text : {std::string(), std::string("hardmax"), known + " "})
      EXPECT_TRUE(rejects(valid, key, text, {key, "'" + text + "'", known})) << key << " " << text;
}

TEST(Metadata, OfAGridThatCannotBeIsAnError) {
  const Metadata valid = metadata_from_spec(small_spec());
  for (const auto& [key, text] : {std::pair<std::string, std::string>{"R", "14"},
                                  {"R", "1"},
                                  {"R", "-13"},
                                  {"T", "0"},
                                  {"T", "100000"},
                                  {"W", "1"},
                                  {"H", "-20"},
                                  {"W", "0"}})
    EXPECT_TRUE(rejects(valid, key, text, {text})) << key << " " << text;
  EXPECT_TRUE(rejects(valid, "R", "14", {"R", "odd"}));
}

// An image of a size that no image may have would exhaust the memory.
TEST(Metadata, OfAFrameBeyondTheLimitOfImagesIsAnError) {
  Metadata metadata = metadata_from_spec(small_spec());
  metadata["H"] = "1000000";
  EXPECT_TRUE(rejects(metadata, "W", "1000000", {"1000000x1000000"}));
}

}  // namespace
}  // namespace vsmax
