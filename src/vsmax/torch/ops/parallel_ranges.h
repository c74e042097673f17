// SPDX-License-Identifier: Apache-2.0
// Loops over a batch on as many threads as torch uses.
#pragma once

#include <ATen/Parallel.h>

#include <algorithm>
#include <cstdint>

#include "vsmax/base/parallel.h"

namespace vsmax::ops {

// Calls body(begin, end) for consecutive ranges that make up [0, count), each on a thread of its
// own and, unless it is the only one, with at least `grain` items. at::parallel_for would need this
// file to be compiled with the OpenMP that torch was built with; otherwise it is serial.
template <class Body>
void parallel_ranges(int64_t count, int64_t grain, const Body& body) {
  const int64_t allowed = at::in_parallel_region() ? 1 : at::get_num_threads();
  const int64_t threads = std::min(allowed, count / std::max<int64_t>(grain, 1));
  if (threads <= 1) {
    if (count > 0) body(int64_t{0}, count);
    return;
  }
  parallel_for(static_cast<std::size_t>(threads), static_cast<int>(threads),
               [&](std::size_t item, std::size_t /*worker*/) {
                 const auto i = static_cast<int64_t>(item);
                 body(i * count / threads, (i + 1) * count / threads);
               });
}

}  // namespace vsmax::ops
