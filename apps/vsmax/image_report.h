// SPDX-License-Identifier: Apache-2.0
// The scores of 'vsmax evaluate --data' as text, JSON and CSV.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "vsmax/score/image_evaluation.h"
#include "vsmax/score/line_set_evaluation.h"

namespace vsmax::app {

// For protocols with one labelled line per image.
std::string line_text(const LineSummary& summary);
nlohmann::ordered_json line_json(const LineSummary& summary);
std::string line_csv(const std::vector<std::string>& names, const std::vector<LineScore>& scores);

// For any number of labelled lines per image.
std::string line_set_text(const MatchCounts& counts, const Calibration& calibration);
nlohmann::ordered_json line_set_json(const MatchCounts& counts, const Calibration& calibration);
std::string line_set_csv(const std::vector<std::string>& names,
                         const std::vector<MatchCounts>& counts);

// A row per found line; names[i] is the image of scores[i].
std::string line_confidence_csv(const std::vector<std::string>& names,
                                const std::vector<LineScore>& scores);

}  // namespace vsmax::app
