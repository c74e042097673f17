// SPDX-License-Identifier: Apache-2.0
// A recoverer of the C interface that frees itself.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "vsmax/c/vsmax.h"

namespace vsmax::test {

struct DestroyRecoverer {
  void operator()(vsmax_recoverer* recoverer) const { vsmax_recoverer_destroy(recoverer); }
};
using RecovererHandle = std::unique_ptr<vsmax_recoverer, DestroyRecoverer>;

inline RecovererHandle make_recoverer(const std::string& model) {
  vsmax_recoverer* recoverer = nullptr;
  EXPECT_EQ(vsmax_recoverer_create(model.c_str(), &recoverer), VSMAX_OK) << vsmax_last_error();
  return RecovererHandle(recoverer);
}

inline vsmax_image image_with(const void* pixels, int width, int height) {
  vsmax_image image = VSMAX_IMAGE_INIT;
  image.pixels = pixels;
  image.width = width;
  image.height = height;
  return image;
}

}  // namespace vsmax::test
