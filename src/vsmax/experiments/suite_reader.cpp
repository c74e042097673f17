// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <set>

#include "vsmax/base/error.h"
#include "vsmax/experiments/suite.h"
#include "vsmax/experiments/suite_items.h"
#include "vsmax/experiments/suite_values.h"

namespace vsmax {

namespace fs = std::filesystem;

namespace {

const std::set<std::string> kBuiltIn{"argmax", "classic", "default", "paper", "posterior"};
constexpr std::uint64_t kMostRotations = 3600;
const std::vector<std::string> kSetsOfLines{"all", "seam", "interior", "in", "out"};

std::size_t place_of(const std::vector<std::uint64_t>& values, std::uint64_t value) {
  return static_cast<std::size_t>(std::find(values.begin(), values.end(), value) - values.begin());
}

class SuiteReader {
 public:
  explicit SuiteReader(const std::string& path)
      : path_(path), values_(path), root_(read_yaml_file(path)) {}

  Suite read(const std::string& scale) {
    values_.require_keys(root_, "the suite",
                         {"title", "ceiling", "evaluate", "changes", "scales", "runs", "items"});
    values_.require_keys(part(root_, "evaluate"), "evaluate", {"sigmas", "seed"});
    suite_.file = path_;
    suite_.name = fs::path(path_).stem().string();
    suite_.title = values_.text(part(root_, "title"), "title");
    read_scale(scale);
    read_runs();
    const SuiteNames names{suite_.runs, left_out_, family_names(), evaluated_};
    SuiteItems items = read_items(root_, values_, names);
    suite_.items = std::move(items.items);
    suite_.resolved = {{"suite", suite_.name},
                       {"title", suite_.title},
                       {"scale", suite_.scale},
                       {"default_scale", default_scale_},
                       {"ceiling", part(root_, "ceiling")},
                       {"sigmas", evaluated_},
                       {"items", std::move(items.resolved)},
                       {"runs", families_}};
    return std::move(suite_);
  }

 private:
  std::vector<std::string> family_names() const {
    std::vector<std::string> names;
    for (const auto& [name, content] : families_.items()) names.push_back(name);
    return names;
  }

  // A suite without scales has one, "full".
  void read_scale(const std::string& wanted) {
    Json scales = part(root_, "scales");
    if (scales.is_null()) scales = {{"full", nullptr}};
    if (!scales.is_object() || scales.empty())
      values_.reject("scales", "must name at least one scale");
    default_scale_ = scales.begin().key();
    suite_.scale = wanted.empty() ? default_scale_ : wanted;
    std::vector<std::string> names;
    for (const auto& [name, content] : scales.items()) {
      values_.require_keys(content, "scales." + name, {"changes", "seeds", "sigmas"});
      names.push_back(name);
    }
    if (!contains(names, suite_.scale))
      throw Error(fmt::format("{}: there is no scale '{}'; the scales are {}", path_, suite_.scale,
                              fmt::join(names, ", ")));
    scale_ = scales[suite_.scale];
    read_sigmas(scales);
  }

  void read_sigmas(const Json& scales) {
    const Json& usual = part(part(root_, "evaluate"), "sigmas");
    for (const auto& [name, content] : scales.items()) {
      const Json& own = part(content, "sigmas");
      const auto values = own.is_null() ? values_.sigmas(usual, "evaluate.sigmas")
                                        : values_.sigmas(own, "scales." + name + ".sigmas");
      evaluated_.insert(values.begin(), values.end());
      if (name == suite_.scale) sigmas_ = values;
    }
  }

  // The configuration of a run: `base` with the changes of the suite, of the run and of the scale.
  TrainConfig configuration(const Json& run, Json base, const std::string& place) const {
    for (const Json* owner : {static_cast<const Json*>(&root_), &run, &scale_})
      if (const Json& changes = part(*owner, "changes"); !changes.is_null())
        base.merge_patch(changes);
    return parse_config(base.dump(1), path_ + ": " + place);  // JSON is YAML
  }

  void read_runs() {
    std::vector<std::vector<Run>> families;
    for (const auto& [name, content] : part(root_, "runs").items()) {
      const std::string place = "runs." + name;
      values_.require_file_name(name, place);
      values_.require_keys(
          content, place,
          {"config", "model", "label", "seeds", "maps", "photos", "test", "changes", "published"});
      families.push_back(read_family(name, content, place));
      Json members = Json::array();
      for (const Run& run : families.back())
        members.push_back({{"name", run.name},
                           {"seed", run.training ? Json(run.training->seed) : Json(nullptr)},
                           {"hash", run.hash()}});
      const Json& label = part(content, "label");
      const Json& published = part(content, "published");
      require_published(published, place + ".published");
      families_[name] = {{"label", label.is_null() ? name : values_.text(label, place + ".label")},
                         {"published", published},
                         {"runs", members}};
    }
    if (families.empty()) values_.reject("runs", "is missing or empty");
    std::set<std::string> names;
    for (std::size_t seed = 0, left = families.size(); left > 0; ++seed) {
      for (const auto& family : families) {
        if (seed + 1 == family.size()) --left;
        if (seed >= family.size()) continue;
        if (!names.insert(family[seed].name).second)
          values_.reject("runs", "hold two runs with the name '" + family[seed].name + "'");
        suite_.runs.push_back(family[seed]);
      }
    }
  }

  // Published values are scores by noise and set of lines, and numbers of parameters and lines.
  void require_published(const Json& published, const std::string& place) const {
    if (published.is_null()) return;
    if (!published.is_object()) values_.reject(place, "must hold keys, but is " + published.dump());
    for (const auto& [key, value] : published.items()) {
      const std::string inside = fmt::format("{}.{}", place, key);
      if (key == "parameters" || key == "lines") {
        values_.require_number_or_text(value, inside);
        continue;
      }
      if (!is_evaluated(key))
        values_.reject(place,
                       fmt::format("holds the unknown key '{}' (= {}); known here: parameters, "
                                   "lines and the sigmas {}",
                                   key, value.dump(), fmt::join(evaluated_, ", ")));
      values_.require_keys(value, inside, kSetsOfLines);
      for (const auto& [lines, score] : value.items())
        values_.require_number_or_text(score, inside + "." + lines);
    }
  }

  // Whether a key, read as a number, is one of the sigmas of any scale.
  bool is_evaluated(const std::string& key) const {
    double sigma = 0.0;
    const char* end = key.data() + key.size();
    const auto [stop, error] = std::from_chars(key.data(), end, sigma);
    return error == std::errc() && stop == end && evaluated_.count(sigma) != 0;
  }

  std::vector<Run> read_family(const std::string& name, const Json& content,
                               const std::string& place) {
    const Json& model = part(content, "model");
    if (part(content, "config").is_null() == model.is_null())
      values_.reject(
          place, fmt::format("needs either 'config: FILE.yaml' or 'model: NAME', where NAME is {}",
                             fmt::join(kBuiltIn, ", ")));
    Run run;
    run.name = run.family = name;
    run.sigmas = sigmas_;
    const Json& test_seed = part(part(root_, "evaluate"), "seed");
    if (!test_seed.is_null()) run.test_seed = values_.whole_number(test_seed, "evaluate.seed");
    if (const Json& maps = part(content, "maps"); !maps.is_null())
      run.map_sigmas = values_.sigmas(maps, place + ".maps");
    for (const double sigma : run.map_sigmas)
      if (!contains(sigmas_, sigma))
        values_.reject(place + ".maps", fmt::format("holds {}, which is not one of the sigmas {}",
                                                    sigma, fmt::join(sigmas_, ", ")));
    if (!model.is_null()) {
      run.model = values_.text(model, place + ".model");
      if (kBuiltIn.count(run.model) == 0)
        values_.reject(place + ".model", fmt::format("must be one of {}, but is {}",
                                                     fmt::join(kBuiltIn, ", "), run.model));
      for (const char* key : {"seeds", "photos"})
        if (content.contains(key))
          values_.reject(place + "." + key, "applies only to a run that is trained");
      run.grid = configuration(content, {{"model", trainable_models().front()}}, place).grid();
      run.test = line_test(part(content, "test"), place + ".test");
      return {run};
    }
    if (content.contains("test"))
      values_.reject(place + ".test", "applies only to a built-in model");
    const std::string config = values_.text(content["config"], place + ".config");
    const std::string file = (fs::path(path_).parent_path() / config).string();
    read_config(file);  // so that a mistake in it is reported under that file's name
    run.training = configuration(content, read_yaml_file(file), place);
    run.model = run.training->model.name;
    run.grid = run.training->grid();
    run.photos = photo_set(part(content, "photos"), *run.training, place);
    return with_seeds(run, content, place);
  }

  LineTest line_test(const Json& value, const std::string& place) const {
    values_.require_keys(value, place, {"lines", "width", "visible", "dark", "sample"});
    LineTest test;
    if (const Json& lines = part(value, "lines"); !lines.is_null()) {
      test.continuous = lines == "continuous";
      if (!test.continuous && lines != "grid")
        values_.reject(place + ".lines", "must be grid or continuous, but is " + lines.dump());
    }
    test.stroke.width = values_.positive(value, "width", 1.0, place);
    test.stroke.visible = values_.positive(value, "visible", 1.0, place, 1.0);
    if (const Json& dark = part(value, "dark"); !dark.is_null()) {
      if (!dark.is_boolean())
        values_.reject(place + ".dark", "must be true or false, but is " + dark.dump());
      test.stroke.dark = dark.get<bool>();
    }
    if (const Json& sample = part(value, "sample"); !sample.is_null())
      test.sample = values_.whole_number(sample, place + ".sample", 1);
    return test;
  }

  std::optional<PhotoSet> photo_set(const Json& value, const TrainConfig& config,
                                    const std::string& place) const {
    const bool learned = config.model.evidence == EvidenceKind::kLearned;
    if (learned == value.is_null())
      values_.reject(place, learned ? "has learned evidence and needs 'photos: {folder: NAME}'"
                                    : "has no learned evidence and cannot be trained on 'photos'");
    if (!learned) return std::nullopt;
    values_.require_keys(value, place + ".photos", {"folder", "rotations"});
    PhotoSet photos;
    photos.folder = values_.text(part(value, "folder"), place + ".photos.folder");
    values_.require_file_name(photos.folder, place + ".photos.folder");
    if (config.photos.labels == PhotoLabels::kAll)
      values_.reject(place,
                     "finds several lines, but only models of one line can be compared here");
    const bool guide = config.photos.labels == PhotoLabels::kGuide;
    photos.protocol = guide ? "guide" : "horizon";
    if (const Json& rotations = part(value, "rotations"); !rotations.is_null())
      photos.rotations = static_cast<int>(
          values_.whole_number(rotations, place + ".photos.rotations", 1, kMostRotations));
    return photos;
  }

  std::vector<Run> with_seeds(Run run, const Json& content, const std::string& place) {
    std::vector<std::uint64_t> all{run.training->seed};
    if (content.contains("seeds")) all = values_.whole_numbers(content["seeds"], place + ".seeds");
    std::size_t most = all.size();
    if (const Json& limit = part(scale_, "seeds"); !limit.is_null())
      most = std::max<std::size_t>(
          1, values_.whole_number(limit, "scales." + suite_.scale + ".seeds"));
    std::vector<Run> runs;
    for (const std::uint64_t seed : all) {
      run.name = fmt::format("{}-s{}", run.family, seed);
      run.training->seed = seed;
      // Cross-validation: each seed is tested on a different fold.
      if (run.photos) {
        PhotoData& data = run.training->photos;
        data.fold = 1 + static_cast<int>(place_of(all, seed)) % data.folds;
      }
      if (runs.size() < most)
        runs.push_back(run);
      else
        left_out_.insert(run.name);
      // Maps take much space, so only the first seed keeps them, unless training is restricted to a
      // part of line space: then all are needed, to tell the lines inside it from those outside.
      if (run.training->support == Support::kAll) run.map_sigmas.clear();
    }
    return runs;
  }

  std::string path_;
  SuiteValues values_;
  Json root_;
  Json scale_;
  std::string default_scale_;
  std::vector<double> sigmas_;
  std::set<double> evaluated_;      // sigmas at any of the scales
  std::set<std::string> left_out_;  // runs with seeds that the scale leaves out
  Json families_ = Json::object();
  Suite suite_;
};

}  // namespace

Suite read_suite(const std::string& path, const std::string& scale) {
  return SuiteReader(path).read(scale);
}

}  // namespace vsmax
