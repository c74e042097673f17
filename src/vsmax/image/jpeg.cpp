// SPDX-License-Identifier: Apache-2.0
// JPEG through libjpeg. As in png_session.h, libjpeg's longjmp must not skip C++ destructors: every
// call that can fail runs inside JpegReader::guarded, whose frames own nothing.

// clang-format off
#include <cstdio>  // before jpeglib.h, which needs it, as jerror.h needs jpeglib.h
#include <jpeglib.h>
#include <jerror.h>
// clang-format on

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "vsmax/base/error.h"
#include "vsmax/image/codecs.h"
#include "vsmax/image/exif.h"

namespace vsmax {
namespace {

constexpr int kExifMarker = JPEG_APP0 + 1;
// Every scan of a progressive file costs a pass over the image; a small file can hold thousands.
constexpr int kMaxScans = 500;

class JpegReader {
 public:
  JpegReader(std::span<const std::uint8_t> bytes, const std::string& name)
      : bytes_(bytes), name_(name) {
    codec_.err = jpeg_std_error(&errors_);
    codec_.client_data = this;
    errors_.error_exit = on_error;
    errors_.emit_message = on_message;
    errors_.output_message = [](j_common_ptr) {};
    progress_.progress_monitor = on_progress;
  }
  ~JpegReader() { jpeg_destroy_decompress(&codec_); }
  JpegReader(const JpegReader&) = delete;  // libjpeg keeps pointers to this object
  JpegReader& operator=(const JpegReader&) = delete;

  template <class Image>
  Image decode() {
    guarded([this] {
      jpeg_create_decompress(&codec_);
      codec_.progress = &progress_;
      jpeg_mem_src(&codec_, bytes_.data(), static_cast<unsigned long>(bytes_.size()));
      jpeg_save_markers(&codec_, kExifMarker, 0xFFFF);
      jpeg_read_header(&codec_, TRUE);
    });
    check_image_size(codec_.image_width, codec_.image_height, name_);
    const int exif = stored_orientation();
    choose_output(Image::kChannels == 3);
    guarded([this] { jpeg_start_decompress(&codec_); });

    Image image(static_cast<int>(codec_.output_width), static_cast<int>(codec_.output_height));
    std::vector<JSAMPLE> row(std::size_t{codec_.output_width} *
                             static_cast<std::size_t>(codec_.output_components));
    for (int y = 0; y < image.height; ++y) {
      JSAMPROW rows = row.data();
      guarded([&] { jpeg_read_scanlines(&codec_, &rows, 1); });
      convert_row(row, &image.pixels[Image::kChannels * image.frame().index(0, y)]);
    }
    // Reads up to the end marker; without it the file is truncated.
    guarded([this] { jpeg_finish_decompress(&codec_); });
    return make_upright(std::move(image), exif);
  }

 private:
  // Runs `step`, which must own nothing, and throws when libjpeg gave up inside it.
  template <typename Step>
  void guarded(const Step& step) {
    if (setjmp(escape_) != 0) fail();  // NOLINT(cert-err52-cpp): libjpeg's error interface
    step();
  }

  [[noreturn]] static void on_error(j_common_ptr codec) {
    auto* reader = static_cast<JpegReader*>(codec->client_data);
    codec->err->format_message(codec, reader->message_.data());
    std::longjmp(reader->escape_, 1);  // NOLINT(cert-err52-cpp): libjpeg's error interface
  }

  // libjpeg fills damaged parts with grey and merely warns; we reject the image. Stray bytes
  // between markers, which some cameras write, do no harm.
  static void on_message(j_common_ptr codec, int level) {
    const bool is_warning = level < 0;
    const int code = codec->err->msg_code;
    const bool about_data =
        code != JWRN_JFIF_MAJOR && code != JWRN_ADOBE_XFORM && code != JWRN_EXTRANEOUS_DATA;
    if (is_warning && about_data) on_error(codec);
  }

  static void on_progress(j_common_ptr codec) {
    auto* reader = static_cast<JpegReader*>(codec->client_data);
    if (reader->codec_.input_scan_number > kMaxScans) {
      static_cast<void>(std::snprintf(reader->message_.data(), reader->message_.size(),
                                      "more than %d scans", kMaxScans));
      std::longjmp(reader->escape_, 1);  // NOLINT(cert-err52-cpp): libjpeg's error interface
    }
  }

  int stored_orientation() const {
    for (auto* marker = codec_.marker_list; marker != nullptr; marker = marker->next) {
      const int orientation = exif_orientation({marker->data, marker->data_length});
      if (orientation != 1) return orientation;
    }
    return 1;
  }

  void choose_output(bool colour) {
    switch (codec_.jpeg_color_space) {
      case JCS_GRAYSCALE:
        codec_.out_color_space = JCS_GRAYSCALE;
        break;
      case JCS_YCbCr:  // Y is the luma we want, without a detour through rounded RGB
        codec_.out_color_space = colour ? JCS_RGB : JCS_GRAYSCALE;
        break;
      case JCS_RGB:
        codec_.out_color_space = JCS_RGB;
        break;
      case JCS_CMYK:
      case JCS_YCCK:
        codec_.out_color_space = JCS_CMYK;
        break;
      default:
        throw Error(name_ + ": JPEG with an unsupported colour space of " +
                    std::to_string(codec_.num_components) + " components");
    }
  }

  template <class Value>
  void convert_row(const std::vector<JSAMPLE>& row, Value* out) const {
    constexpr bool kGray = std::is_same_v<Value, float>;
    constexpr std::size_t kChannels = kGray ? 1 : 3;
    const bool same = codec_.out_color_space == (kGray ? JCS_GRAYSCALE : JCS_RGB);
    if (same) {  // nearly every file
      std::transform(row.begin(), row.end(), out, [](JSAMPLE value) {
        if constexpr (kGray)
          return static_cast<float>(value) / 255.0F;
        else
          return value;
      });
      return;
    }
    // Adobe stores the light that each ink lets through, everyone else the amount of ink.
    const unsigned flip = codec_.saw_Adobe_marker != 0 ? 0U : 0xFFU;
    for (std::size_t i = 0; i < codec_.output_width; ++i, out += kChannels) {
      if (codec_.out_color_space == JCS_GRAYSCALE) {
        put_pixel({row[i], row[i], row[i], 255, 255}, out);
      } else if (codec_.out_color_space == JCS_RGB) {
        put_pixel({row[3 * i], row[3 * i + 1], row[3 * i + 2], 255, 255}, out);
      } else {  // what the black ink lets through dims the colours just as alpha over black does
        put_pixel({row[4 * i] ^ flip, row[4 * i + 1] ^ flip, row[4 * i + 2] ^ flip,
                   row[4 * i + 3] ^ flip, 255},
                  out);
      }
    }
  }

  [[noreturn]] void fail() const {
    const int code = errors_.msg_code;
    if (code == JWRN_JPEG_EOF || code == JERR_INPUT_EOF) {
      throw Error(name_ + ": truncated JPEG (the file ends after " + std::to_string(bytes_.size()) +
                  " bytes)");
    }
    throw Error(name_ + ": damaged or unsupported JPEG (" + message_.data() + ")");
  }

  std::span<const std::uint8_t> bytes_;
  const std::string& name_;
  jpeg_decompress_struct codec_{};
  jpeg_error_mgr errors_{};
  jpeg_progress_mgr progress_{};
  std::jmp_buf escape_{};
  std::array<char, JMSG_LENGTH_MAX> message_{};
};

}  // namespace

template <class Image>
Image decode_jpeg(std::span<const std::uint8_t> bytes, const std::string& name) {
  return JpegReader(bytes, name).decode<Image>();
}
template GrayImage decode_jpeg(std::span<const std::uint8_t> bytes, const std::string& name);
template RgbImage decode_jpeg(std::span<const std::uint8_t> bytes, const std::string& name);

}  // namespace vsmax
