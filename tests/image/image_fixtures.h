// SPDX-License-Identifier: Apache-2.0
// Makes small PNG and JPEG files in memory for the tests, and folders to put files in.
#pragma once

// clang-format off
#include <cstdio>  // before jpeglib.h, which needs it
#include <jpeglib.h>
// clang-format on
#include <png.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace vsmax::testing {

using Bytes = std::vector<std::uint8_t>;

// A fresh folder that vanishes with everything in it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "vsmax_io_XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  TemporaryFolder(TemporaryFolder&&) = delete;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;

  std::string file(const std::string& name) const { return (path_ / name).string(); }
  std::string path() const { return path_.string(); }
  std::size_t count() const {
    std::size_t n = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(path_)) ++n;
    return n;
  }

 private:
  std::filesystem::path path_;
};

// The message of the E that `action` throws, or "" if it throws none.
template <typename E, typename Action>
std::string message_of(const Action& action) {
  try {
    action();
  } catch (const E& error) {
    return error.what();
  }
  return "";
}

struct PngSpec {
  int width = 0;
  int height = 0;
  int colour_type = PNG_COLOR_TYPE_GRAY;
  int bits = 8;
  std::vector<std::uint16_t> samples{};  // one per sample, whatever the bit depth
  bool interlaced = false;
  std::vector<png_color> palette{};
  std::vector<png_byte> palette_alpha{};
  bool has_transparent = false;  // grey or RGB with one fully transparent colour
  png_color_16 transparent{};
  double gamma = 0.0;
};

inline Bytes make_png(const PngSpec& spec) {
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  Bytes out;
  png_set_write_fn(
      png, &out,
      [](png_structp p, png_bytep data, std::size_t n) {
        auto* target = static_cast<Bytes*>(png_get_io_ptr(p));
        target->insert(target->end(), data, data + n);
      },
      nullptr);
  png_set_IHDR(png, info, static_cast<png_uint_32>(spec.width),
               static_cast<png_uint_32>(spec.height), spec.bits, spec.colour_type,
               spec.interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (!spec.palette.empty()) {
    png_set_PLTE(png, info, spec.palette.data(), static_cast<int>(spec.palette.size()));
  }
  if (!spec.palette_alpha.empty()) {
    png_set_tRNS(png, info, spec.palette_alpha.data(), static_cast<int>(spec.palette_alpha.size()),
                 nullptr);
  }
  if (spec.has_transparent) png_set_tRNS(png, info, nullptr, 0, &spec.transparent);
  if (spec.gamma > 0.0) png_set_gAMA(png, info, spec.gamma);
  png_write_info(png, info);
  if (spec.bits < 8) png_set_packing(png);
  Bytes raw;
  for (const std::uint16_t sample : spec.samples) {
    if (spec.bits == 16) raw.push_back(static_cast<std::uint8_t>(sample >> 8));
    raw.push_back(static_cast<std::uint8_t>(sample & 0xFF));
  }
  const std::size_t stride = raw.size() / static_cast<std::size_t>(spec.height);
  std::vector<png_bytep> rows;
  for (int y = 0; y < spec.height; ++y) {
    rows.push_back(raw.data() + stride * static_cast<std::size_t>(y));
  }
  png_write_image(png, rows.data());
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  return out;
}

struct JpegSpec {
  int width = 0;
  int height = 0;
  J_COLOR_SPACE input = JCS_GRAYSCALE;
  J_COLOR_SPACE stored = JCS_GRAYSCALE;
  Bytes samples{};  // interleaved
  bool adobe_marker = false;
  bool progressive = false;
  bool separate_scans = false;  // one for each of three components
  Bytes app1{};                 // payload of an APP1 marker, if any
};

inline Bytes make_jpeg(const JpegSpec& spec) {
  const int channels = spec.input == JCS_GRAYSCALE ? 1
                       : spec.input == JCS_UNKNOWN ? 2
                       : spec.input == JCS_CMYK    ? 4
                                                   : 3;
  jpeg_compress_struct codec{};
  jpeg_error_mgr errors{};
  codec.err = jpeg_std_error(&errors);
  jpeg_create_compress(&codec);
  unsigned char* encoded = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&codec, &encoded, &size);
  codec.image_width = static_cast<JDIMENSION>(spec.width);
  codec.image_height = static_cast<JDIMENSION>(spec.height);
  codec.input_components = channels;
  codec.in_color_space = spec.input;
  jpeg_set_defaults(&codec);
  jpeg_set_colorspace(&codec, spec.stored);
  jpeg_set_quality(&codec, 100, TRUE);
  for (int i = 0; i < codec.num_components; ++i) {  // no subsampling
    codec.comp_info[i].h_samp_factor = 1;
    codec.comp_info[i].v_samp_factor = 1;
  }
  codec.write_Adobe_marker = spec.adobe_marker ? TRUE : FALSE;
  if (spec.progressive) jpeg_simple_progression(&codec);
  const jpeg_scan_info scans[3] = {
      {1, {0}, 0, 63, 0, 0}, {1, {1}, 0, 63, 0, 0}, {1, {2}, 0, 63, 0, 0}};
  if (spec.separate_scans) {
    codec.scan_info = scans;
    codec.num_scans = 3;
  }
  jpeg_start_compress(&codec, TRUE);
  if (!spec.app1.empty()) {
    jpeg_write_marker(&codec, JPEG_APP0 + 1, spec.app1.data(),
                      static_cast<unsigned>(spec.app1.size()));
  }
  Bytes samples = spec.samples;
  while (codec.next_scanline < codec.image_height) {
    JSAMPROW row = samples.data() + std::size_t{codec.next_scanline} *
                                        static_cast<std::size_t>(spec.width * channels);
    jpeg_write_scanlines(&codec, &row, 1);
  }
  jpeg_finish_compress(&codec);
  jpeg_destroy_compress(&codec);
  Bytes out(encoded, encoded + size);
  std::free(encoded);
  return out;
}

}  // namespace vsmax::testing
