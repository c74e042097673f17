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

#include "cli/commands.h"
#include "vsmax/base/error.h"
#include "vsmax/io/safetensors.h"
#include "vsmax/recover/model_spec.h"

namespace vsmax::app {

namespace {

struct HandedOver {
  const char* name;
  const char* purpose;
};

constexpr std::array<HandedOver, 2> kHandedOver{{
    {"train", "Train a model from a configuration (in vsmax-torch)"},
    {"reproduce", "Run a suite of experiments and write its report (in vsmax-torch)"},
}};

// The value of --model, empty if it is not given.
std::string named_model(int argc, char** argv) {
  const std::string option = "--model";
  for (int i = 2; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == option && i + 1 < argc) return argv[i + 1];
    if (argument.rfind(option + "=", 0) == 0) return argument.substr(option.size() + 1);
  }
  return {};
}

// LibTorch's threads spin for milliseconds while they wait for each other. If another program needs
// the processors too, they keep the thread they wait for from running: an epoch of
// configs/tiny.yaml then takes ten times as long. Spinning for microseconds costs a tenth of that.
void spin_less() {
  if (std::getenv("OMP_WAIT_POLICY") == nullptr) setenv("GOMP_SPINCOUNT", "10000", 0);
}

}  // namespace

bool needs_torch(const std::string& command) {
  for (const auto& entry : kHandedOver)
    if (command == entry.name) return true;
  return false;
}

bool evaluates_with_torch(int argc, char** argv) {
  if (argc < 2 || std::string(argv[1]) != "evaluate") return false;
  const std::string model = named_model(argc, argv);
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
  for (const auto& entry : kHandedOver) app.add_subcommand(entry.name, entry.purpose);
}

int hand_over(char** argv) {
  std::error_code failure;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", failure);
  const auto other = self.parent_path() / "vsmax-torch";
  if (failure || access(other.c_str(), F_OK) != 0) {
    print_error(
        fmt::format("'{}' needs vsmax-torch, which is not in the folder of this program; "
                    "build it with 'make torch' in the source tree",
                    argv[1]));
    return kBadInput;
  }
  spin_less();
  execv(other.c_str(), argv);
  print_error(fmt::format("{} cannot be started: {}", other.string(), std::strerror(errno)));
  return kBadInput;
}

}  // namespace vsmax::app
