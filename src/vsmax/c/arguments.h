// SPDX-License-Identifier: Apache-2.0
// Checks and converts what the caller passes. All functions throw ArgumentError. Internal.
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

// Check the struct_size of a struct that the library fills.
void require_size(const vsmax_result& result);
void require_size(const vsmax_evaluation& evaluation);

// Fills as much of the caller's struct as it has, after require_size.
void hand_over(const vsmax_result& filled, vsmax_result& to);
void hand_over(const vsmax_evaluation& filled, vsmax_evaluation& to);

ImageFrame frame_of(int width, int height);

}  // namespace vsmax::c_interface
