// SPDX-License-Identifier: Apache-2.0
#include "vsmax/experiments/suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "vsmax/base/error.h"
#include "vsmax/experiments/suite_yaml.h"
#include "vsmax/io/file.h"

namespace vsmax {

namespace fs = std::filesystem;

namespace {

constexpr Range kSigmas{0.0, 10.0};
const std::vector<std::string> kUntrained{"argmax", "posterior"};

// Names become names of files.
void require_file_name(const std::string& name, const SuitePart& part) {
  const bool plain = std::all_of(name.begin(), name.end(), [](unsigned char letter) {
    return std::isalnum(letter) != 0 || letter == '-' || letter == '_' || letter == '.';
  });
  if (!plain || name.empty() || name.front() == '.')
    part.reject("is the name of a file: letters, digits, '-', '_' and '.' only");
}

class SuiteReader {
 public:
  SuiteReader(const std::string& path, const std::string& scale,
              const std::vector<std::string>& models)
      : path_(path), models_(models), root_(read_suite_file(path)), scale_(find_scale(scale)) {
    root_.require_keys({"title", "ceiling", "evaluate", "changes", "scales", "runs", "items"});
    root_.at("evaluate").require_keys({"sigmas", "seed"});
    scale_.require_keys({"changes", "seeds", "sigmas"});
    sigmas_ = (scale_.has("sigmas") ? scale_ : root_.at("evaluate")).at("sigmas").numbers(kSigmas);
  }

  Suite read() {
    suite_.file = path_;
    suite_.name = fs::path(path_).stem().string();
    suite_.title = root_.at("title").text();
    read_runs();
    for (const auto& [name, part] : root_.at("items").entries()) read_item(name, part);
    if (root_.has("ceiling")) refer(root_.at("ceiling"), false, ceiling_);
    for (SuiteItem& item : suite_.items)
      item.runs.insert(item.runs.end(), ceiling_.begin(), ceiling_.end());
    suite_.resolved = {{"suite", suite_.name},
                       {"title", suite_.title},
                       {"scale", suite_.scale},
                       {"default_scale", default_scale_},
                       {"ceiling", root_.at("ceiling").json()},
                       {"items", root_.at("items").json()},
                       {"runs", families_}};
    return std::move(suite_);
  }

 private:
  // A suite without scales has one, "full".
  SuitePart find_scale(const std::string& wanted) {
    const auto scales = root_.at("scales").entries();
    default_scale_ = scales.empty() ? "full" : scales.front().first;
    suite_.scale = wanted.empty() ? default_scale_ : wanted;
    std::vector<std::string> names;
    for (const auto& [name, part] : scales) {
      if (name == suite_.scale) return part;
      names.push_back(name);
    }
    if (scales.empty() && suite_.scale == default_scale_) return root_.at("scales");
    throw Error(
        fmt::format("{}: there is no scale '{}'; the scales are {}", path_, suite_.scale,
                    names.empty() ? default_scale_ : fmt::format("{}", fmt::join(names, ", "))));
  }

  // The protocol of a run: the suite's changes, then its own, then those of the scale.
  TrainConfig configuration(const SuitePart& part, const YAML::Node& base) const {
    YAML::Node merged = YAML::Clone(base);
    for (const SuitePart& changes : {root_.at("changes"), part.at("changes"), scale_.at("changes")})
      if (!changes.entries().empty()) merge_yaml(merged, changes.node());
    YAML::Emitter text;
    text << merged;
    return parse_config(text.c_str(), path_ + ": " + part.place(), models_);
  }

  void read_runs() {
    std::vector<std::vector<Run>> families;
    for (const auto& [name, part] : root_.at("runs").entries()) {
      part.require_keys({"config", "model", "label", "seeds", "maps", "changes", "published"});
      require_file_name(name, part);
      families.push_back(read_family(name, part));
      Json members = Json::array();
      for (const Run& run : families.back())
        members.push_back({{"name", run.name},
                           {"seed", run.training ? Json(run.training->seed) : Json(nullptr)},
                           {"hash", run.hash()}});
      families_[name] = {{"label", part.has("label") ? part.at("label").text() : name},
                         {"published", part.at("published").json()},
                         {"runs", members}};
    }
    if (families.empty()) root_.at("runs").reject("is missing or empty");
    std::set<std::string> names;
    bool more = true;
    for (std::size_t seed = 0; more; ++seed) {
      more = false;
      for (const auto& family : families) {
        if (seed >= family.size()) continue;
        if (!names.insert(family[seed].name).second)
          root_.at("runs").reject("hold two runs of the name '" + family[seed].name + "'");
        suite_.runs.push_back(family[seed]);
        more = true;
      }
    }
  }

  std::vector<Run> read_family(const std::string& name, const SuitePart& part) {
    if (part.has("config") == part.has("model"))
      part.reject("needs either 'config: FILE.yaml' or 'model: argmax' or 'model: posterior'");
    Run run;
    run.name = run.family = name;
    run.sigmas = sigmas_;
    if (root_.at("evaluate").has("seed"))
      run.test_seed = root_.at("evaluate").at("seed").value().unsigned_integer();
    if (part.has("maps")) run.map_sigmas = part.at("maps").numbers(kSigmas);
    for (const double sigma : run.map_sigmas)
      if (std::find(sigmas_.begin(), sigmas_.end(), sigma) == sigmas_.end())
        part.at("maps").reject(fmt::format("holds {}, which is not one of the sigmas {}", sigma,
                                           fmt::join(sigmas_, ", ")));
    if (part.has("model")) {
      if (part.has("seeds")) part.at("seeds").reject("is for a run that is trained");
      run.model = kUntrained[part.at("model").value().choice(kUntrained)];
      YAML::Node any;
      any["model"] = models_.front();
      run.grid = configuration(part, any).grid();
      return {run};
    }
    const fs::path config = fs::path(path_).parent_path() / part.at("config").text();
    read_config(config.string(), models_);  // names the file that is wrong
    run.training = configuration(part, YAML::LoadFile(config.string()));
    run.model = run.training->model;
    run.grid = run.training->grid();
    return with_seeds(run, part);
  }

  // Every line's EA takes much space: only the first seed keeps it.
  std::vector<Run> with_seeds(Run run, const SuitePart& part) {
    std::vector<std::uint64_t> seeds{run.training->seed};
    if (part.has("seeds")) {
      seeds.clear();
      for (const SuitePart& seed : part.at("seeds").list())
        seeds.push_back(seed.value().unsigned_integer());
      if (seeds.empty()) part.at("seeds").reject("must name at least one");
    }
    constexpr int kMany = 1'000'000;
    std::size_t most = kMany;
    if (scale_.has("seeds"))
      most = static_cast<std::size_t>(scale_.at("seeds").value().integer(1, kMany));
    std::vector<Run> runs;
    for (const std::uint64_t seed : seeds) {
      run.name = fmt::format("{}-s{}", run.family, seed);
      run.training->seed = seed;
      if (runs.size() < most)
        runs.push_back(run);
      else
        left_out_.insert(run.name);
      run.map_sigmas.clear();
    }
    return runs;
  }

  void read_item(const std::string& name, const SuitePart& part) {
    require_file_name(name, part);
    part.at("kind").text();
    SuiteItem item{name, part.at("title").text(), {}};
    find_references(part, item.runs);
    if (item.runs.empty()) part.reject("shows no run");
    suite_.items.push_back(std::move(item));
  }

  // `run` and `runs` name runs or families, for their first seed; `seeds` families, for all seeds.
  void find_references(const SuitePart& part, std::vector<std::string>& names) {
    if (part.node().IsSequence())
      for (const SuitePart& element : part.list()) find_references(element, names);
    if (!part.node().IsMap()) return;
    for (const auto& [key, value] : part.entries())
      for (const SuitePart& element : value.list())
        if ((key == "run" || key == "runs" || key == "seeds") && !element.node().IsMap())
          refer(element, key == "seeds", names);
        else
          find_references(element, names);
  }

  void refer(const SuitePart& part, bool all_seeds, std::vector<std::string>& names) {
    const std::string name = part.text();
    bool found = left_out_.count(name) != 0;
    for (const Run& run : suite_.runs)
      if (run.name == name || (run.family == name && (all_seeds || !found))) {
        found = true;
        if (std::find(names.begin(), names.end(), run.name) == names.end())
          names.push_back(run.name);
      }
    if (found) return;
    std::vector<std::string> known;
    for (const auto& [family, content] : families_.items()) known.push_back(family);
    part.reject(fmt::format("names the run '{}'; the runs are {}", name, fmt::join(known, ", ")));
  }

  std::string path_;
  std::vector<std::string> models_;
  std::string default_scale_;
  std::vector<double> sigmas_;
  std::set<std::string> left_out_;  // seeds that the scale does not run
  std::vector<std::string> ceiling_;
  Json families_ = Json::object();
  Suite suite_;
  SuitePart root_;
  SuitePart scale_;
};

}  // namespace

Suite read_suite(const std::string& path, const std::string& scale,
                 const std::vector<std::string>& models) {
  return SuiteReader(path, scale, models).read();
}

std::vector<Run> runs_of(const Suite& suite, const std::vector<std::string>& items) {
  if (items.empty()) return suite.runs;
  std::set<std::string> needed;
  for (const auto& name : items) {
    const auto item = std::find_if(suite.items.begin(), suite.items.end(),
                                   [&](const SuiteItem& known) { return known.name == name; });
    if (item == suite.items.end()) {
      std::vector<std::string> names;
      for (const SuiteItem& known : suite.items) names.push_back(known.name);
      throw Error(fmt::format("{}: there is no item '{}'; the items are {}", suite.file, name,
                              fmt::join(names, ", ")));
    }
    needed.insert(item->runs.begin(), item->runs.end());
  }
  std::vector<Run> runs;
  for (const Run& run : suite.runs)
    if (needed.count(run.name) != 0) runs.push_back(run);
  return runs;
}

void open_results_folder(const Suite& suite, const std::string& folder) {
  make_folder(folder);
  const std::string path = folder + "/suite.json";
  if (fs::exists(path)) {
    const auto bytes = read_file(path);
    const Json old = Json::parse(bytes.begin(), bytes.end(), nullptr, false);
    if (!old.is_object()) throw Error(path + ": is damaged; remove it to write it again");
    const std::string name = old.value("suite", "");
    const std::string scale = old.value("scale", "");
    if (name != suite.name || scale != suite.scale)
      throw Error(
          fmt::format("{}: holds results of the suite '{}' at scale '{}'; "
                      "choose another folder for '{}' at scale '{}'",
                      folder, name, scale, suite.name, suite.scale));
  }
  write_file_atomically(path, suite.resolved.dump(2) + "\n");
}

}  // namespace vsmax
