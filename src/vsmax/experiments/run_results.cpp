// SPDX-License-Identifier: Apache-2.0
#include "vsmax/experiments/run_results.h"

#include <filesystem>

#include "vsmax/base/error.h"
#include "vsmax/io/file.h"

namespace vsmax {

bool RunResults::finished(const Run& run) const {
  if (!std::filesystem::exists(path(run))) return false;
  const auto bytes = read_file(path(run));
  const Json result = Json::parse(bytes.begin(), bytes.end(), nullptr, false);
  if (!result.is_object() || !result.contains("hash") || !result.contains("evaluation"))
    throw Error(path(run) + ": is not the result of a run; remove it to run it again");
  return result["hash"] == run.hash();
}

void RunResults::save(const Run& run, const Json& result) const {
  make_folder(folder_);
  write_file_atomically(path(run), result.dump() + "\n");
}

}  // namespace vsmax
