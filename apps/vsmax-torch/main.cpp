// SPDX-License-Identifier: Apache-2.0
// The subcommands of vsmax that need LibTorch; `vsmax train` executes this program.
#include <ATen/Context.h>
#include <malloc.h>

#include <csignal>
#include <vector>

#include "cli/interrupt.h"
#include "commands.h"

namespace vsmax::app {
namespace {

// LibTorch allocates and frees large tensors in every operation. By default the memory goes back to
// the system each time, and the page faults of its next use double the time of a step.
void keep_freed_memory() {
  constexpr int kNeverTrim = -1;
  constexpr int kGrowBy = 256 << 20;
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, kNeverTrim);
  mallopt(M_TOP_PAD, kGrowBy);
}

// Late in training, many gradients are denormal (below 1e-38), which makes arithmetic a hundred
// times slower. Threads inherit the mode.
void flush_denormals() { at::Context::setFlushDenormal(true); }

int run(int argc, char** argv) {
  CLI::App app("Train and evaluate vsmax models with LibTorch.", "vsmax");
  app.footer(
      "Examples:\n"
      "  vsmax train configs/vsmax-vs.yaml --out run --device cuda\n"
      "  vsmax-torch evaluate --model run/model.safetensors --sigma 0,0.6\n"
      "  vsmax reproduce suites/paper.yaml --out results --scale smoke\n\n"
      "See 'vsmax COMMAND --help' for the options of a command.");
  app.set_version_flag("--version", "vsmax " VSMAX_VERSION);
  app.require_subcommand(1);
  shorten_usage_errors(app);
  const std::vector<Command> commands = {train_command(app), evaluate_command(app),
                                         scenes_command(app), reproduce_command(app)};
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kSuccess : kWrongUsage;
  }
  install_interrupt_handler();
  std::signal(SIGXFSZ, SIG_IGN);  // exceeding `ulimit -f` becomes a failed write
  for (const auto& command : commands)
    if (command.parser->parsed()) return command.run();
  return kWrongUsage;
}

}  // namespace
}  // namespace vsmax::app

int main(int argc, char** argv) {
  using namespace vsmax::app;
  keep_freed_memory();
  flush_denormals();
  return run_program(run, argc, argv);
}
