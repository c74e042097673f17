// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

namespace cuda_on_host {

// Memory that ends, up to 16 bytes, where no page is mapped: reading beyond it is a fault.
class GuardedMemory {
 public:
  void* allocate(std::size_t bytes) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t used = round_up(std::max<std::size_t>(bytes, 1), kAlignment);
    const std::size_t whole = round_up(used, page) + page;
    void* const mapped =
        mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) return nullptr;
    std::byte* const guard = static_cast<std::byte*>(mapped) + whole - page;
    if (mprotect(guard, page, PROT_NONE) != 0) return nullptr;
    std::memset(guard - used, 0xFF, used);
    const std::lock_guard lock(mutex_);
    mappings_[guard - used] = {mapped, whole};
    return guard - used;
  }
  void free(void* memory) {
    const std::lock_guard lock(mutex_);
    const auto found = mappings_.find(memory);
    if (found == mappings_.end()) std::abort();
    munmap(found->second.first, found->second.second);
    mappings_.erase(found);
  }

 private:
  static constexpr std::size_t kAlignment = 16;
  static std::size_t round_up(std::size_t bytes, std::size_t step) {
    return (bytes + step - 1) / step * step;
  }

  std::mutex mutex_;
  std::map<void*, std::pair<void*, std::size_t>> mappings_;
};

}  // namespace cuda_on_host
