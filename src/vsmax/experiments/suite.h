// SPDX-License-Identifier: Apache-2.0
// A suite of experiments, one YAML file: its runs, and the items (tables and figures) that show
// them. docs/reproduce.md describes the format. How an item looks is up to report/; here only the
// runs it refers to matter.
#pragma once

#include <string>
#include <vector>

#include "vsmax/experiments/run.h"
#include "vsmax/experiments/yaml_file.h"

namespace vsmax {

struct SuiteItem {
  std::string name;
  std::string title;
  std::vector<std::string> runs;  // names of those it shows, and of the ceiling
};

struct Suite {
  std::string file;
  std::string name;  // of the file, without its extension
  std::string title;
  std::string scale;
  std::vector<Run> runs;  // first seeds first; each in the order of the file
  std::vector<SuiteItem> items;
  Json resolved;  // all that the report needs besides the results of the runs
};

// Reads a suite at one of its scales, the first if `scale` is empty. Throws Error.
Suite read_suite(const std::string& path, const std::string& scale);

// The runs that the named items show, or all runs of the suite if no item is named. If `only` is
// not empty, just those of them. Throws Error for an unknown name.
std::vector<Run> runs_of(const Suite& suite, const std::vector<std::string>& items,
                         const std::vector<std::string>& only = {});

// Makes the folder and writes suite.json. Throws Error for a folder that holds the results of
// another suite, or of another scale: their runs have the same names.
void open_results_folder(const Suite& suite, const std::string& folder);

}  // namespace vsmax
