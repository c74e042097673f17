// SPDX-License-Identifier: Apache-2.0
#include "vsmax/autograd/line_model_file.h"

#include <array>
#include <charconv>

#include "vsmax/base/error.h"
#include "vsmax/io/image.h"

namespace vsmax {

namespace {

// The shortest decimal that reads back as the same number.
std::string decimal(double value) {
  std::array<char, 32> text{};
  const auto [end, status] = std::to_chars(text.data(), text.data() + text.size(), value);
  static_cast<void>(status);  // 32 characters hold any double
  return {text.data(), end};
}

std::string require_entry(const SafeTensors& file, const std::string& name,
                          const std::string& key) {
  const auto found = file.metadata.find(key);
  if (found == file.metadata.end())
    throw Error(name + ": the metadata lacks '" + key + "', so this is no vsmax model");
  return found->second;
}

template <class Number>
Number number(const std::string& text, const std::string& name, const std::string& key) {
  Number value{};
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || end != text.data() + text.size())
    throw Error(name + ": the metadata's " + key + " is '" + text + "', which is no number");
  return value;
}

}  // namespace

std::map<std::string, std::string> metadata_from_spec(const LineModelSpec& spec) {
  std::map<std::string, std::string> metadata{{"model", spec.name},
                                              {"T", std::to_string(spec.grid.thetas())},
                                              {"R", std::to_string(spec.grid.rhos())},
                                              {"W", std::to_string(spec.grid.frame().width)},
                                              {"H", std::to_string(spec.grid.frame().height)},
                                              {"scale", decimal(spec.scale)}};
  if (spec.temperature != 1.0) metadata["temperature"] = decimal(spec.temperature);
  if (spec.name == "rht") metadata["target_width"] = decimal(spec.target_width);
  return metadata;
}

LineModelSpec spec_from_metadata(const SafeTensors& file, const std::string& name) {
  const auto require_int = [&](const std::string& key) {
    return number<int>(require_entry(file, name, key), name, key);
  };
  LineModelSpec spec;
  spec.name = require_entry(file, name, "model");
  try {
    const ImageFrame frame{require_int("W"), require_int("H")};
    if (static_cast<double>(frame.width) * frame.height > static_cast<double>(kMaxPixels))
      throw Error("the metadata's " + std::to_string(frame.width) + "x" +
                  std::to_string(frame.height) + " pixels exceed the limit of " +
                  std::to_string(kMaxPixels));
    spec.grid = HoughGrid(frame, require_int("T"), require_int("R"));
  } catch (const Error& error) {
    const std::string what = error.what();
    throw Error(what.rfind(name, 0) == 0 ? what : name + ": " + what);
  }
  spec.scale = number<double>(require_entry(file, name, "scale"), name, "scale");
  if (file.metadata.count("temperature") != 0)
    spec.temperature = number<double>(file.metadata.at("temperature"), name, "temperature");
  if (file.metadata.count("target_width") != 0)
    spec.target_width = number<double>(file.metadata.at("target_width"), name, "target_width");
  return spec;
}

std::unique_ptr<LineModel> load_line_model(const SafeTensors& file, const std::string& name,
                                           bool bfloat16) {
  LineModelSpec spec = spec_from_metadata(file, name);
  spec.bfloat16 = bfloat16;
  auto model = make_line_model(spec);
  model->load_weights(file, name);
  return model;
}

}  // namespace vsmax
