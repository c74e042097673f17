// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/train/launch.h"

#include <fmt/core.h>

#include <charconv>
#include <cstdlib>
#include <optional>

#include "vsmax/base/error.h"

namespace vsmax {
namespace {

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

std::string required(const char* name) {
  if (const auto value = variable(name)) return *value;
  throw Error(fmt::format("WORLD_SIZE is {}, but {} is not set; start the processes with torchrun",
                          *variable("WORLD_SIZE"), name));
}

int whole_number(const char* name, const std::string& text, int low, int high) {
  int value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, value);
  if (status != std::errc() || stop != end || value < low || value > high)
    throw Error(fmt::format("the environment variable {} must be a number from {} to {}, not '{}'",
                            name, low, high, text));
  return value;
}

}  // namespace

Launch read_launch() {
  constexpr int kMostProcesses = 1 << 16;
  constexpr int kHighestPort = (1 << 16) - 1;
  Launch launch;
  if (const auto size = variable("WORLD_SIZE"))
    launch.size = whole_number("WORLD_SIZE", *size, 1, kMostProcesses);
  if (launch.size == 1) return launch;
  launch.rank = whole_number("RANK", required("RANK"), 0, launch.size - 1);
  launch.local_rank = whole_number("LOCAL_RANK", required("LOCAL_RANK"), 0, launch.rank);
  if (const auto size = variable("LOCAL_WORLD_SIZE"))
    launch.local_size = whole_number("LOCAL_WORLD_SIZE", *size, launch.local_rank + 1, launch.size);
  launch.address = required("MASTER_ADDR");
  launch.port = whole_number("MASTER_PORT", required("MASTER_PORT"), 1, kHighestPort);
  launch.has_store = variable("TORCHELASTIC_USE_AGENT_STORE") == "True";
  if (const auto attempt = variable("TORCHELASTIC_RESTART_COUNT")) launch.attempt = *attempt;
  return launch;
}

}  // namespace vsmax
