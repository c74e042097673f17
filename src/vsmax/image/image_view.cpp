// SPDX-License-Identifier: Apache-2.0
#include "vsmax/image/image_view.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <type_traits>

#include "vsmax/base/error.h"

namespace vsmax {
namespace {

// Black to white as 0 to 1.
float gray_value(std::uint8_t value) { return static_cast<float>(value) / 255.0F; }
float gray_value(std::uint16_t value) { return static_cast<float>(value) / 65535.0F; }
float gray_value(float value) { return value; }

// A stride need not keep pixels aligned.
template <class Pixel>
Pixel load(const std::byte* from) {
  Pixel pixel;
  std::memcpy(&pixel, from, sizeof pixel);
  return pixel;
}

}  // namespace

ImageView::ImageView(const GrayImage& image)
    : ImageView(image.pixels.data(), image.width, image.height) {
  const ImageFrame size{std::max(image.width, 0), std::max(image.height, 0)};
  if (image.pixels.size() != size.pixels())
    throw Error("an image of " + std::to_string(image.width) + "x" + std::to_string(image.height) +
                " holds " + std::to_string(image.pixels.size()) + " pixels");
}

const float* ImageView::contiguous_floats() const {
  const auto* floats = std::get_if<const float*>(&pixels_);
  const bool gapless =
      pixel_stride_ == sizeof(float) && row_stride_ == frame_.width * pixel_stride_;
  return floats != nullptr && gapless ? *floats : nullptr;
}

void ImageView::copy_to(float* pixels) const {
  std::visit(
      [&](const auto* first) {
        using Pixel = std::remove_const_t<std::remove_pointer_t<decltype(first)>>;
        const auto* origin = reinterpret_cast<const std::byte*>(first);
        for (int row = 0; row < frame_.height; ++row) {
          const std::byte* from = origin + row * row_stride_;
          for (int column = 0; column < frame_.width; ++column, from += pixel_stride_)
            *pixels++ = gray_value(load<Pixel>(from));
        }
      },
      pixels_);
}

}  // namespace vsmax
