// SPDX-License-Identifier: Apache-2.0
// The library's input: grey or colour pixels owned by the caller, such as a cv::Mat, a NumPy array
// or a camera frame. A view does not copy them.
//
//   cv::Mat mat = ...;  // CV_8UC1, CV_16UC1 or CV_32FC1
//   vsmax::ImageView view(mat.ptr<std::uint8_t>(), mat.cols, mat.rows, mat.step[0]);
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

#include "vsmax/geometry/image_frame.h"
#include "vsmax/image/gray_image.h"

namespace vsmax {

class ImageView {
 public:
  // Strides are in bytes, may be negative, and need not be multiples of the pixel's size; a row
  // stride of 0 means that the rows follow one another without a gap. 8- and 16-bit values are
  // scaled so that black is 0 and white is 1; floats are used unchanged.
  ImageView(const std::uint8_t* pixels, int width, int height, std::ptrdiff_t row_stride = 0,
            std::ptrdiff_t pixel_stride = sizeof(std::uint8_t))
      : ImageView(Pixels(pixels), {width, height}, row_stride, pixel_stride) {}
  ImageView(const std::uint16_t* pixels, int width, int height, std::ptrdiff_t row_stride = 0,
            std::ptrdiff_t pixel_stride = sizeof(std::uint16_t))
      : ImageView(Pixels(pixels), {width, height}, row_stride, pixel_stride) {}
  ImageView(const float* pixels, int width, int height, std::ptrdiff_t row_stride = 0,
            std::ptrdiff_t pixel_stride = sizeof(float))
      : ImageView(Pixels(pixels), {width, height}, row_stride, pixel_stride) {}

  // Throws Error if the image does not hold as many pixels as its size says.
  ImageView(const GrayImage& image);  // NOLINT(google-explicit-constructor)
  ImageView(const RgbImage& image);   // NOLINT(google-explicit-constructor)

  // Colour: `pixels` points at the first red sample; green is `channel_stride` bytes after red, and
  // blue after green. Where blue comes first, as in a cv::Mat, point at the third sample and give a
  // negative stride.
  template <class Sample>
  static ImageView rgb(const Sample* pixels, int width, int height, std::ptrdiff_t row_stride = 0,
                       std::ptrdiff_t pixel_stride = 3 * sizeof(Sample),
                       std::ptrdiff_t channel_stride = sizeof(Sample)) {
    ImageView view(pixels, width, height, row_stride, pixel_stride);
    view.channel_stride_ = channel_stride;
    return view;
  }

  const ImageFrame& frame() const { return frame_; }
  std::size_t channels() const { return channel_stride_ != 0 ? 3 : 1; }

  // The pixels if they are floats without gaps, so that they can be used in place; otherwise null.
  const float* contiguous_floats() const;

  // Writes all pixels as floats, row by row; for a colour image, their Rec. 601 luma.
  void copy_to(float* pixels) const;

  // The same for red (0), green (1) or blue (2), which are all equal in a grey image.
  void copy_channel_to(std::size_t channel, float* pixels) const;
  void copy_channel_to(std::size_t channel, int row, float* pixels) const;  // only this row

  // Grey values at the points start, start + step, ... (x and y from the image centre),
  // interpolated bilinearly. Beyond the border, the outermost pixels are repeated.
  void sample_path(std::array<double, 2> start, std::array<double, 2> step,
                   std::span<double> values) const;

 private:
  struct Rows {
    int begin, end;
  };
  template <class Write>
  void for_pixels(Rows rows, std::ptrdiff_t offset, const Write& write) const;

  using Pixels = std::variant<const std::uint8_t*, const std::uint16_t*, const float*>;
  ImageView(Pixels pixels, ImageFrame frame, std::ptrdiff_t row_stride, std::ptrdiff_t pixel_stride)
      : pixels_(pixels),
        frame_(frame),
        row_stride_(row_stride != 0 ? row_stride : frame.width * pixel_stride),
        pixel_stride_(pixel_stride) {}

  Pixels pixels_;
  ImageFrame frame_;
  std::ptrdiff_t row_stride_;
  std::ptrdiff_t pixel_stride_;
  std::ptrdiff_t channel_stride_ = 0;  // of colour; 0 for grey
};

}  // namespace vsmax
