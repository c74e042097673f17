// SPDX-License-Identifier: Apache-2.0
#include "vsmax/experiments/run.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "vsmax/base/error.h"
#include "vsmax/io/file.h"
#include "vsmax/io/sha256.h"

namespace vsmax {

std::string Run::hash() const {
  std::string text = fmt::format("{}\n{}\n{}\n{}\n", model, fmt::join(sigmas, " "),
                                 fmt::join(map_sigmas, " "), test_seed);
  text += training ? config_text(*training)
                   : fmt::format("{}x{} {}x{}\n", grid.frame().width, grid.frame().height,
                                 grid.thetas(), grid.rhos());
  if (photos)
    text += fmt::format("{} {} {}\n", photos->folder, photos->protocol, photos->rotations);
  if (test != LineTest{})
    text += fmt::format("{} {} {} {} {}\n", test.continuous, test.stroke.width, test.stroke.visible,
                        test.stroke.dark, test.sample);
  Sha256 digest;
  digest.update({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  constexpr std::size_t kDigits = 16;
  return digest.hex_digest().substr(0, kDigits);
}

std::string result_path(const Run& run, const std::string& folder) {
  return folder + "/runs/" + run.name + ".json";
}

bool is_finished(const Run& run, const std::string& folder) {
  const std::string path = result_path(run, folder);
  if (!std::filesystem::exists(path)) return false;
  const auto bytes = read_file(path);
  const auto result = nlohmann::json::parse(bytes.begin(), bytes.end(), nullptr, false);
  if (!result.is_object() || !result.contains("hash") || !result.contains("evaluation"))
    throw Error(path + ": is not the result of a run; remove it to run it again");
  return result["hash"] == run.hash();
}

}  // namespace vsmax
