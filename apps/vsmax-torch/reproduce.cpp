// SPDX-License-Identifier: Apache-2.0
#include "vsmax/experiments/reproduce.h"

#include <fmt/core.h>
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>

#include "commands.h"
#include "reproduce_display.h"
#include "vsmax/base/error.h"
#include "vsmax/base/parallel.h"

namespace vsmax::app {

namespace fs = std::filesystem;

namespace {

struct ReproduceArguments {
  std::vector<std::string> items;
  std::string scale = "full";
  ReproduceOptions options;
  int jobs = 0;
  bool no_plots = false;
};

fs::path program_folder() { return fs::read_symlink("/proc/self/exe").parent_path(); }

// Beside an installed program, or in the sources that it was built from.
fs::path drawing_script() {
  const fs::path installed = program_folder() / "../share/vsmax/plots/draw.py";
  return fs::exists(installed) ? installed : fs::path(VSMAX_PLOTS) / "draw.py";
}

void draw(const std::string& out) {
  const std::string log = out + "/work/plots.txt";
  fs::create_directories(out + "/work");
  fs::remove(log);
  ChildProcess drawing({"/usr/bin/python3", drawing_script().string(), out}, log);
  while (!drawing.exit_code()) usleep(50'000);
  if (*drawing.exit_code() != 0)
    throw Error(fmt::format("the results are in {}, but could not be drawn: see {}", out, log));
}

// On CUDA two trainings hide each other's gaps; on the CPU a small one fills a thread, a large one
// all of them.
void share_processors(ReproduceArguments& arguments) {
  const bool small = arguments.options.scale.name == "smoke";
  const bool cuda = arguments.options.tools.device == "cuda";
  int& jobs = arguments.options.jobs;
  jobs = arguments.jobs;
  if (jobs == 0) jobs = cuda ? 2 : (small ? resolve_threads(0) : 1);
  if (!cuda) arguments.options.tools.threads = std::max(1, resolve_threads(0) / jobs);
}

int reproduce_items(ReproduceArguments& arguments) {
  ReproduceOptions& options = arguments.options;
  options.scale = scale_by_name(arguments.scale);
  for (const auto& name : arguments.items) options.items.push_back(item_by_name(name));
  if (options.items.empty()) options.items = all_items();
  options.tools.vsmax = program_folder() / "vsmax";
  options.tools.vsmax_torch = program_folder() / "vsmax-torch";
  share_processors(arguments);

  ReproduceOutcome outcome;
  {
    ReproduceDisplay display;
    outcome = reproduce(options, display);
  }
  if (!arguments.no_plots) draw(options.out);
  fmt::print("{} of {} runs are finished\n", outcome.finished, outcome.runs);
  if (!arguments.no_plots)
    fmt::print("{0}/REPORT.md: the tables; {0}/plots: the figures\n", options.out);
  if (outcome.finished < outcome.runs) fmt::print("to go on: the same command again\n");
  if (outcome.stopped) return kInterrupted;
  return outcome.failed > 0 ? kBadInput : kSuccess;
}

std::string item_list() {
  std::string text;
  for (const Item& item : all_items()) text += fmt::format("  {:<21} {}\n", item.name, item.title);
  return text;
}

}  // namespace

Command reproduce_command(CLI::App& app) {
  auto* parser = app.add_subcommand("reproduce", "Make the paper's tables and figures");
  parser->footer(
      "Examples:\n"
      "  vsmax reproduce --out results/paper --device cuda\n"
      "  vsmax reproduce table-main --out quick --scale smoke\n\n"
      "Items (all, where none is named):\n" +
      item_list() +
      "\nDIR gets runs/ (one JSON a trained and evaluated model), items/, plots/ and\n"
      "REPORT.md. Finished runs are kept by a hash of their configuration, and the\n"
      "others go on where they were: the same command after any kind of end.\n"
      "Exit code: 0 when done or at the time limit, 1 when a run failed, 130 after\n"
      "Ctrl-C or SIGTERM.");
  const auto arguments = std::make_shared<ReproduceArguments>();
  ReproduceOptions& options = arguments->options;
  parser->add_option("ITEM", arguments->items, "Tables and figures to make");
  parser->add_option("--out", options.out, "Folder of the results")->required();
  parser
      ->add_option("--only", options.only,
                   "Make these runs alone (vsmax-vs-s42,...), of those that the items need")
      ->delimiter(',');
  parser->add_option("--scale", arguments->scale, "As in the paper, or small, to try it out")
      ->check(CLI::IsMember({"full", "smoke"}))
      ->capture_default_str();
  options.tools.device = "cpu";
  parser->add_option("--device", options.tools.device, "Where to train")
      ->check(CLI::IsMember({"cpu", "cuda"}))
      ->capture_default_str();
  parser
      ->add_option("--time-limit", options.time_limit,
                   "Seconds after which to stop, with whole epochs")
      ->check(CLI::PositiveNumber);
  constexpr int kMostJobs = 64;
  parser->add_option("--jobs", arguments->jobs, "Trainings side by side; 0 chooses")
      ->check(CLI::Range(0, kMostJobs))
      ->capture_default_str();
  parser->add_flag("--no-plots", arguments->no_plots, "Leave the drawing for another time");
  return {parser, [arguments] { return reproduce_items(*arguments); }};
}

}  // namespace vsmax::app
