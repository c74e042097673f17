// SPDX-License-Identifier: Apache-2.0
// Runs a test program with the kernels of a lesser instruction set than the processor has: the one
// that VSMAX_TEST_INSTRUCTIONS names, or else the best.
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>

namespace vsmax {
namespace {

// Before any kernel is called, since the first call settles the choice.
class InstructionSet : public testing::Environment {
 public:
  void SetUp() override {
    static const std::map<std::string, std::int64_t> sets{
        {"scalar", HWY_SCALAR}, {"ssse3", HWY_SSSE3}, {"sse4", HWY_SSE4}, {"avx2", HWY_AVX2}};
    const char* name = std::getenv("VSMAX_TEST_INSTRUCTIONS");
    if (name == nullptr) return;
    const std::int64_t asked_for = sets.at(name);
    if ((hwy::SupportedTargets() & asked_for) == 0) GTEST_SKIP() << "no " << name << " here";
    // Better sets have lower bits. It must be the last call to Highway: that of SupportedTargets
    // chooses the processor's best.
    hwy::DisableTargets(asked_for - 1);
  }
};

[[maybe_unused]] const auto* const kEnvironment =
    testing::AddGlobalTestEnvironment(new InstructionSet);

}  // namespace
}  // namespace vsmax
