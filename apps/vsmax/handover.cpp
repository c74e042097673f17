// SPDX-License-Identifier: Apache-2.0
#include "vsmax/handover.h"

#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "vsmax/commands.h"

namespace vsmax::app {

namespace {

struct HandedOver {
  const char* name;
  const char* purpose;
};

constexpr std::array<HandedOver, 2> kHandedOver{{
    {"train", "Train a model from a configuration (in vsmax-torch)"},
    {"reproduce", "Make the paper's tables and figures (in vsmax-torch)"},
}};

}  // namespace

bool needs_torch(const std::string& command) {
  for (const auto& entry : kHandedOver)
    if (command == entry.name) return true;
  return false;
}

void describe_handed_over(CLI::App& app) {
  for (const auto& entry : kHandedOver) app.add_subcommand(entry.name, entry.purpose);
}

int hand_over(char** argv) {
  std::error_code failure;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", failure);
  const auto other = self.parent_path() / "vsmax-torch";
  if (failure || access(other.c_str(), F_OK) != 0) {
    complain(
        fmt::format("'{}' needs vsmax-torch, which is not beside this program; "
                    "'make torch' in the source tree builds it",
                    argv[1]));
    return kBadInput;
  }
  execv(other.c_str(), argv);
  complain(fmt::format("{} could not be started: {}", other.string(), std::strerror(errno)));
  return kBadInput;
}

}  // namespace vsmax::app
