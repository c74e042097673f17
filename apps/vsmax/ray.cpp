// SPDX-License-Identifier: Apache-2.0
#include "ray.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.h"
#include "detect_options.h"

namespace vsmax::app {
namespace {

constexpr const char* kStart = R"py(import sys
try:
    from vsmax.ray._command import main
except ImportError as error:
    sys.exit(f"vsmax: --ray needs the Python package vsmax with Ray (docs/ray.md): {error}")
main()
)py";

// Writes each path and its failure (mostly empty), both terminated by NUL, to an unnamed temporary
// file, whose descriptor Python inherits. Returns the descriptor.
int list_images(const ImageRequest& request) {
  const auto fail = [] {
    throw Error(fmt::format("the list of images cannot be written to a temporary file ({})",
                            std::strerror(errno)));
  };
  std::FILE* list = std::tmpfile();  // left open for Python
  if (list == nullptr) fail();
  ImageSource source(request);
  while (const auto image = source.next()) {
    for (const std::string& text : {image->path, image->failure})
      if (std::fwrite(text.c_str(), 1, text.size() + 1, list) != text.size() + 1) fail();
  }
  if (std::fflush(list) != 0) fail();
  std::rewind(list);
  return fileno(list);
}

}  // namespace

void declare_ray(CLI::App& parser, std::string& address) {
  auto* ray = parser
                  .add_option("--ray", address,
                              "Search on a Ray cluster: 'auto' for the one that runs, its address, "
                              "or 'local' for one on this machine; prints JSON, or writes --out as "
                              "a folder of Parquet files, DIR.parquet; --threads is the number of "
                              "workers (needs the Python package vsmax and Ray)")
                  ->check(not_empty())
                  ->group("Cluster");
  for (const char* other : {"--shard", "--grid", "--device", "--csv", "--resume", "--retry-errors",
                            "--overlay", "--explain", "--gallery"})
    ray->excludes(parser.get_option(other));
}

void check_ray(const DetectOptions& options) {
  if (options.ray.empty()) return;
  const auto& arguments = options.images.arguments;
  if (std::find(arguments.begin(), arguments.end(), "-") != arguments.end())
    throw UsageError("--ray cannot search an image on standard input");
  const std::string& folder = options.log.file;
  if (folder.empty()) return;
  constexpr std::string_view kEnding = ".parquet";
  if (folder.size() <= kEnding.size() ||
      folder.compare(folder.size() - kEnding.size(), kEnding.size(), kEnding) != 0)
    throw UsageError("with --ray, --out names a folder of Parquet files, so it must end in " +
                     std::string(kEnding) + ", not " + folder);
  if (options.log.format == Format::kJson)
    throw UsageError("with --ray, --out writes Parquet, so it cannot be combined with --json");
}

void hand_over_to_ray(const DetectOptions& options) {
  const std::string python = python_program("python3");
  std::vector<std::string> call = {python,
                                   "-c",
                                   kStart,
                                   "--address=" + options.ray,
                                   fmt::format("--images={}", list_images(options.images)),
                                   "--model=" + options.model.name,
                                   fmt::format("--lines={}", options.lines.most),
                                   fmt::format("--min-confidence={}", options.lines.min_confidence),
                                   fmt::format("--workers={}", options.threads)};
  if (options.dark) call.emplace_back("--dark");
  if (!options.log.file.empty()) call.push_back("--out=" + options.log.file);
  std::vector<char*> argv;
  argv.reserve(call.size() + 1);
  for (std::string& argument : call) argv.push_back(argument.data());
  argv.push_back(nullptr);
  execvp(python.c_str(), argv.data());
  throw Error(fmt::format("--ray needs Python, and {} cannot be started: {}", python,
                          std::strerror(errno)));
}

}  // namespace vsmax::app
