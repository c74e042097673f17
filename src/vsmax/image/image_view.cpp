// SPDX-License-Identifier: Apache-2.0
#include "vsmax/image/image_view.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>

#include "vsmax/base/error.h"
#include "vsmax/image/codecs.h"

namespace vsmax {
namespace {

// Black to white as 0 to 1.
float gray_value(std::uint8_t value) { return static_cast<float>(value) / 255.0F; }
float gray_value(std::uint16_t value) { return static_cast<float>(value) / 65535.0F; }
float gray_value(float value) { return value; }

// Strides may leave pixels unaligned, hence memcpy.
template <class Pixel>
Pixel load(const std::byte* from) {
  Pixel pixel;
  std::memcpy(&pixel, from, sizeof pixel);
  return pixel;
}

template <class Sample>
float luma_of(const std::byte* red, std::ptrdiff_t channel_stride) {
  const auto r = load<Sample>(red);
  const auto g = load<Sample>(red + channel_stride);
  const auto b = load<Sample>(red + 2 * channel_stride);
  if constexpr (std::is_floating_point_v<Sample>)
    return static_cast<float>(0.299 * r + 0.587 * g + 0.114 * b);
  else
    return luma_over_black(r, g, b, std::numeric_limits<Sample>::max(),
                           std::numeric_limits<Sample>::max());
}

// A coordinate between two neighbouring samples, which are the same one at the last sample.
struct Between {
  std::ptrdiff_t low, high;
  double fraction;
};
Between between(double position, int samples) {
  const double inside = std::clamp(position, 0.0, static_cast<double>(samples - 1));
  const auto low = static_cast<std::ptrdiff_t>(inside);
  return {low, std::min<std::ptrdiff_t>(low + 1, samples - 1), inside - static_cast<double>(low)};
}

}  // namespace

ImageView::ImageView(const GrayImage& image)
    : ImageView(image.pixels.data(), image.width, image.height) {
  const ImageFrame size{std::max(image.width, 0), std::max(image.height, 0)};
  if (image.pixels.size() != size.pixels())
    throw Error("an image of " + std::to_string(image.width) + "x" + std::to_string(image.height) +
                " holds " + std::to_string(image.pixels.size()) + " pixels");
}

ImageView::ImageView(const RgbImage& image)
    : ImageView(rgb(image.pixels.data(), image.width, image.height)) {
  const ImageFrame size{std::max(image.width, 0), std::max(image.height, 0)};
  if (image.pixels.size() != 3 * size.pixels())
    throw Error("a colour image of " + std::to_string(image.width) + "x" +
                std::to_string(image.height) + " holds " + std::to_string(image.pixels.size()) +
                " values");
}

const float* ImageView::contiguous_floats() const {
  const auto* floats = std::get_if<const float*>(&pixels_);
  const bool gapless =
      pixel_stride_ == sizeof(float) && row_stride_ == frame_.width * pixel_stride_;
  return floats != nullptr && gapless && channels() == 1 ? *floats : nullptr;
}

// Calls write(pointer to the pixel, value of its type) for every pixel of these rows.
template <class Write>
void ImageView::for_pixels(Rows rows, std::ptrdiff_t offset, const Write& write) const {
  std::visit(
      [&](const auto* first) {
        using Pixel = std::remove_const_t<std::remove_pointer_t<decltype(first)>>;
        const auto* origin = reinterpret_cast<const std::byte*>(first) + offset;
        for (int row = rows.begin; row < rows.end; ++row) {
          const std::byte* from = origin + row * row_stride_;
          for (int column = 0; column < frame_.width; ++column, from += pixel_stride_)
            write(from, load<Pixel>(from));
        }
      },
      pixels_);
}

void ImageView::copy_to(float* pixels) const {
  if (channels() == 1) {
    copy_channel_to(0, pixels);
    return;
  }
  for_pixels({0, frame_.height}, 0, [&](const std::byte* from, auto sample) {
    *pixels++ = luma_of<decltype(sample)>(from, channel_stride_);
  });
}

void ImageView::copy_channel_to(std::size_t channel, float* pixels) const {
  for_pixels({0, frame_.height}, static_cast<std::ptrdiff_t>(channel) * channel_stride_,
             [&](const std::byte*, auto value) { *pixels++ = gray_value(value); });
}

void ImageView::copy_channel_to(std::size_t channel, int row, float* pixels) const {
  for_pixels({row, row + 1}, static_cast<std::ptrdiff_t>(channel) * channel_stride_,
             [&](const std::byte*, auto value) { *pixels++ = gray_value(value); });
}

void ImageView::sample_path(std::array<double, 2> start, std::array<double, 2> step,
                            std::span<double> values) const {
  const auto mix = [](double a, double b, double fraction) { return a + fraction * (b - a); };
  const auto sample = [&](const auto& value_at) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto n = static_cast<double>(i);
      const Between x = between(start[0] + n * step[0] + frame_.half_width(), frame_.width);
      const Between y = between(start[1] + n * step[1] + frame_.half_height(), frame_.height);
      const std::ptrdiff_t left = x.low * pixel_stride_;
      const std::ptrdiff_t right = x.high * pixel_stride_;
      const std::ptrdiff_t upper = y.low * row_stride_;
      const std::ptrdiff_t lower = y.high * row_stride_;
      values[i] = mix(mix(value_at(upper + left), value_at(upper + right), x.fraction),
                      mix(value_at(lower + left), value_at(lower + right), x.fraction), y.fraction);
    }
  };
  std::visit(
      [&](const auto* first) {
        using Pixel = std::remove_const_t<std::remove_pointer_t<decltype(first)>>;
        const auto* origin = reinterpret_cast<const std::byte*>(first);
        if (channels() == 3)
          sample([&](std::ptrdiff_t at) {
            return double{luma_of<Pixel>(origin + at, channel_stride_)};
          });
        else
          sample([&](std::ptrdiff_t at) { return double{gray_value(load<Pixel>(origin + at))}; });
      },
      pixels_);
}

}  // namespace vsmax
