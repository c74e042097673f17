// SPDX-License-Identifier: Apache-2.0
#include "handover.h"

#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "vsmax/base/error.h"
#include "vsmax/io/safetensors.h"
#include "vsmax/recover/model_spec.h"

namespace vsmax::app {
namespace {

constexpr std::array<std::pair<const char*, const char*>, 3> kHandedOver{{
    {"train", "Train a model from a configuration (in vsmax-torch)"},
    {"scenes", "Draw labelled synthetic photographs (in vsmax-torch)"},
    {"reproduce", "Run a suite of experiments and write its report (in vsmax-torch)"},
}};

// The value of an option, empty if it is not given.
std::string value_of(const std::string& option, int argc, char** argv) {
  for (int i = 2; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == option && i + 1 < argc) return argv[i + 1];
    if (argument.rfind(option + "=", 0) == 0) return argument.substr(option.size() + 1);
  }
  return {};
}

// LibTorch's threads spin for milliseconds while they wait for each other. If another program needs
// the processors too, they keep the very thread they wait for from running: an epoch of
// configs/tiny.yaml then takes ten times as long. Spinning for microseconds costs a tenth of that.
void spin_less() {
  if (std::getenv("OMP_WAIT_POLICY") == nullptr) setenv("GOMP_SPINCOUNT", "10000", 0);
}

}  // namespace

bool needs_torch(int argc, char** argv) {
  const std::string command = argc > 1 ? argv[1] : "";
  for (const auto& [name, purpose] : kHandedOver)
    if (command == name) return true;
  if (command != "evaluate") return false;
  if (!value_of("--rotations", argc, argv).empty()) return true;  // an option of vsmax-torch only
  const std::string model = value_of("--model", argc, argv);
  // A pipe can be read only once, and not here.
  std::error_code failure;
  if (!std::filesystem::is_regular_file(model, failure)) return false;
  try {
    return spec_from_metadata(read_safetensors(model).metadata, model).needs_libtorch();
  } catch (const Error&) {
    return false;  // evaluate reports what is wrong with the file
  }
}

void describe_handed_over(CLI::App& app) {
  for (const auto& [name, purpose] : kHandedOver) app.add_subcommand(name, purpose);
}

void hand_over(char** argv) {
  std::error_code failure;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", failure);
  const auto other = self.parent_path() / "vsmax-torch";
  if (failure || access(other.c_str(), F_OK) != 0)
    throw Error(
        fmt::format("'{}' needs vsmax-torch, which is not in the folder of this program; "
                    "build it with 'make torch' in the source tree",
                    argv[1]));
  spin_less();
  execv(other.c_str(), argv);
  throw Error(fmt::format("{} cannot be started: {}", other.string(), std::strerror(errno)));
}

}  // namespace vsmax::app
