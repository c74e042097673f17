// SPDX-License-Identifier: Apache-2.0
// The Hough transform's inner loops, for one image. Internal to hough: users call hough.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "vsmax/hough/bin_edges.h"
#include "vsmax/hough/grid.h"

namespace vsmax {

// What the kernels need to know about a grid.
struct HoughPlan {
  const HoughGrid& grid;
  const BinEdges* table;           // null: the runs are computed on the fly
  const std::uint8_t* short_runs;  // of find_short_runs
};

// For each angle t <= T/2, whether the sum of a bin over eight lines of 8-bit pixels fits 16 bits.
std::vector<std::uint8_t> find_short_runs(const HoughGrid& grid);

// The number of bytes of scratch memory, 64-byte aligned, that a call needs.
std::size_t hough_scratch_bytes(const HoughPlan& plan);

// Sums have the type of the image, except that they are 32-bit integers for bytes and double in the
// wide variants. The variant by line loses fewer bits and takes a little longer.
void hough_forward(const HoughPlan& plan, const float* image, float* accumulator, void* scratch);
void hough_forward_by_line(const HoughPlan& plan, const float* image, float* accumulator,
                           void* scratch);
void hough_forward_wide(const HoughPlan& plan, const float* image, float* accumulator,
                        void* scratch);
void hough_forward(const HoughPlan& plan, const double* image, double* accumulator, void* scratch);
void hough_forward(const HoughPlan& plan, const std::uint8_t* image, std::uint32_t* accumulator,
                   void* scratch);

// Transforms two 8-bit images at once; requires runs_fit_16_bits(plan.grid).
void hough_forward_pair(const HoughPlan& plan, const std::uint8_t* first,
                        const std::uint8_t* second, std::uint32_t* first_accumulator,
                        std::uint32_t* second_accumulator, void* scratch);
// Whether no bin holds more than 257 pixels of a line of its scan.
bool runs_fit_16_bits(const HoughGrid& grid);

void hough_adjoint(const HoughPlan& plan, const float* accumulator, float* image, void* scratch);
void hough_adjoint_wide(const HoughPlan& plan, const float* accumulator, float* image,
                        void* scratch);
void hough_adjoint(const HoughPlan& plan, const double* accumulator, double* image, void* scratch);

}  // namespace vsmax
