// SPDX-License-Identifier: Apache-2.0
// Reading PNG.
#include <cstddef>
#include <cstring>

#include "vsmax/base/error.h"
#include "vsmax/image/codecs.h"
#include "vsmax/image/png_session.h"

namespace vsmax {
namespace {

class PngReader : private PngSession {
 public:
  PngReader(std::span<const std::uint8_t> bytes, const std::string& name)
      : bytes_(bytes), rest_(bytes), name_(name) {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, on_error, ignore_warning);
    if (png_ != nullptr) info_ = png_create_info_struct(png_);
  }
  ~PngReader() { png_destroy_read_struct(&png_, &info_, nullptr); }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;

  template <class Image>
  Image decode() {
    read_header();
    const std::uint32_t width = png_get_image_width(png_, info_);
    const std::uint32_t height = png_get_image_height(png_, info_);
    Image image(static_cast<int>(width), static_cast<int>(height));
    std::vector<std::uint8_t> row(png_get_rowbytes(png_, info_));
    if (png_get_interlace_type(png_, info_) == PNG_INTERLACE_NONE) {
      for (std::uint32_t y = 0; y < height; ++y) read_row(row, image, width, {0, 1, y});
    } else {
      for (unsigned pass = 0; pass < PNG_INTERLACE_ADAM7_PASSES; ++pass) {
        read_pass(pass, row, image, width, height);
      }
    }
    // The end chunk is required as well: without it the file is truncated.
    if (!guarded([this] { png_read_end(png_, nullptr); })) fail();
    return image;
  }

 private:
  struct Placement {
    std::uint32_t first_column;
    std::uint32_t column_step;
    std::uint32_t row;
  };

  static void take_bytes(png_structp png, png_bytep target, std::size_t count) {
    auto* reader = static_cast<PngReader*>(png_get_io_ptr(png));
    if (count > reader->rest_.size()) {
      reader->truncated_ = true;
      png_error(png, "unexpected end of file");
    }
    std::memcpy(target, reader->rest_.data(), count);
    reader->rest_ = reader->rest_.subspan(count);
  }

  void read_header() {
    const bool ok =
        png_ != nullptr && info_ != nullptr && guarded([this] {
          png_set_read_fn(png_, this, take_bytes);
          png_set_user_limits(png_, PNG_UINT_31_MAX, PNG_UINT_31_MAX);  // ours is kMaxPixels
          png_set_crc_action(png_, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
          // Colour profiles, texts and so on are not used: skipping them leaves less to attack.
          png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
          png_read_info(png_, info_);
        });
    if (!ok) fail();
    // Checked before png_read_update_info, which allocates whole rows.
    check_image_size(png_get_image_width(png_, info_), png_get_image_height(png_, info_), name_);
    const bool expanded = guarded([this] {
      png_set_expand(png_);  // palette to RGB, 1-4 bits to 8, tRNS to alpha
      png_read_update_info(png_, info_);
    });
    if (!expanded) fail();
  }

  // To deinterlace, libpng would need the whole image at the file's depth; placing the packed rows
  // of each pass ourselves takes only one row of memory.
  template <class Image>
  void read_pass(unsigned pass, std::vector<std::uint8_t>& row, Image& image, std::uint32_t width,
                 std::uint32_t height) {
    const std::uint32_t columns = PNG_PASS_COLS(width, pass);
    const std::uint32_t rows = columns == 0 ? 0 : PNG_PASS_ROWS(height, pass);
    const std::uint32_t step = 1U << ((7U - pass) >> 1U);  // PNG_PASS_COL_OFFSET, unsigned
    for (std::uint32_t y = 0; y < rows; ++y) {
      read_row(row, image, columns,
               {PNG_PASS_START_COL(pass), step, PNG_ROW_FROM_PASS_ROW(y, pass)});
    }
  }

  // Reads one row of `count` pixels, full or of an interlace pass, and places it in the image.
  template <class Image>
  void read_row(std::vector<std::uint8_t>& row, Image& image, std::uint32_t count,
                Placement placement) {
    if (!guarded([&] { png_read_row(png_, row.data(), nullptr); })) fail();
    const std::size_t channels = png_get_channels(png_, info_);
    const bool wide = png_get_bit_depth(png_, info_) == 16;
    const std::uint64_t max = wide ? 65535 : 255;
    const auto sample = [&row, wide](std::size_t i) -> std::uint64_t {
      return wide ? static_cast<std::uint64_t>((row[2 * i] << 8) | row[2 * i + 1]) : row[i];
    };
    const bool colour = channels >= 3;
    const bool alpha = channels % 2 == 0;
    auto* out =
        &image.pixels[Image::kChannels * image.frame().index(0, static_cast<int>(placement.row))];
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t first = i * channels;
      const std::size_t column = placement.first_column + i * placement.column_step;
      put_pixel(
          {sample(first), sample(colour ? first + 1 : first), sample(colour ? first + 2 : first),
           alpha ? sample(first + channels - 1) : max, max},
          out + Image::kChannels * column);
    }
  }

  [[noreturn]] void fail() const {
    if (truncated_) {
      throw Error(name_ + ": truncated PNG (the file ends after " + std::to_string(bytes_.size()) +
                  " bytes)");
    }
    throw Error(name_ + ": damaged or unsupported PNG (" + message() + ")");
  }

  std::span<const std::uint8_t> bytes_;
  std::span<const std::uint8_t> rest_;
  const std::string& name_;
  bool truncated_ = false;
};

}  // namespace

template <class Image>
Image decode_png(std::span<const std::uint8_t> bytes, const std::string& name) {
  return PngReader(bytes, name).decode<Image>();
}
template GrayImage decode_png(std::span<const std::uint8_t> bytes, const std::string& name);
template RgbImage decode_png(std::span<const std::uint8_t> bytes, const std::string& name);

}  // namespace vsmax
