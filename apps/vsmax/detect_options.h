// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "detect_pictures.h"
#include "image_sources.h"
#include "model_options.h"
#include "path_key.h"
#include "result_log.h"
#include "vsmax/recover/line_recoverer.h"

namespace vsmax::app {

struct DetectOptions {
  ImageRequest images;
  Shard shard;
  ModelOptions model;
  LinesWanted lines;
  bool lines_auto = true;  // --lines auto
  bool dark = false;
  LogOptions log;
  PictureFolders pictures;
  int threads = 0;
  std::string ray;  // address of a cluster; empty for this process

  void declare(CLI::App& parser);
  void complete();  // checks what the parser cannot; throws UsageError
  Model load_model() const;
};

}  // namespace vsmax::app
