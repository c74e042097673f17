// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <set>

#include "vsmax/base/error.h"
#include "vsmax/experiments/suite.h"

namespace vsmax {

namespace fs = std::filesystem;

namespace {

const std::set<std::string> kBuiltIn{"argmax", "classic", "default", "paper", "posterior"};
const std::vector<std::string> kSetsOfLines{"all", "seam", "interior", "in", "out"};

const Json& part(const Json& whole, const std::string& key) {
  static const Json nothing;
  return whole.is_object() && whole.contains(key) ? whole[key] : nothing;
}

// A single value is a list of one.
Json list_of(const Json& value) { return value.is_array() ? value : Json::array({value}); }

std::size_t place_of(const std::vector<std::uint64_t>& values, std::uint64_t value) {
  return static_cast<std::size_t>(std::find(values.begin(), values.end(), value) - values.begin());
}

template <class Values>
bool contains(const Values& values, const typename Values::value_type& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

class SuiteReader {
 public:
  explicit SuiteReader(const std::string& path) : path_(path), root_(read_yaml_file(path)) {}

  Suite read(const std::string& scale) {
    require_keys(root_, "the suite",
                 {"title", "ceiling", "evaluate", "changes", "scales", "runs", "items"});
    require_keys(part(root_, "evaluate"), "evaluate", {"sigmas", "seed"});
    suite_.file = path_;
    suite_.name = fs::path(path_).stem().string();
    suite_.title = text(part(root_, "title"), "title");
    read_scale(scale);
    read_runs();
    read_items();
    suite_.resolved = {{"suite", suite_.name},
                       {"title", suite_.title},
                       {"scale", suite_.scale},
                       {"default_scale", default_scale_},
                       {"ceiling", part(root_, "ceiling")},
                       {"sigmas", evaluated_},
                       {"items", items_},
                       {"runs", families_}};
    return std::move(suite_);
  }

 private:
  [[noreturn]] void reject(const std::string& place, const std::string& sentence) const {
    throw Error(fmt::format("{}: {} {}", path_, place, sentence));
  }

  void require_keys(const Json& value, const std::string& place,
                    const std::vector<std::string>& known) const {
    if (value.is_null()) return;
    if (!value.is_object()) reject(place, "must hold keys, but is " + value.dump());
    for (const auto& [key, inner] : value.items())
      if (!contains(known, key))
        reject(place, fmt::format("holds the unknown key '{}' (= {}); known here: {}", key,
                                  inner.dump(), fmt::join(known, ", ")));
  }

  std::string text(const Json& value, const std::string& place) const {
    if (value.is_null()) reject(place, "is missing");
    if (!value.is_string()) reject(place, "must be a string, but is " + value.dump());
    return value.get<std::string>();
  }

  std::vector<double> sigmas(const Json& values, const std::string& place) const {
    constexpr double kMost = 10.0;
    if (values.is_null()) reject(place, "is missing");
    for (const Json& value : list_of(values))
      if (!value.is_number() || value < 0.0 || value > kMost)
        reject(place, "must be numbers from 0 to 10, but holds " + value.dump());
    return list_of(values).get<std::vector<double>>();
  }

  // Names are used as file names.
  void require_file_name(const std::string& name, const std::string& place) const {
    const bool plain = std::all_of(name.begin(), name.end(), [](unsigned char letter) {
      return std::isalnum(letter) != 0 || letter == '-' || letter == '_' || letter == '.';
    });
    if (!plain || name.empty() || name.front() == '.')
      reject(place, "must be a name of letters, digits, '-', '_' and '.'");
  }

  // A suite without scales has one, "full".
  void read_scale(const std::string& wanted) {
    Json scales = part(root_, "scales");
    if (scales.is_null()) scales = {{"full", nullptr}};
    if (!scales.is_object() || scales.empty()) reject("scales", "must name at least one scale");
    default_scale_ = scales.begin().key();
    suite_.scale = wanted.empty() ? default_scale_ : wanted;
    std::vector<std::string> names;
    for (const auto& [name, content] : scales.items()) {
      require_keys(content, "scales." + name, {"changes", "seeds", "sigmas"});
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
      const auto values = own.is_null() ? sigmas(usual, "evaluate.sigmas")
                                        : sigmas(own, "scales." + name + ".sigmas");
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
      require_file_name(name, place);
      require_keys(
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
      families_[name] = {{"label", label.is_null() ? name : text(label, place + ".label")},
                         {"published", published},
                         {"runs", members}};
    }
    if (families.empty()) reject("runs", "is missing or empty");
    std::set<std::string> names;
    for (std::size_t seed = 0, left = families.size(); left > 0; ++seed) {
      for (const auto& family : families) {
        if (seed + 1 == family.size()) --left;
        if (seed >= family.size()) continue;
        if (!names.insert(family[seed].name).second)
          reject("runs", "hold two runs with the name '" + family[seed].name + "'");
        suite_.runs.push_back(family[seed]);
      }
    }
  }

  // Published values are scores by noise and set of lines, and numbers of parameters and lines.
  void require_published(const Json& published, const std::string& place) const {
    if (published.is_null()) return;
    if (!published.is_object()) reject(place, "must hold keys, but is " + published.dump());
    for (const auto& [key, value] : published.items()) {
      const std::string inside = fmt::format("{}.{}", place, key);
      if (key == "parameters" || key == "lines") {
        require_number_or_text(value, inside);
        continue;
      }
      if (!is_evaluated(key))
        reject(place, fmt::format("holds the unknown key '{}' (= {}); known here: parameters, "
                                  "lines and the sigmas {}",
                                  key, value.dump(), fmt::join(evaluated_, ", ")));
      require_keys(value, inside, kSetsOfLines);
      for (const auto& [lines, score] : value.items())
        require_number_or_text(score, inside + "." + lines);
    }
  }

  void require_number_or_text(const Json& value, const std::string& place) const {
    if (!value.is_number() && !value.is_string())
      reject(place, "must be a number or a string, but is " + value.dump());
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
      reject(place,
             fmt::format("needs either 'config: FILE.yaml' or 'model: NAME', where NAME is {}",
                         fmt::join(kBuiltIn, ", ")));
    Run run;
    run.name = run.family = name;
    run.sigmas = sigmas_;
    const Json& test_seed = part(part(root_, "evaluate"), "seed");
    if (!test_seed.is_null()) run.test_seed = seeds(test_seed, "evaluate.seed").front();
    if (const Json& maps = part(content, "maps"); !maps.is_null())
      run.map_sigmas = sigmas(maps, place + ".maps");
    for (const double sigma : run.map_sigmas)
      if (!contains(sigmas_, sigma))
        reject(place + ".maps", fmt::format("holds {}, which is not one of the sigmas {}", sigma,
                                            fmt::join(sigmas_, ", ")));
    if (!model.is_null()) {
      run.model = text(model, place + ".model");
      if (kBuiltIn.count(run.model) == 0)
        reject(place + ".model",
               fmt::format("must be one of {}, but is {}", fmt::join(kBuiltIn, ", "), run.model));
      for (const char* key : {"seeds", "photos"})
        if (content.contains(key))
          reject(place + "." + key, "applies only to a run that is trained");
      run.grid = configuration(content, {{"model", trainable_models().front()}}, place).grid();
      run.test = line_test(part(content, "test"), place + ".test");
      return {run};
    }
    if (content.contains("test")) reject(place + ".test", "applies only to a built-in model");
    const std::string config = text(content["config"], place + ".config");
    const std::string file = (fs::path(path_).parent_path() / config).string();
    read_config(file);  // so that a mistake in it is reported under that file's name
    run.training = configuration(content, read_yaml_file(file), place);
    run.model = run.training->model.name;
    run.grid = run.training->grid();
    run.photos = photo_set(part(content, "photos"), *run.training, place);
    return with_seeds(run, content, place);
  }

  LineTest line_test(const Json& value, const std::string& place) const {
    require_keys(value, place, {"lines", "width", "visible", "dark", "sample"});
    LineTest test;
    if (const Json& lines = part(value, "lines"); !lines.is_null()) {
      test.continuous = lines == "continuous";
      if (!test.continuous && lines != "grid")
        reject(place + ".lines", "must be grid or continuous, but is " + lines.dump());
    }
    test.stroke.width = positive(value, "width", 1.0, place);
    test.stroke.visible = positive(value, "visible", 1.0, place);
    if (const Json& dark = part(value, "dark"); !dark.is_null()) {
      if (!dark.is_boolean())
        reject(place + ".dark", "must be true or false, but is " + dark.dump());
      test.stroke.dark = dark.get<bool>();
    }
    if (const Json& sample = part(value, "sample"); !sample.is_null())
      test.sample = seeds(sample, place + ".sample").front();
    return test;
  }

  double positive(const Json& owner, const char* key, double otherwise,
                  const std::string& place) const {
    const Json& value = part(owner, key);
    if (value.is_null()) return otherwise;
    if (!value.is_number() || value <= 0.0)
      reject(fmt::format("{}.{}", place, key), "must be a positive number, but is " + value.dump());
    return value.get<double>();
  }

  std::optional<PhotoSet> photo_set(const Json& value, const TrainConfig& config,
                                    const std::string& place) const {
    const bool learned = config.model.evidence == EvidenceKind::kLearned;
    if (learned == value.is_null())
      reject(place, learned ? "has learned evidence and needs 'photos: {folder: NAME}'"
                            : "has no learned evidence and cannot be trained on 'photos'");
    if (!learned) return std::nullopt;
    require_keys(value, place + ".photos", {"folder", "rotations"});
    PhotoSet photos;
    photos.folder = text(part(value, "folder"), place + ".photos.folder");
    require_file_name(photos.folder, place + ".photos.folder");
    if (config.photos.labels == PhotoLabels::kAll)
      reject(place, "finds several lines, but only models of one line can be compared here");
    const bool guide = config.photos.labels == PhotoLabels::kGuide;
    photos.protocol = guide ? "guide" : "horizon";
    if (const Json& rotations = part(value, "rotations"); !rotations.is_null())
      photos.rotations = static_cast<int>(seeds(rotations, place + ".photos.rotations").front());
    return photos;
  }

  std::vector<std::uint64_t> seeds(const Json& values, const std::string& place) const {
    for (const Json& value : list_of(values))
      if (!value.is_number_integer() || value < 0)
        reject(place, "must be whole numbers of at least 0, but holds " + value.dump());
    if (list_of(values).empty()) reject(place, "must hold at least one number");
    return list_of(values).get<std::vector<std::uint64_t>>();
  }

  std::vector<Run> with_seeds(Run run, const Json& content, const std::string& place) {
    std::vector<std::uint64_t> all{run.training->seed};
    if (content.contains("seeds")) all = seeds(content["seeds"], place + ".seeds");
    std::size_t most = all.size();
    if (const Json& limit = part(scale_, "seeds"); !limit.is_null())
      most = std::max<std::size_t>(1, seeds(limit, "scales." + suite_.scale + ".seeds").front());
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

  void read_items() {
    std::vector<std::string> ceiling;
    if (const Json& name = part(root_, "ceiling"); !name.is_null())
      refer(name, "ceiling", false, ceiling);
    for (auto& [name, content] : part(root_, "items").items()) {
      const std::string place = "items." + name;
      require_file_name(name, place);
      text(part(content, "kind"), place + ".kind");
      SuiteItem item{name, text(part(content, "title"), place + ".title"), {}};
      find_references(content, place, item.runs);
      if (item.runs.empty()) reject(place, "shows no run");
      require_sigmas(content, place);
      for (const auto& run : ceiling)
        if (!contains(item.runs, run)) item.runs.push_back(run);
      items_[name] = content;
      items_[name]["needs"] = item.runs;
      suite_.items.push_back(std::move(item));
    }
  }

  // In an item, `run` and `runs` name runs, or families to mean their first seeds; `seeds` names
  // families to mean all their seeds.
  void find_references(const Json& value, const std::string& place,
                       std::vector<std::string>& names) const {
    if (value.is_array())
      for (const Json& element : value) find_references(element, place, names);
    if (!value.is_object()) return;
    for (const auto& [key, inner] : value.items())
      for (const Json& element : list_of(inner))
        if ((key == "run" || key == "runs" || key == "seeds") && !element.is_object())
          refer(element, place + "." + key, key == "seeds", names);
        else
          find_references(element, place + "." + key, names);
  }

  // In every kind of item, `sigma` is the noise of what it shows. It must be one of the sigmas of
  // some scale, not necessarily of this one.
  void require_sigmas(const Json& value, const std::string& place) const {
    if (value.is_array())
      for (const Json& element : value) require_sigmas(element, place);
    if (!value.is_object()) return;
    for (const auto& [key, inner] : value.items())
      if (key != "sigma")
        require_sigmas(inner, place + "." + key);
      else if (!inner.is_number() || evaluated_.count(inner.get<double>()) == 0)
        reject(place + ".sigma", fmt::format("is {}, which is not one of the sigmas {}",
                                             inner.dump(), fmt::join(evaluated_, ", ")));
  }

  void refer(const Json& value, const std::string& place, bool all_seeds,
             std::vector<std::string>& names) const {
    const std::string name = text(value, place);
    bool found = left_out_.count(name) != 0;
    for (const Run& run : suite_.runs)
      if (run.name == name || (run.family == name && (all_seeds || !found))) {
        found = true;
        if (!contains(names, run.name)) names.push_back(run.name);
      }
    if (found) return;
    std::vector<std::string> known;
    for (const auto& [family, content] : families_.items()) known.push_back(family);
    reject(place,
           fmt::format("names the run '{}', but the runs are {}", name, fmt::join(known, ", ")));
  }

  std::string path_;
  Json root_;
  Json scale_;
  std::string default_scale_;
  std::vector<double> sigmas_;
  std::set<double> evaluated_;      // sigmas at any of the scales
  std::set<std::string> left_out_;  // runs with seeds that the scale leaves out
  Json families_ = Json::object();
  Json items_ = Json::object();
  Suite suite_;
};

}  // namespace

Suite read_suite(const std::string& path, const std::string& scale) {
  return SuiteReader(path).read(scale);
}

}  // namespace vsmax
