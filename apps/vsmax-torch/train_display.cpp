// SPDX-License-Identifier: Apache-2.0
#include "train_display.h"

#include <fmt/core.h>

#include <string>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/status_line.h"

namespace vsmax::app {

namespace {

constexpr std::size_t kBarWidth = 20;
constexpr auto kRedrawInterval = std::chrono::milliseconds(100);

std::string bar_text(const TrainProgress& progress) {
  const std::size_t filled = kBarWidth * progress.step / progress.steps;
  std::string text =
      fmt::format("epoch {}/{} [{:<{}}] loss {:.4g}", progress.epoch, progress.max_epochs,
                  std::string(filled, '#'), kBarWidth, progress.loss);
  if (progress.validation_loss) text += fmt::format(", val {:.4g}", *progress.validation_loss);
  return text + fmt::format(", lr {:.1e}, {} left", progress.learning_rate,
                            clock_text(progress.seconds_left));
}

}  // namespace

TrainDisplay::TrainDisplay() = default;

TrainDisplay::~TrainDisplay() { clear_status_line(); }

void TrainDisplay::on_note(const std::string& sentence) {
  clear_status_line();
  print_error("note: " + sentence);
}

void TrainDisplay::on_step(const TrainProgress& progress) {
  const auto now = std::chrono::steady_clock::now();
  if (now - last_draw_ < kRedrawInterval && progress.step != progress.steps) return;
  last_draw_ = now;
  draw_status_line(bar_text(progress));
}

void TrainDisplay::on_epoch(const EpochRecord& record) {
  clear_status_line();
  fmt::print("epoch {}: loss {:.6g}, validation {:.6g}, lr {:.1e}, {:.1f} s, {:.0f} images/s{}\n",
             record.epoch, record.train_loss, record.validation_loss, record.learning_rate,
             record.seconds, record.images_per_second, record.best ? ", best" : "");
  std::fflush(stdout);
}

bool TrainDisplay::wants_stop() { return interrupted(); }

}  // namespace vsmax::app
