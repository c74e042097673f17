// SPDX-License-Identifier: Apache-2.0
#include "vsmax/c/arguments.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "vsmax/c/status.h"
#include "vsmax/image/gray_image.h"

namespace vsmax::c_interface {
namespace {

// The size of a struct in the first version of this ABI: programs that were compiled against it
// pass no more. A struct that grows needs a specialisation with its old size.
template <class Struct>
constexpr std::size_t kFirstSize = sizeof(Struct);

template <class Struct>
void require_struct_size(const Struct& given, const std::string& name) {
  if (given.struct_size < kFirstSize<Struct>)
    throw ArgumentError(name + ".struct_size is " + std::to_string(given.struct_size) +
                        ", less than " + std::to_string(kFirstSize<Struct>) +
                        "; initialise the struct with its macro");
}

// A copy of what the caller passed. The caller's struct may be that of an earlier version, whose
// missing members count as 0, or of a later one, as long as the members that this library does not
// know are 0.
template <class Struct>
Struct copy_of(const Struct& given, const std::string& name) {
  require_struct_size(given, name);
  const auto* bytes = reinterpret_cast<const unsigned char*>(&given);
  const std::size_t known = std::min(given.struct_size, sizeof(Struct));
  if (std::any_of(bytes + known, bytes + given.struct_size,
                  [](unsigned char byte) { return byte != 0; }))
    throw ArgumentError(name + " has members that this version of vsmax does not know");
  Struct copy{};
  std::memcpy(&copy, bytes, known);
  return copy;
}

template <class Struct>
void fill_known_part(Struct filled, Struct& to) {
  filled.struct_size = to.struct_size;
  std::memcpy(&to, &filled, std::min(to.struct_size, sizeof(Struct)));
}

std::ptrdiff_t sample_bytes(int sample_type) {
  switch (sample_type) {
    case VSMAX_UINT8:
      return sizeof(std::uint8_t);
    case VSMAX_UINT16:
      return sizeof(std::uint16_t);
    case VSMAX_FLOAT32:
      return sizeof(float);
    default:
      throw ArgumentError("image.sample_type is " + std::to_string(sample_type) +
                          ", which is not a vsmax_sample_type");
  }
}

// The strides may order the pixels in any way, but no two may overlap: a stride that is too small
// was most likely given in pixels instead of bytes.
void require_room(const vsmax_image& image, std::ptrdiff_t pixel_bytes) {
  struct Axis {
    std::ptrdiff_t stride, length;
  };
  Axis inner{std::abs(image.pixel_stride), image.width};
  Axis outer{std::abs(image.row_stride), image.height};
  if (inner.stride > outer.stride) std::swap(inner, outer);
  if (inner.stride < pixel_bytes || outer.stride < (inner.length - 1) * inner.stride + pixel_bytes)
    throw ArgumentError("image.row_stride is " + std::to_string(image.row_stride) +
                        " and pixel_stride " + std::to_string(image.pixel_stride) + " bytes; " +
                        std::to_string(image.width) + " pixels of " + std::to_string(pixel_bytes) +
                        " bytes each would overlap");
}

template <class Sample>
ImageView view_as(const vsmax_image& image) {
  const auto* samples = static_cast<const Sample*>(image.pixels);
  if (image.channels == VSMAX_GRAY)
    return {samples, image.width, image.height, image.row_stride, image.pixel_stride};
  const bool reverse = image.channels == VSMAX_BGR;
  constexpr auto kStep = static_cast<std::ptrdiff_t>(sizeof(Sample));
  return ImageView::rgb(samples + (reverse ? 2 : 0), image.width, image.height, image.row_stride,
                        image.pixel_stride, reverse ? -kStep : kStep);
}

}  // namespace

ImageFrame frame_of(int width, int height) {
  const std::string size = std::to_string(width) + "x" + std::to_string(height);
  if (width < 2 || height < 2)
    throw ArgumentError("the size is " + size + " pixels; at least 2x2 are needed");
  const ImageFrame frame{width, height};
  if (frame.pixels() > kMaxPixels)
    throw ArgumentError("the size is " + size + " pixels; at most " + std::to_string(kMaxPixels) +
                        " pixels are supported");
  return frame;
}

ImageView view_of(const vsmax_image* given) {
  vsmax_image image = copy_of(required(given, "image"), "image");
  required(static_cast<const char*>(image.pixels), "image.pixels");
  static_cast<void>(frame_of(image.width, image.height));
  if (image.channels < VSMAX_GRAY || image.channels > VSMAX_BGR)
    throw ArgumentError("image.channels is " + std::to_string(image.channels) +
                        ", which is not a vsmax_channels");
  const std::ptrdiff_t pixel_bytes =
      sample_bytes(image.sample_type) * (image.channels == VSMAX_GRAY ? 1 : 3);
  if (image.pixel_stride == 0) image.pixel_stride = pixel_bytes;
  constexpr std::ptrdiff_t kLargest = PTRDIFF_MAX / static_cast<std::ptrdiff_t>(kMaxPixels);
  for (const std::ptrdiff_t stride : {image.row_stride, image.pixel_stride})
    if (stride < -kLargest || stride > kLargest)
      throw ArgumentError("a stride of " + std::to_string(stride) + " bytes is too large");
  if (image.row_stride == 0) image.row_stride = image.width * std::abs(image.pixel_stride);
  require_room(image, pixel_bytes);
  switch (image.sample_type) {
    case VSMAX_UINT16:
      return view_as<std::uint16_t>(image);
    case VSMAX_FLOAT32:
      return view_as<float>(image);
    default:
      return view_as<std::uint8_t>(image);
  }
}

void require_threads(int threads) {
  constexpr int kMost = 1024;
  if (threads < 0 || threads > kMost)
    throw ArgumentError("threads is " + std::to_string(threads) +
                        "; it must be 0 for one per processor, or a number up to " +
                        std::to_string(kMost));
}

LinesWanted wanted_by(const vsmax_options* given) {
  constexpr int kMost = 1000;
  const vsmax_options defaults = VSMAX_OPTIONS_INIT;
  const vsmax_options options = given == nullptr ? defaults : copy_of(*given, "options");
  if (options.most_lines < 0 || options.most_lines > kMost)
    throw ArgumentError("options.most_lines is " + std::to_string(options.most_lines) +
                        "; it must be 0 for all, or a number up to " + std::to_string(kMost));
  if (!(options.min_confidence >= 0.0 && options.min_confidence <= 1.0))
    throw ArgumentError("options.min_confidence is " + std::to_string(options.min_confidence) +
                        "; it must be from 0 to 1");
  return {options.most_lines == 0 ? LinesWanted::kAuto : options.most_lines,
          options.min_confidence};
}

vsmax_evaluation_options evaluation_options_of(const vsmax_evaluation_options* given) {
  const vsmax_evaluation_options defaults = VSMAX_EVALUATION_OPTIONS_INIT;
  const auto options = given == nullptr ? defaults : copy_of(*given, "options");
  if (!(options.sigma >= 0.0 && std::isfinite(options.sigma)))
    throw ArgumentError("options.sigma is " + std::to_string(options.sigma) +
                        "; it must be 0 or a positive number");
  require_threads(options.threads);
  return options;
}

void require_size(const vsmax_result& result) { require_struct_size(result, "result"); }

void require_size(const vsmax_evaluation& evaluation) {
  require_struct_size(evaluation, "evaluation");
}

void hand_over(const vsmax_result& filled, vsmax_result& to) { fill_known_part(filled, to); }

void hand_over(const vsmax_evaluation& filled, vsmax_evaluation& to) {
  fill_known_part(filled, to);
}

}  // namespace vsmax::c_interface
