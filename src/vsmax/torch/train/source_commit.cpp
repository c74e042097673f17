// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/train/source_commit.h"

namespace vsmax {

std::string source_commit() { return VSMAX_COMMIT; }

}  // namespace vsmax
