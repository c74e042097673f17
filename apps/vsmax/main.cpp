// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "commands.h"
#include "handover.h"

namespace vsmax::app {
namespace {

int run(int argc, char** argv) {
  if (needs_torch(argc, argv)) hand_over(argv);

  CLI::App app("Find the straight lines in images: Hough transform and Veronese soft-argmax.",
               "vsmax");
  app.footer(
      "Examples:\n"
      "  vsmax detect photo.jpg                       print its lines\n"
      "  vsmax detect --json --overlay out *.png      print JSON and draw the lines\n"
      "  vsmax train configs/vsmax-vs.yaml --out run  train a model (needs vsmax-torch)\n\n"
      "See 'vsmax COMMAND --help' for the options of a command.");
  app.set_version_flag("--version", "vsmax " VSMAX_VERSION);
  app.require_subcommand(0, 1);
  shorten_usage_errors(app);
  const std::vector<Command> commands = {detect_command(app), evaluate_command(app),
                                         models_command(app), synth_command(app)};
  describe_handed_over(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kSuccess : kWrongUsage;
  }
  for (const auto& command : commands)
    if (command.parser->parsed()) return command.run();
  print_error("no command given; 'vsmax --help' lists them");
  return kWrongUsage;
}

}  // namespace
}  // namespace vsmax::app

int main(int argc, char** argv) { return vsmax::app::run_program(vsmax::app::run, argc, argv); }
