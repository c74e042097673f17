// SPDX-License-Identifier: Apache-2.0
#include "vsmax/experiments/suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "vsmax/base/error.h"
#include "vsmax/io/file.h"

namespace vsmax {
namespace {

// Throws Error, listing the known names, for an unknown one.
template <class Named>
const Named& find(const std::vector<Named>& list, const std::string& name,
                  const std::string& what) {
  std::vector<std::string> names;
  for (const Named& known : list) {
    if (known.name == name) return known;
    names.push_back(known.name);
  }
  throw Error(fmt::format("there is no {} '{}'; there are {}", what, name, fmt::join(names, ", ")));
}

}  // namespace

std::vector<Run> runs_of(const Suite& suite, const std::vector<std::string>& items,
                         const std::vector<std::string>& only) {
  std::set<std::string> needed;
  for (const auto& name : items) {
    const SuiteItem& item = find(suite.items, name, "item");
    needed.insert(item.runs.begin(), item.runs.end());
  }
  std::vector<Run> runs;
  for (const Run& run : suite.runs)
    if (items.empty() || needed.count(run.name) != 0) runs.push_back(run);
  if (only.empty()) return runs;
  std::vector<Run> chosen;
  chosen.reserve(only.size());
  for (const auto& name : only) chosen.push_back(find(runs, name, "run"));
  return chosen;
}

void open_results_folder(const Suite& suite, const std::string& folder) {
  make_folder(folder);
  const std::string path = folder + "/suite.json";
  if (std::filesystem::exists(path)) {
    const auto bytes = read_file(path);
    const Json old = Json::parse(bytes.begin(), bytes.end(), nullptr, false);
    if (!old.is_object()) throw Error(path + ": is damaged; remove it to write it again");
    const std::string name = old.value("suite", "");
    const std::string scale = old.value("scale", "");
    if (name != suite.name || scale != suite.scale)
      throw Error(
          fmt::format("{}: holds results of the suite '{}' at scale '{}'; choose another folder "
                      "for '{}' at scale '{}'",
                      folder, name, scale, suite.name, suite.scale));
  }
  write_file_atomically(path, suite.resolved.dump(1) + "\n");
}

}  // namespace vsmax
