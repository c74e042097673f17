// SPDX-License-Identifier: Apache-2.0
// Loops over independent items on several threads.
#pragma once

#include <cstddef>
#include <functional>

namespace vsmax {

// Calls body(item, worker) once for every item in [0, count), worker in [0, threads). Which worker
// takes which item is not fixed, so results must not depend on it. An exception stops the
// loop and is thrown again here, that of the first item if several fail. threads < 1 means one per
// processor; where the system refuses a thread, fewer do the work.
void parallel_for(std::size_t count, int threads,
                  const std::function<void(std::size_t item, std::size_t worker)>& body);

// The same for steps over a ring of items, where an item needs what it and its two neighbours were
// in the step before: body(step, item, worker) is called once these three are done with that step.
// The threads stay from step to step, and none waits for the end of one.
void parallel_ring_steps(
    std::size_t steps, std::size_t count, int threads,
    const std::function<void(std::size_t step, std::size_t item, std::size_t worker)>& body);

// The number of threads that parallel_for uses for `threads`.
int resolve_threads(int threads);

}  // namespace vsmax
