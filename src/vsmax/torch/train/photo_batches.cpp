// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/train/photo_batches.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "vsmax/base/counted.h"
#include "vsmax/base/error.h"
#include "vsmax/data/sample_key.h"
#include "vsmax/torch/models/weights.h"
#include "vsmax/torch/photos/exposure.h"
#include "vsmax/torch/photos/labelled_scenes.h"
#include "vsmax/torch/photos/polar_lines.h"

namespace vsmax {
namespace {

// Everything random about a batch follows from this.
SampleKey batch_key(std::uint64_t seed, Split split, int epoch, std::size_t step) {
  return {seed, split, static_cast<std::uint32_t>(epoch), static_cast<std::uint32_t>(step)};
}

void require_labels(const LabelledFolder& folder, PhotoLabels labels) {
  if (labels != PhotoLabels::kOne) return;
  for (const LabelledImage& image : folder.images)
    if (image.lines.size() > 1)
      throw Error(
          fmt::format("{}: the image {} has {} lines (row {}), but the configuration wants "
                      "one (data.labels)",
                      folder.labels, image.name, image.lines.size(), image.lines[1].row));
}

// Truths [B, K, 2] with any K, one after the other, filled up with NaN.
torch::Tensor with_equal_lines(std::vector<torch::Tensor> truths) {
  int64_t most = 0;
  for (const auto& truth : truths) most = std::max(most, truth.size(1));
  for (auto& truth : truths) {
    const auto none = torch::full({truth.size(0), most - truth.size(1), 2},
                                  std::numeric_limits<float>::quiet_NaN(), truth.options());
    truth = torch::cat({truth, none}, 1);
  }
  return torch::cat(truths);
}

}  // namespace

PhotoBatches::PhotoBatches(const TrainConfig& config, const std::string& folder,
                           torch::Device device, const Part& part)
    : config_(config), device_(device), part_(part) {
  const PhotoData& data = config.photos;
  int64_t left = config.batch;
  const auto take = [&](double share) {
    const auto count = std::min<int64_t>(std::lround(config.batch * share), left);
    left -= count;
    return count;
  };
  const std::array<std::pair<SceneKind, double>, kSceneKindNames.size()> shares{
      {{SceneKind::kBlanks, data.blanks},
       {SceneKind::kCuts, data.cuts},
       {SceneKind::kHorizons, data.scenes},
       {SceneKind::kCropRows, data.crop_rows}}};
  for (const auto& [kind, share] : shares)
    mixture_.drawn[static_cast<std::size_t>(kind)] = take(share);
  mixture_.photos = left;
  if (mixture_.photos == 0 && !folder.empty())
    throw Error(
        folder +
        " would not be used: this configuration trains on synthetic photographs only, so it "
        "cannot take --data");
  if (mixture_.photos == 0) return;
  if (folder.empty())
    throw Error("this configuration trains on photographs; give their folder with --data DIR");
  LabelledFolder all = read_labelled_folder(folder);
  digest_ = digest(all);
  if (data.fold > 0)
    all = without_fold(all, static_cast<std::size_t>(data.fold),
                       static_cast<std::size_t>(data.folds));
  require_labels(all, data.labels);
  const std::size_t count = all.images.size();
  const auto held_out =
      static_cast<std::size_t>(std::lround(static_cast<double>(count) * data.validation));
  if (held_out == count || held_out == 0)
    throw Error(fmt::format("{}: cannot hold out a share of {} of {} for validation", folder,
                            data.validation, counted(count, "image")));
  const HeldOut divided = data.hold_out == HoldOut::kSpread ? hold_out_spread(all, held_out)
                                                            : hold_out_last(all, held_out);
  training_ = load_photos(divided.rest, *config.model.frame, device);
  validation_ = load_photos(divided.held_out, *config.model.frame, device);
}

torch::Tensor PhotoBatches::chosen_lines(const torch::Tensor& polar) const {
  const ImageFrame& frame = *config_.model.frame;
  constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
  const auto seen =
      config_.augmentation.disc ? meets_disc(polar, frame, kSeenInDisc) : meets_frame(polar, frame);
  const auto hidden = seen.logical_not();  // [B, K]; NaN meets nothing
  if (config_.model.several) return polar.masked_fill(hidden.unsqueeze(-1), kNone);
  torch::Tensor order = hidden.to(torch::kFloat);  // the first that can be seen
  if (config_.photos.labels == PhotoLabels::kGuide)
    order = bottom_crossing(polar, frame)
                .abs()
                .masked_fill(hidden, std::numeric_limits<float>::infinity());
  const auto best = order.argmin(1, /*keepdim=*/true);  // [B, 1]
  const auto line = polar.gather(1, best.unsqueeze(-1).expand({-1, 1, 2})).squeeze(1);
  return line.masked_fill(hidden.gather(1, best), kNone);
}

Batch PhotoBatches::photo_batch(const Photos& photos, const torch::Tensor& index,
                                const Augmentation& augmentation) const {
  const Views views = view_photos(photos, index, *config_.model.frame,
                                  random_views(index.size(0), augmentation, device_));
  const auto lines = polar_from_ends(views.ends, *config_.model.frame);
  return {vary_exposure(views.images, augmentation), chosen_lines(lines), {}};
}

void PhotoBatches::append_synthetic(const Mixture& mixture, Batch& batch) const {
  std::vector<torch::Tensor> images;
  std::vector<torch::Tensor> truths;
  if (batch.images.defined()) {
    images.push_back(batch.images);
    truths.push_back(batch.truth);
  }
  for (std::size_t i = 0; i < mixture.drawn.size(); ++i) {
    if (mixture.drawn[i] == 0) continue;
    const auto kind = static_cast<SceneKind>(i);
    const Canvas canvas{mixture.drawn[i], *config_.model.frame, device_};
    const LabelledScenes scenes =
        draw_labelled(kind, canvas, config_.photos.tilt * std::numbers::pi / 180.0);
    const bool rows = kind == SceneKind::kCropRows;  // fields are photographed like real ones
    images.push_back(rows ? vary_exposure(scenes.images, config_.augmentation) : scenes.images);
    if (rows)
      truths.push_back(chosen_lines(scenes.lines));
    else
      truths.push_back(config_.model.several ? scenes.lines : scenes.lines.select(1, 0));
  }
  batch.images = torch::cat(images);
  if (config_.augmentation.disc) batch.images = keep_disc(batch.images);
  batch.images = normalized(batch.images);
  batch.truth = config_.model.several ? with_equal_lines(truths) : torch::cat(truths);
}

Batch PhotoBatches::training(int epoch, std::size_t step) {
  // Made as a whole by every process: its random numbers are those of the batch, not of an image.
  Batch batch = whole_training(epoch, step);
  if (part_.count == 1) return batch;
  const auto mine = [this](const torch::Tensor& all) {
    return all.slice(0, part_.index, all.size(0), part_.count).contiguous();
  };
  return {mine(batch.images), mine(batch.truth), batch.truth};
}

Batch PhotoBatches::whole_training(int epoch, std::size_t step) const {
  const torch::NoGradGuard no_grad;
  seed_drawing(batch_key(config_.seed, Split::kTrain, epoch, step));
  Batch batch;
  if (mixture_.photos > 0) {
    const auto index = torch::randint(training_.count(), {mixture_.photos},
                                      torch::TensorOptions().dtype(torch::kLong).device(device_));
    batch = photo_batch(training_, index, config_.augmentation);
  }
  append_synthetic(mixture_, batch);
  return batch;
}

std::size_t PhotoBatches::validation_batches() const {
  constexpr std::size_t kSyntheticBatches = 4;
  if (mixture_.photos == 0) return kSyntheticBatches;
  return static_cast<std::size_t>((validation_.count() + mixture_.photos - 1) / mixture_.photos);
}

Batch PhotoBatches::validation(std::size_t index) {
  const torch::NoGradGuard no_grad;
  seed_drawing(batch_key(config_.seed, Split::kValidation, 0, index));
  Batch batch;
  Mixture mixture = mixture_;
  if (mixture_.photos > 0) {
    const int64_t begin = static_cast<int64_t>(index) * mixture_.photos;
    const int64_t end = std::min(begin + mixture_.photos, validation_.count());
    const auto chosen =
        torch::arange(begin, end, torch::TensorOptions().dtype(torch::kLong).device(device_));
    Augmentation as_taken;
    // Rotated as in training, if the run is about that.
    if (config_.augmentation.disc) as_taken.rotation = config_.augmentation.rotation;
    batch = photo_batch(validation_, chosen, as_taken);
    for (int64_t& count : mixture.drawn) count = count * (end - begin) / mixture_.photos;
  }
  append_synthetic(mixture, batch);
  return batch;
}

namespace {

void save_photo_batch(const std::string& path, const Batch& batch, Metadata metadata) {
  SafeTensors file;
  file.tensors["images"] = file_tensor(batch.images);
  file.tensors["truth"] = file_tensor(batch.truth);
  file.metadata = std::move(metadata);
  write_safetensors(path, file);
}

}  // namespace

void PhotoBatches::save_training(const std::string& path, int epoch, std::size_t step) {
  save_photo_batch(path, whole_training(epoch, step),
                   {{"seed", std::to_string(config_.seed)},
                    {"split", "train"},
                    {"epoch", std::to_string(epoch)},
                    {"step", std::to_string(step + 1)}});
}

void PhotoBatches::save_validation(const std::string& path, std::size_t index) {
  save_photo_batch(path, validation(index),
                   {{"seed", std::to_string(config_.seed)},
                    {"split", "validation"},
                    {"batch", std::to_string(index + 1)}});
}

}  // namespace vsmax
