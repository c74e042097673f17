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

// This process ends because another one has failed, which has told the user why.
class EndedElsewhere : public Error {
 public:
  EndedElsewhere() : Error("another process of this run has failed") {}
};

struct JoinOptions {
  std::string device = "cpu";        // or "cuda"
  double timeout = 300.0;            // seconds without an answer after which the others are lost
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

  // Waits until all processes are there. Throws Error, as all other functions do where a process is
  // lost, and Interrupted.
  static ProcessGroup join(const Launch& launch, const JoinOptions& options);

  const Launch& launch() const { return launch_; }
  int rank() const { return launch_.rank; }
  int size() const { return launch_.size; }
  bool alone() const { return size() == 1; }
  bool leads() const { return rank() == 0; }  // writes the files and tells the user

  // Over all processes, in place, to the same bits in each. A tensor on any device.
  void sum(const at::Tensor& tensor) const;

  // What process 0 has, in place.
  void broadcast(const at::Tensor& tensor) const;
  std::string broadcast(const std::string& text) const;

  // Whether each wish is that of any process.
  std::array<bool, 2> any(const std::array<bool, 2>& wishes) const;

  // Leaves the others after a failure. Whether this process has to tell the user: it is the first
  // with a failure of its own.
  bool fail(bool of_its_own);

 private:
  struct Connection;

  Launch launch_;
  std::unique_ptr<Connection> connection_;  // null if alone
};

}  // namespace vsmax
