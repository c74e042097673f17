// SPDX-License-Identifier: Apache-2.0
#include "vsmax/experiments/suite_items.h"

#include <fmt/format.h>

#include <utility>

namespace vsmax {
namespace {

class ItemReader {
 public:
  ItemReader(const SuiteValues& values, const SuiteNames& names) : values_(values), names_(names) {}

  SuiteItems read(const Json& root) const {
    std::vector<std::string> ceiling;
    if (const Json& name = part(root, "ceiling"); !name.is_null())
      refer(name, "ceiling", false, ceiling);
    SuiteItems result{{}, Json::object()};
    for (const auto& [name, content] : part(root, "items").items()) {
      const std::string place = "items." + name;
      values_.require_file_name(name, place);
      values_.text(part(content, "kind"), place + ".kind");
      SuiteItem item{name, values_.text(part(content, "title"), place + ".title"), {}};
      find_references(content, place, item.runs);
      if (item.runs.empty()) values_.reject(place, "shows no run");
      require_sigmas(content, place);
      for (const auto& run : ceiling)
        if (!contains(item.runs, run)) item.runs.push_back(run);
      result.resolved[name] = content;
      result.resolved[name]["needs"] = item.runs;
      result.items.push_back(std::move(item));
    }
    return result;
  }

 private:
  // In an item, `run` and `runs` name runs, or families to mean their first seeds; `seeds` names
  // families to mean all their seeds.
  void find_references(const Json& value, const std::string& place,
                       std::vector<std::string>& found) const {
    if (value.is_array())
      for (const Json& element : value) find_references(element, place, found);
    if (!value.is_object()) return;
    for (const auto& [key, inner] : value.items())
      for (const Json& element : list_of(inner))
        if ((key == "run" || key == "runs" || key == "seeds") && !element.is_object())
          refer(element, place + "." + key, key == "seeds", found);
        else
          find_references(element, place + "." + key, found);
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
      else if (!inner.is_number() || names_.sigmas.count(inner.get<double>()) == 0)
        values_.reject(place + ".sigma", fmt::format("is {}, which is not one of the sigmas {}",
                                                     inner.dump(), fmt::join(names_.sigmas, ", ")));
  }

  void refer(const Json& value, const std::string& place, bool all_seeds,
             std::vector<std::string>& runs) const {
    const std::string name = values_.text(value, place);
    bool found = names_.left_out.count(name) != 0;
    for (const Run& run : names_.runs)
      if (run.name == name || (run.family == name && (all_seeds || !found))) {
        found = true;
        if (!contains(runs, run.name)) runs.push_back(run.name);
      }
    if (!found)
      values_.reject(place, fmt::format("names the run '{}', but the runs are {}", name,
                                        fmt::join(names_.families, ", ")));
  }

  const SuiteValues& values_;
  const SuiteNames& names_;
};

}  // namespace

SuiteItems read_items(const Json& root, const SuiteValues& values, const SuiteNames& names) {
  return ItemReader(values, names).read(root);
}

}  // namespace vsmax
