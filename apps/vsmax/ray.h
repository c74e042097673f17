// SPDX-License-Identifier: Apache-2.0
// 'vsmax detect --ray ADDRESS': the images are searched by the workers of a Ray cluster, which only
// Python can reach. This program checks the options, lists the images, and executes Python.
#pragma once

#include <CLI/CLI.hpp>

namespace vsmax::app {

struct DetectOptions;

// Declares --ray. The options that it excludes must be declared before.
void declare_ray(CLI::App& parser, std::string& address);

// Checks what the parser cannot. Throws UsageError.
void check_ray(const DetectOptions& options);

// Executes Python with the package vsmax. Throws Error.
[[noreturn]] void hand_over_to_ray(const DetectOptions& options);

}  // namespace vsmax::app
