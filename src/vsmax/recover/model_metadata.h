// SPDX-License-Identifier: Apache-2.0
// What a weights file says of its model. Throws Error that names the file for what is missing or
// makes no sense.
#pragma once

#include <string>

#include "vsmax/hough/grid.h"
#include "vsmax/io/safetensors.h"

namespace vsmax {

class ModelMetadata {
 public:
  // file, name: outlive this.
  ModelMetadata(const SafeTensors& file, const std::string& name) : file_(file), name_(name) {}

  bool has(const std::string& key) const { return file_.metadata.count(key) != 0; }
  const std::string& text(const std::string& key) const;
  double number(const std::string& key) const;
  int integer(const std::string& key) const;

  // Of W, H, T and R.
  HoughGrid grid() const;

 private:
  const SafeTensors& file_;
  const std::string& name_;
};

}  // namespace vsmax
