// SPDX-License-Identifier: Apache-2.0
// The options of synth and evaluate that say how lines are drawn.
#pragma once

#include <CLI/CLI.hpp>

#include "vsmax/data/synthetic.h"

namespace vsmax::app {

void declare_stroke(CLI::App& parser, Stroke& stroke);

}  // namespace vsmax::app
