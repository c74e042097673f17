// SPDX-License-Identifier: Apache-2.0
#include "vsmax/recover/model_metadata.h"

#include <charconv>

#include "vsmax/base/error.h"
#include "vsmax/image/image.h"

namespace vsmax {

namespace {

template <class Number>
Number parsed(const std::string& text, const std::string& name, const std::string& key) {
  Number value{};
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || end != text.data() + text.size())
    throw Error(name + ": the metadata's " + key + " is '" + text + "', which is no number");
  return value;
}

}  // namespace

const std::string& ModelMetadata::text(const std::string& key) const {
  const auto found = file_.metadata.find(key);
  if (found == file_.metadata.end())
    throw Error(name_ + ": the metadata lacks '" + key + "', so this is no vsmax model");
  return found->second;
}

double ModelMetadata::number(const std::string& key) const {
  return parsed<double>(text(key), name_, key);
}

int ModelMetadata::integer(const std::string& key) const {
  return parsed<int>(text(key), name_, key);
}

HoughGrid ModelMetadata::grid() const {
  const ImageFrame frame{integer("W"), integer("H")};
  if (static_cast<double>(frame.width) * frame.height > static_cast<double>(kMaxPixels))
    throw Error(name_ + ": the metadata's " + std::to_string(frame.width) + "x" +
                std::to_string(frame.height) + " pixels exceed the limit of " +
                std::to_string(kMaxPixels));
  const int thetas = integer("T");
  const int rhos = integer("R");
  try {
    return {frame, thetas, rhos};
  } catch (const Error& error) {
    throw Error(name_ + ": " + error.what());
  }
}

}  // namespace vsmax
