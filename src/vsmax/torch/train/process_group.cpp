// SPDX-License-Identifier: Apache-2.0
// The only file that includes torch's c10d. Its macros USE_C10D_GLOO and USE_C10D_NCCL tell which
// headers this build has found.
#include "vsmax/torch/train/process_group.h"

#include <fmt/core.h>
#include <torch/types.h>
#include <torch/version.h>

#include <chrono>
#include <cstdlib>
#include <thread>
#include <utility>
#include <vector>

#include "vsmax/score/evaluation.h"  // Interrupted

#if defined(USE_C10D_GLOO) || defined(USE_C10D_NCCL)
#define VSMAX_WITH_C10D
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#endif
#ifdef USE_C10D_GLOO
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#endif
#ifdef USE_C10D_NCCL
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>
#endif

namespace vsmax {

#ifdef VSMAX_WITH_C10D

namespace {

#if TORCH_VERSION_MAJOR >= 2
using Backend = c10d::Backend;
#else
using Backend = c10d::ProcessGroup;
#endif
using Milliseconds = std::chrono::milliseconds;

constexpr const char* kJoined = "joined";
constexpr const char* kFailed = "failed";
constexpr const char* kLeft = "left";

Milliseconds milliseconds(double seconds) {
  return Milliseconds(static_cast<std::int64_t>(seconds * 1e3));
}

c10::intrusive_ptr<c10d::Store> open_store(const Launch& launch, double timeout) {
  c10d::TCPStoreOptions options;
  options.port = static_cast<std::uint16_t>(launch.port);
  options.isServer = launch.rank == 0 && !launch.has_store;
  options.waitWorkers = false;  // wait_for_all does, and can be interrupted
  options.timeout = milliseconds(timeout);
  try {
    return c10::make_intrusive<c10d::PrefixStore>(
        "vsmax/" + launch.attempt, c10::make_intrusive<c10d::TCPStore>(launch.address, options));
  } catch (const std::exception&) {
    throw Error(fmt::format(
        "process {} cannot reach the others at {}:{} (MASTER_ADDR, MASTER_PORT); torchrun and "
        "vsmax-torch need the same version of torch",
        launch.rank, launch.address, launch.port));
  }
}

void wait_for_all(c10d::Store& store, const Launch& launch, const JoinOptions& options) {
  constexpr Milliseconds kPause(20);
  const auto deadline = std::chrono::steady_clock::now() + milliseconds(options.timeout);
  std::int64_t joined = store.add(kJoined, 1);
  while (joined < launch.size) {
    if (options.wants_stop && options.wants_stop()) throw Interrupted();
    if (store.add(kFailed, 0) > 0) throw EndedElsewhere();
    if (std::chrono::steady_clock::now() > deadline)
      throw Error(fmt::format("only {} of {} processes started within {} s", joined, launch.size,
                              options.timeout));
    std::this_thread::sleep_for(kPause);
    joined = store.add(kJoined, 0);
  }
}

c10::intrusive_ptr<Backend> open_backend(const c10::intrusive_ptr<c10d::Store>& store,
                                         const Launch& launch, const JoinOptions& options) {
  const Milliseconds timeout = milliseconds(options.timeout);
  if (options.device == "cuda") {
#ifdef USE_C10D_NCCL
    auto settings = c10d::ProcessGroupNCCL::Options::create();
    settings->timeout = timeout;
    return c10::make_intrusive<c10d::ProcessGroupNCCL>(store, launch.rank, launch.size, settings);
#endif
  } else {
#ifdef USE_C10D_GLOO
    using Gloo = c10d::ProcessGroupGloo;
    auto settings = Gloo::Options::create(timeout);
    // The variable that torch reads, too, for machines with several network interfaces.
    const char* interface = std::getenv("GLOO_SOCKET_IFNAME");
    settings->devices.push_back(interface != nullptr ? Gloo::createDeviceForInterface(interface)
                                                     : Gloo::createDefaultDevice());
    return c10::make_intrusive<Gloo>(store, launch.rank, launch.size, settings);
#endif
  }
  throw Error(fmt::format("this vsmax-torch was built without {}, which {} processes on {} need",
                          options.device == "cuda" ? "NCCL" : "Gloo", launch.size, options.device));
}

}  // namespace

struct ProcessGroup::Connection {
  c10::intrusive_ptr<c10d::Store> store;
  c10::intrusive_ptr<Backend> backend;
  torch::Device device;
  std::string lost;  // the message if a process no longer answers

  // Calls start(tensors) with the tensor, or a copy on the backend's device, which is copied back.
  template <class Start>
  void run(const at::Tensor& tensor, const Start& start) const {
    const torch::NoGradGuard no_grad;
    std::vector<at::Tensor> tensors{tensor.to(device).contiguous()};
    try {
      start(tensors)->wait();
    } catch (const std::exception&) {
      throw Error(lost);
    }
    if (!tensors.front().is_same(tensor)) tensor.copy_(tensors.front());
  }
};

ProcessGroup ProcessGroup::join(const Launch& launch, const JoinOptions& options) {
  ProcessGroup group;
  if (launch.size == 1) return group;
  const auto store = open_store(launch, options.timeout);
  const std::string lost = fmt::format(
      "process {} of {} lost contact with another one, which was killed, crashed or did not answer "
      "for {} s; use --resume to continue after the last complete epoch",
      launch.rank, launch.size, options.timeout);
  const torch::Device device =
      options.device == "cuda"
          ? torch::Device(torch::kCUDA, static_cast<c10::DeviceIndex>(launch.local_rank))
          : torch::Device(torch::kCPU);
  group.launch_ = launch;
  group.connection_ = std::make_unique<Connection>(Connection{store, {}, device, lost});
  try {
    wait_for_all(*store, launch, options);
    group.connection_->backend = open_backend(store, launch, options);
  } catch (const Error&) {
    throw;
  } catch (const std::exception&) {
    throw Error(lost);
  }
  return group;
}

void ProcessGroup::sum(const at::Tensor& tensor) const {
  if (alone()) return;
  connection_->run(tensor, [&](auto& tensors) { return connection_->backend->allreduce(tensors); });
}

void ProcessGroup::broadcast(const at::Tensor& tensor) const {
  if (alone()) return;
  connection_->run(tensor, [&](auto& tensors) { return connection_->backend->broadcast(tensors); });
}

bool ProcessGroup::fail(bool of_its_own) {
  if (alone()) return of_its_own;
  constexpr Milliseconds kLongest(15000);
  constexpr Milliseconds kPause(20);
  try {
    c10d::Store& store = *connection_->store;
    const bool tells = of_its_own && store.add(kFailed, 1) == 1;
    std::int64_t left = store.add(kLeft, 1);
    connection_->backend.reset();  // the others notice this
    // If this process serves the store, it stays for a while so that the others can still ask it.
    const bool keeps_store = leads() && !launch_.has_store;
    for (auto waited = Milliseconds(0); keeps_store && left < size() && waited < kLongest;
         waited += kPause) {
      std::this_thread::sleep_for(kPause);
      left = store.add(kLeft, 0);
    }
    return tells;
  } catch (const std::exception&) {
    return of_its_own;  // nobody is left to ask
  }
}

#else

struct ProcessGroup::Connection {};

ProcessGroup ProcessGroup::join(const Launch& launch, const JoinOptions&) {
  if (launch.size == 1) return {};
  throw Error(fmt::format(
      "this vsmax-torch was built without Gloo and NCCL, one of which {} processes need",
      launch.size));
}

void ProcessGroup::sum(const at::Tensor&) const {}
void ProcessGroup::broadcast(const at::Tensor&) const {}
bool ProcessGroup::fail(bool of_its_own) { return of_its_own; }

#endif

ProcessGroup::ProcessGroup() = default;
ProcessGroup::~ProcessGroup() = default;
ProcessGroup::ProcessGroup(ProcessGroup&& other) noexcept = default;
ProcessGroup& ProcessGroup::operator=(ProcessGroup&& other) noexcept = default;

std::string ProcessGroup::broadcast(const std::string& text) const {
  if (alone()) return text;
  const torch::Tensor size = torch::tensor(static_cast<std::int64_t>(text.size()), torch::kLong);
  broadcast(size);
  const torch::Tensor bytes = torch::empty({size.item<std::int64_t>()}, torch::kUInt8);
  auto* begin = bytes.data_ptr<std::uint8_t>();
  if (leads()) std::copy(text.begin(), text.end(), begin);
  if (bytes.numel() > 0) broadcast(bytes);
  return {begin, begin + bytes.numel()};
}

std::array<bool, 2> ProcessGroup::any(const std::array<bool, 2>& wishes) const {
  if (alone()) return wishes;
  const torch::Tensor votes = torch::empty({2}, torch::kInt);
  int* vote = votes.data_ptr<int>();
  for (const bool wish : wishes) *vote++ = wish ? 1 : 0;
  sum(votes);
  vote = votes.data_ptr<int>();
  return {vote[0] > 0, vote[1] > 0};
}

}  // namespace vsmax
