// SPDX-License-Identifier: Apache-2.0
#include "image_report.h"

#include <fmt/core.h>

#include <cmath>
#include <optional>

#include "vsmax/data/csv.h"

namespace vsmax::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kHalf = threshold_index(50);
constexpr std::size_t kStrict = threshold_index(90);

std::string row_text(const char* label, const MeanAndMedian& values, int decimals) {
  if (std::isnan(values.mean)) return fmt::format("{:<18}{:>9}{:>9}", label, "-", "-");
  return fmt::format("{:<18}{:>9.{}f}{:>9.{}f}", label, values.mean, decimals, values.median,
                     decimals);
}

Json both_json(const MeanAndMedian& values) {  // NaN becomes null
  return {{"mean", values.mean}, {"median", values.median}};
}

std::string optional_text(const std::optional<double>& value) {
  return value ? fmt::format("{:.4f}", *value) : "";
}

Json calibration_json(const Calibration& calibration) {
  auto bins = Json::array();
  for (const auto& bin : calibration.bins)
    bins.push_back({{"count", bin.count}, {"confidence", bin.confidence}, {"ea", bin.ea}});
  return {{"error", calibration.error}, {"chance", calibration.chance}, {"bins", bins}};
}

std::string calibration_text(const Calibration& calibration) {
  if (calibration.bins.empty()) return "calibration error of the confidence: - (no line found)\n";
  return fmt::format("calibration error of the confidence: {:.4f} (by chance alone: {:.4f})\n",
                     calibration.error, calibration.chance);
}

std::string alarm_text(const MatchCounts& counts) {
  if (counts.blanks == 0) return {};
  const double share = static_cast<double>(counts.alarms) / static_cast<double>(counts.blanks);
  return fmt::format("images without a labelled line: {}, with a line found in {} ({:.1f} %)\n",
                     counts.blanks, counts.alarms, 100.0 * share);
}

Json threshold_json(const MatchCounts& counts, std::size_t threshold) {
  return {{"threshold", threshold_at(threshold)},
          {"precision", counts.precision(threshold)},
          {"recall", counts.recall(threshold)},
          {"f", counts.f(threshold)}};
}

}  // namespace

std::string line_text(const LineSummary& summary) {
  return fmt::format(
      "lines found: {} of {}\n"
      "{:<18}{:>9}{:>9}\n"
      "{}   5th percentile {:.4f}, below 0.5: {:.1f} %\n"
      "{}\n"
      "{}\n"
      "{}",
      summary.found, summary.count, "", "mean", "median", row_text("EA", summary.ea, 4),
      summary.ea_percentile_5, 100.0 * summary.below_half,
      row_text("angle error, deg", summary.angle, 3),
      row_text("offset error, px", summary.offset, 3), calibration_text(summary.calibration));
}

Json line_json(const LineSummary& summary) {
  Json ea = both_json(summary.ea);
  ea["percentile_5"] = summary.ea_percentile_5;
  ea["below_half"] = summary.below_half;
  return {{"images", summary.count},
          {"found", summary.found},
          {"ea", ea},
          {"angle_deg", both_json(summary.angle)},
          {"offset_px", both_json(summary.offset)},
          {"calibration", calibration_json(summary.calibration)}};
}

std::string line_csv(const std::vector<std::string>& names, const std::vector<LineScore>& scores) {
  std::string text = "image,ea,angle_deg,offset_px,confidence\n";
  for (std::size_t i = 0; i < names.size(); ++i)
    text += fmt::format("{},{:.6f},{},{},{:.6f}\n", csv_field(names[i]), scores[i].ea,
                        optional_text(scores[i].angle), optional_text(scores[i].offset),
                        scores[i].confidence);
  return text;
}

std::string line_set_text(const MatchCounts& counts, const Calibration& calibration) {
  if (counts.labelled == 0) return alarm_text(counts);
  std::string text = fmt::format(
      "lines labelled: {}, found: {}\n"
      "mean F over the EA thresholds 0.01 to 0.99: {:.4f}\n"
      "{:>12}{:>11}{:>9}{:>9}\n",
      counts.labelled, counts.found, counts.mean_f(), "EA at least", "precision", "recall", "F");
  for (const std::size_t threshold : {kHalf, kStrict})
    text += fmt::format("{:>12.2f}{:>11.4f}{:>9.4f}{:>9.4f}\n", threshold_at(threshold),
                        counts.precision(threshold), counts.recall(threshold), counts.f(threshold));
  return text + alarm_text(counts) + calibration_text(calibration);
}

Json line_set_json(const MatchCounts& counts, const Calibration& calibration) {
  auto thresholds = Json::array();
  for (std::size_t i = 0; i < kThresholds; ++i) thresholds.push_back(threshold_json(counts, i));
  return {{"labelled", counts.labelled},
          {"found", counts.found},
          {"blank_images", counts.blanks},
          {"false_alarms", counts.alarms},
          {"mean_f", counts.mean_f()},
          {"f_50", counts.f(kHalf)},
          {"f_90", counts.f(kStrict)},
          {"thresholds", thresholds},
          {"calibration", calibration_json(calibration)}};
}

std::string line_set_csv(const std::vector<std::string>& names,
                         const std::vector<MatchCounts>& counts) {
  std::string text = "image,labelled,found,mean_f,f_50,f_90\n";
  for (std::size_t i = 0; i < names.size(); ++i)
    text +=
        fmt::format("{},{},{},{:.6f},{:.6f},{:.6f}\n", csv_field(names[i]), counts[i].labelled,
                    counts[i].found, counts[i].mean_f(), counts[i].f(kHalf), counts[i].f(kStrict));
  return text;
}

std::string line_confidence_csv(const std::vector<std::string>& names,
                                const std::vector<LineScore>& scores) {
  std::string text = "image,confidence,ea\n";
  for (std::size_t i = 0; i < names.size(); ++i)
    text +=
        fmt::format("{},{:.6f},{:.6f}\n", csv_field(names[i]), scores[i].confidence, scores[i].ea);
  return text;
}

}  // namespace vsmax::app
