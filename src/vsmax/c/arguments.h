// SPDX-License-Identifier: Apache-2.0
// What the caller passes, checked. All throw ArgumentError. Internal.
#pragma once

#include "vsmax/c/vsmax.h"
#include "vsmax/geometry/image_frame.h"
#include "vsmax/image/image_view.h"
#include "vsmax/recover/line_recoverer.h"

namespace vsmax::c_interface {

ImageView view_of(const vsmax_image* image);

void require_threads(int threads);

LinesWanted wanted_by(const vsmax_options* options);

vsmax_evaluation_options evaluation_options_of(const vsmax_evaluation_options* options);

// Of a struct that the library fills.
void require_size(const vsmax_result& result);
void require_size(const vsmax_evaluation& evaluation);

ImageFrame frame_of(int width, int height);

}  // namespace vsmax::c_interface
