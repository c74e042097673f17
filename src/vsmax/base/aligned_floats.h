// SPDX-License-Identifier: Apache-2.0
// Memory for kernels, aligned to cache lines: in an array that starts in the middle of a line,
// every 64-byte load and store touches two lines.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace vsmax {

template <class T>
struct CacheLineAllocator {
  using value_type = T;
  static constexpr std::align_val_t kAlignment{64};

  CacheLineAllocator() = default;
  template <class U>
  CacheLineAllocator(const CacheLineAllocator<U>& /*other*/) {}  // NOLINT(*-explicit-*)

  T* allocate(std::size_t count) {
    return static_cast<T*>(::operator new(count * sizeof(T), kAlignment));
  }
  void deallocate(T* memory, std::size_t /*count*/) { ::operator delete(memory, kAlignment); }

  template <class U>
  bool operator==(const CacheLineAllocator<U>& /*other*/) const {
    return true;
  }
};

using AlignedFloats = std::vector<float, CacheLineAllocator<float>>;

}  // namespace vsmax
