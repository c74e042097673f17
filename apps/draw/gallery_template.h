// SPDX-License-Identifier: Apache-2.0
// apps/draw/gallery.html, embedded by the build.
#pragma once

#include <cstdint>
#include <span>

namespace vsmax {

std::span<const std::uint8_t> gallery_template_bytes();

}  // namespace vsmax
