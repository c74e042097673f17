// SPDX-License-Identifier: Apache-2.0
// The processes that train one model together, through torch's c10d: Gloo on the CPU, NCCL on CUDA.
// Every process makes the same calls in the same order. This header needs no LibTorch.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>

#include "vsmax/base/error.h"
#include "vsmax/torch/train/launch.h"

namespace at {
class Tensor;
}

namespace vsmax {

// This process ends because another one has failed and has told the user why.
class EndedElsewhere : public Error {
 public:
  EndedElsewhere() : Error("another process of this run has failed") {}
};

struct JoinOptions {
  std::string device = "cpu";        // or "cuda"
  double timeout = 300.0;            // seconds without an answer before the others count as lost
  std::function<bool()> wants_stop;  // asked while waiting for the others to start
};

class ProcessGroup {
 public:
  ProcessGroup();  // this process alone
  ~ProcessGroup();
  ProcessGroup(ProcessGroup&& other) noexcept;
  ProcessGroup& operator=(ProcessGroup&& other) noexcept;
  ProcessGroup(const ProcessGroup&) = delete;
  ProcessGroup& operator=(const ProcessGroup&) = delete;

  // Waits until all processes have joined. Throws Error if a process is lost, as all other
  // functions do, and Interrupted.
  static ProcessGroup join(const Launch& launch, const JoinOptions& options);

  const Launch& launch() const { return launch_; }
  int rank() const { return launch_.rank; }
  int size() const { return launch_.size; }
  bool alone() const { return size() == 1; }
  bool leads() const { return rank() == 0; }  // writes the files and tells the user

  // Sums a tensor on any device over all processes, in place and to the same bits in each.
  void sum(const at::Tensor& tensor) const;

  // Gives every process the value that process 0 has, tensors in place.
  void broadcast(const at::Tensor& tensor) const;
  std::string broadcast(const std::string& text) const;

  // For each wish, whether any process has it.
  std::array<bool, 2> any(const std::array<bool, 2>& wishes) const;

  // Leaves the group after a failure. Returns whether this process has to tell the user, which only
  // the first with a failure of its own does.
  bool fail(bool of_its_own);

 private:
  struct Connection;

  Launch launch_;
  std::unique_ptr<Connection> connection_;  // null if alone
};

}  // namespace vsmax
