// SPDX-License-Identifier: Apache-2.0
#include "train_display.h"

#include <fmt/core.h>

#include <string>

#include "cli/commands.h"
#include "cli/interrupt.h"

namespace vsmax::app {

void TrainDisplay::on_note(const std::string& sentence) {
  line_.clear();
  print_error("note: " + sentence);
}

void TrainDisplay::on_step(const TrainProgress& progress) {
  std::string text = fmt::format("epoch {}/{} {} loss {:.4g}", progress.epoch, progress.max_epochs,
                                 bar_text(progress.step, progress.steps), progress.loss);
  if (progress.validation_loss) text += fmt::format(", val {:.4g}", *progress.validation_loss);
  line_.show(text + fmt::format(", lr {:.1e}, {} left", progress.learning_rate,
                                clock_text(progress.seconds_left)));
}

void TrainDisplay::on_epoch(const EpochRecord& record) {
  line_.clear();
  fmt::print("epoch {}: loss {:.6g}, validation {:.6g}, lr {:.1e}, {:.1f} s, {:.0f} images/s{}\n",
             record.epoch, record.train_loss, record.validation_loss, record.learning_rate,
             record.seconds, record.images_per_second, record.best ? ", best" : "");
  std::fflush(stdout);
}

bool TrainDisplay::wants_stop() { return interrupted(); }

}  // namespace vsmax::app
