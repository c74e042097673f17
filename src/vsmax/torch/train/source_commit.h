// SPDX-License-Identifier: Apache-2.0
// The commit that this program was built from, for the records of a run.
#pragma once

#include <string>

namespace vsmax {

// The short hash of the commit when the build was configured, or "unknown".
std::string source_commit();

}  // namespace vsmax
