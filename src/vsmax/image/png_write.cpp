// SPDX-License-Identifier: Apache-2.0
// Writing PNG.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <new>
#include <utility>

#include "vsmax/base/error.h"
#include "vsmax/image/image_file.h"
#include "vsmax/image/png_session.h"
#include "vsmax/io/file.h"

namespace vsmax {
namespace {

class PngWriter : private PngSession {
 public:
  explicit PngWriter(const std::string& path) : path_(path) {
    png_ = png_create_write_struct(PNG_LIBPNG_VER_STRING, this, on_error, ignore_warning);
    if (png_ != nullptr) info_ = png_create_info_struct(png_);
  }
  ~PngWriter() { png_destroy_write_struct(&png_, &info_); }
  PngWriter(const PngWriter&) = delete;
  PngWriter& operator=(const PngWriter&) = delete;

  void start(int width, int height, int bits, int colour_type) {
    check(png_ != nullptr && info_ != nullptr && guarded([=, this] {
            png_set_write_fn(png_, this, append, nullptr);
            png_set_user_limits(png_, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
            png_set_IHDR(png_, info_, static_cast<png_uint_32>(width),
                         static_cast<png_uint_32>(height), bits, colour_type, PNG_INTERLACE_NONE,
                         PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
            png_write_info(png_, info_);
          }));
  }
  void write_row(const std::uint8_t* row) {
    check(guarded([=, this] { png_write_row(png_, row); }));
  }
  std::vector<std::uint8_t> finish() {
    check(guarded([this] { png_write_end(png_, info_); }));
    return std::move(encoded_);
  }

 private:
  static void append(png_structp png, png_bytep data, std::size_t count) {
    auto* writer = static_cast<PngWriter*>(png_get_io_ptr(png));
    bool out_of_memory = false;
    try {  // an exception must not travel through libpng's C code
      writer->encoded_.insert(writer->encoded_.end(), data, data + count);
    } catch (const std::bad_alloc&) {
      out_of_memory = true;
    }
    if (out_of_memory) png_error(png, "out of memory");
  }
  void check(bool ok) const {
    if (!ok) throw Error(path_ + ": cannot be encoded as PNG (" + message() + ")");
  }

  const std::string& path_;
  std::vector<std::uint8_t> encoded_;
};

void check_consistent(int width, int height, std::size_t samples, std::size_t channels,
                      const std::string& path) {
  if (width < 1 || height < 1 ||
      samples != channels * static_cast<std::size_t>(width) * static_cast<std::size_t>(height)) {
    throw Error(path + ": cannot write an image of " + std::to_string(width) + "x" +
                std::to_string(height) + " pixels with " + std::to_string(samples) + " values");
  }
}

// Error messages start with `name`.
std::vector<std::uint8_t> encode(const GrayImage& image, int bits, const std::string& name) {
  check_consistent(image.width, image.height, image.pixels.size(), 1, name);
  if (bits != 8 && bits != 16) {
    throw Error(name + ": a PNG of " + std::to_string(bits) +
                " bits was requested; only 8 and 16 are possible");
  }
  PngWriter writer(name);
  writer.start(image.width, image.height, bits, PNG_COLOR_TYPE_GRAY);
  std::vector<std::uint8_t> row;
  for (int y = 0; y < image.height; ++y) {
    row.clear();
    for (int x = 0; x < image.width; ++x) {
      const float value = image.at(x, y);
      const float clipped = value > 0.0F ? std::min(value, 1.0F) : 0.0F;  // NaN becomes black
      const long level = std::lround(static_cast<double>(clipped) * (bits == 16 ? 65535 : 255));
      if (bits == 16) row.push_back(static_cast<std::uint8_t>(level >> 8));  // big-endian
      row.push_back(static_cast<std::uint8_t>(level & 0xFF));
    }
    writer.write_row(row.data());
  }
  return writer.finish();
}

std::vector<std::uint8_t> encode(const RgbImage& image, const std::string& name) {
  check_consistent(image.width, image.height, image.pixels.size(), 3, name);
  PngWriter writer(name);
  writer.start(image.width, image.height, 8, PNG_COLOR_TYPE_RGB);
  const std::size_t stride = 3 * static_cast<std::size_t>(image.width);
  for (int y = 0; y < image.height; ++y) {
    writer.write_row(image.pixels.data() + stride * static_cast<std::size_t>(y));
  }
  return writer.finish();
}

}  // namespace

void write_png(const std::string& path, const GrayImage& image, int bits) {
  write_file_atomically(path, encode(image, bits, path));
}

void write_png(const std::string& path, const RgbImage& image) {
  write_file_atomically(path, encode(image, path));
}

std::vector<std::uint8_t> encode_png(const GrayImage& image) { return encode(image, 8, "image"); }
std::vector<std::uint8_t> encode_png(const RgbImage& image) { return encode(image, "image"); }

}  // namespace vsmax
