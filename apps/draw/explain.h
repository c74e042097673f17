// SPDX-License-Identifier: Apache-2.0
// One picture that shows how the lines were found.
#pragma once

#include <string>

#include "vsmax/image/image_file.h"
#include "vsmax/recover/line_recoverer.h"
#include "vsmax/recover/trace.h"

namespace vsmax::drawing {

// An SVG document with four panels: the image, the votes of its pixels, the probability of every
// line, and the recovered lines. The trace must come from the same call as the recovery.
std::string explanation_svg(const GrayImage& image, const Recovery& recovery,
                            const RecoveryTrace& trace, const std::string& title);

}  // namespace vsmax::drawing
