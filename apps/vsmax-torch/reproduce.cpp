// SPDX-License-Identifier: Apache-2.0
#include "vsmax/experiments/reproduce.h"

#include <fmt/core.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <set>
#include <string>

#include "cli/interrupt.h"
#include "cli/progress_line.h"
#include "commands.h"
#include "vsmax/base/counted.h"
#include "vsmax/base/error.h"
#include "vsmax/base/parallel.h"
#include "vsmax/data/labelled_folder.h"
#include "vsmax/experiments/suite.h"
#include "vsmax/io/file.h"
#include "vsmax/torch/train/training.h"

namespace vsmax::app {

namespace fs = std::filesystem;

namespace {

struct ReproduceArguments {
  std::string suite;
  std::vector<std::string> items;
  std::string scale;
  std::vector<std::string> only;
  ReproduceOptions options;
  int jobs = 0;
  bool list = false;
  bool no_plots = false;
};

fs::path program_folder() { return fs::read_symlink("/proc/self/exe").parent_path(); }

// Beside an installed program, or in the sources that it was built from.
fs::path report_script() {
  const fs::path installed = program_folder() / "../share/vsmax/report/report.py";
  return fs::exists(installed) ? installed : fs::path(VSMAX_REPORT) / "report.py";
}

// Writes REPORT.md and plots/, or with "--check" only reports what would fail.
void report(const Suite& suite, const std::string& out, const std::string& option = {}) {
  const std::string log = out + "/work/report.txt";
  make_folder(out + "/work");
  fs::remove(log);
  // Debian installs the modules that a report needs for its own Python.
  std::vector<std::string> command{python_program("/usr/bin/python3"), report_script().string(),
                                   out};
  const fs::path text = fs::path(suite.file).replace_extension(".report.md");
  if (fs::exists(text)) command.insert(command.end(), {"--template", text.string()});
  if (!option.empty()) command.push_back(option);
  ChildProcess script(command, log);
  while (!script.exit_code()) usleep(50'000);
  if (*script.exit_code() != 0) throw Error(last_line(log));  // where the script says why
}

// On CUDA, two trainings at a time fill each other's idle gaps. On the CPU, training on small
// images keeps only one thread busy, on large images all of them.
void share_processors(ReproduceArguments& arguments) {
  constexpr int kSmall = 64;
  ReproduceOptions& options = arguments.options;
  bool small = true;
  for (const Run& run : options.runs)
    small = small && std::max(run.grid.frame().width, run.grid.frame().height) <= kSmall;
  const bool cuda = options.tools.device == "cuda";
  options.jobs = arguments.jobs;
  if (options.jobs == 0) options.jobs = cuda ? 2 : (small ? resolve_threads(0) : 1);
  if (!cuda) options.tools.threads = std::max(1, resolve_threads(0) / options.jobs);
}

std::string state_of(const Run& run, const std::string& out) {
  if (out.empty()) return "";
  if (is_finished(run, out)) return "finished";
  return fs::exists(out + "/work/" + run.name + "-" + run.hash()) ? "started" : "not run";
}

int list_suite(const Suite& suite, const ReproduceArguments& arguments) {
  fmt::print("{} ({} scale)\n\nItems\n", suite.title, suite.scale);
  for (const SuiteItem& item : suite.items)
    fmt::print("  {:<22} {} ({})\n", item.name, item.title, counted(item.runs.size(), "run"));
  fmt::print("\nRuns\n");
  for (const Run& run : arguments.options.runs)
    fmt::print("  {:<26} {}\n", run.name, state_of(run, arguments.options.out));
  return kSuccess;
}

// Prints a line whenever a run starts or ends and, on a terminal, what is running now.
ReproduceOutcome reproduce_and_print(const ReproduceOptions& options) {
  ProgressLine line;
  const auto print = [&](const std::string& text) {
    line.clear();
    fmt::print("{}\n", text);
    std::fflush(stdout);
  };
  const auto timed = [start = std::chrono::steady_clock::now()](const std::string& text) {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    return fmt::format("{:>8}  {}", clock_text(passed.count()), text);
  };
  const auto finished =
      std::count_if(options.runs.begin(), options.runs.end(),
                    [&](const Run& run) { return is_finished(run, options.out); });
  print(fmt::format("{}, {} already finished", counted(options.runs.size(), "run"), finished));
  return reproduce(options,
                   {[&](const std::string& text) { print(timed(text)); },
                    [&](const std::string& text) {
                      line.clear();
                      print_error(text);
                    },
                    [&](const std::string& text) { line.show(timed(text)); }, interrupted});
}

// Fails before any training starts if photographs are missing or invalid.
void require_data(const ReproduceOptions& options) {
  std::set<std::string> read;
  for (const Run& run : options.runs) {
    if (!run.photos || is_finished(run, options.out)) continue;
    if (options.tools.data.empty())
      throw Error(run.name + " is trained on photographs; give the folder that holds '" +
                  run.photos->folder + "' with --data DIR");
    if (read.insert(run.photos->folder).second)
      static_cast<void>(read_labelled_folder(options.tools.data + "/" + run.photos->folder));
  }
}

int run_suite(const Suite& suite, ReproduceArguments& arguments) {
  ReproduceOptions& options = arguments.options;
  options.tools.vsmax = program_folder() / "vsmax";
  options.tools.vsmax_torch = program_folder() / "vsmax-torch";
  share_processors(arguments);
  require_data(options);
  open_results_folder(suite, options.out);
  // Finds a mistake in the suite now rather than after hours of training.
  if (!arguments.no_plots) report(suite, options.out, "--check");

  const ReproduceOutcome outcome = reproduce_and_print(options);
  if (!arguments.no_plots) report(suite, options.out);
  fmt::print("{} of {} finished\n", outcome.finished, counted(outcome.runs, "run"));
  if (!arguments.no_plots) fmt::print("report: {0}/REPORT.md, figures: {0}/plots\n", options.out);
  if (outcome.finished < outcome.runs) fmt::print("run the same command again to continue\n");
  if (outcome.stopped) return kInterrupted;
  return outcome.failed > 0 ? kBadInput : kSuccess;
}

int reproduce_suite(ReproduceArguments& arguments) {
  const bool no_folder = arguments.options.out.empty() && !arguments.list;
  if (arguments.suite.empty() || no_folder) {
    print_error(
        fmt::format("{} is missing, as in: vsmax reproduce suites/paper.yaml --out results/paper",
                    arguments.suite.empty() ? "the suite" : "--out"));
    return kWrongUsage;
  }
  if (read_launch().size > 1)
    throw UsageError("a suite starts its own training processes; run it without torchrun");
  const Suite suite = read_suite(arguments.suite, arguments.scale);
  arguments.options.runs = runs_of(suite, arguments.items, arguments.only);
  return arguments.list ? list_suite(suite, arguments) : run_suite(suite, arguments);
}

}  // namespace

Command reproduce_command(CLI::App& app) {
  auto* parser = app.add_subcommand("reproduce", "Run a suite of experiments and write its report");
  parser->footer(
      "Examples:\n"
      "  vsmax reproduce suites/paper.yaml --out results/paper --device cuda\n"
      "  vsmax reproduce suites/paper.yaml fig-theta --out quick --scale smoke\n"
      "  vsmax reproduce suites/paper.yaml --out results/paper --list\n\n"
      "SUITE names the runs (a configuration, changes, seeds) and the tables and figures\n"
      "that show them; docs/reproduce.md describes it. The report's text is the file\n"
      "SUITE.report.md beside it, if there is one.\n\n"
      "DIR gets runs/ (one JSON file per trained and evaluated model), suite.json, plots/\n"
      "and REPORT.md. To continue after any interruption, run the same command again:\n"
      "finished runs are kept as long as their configuration stays the same.\n\n"
      "Exit code: 0 when done or at the time limit, 1 if a run failed, 130 after Ctrl-C\n"
      "or SIGTERM.");
  const auto arguments = std::make_shared<ReproduceArguments>();
  ReproduceOptions& options = arguments->options;
  parser->add_option("SUITE", arguments->suite, "YAML file of the experiments");
  parser->add_option("ITEM", arguments->items, "Tables and figures to make (default: all)");
  parser->add_option("--out", options.out, "Folder of the results")
      ->check(not_empty())
      ->type_name("DIR");
  parser->add_flag("--list", arguments->list, "List items and runs with their state, and stop");
  parser->add_option("--only", arguments->only, "Make only these runs (vsmax-vs-s42,...)")
      ->delimiter(',');
  parser->add_option("--scale", arguments->scale, "A scale of the suite (default: its first)");
  options.tools.device = "cpu";
  parser->add_option("--device", options.tools.device, "Where to train")
      ->check(one_of({"cpu", "cuda"}))
      ->capture_default_str();
  parser
      ->add_option("--data", options.tools.data,
                   "Folder that holds the suite's folders of labelled photographs")
      ->check(not_empty())
      ->type_name("DIR");
  parser->add_option("--time-limit", options.time_limit, "Seconds after which to stop")
      ->check(positive());
  constexpr int kMostJobs = 64;
  parser->add_option("--jobs", arguments->jobs, "Number of concurrent trainings; 0: automatic")
      ->transform(whole(0, kMostJobs))
      ->capture_default_str();
  parser->add_flag("--no-plots", arguments->no_plots, "Do not write the report and its figures");
  return {parser, [arguments] { return reproduce_suite(*arguments); }};
}

}  // namespace vsmax::app
