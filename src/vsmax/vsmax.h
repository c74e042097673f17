// SPDX-License-Identifier: Apache-2.0
// The public interface of vsmax::core: everything a program needs to find lines in images.
//
//   vsmax::LineRecoverer recover(vsmax::load_model("classic"));
//   for (const auto& found : recover(vsmax::read_image("photo.png")).lines)
//     std::printf("%f %f %f\n", found.line.theta, found.line.rho, found.confidence);
#pragma once

#include "vsmax/base/error.h"               // Error, the library's only exception
#include "vsmax/geometry/ea_score.h"        // ea_score, to compare two lines
#include "vsmax/geometry/image_frame.h"     // ImageFrame: coordinates
#include "vsmax/geometry/line.h"            // PixelLine, UnitLine, visible_segment
#include "vsmax/geometry/line_spread.h"     // LineSpread: how far off a line may be
#include "vsmax/image/gray_image.h"         // GrayImage, which owns its pixels
#include "vsmax/image/image_file.h"         // read_image, write_png
#include "vsmax/image/image_view.h"         // ImageView: pixels that the caller owns
#include "vsmax/recover/batch_recoverer.h"  // BatchRecoverer: many images, several threads
#include "vsmax/recover/line_recoverer.h"   // LineRecoverer: image in, line out
#include "vsmax/recover/model.h"            // load_model, Model
#include "vsmax/recover/model_spec.h"       // ModelSpec: what a model is
