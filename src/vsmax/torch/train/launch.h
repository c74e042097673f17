// SPDX-License-Identifier: Apache-2.0
// How torchrun started this process. This header needs no LibTorch.
#pragma once

#include <string>

namespace vsmax {

struct Launch {
  int rank = 0;  // of this process, below `size`
  int size = 1;
  int local_rank = 0;  // among the processes of this machine
  int local_size = 1;
  std::string address;  // where the processes find each other
  int port = 0;
  bool has_store = false;    // torchrun serves the store there; otherwise process 0 does
  std::string attempt{"0"};  // counts torchrun's restarts of all processes after a failure
};

// From the variables that torchrun sets (RANK, WORLD_SIZE, ...); one process where WORLD_SIZE is
// unset or 1. Throws Error that names the variable that is missing or wrong.
Launch read_launch();

}  // namespace vsmax
