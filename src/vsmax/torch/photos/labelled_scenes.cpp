// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/photos/labelled_scenes.h"

#include <limits>

#include "vsmax/torch/photos/blanks.h"
#include "vsmax/torch/photos/crop_rows.h"
#include "vsmax/torch/photos/cuts.h"
#include "vsmax/torch/photos/scenes.h"

namespace vsmax {

LabelledScenes draw_labelled(SceneKind kind, const Canvas& canvas, double tilt) {
  switch (kind) {
    case SceneKind::kHorizons: {
      const Scenes scenes = draw_scenes(canvas, tilt);
      return {photographed(scenes.images), scenes.truth.unsqueeze(1)};
    }
    case SceneKind::kCuts: {
      const Cuts cuts = draw_cuts(canvas);
      return {photographed(cuts.images), cuts.truth};
    }
    case SceneKind::kCropRows: {
      const CropRows fields = draw_crop_rows(canvas);
      return {fields.images, fields.rows};
    }
    case SceneKind::kBlanks:
      break;
  }
  return {
      photographed(draw_blanks(canvas)),
      torch::full({canvas.count, 1, 2}, std::numeric_limits<float>::quiet_NaN(), canvas.options())};
}

}  // namespace vsmax
