// SPDX-License-Identifier: Apache-2.0
#include "detect_progress.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "vsmax/base/error.h"

namespace vsmax::app {

DetectProgress::DetectProgress(const ImageRequest& request, const Shard& shard)
    : is_wanted_(line_.is_terminal() && !request.is_single()) {
  std::error_code failure;
  if (!is_wanted_ ||
      (!request.list.empty() && !std::filesystem::is_regular_file(request.list, failure)))
    return;  // a pipe can be read only once
  counter_ = std::jthread([this, request, shard](const std::stop_token& stop) {
    try {
      ImageSource source(request);
      std::size_t count = 0;
      while (const auto image = source.next()) {
        if (stop.stop_requested()) return;
        count += shard.has(PathKey(image->path)) ? 1 : 0;
      }
      total_ = count;
    } catch (const std::exception&) {
      total_ = 0;  // the search itself will report it
    }
  });
}

void DetectProgress::show(std::size_t searched, std::size_t skipped) {
  if (!is_wanted_) return;
  const double spent = std::chrono::duration<double>(Clock::now() - start_).count();
  const double rate = static_cast<double>(searched) / std::max(spent, 1e-3);
  const std::string rate_text = fmt::format("{:.{}f} images/s", rate, rate < 10.0 ? 1 : 0);
  const std::size_t total = total_;
  const std::size_t done = searched + skipped;
  if (total == 0 || total < done)  // a folder may have grown since
    return line_.show(fmt::format("detecting {} done, {}", done, rate_text));
  line_.show(fmt::format("detecting {} {}/{}, {}, {} left", bar_text(done, total), done, total,
                         rate_text, clock_text(static_cast<double>(total - done) / rate)));
}

}  // namespace vsmax::app
