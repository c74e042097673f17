// SPDX-License-Identifier: Apache-2.0
#include "vsmax/experiments/child_process.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "torch/train/scratch_folder.h"
#include "vsmax/base/error.h"
#include "vsmax/io/file.h"

namespace vsmax {
namespace {

using testing::ScratchFolder;

int wait_for(ChildProcess& process) {
  while (!process.exit_code()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return *process.exit_code();
}

std::string text_of(const std::string& path) {
  const auto bytes = read_file(path);
  return {bytes.begin(), bytes.end()};
}

TEST(ChildProcess, KeepsWhatItSaysAndItsExitCode) {
  const ScratchFolder scratch;
  const std::string output = scratch / "output.txt";
  ChildProcess first({"sh", "-c", "echo said; echo complained >&2; exit 3"}, output);
  EXPECT_EQ(wait_for(first), 3);
  ChildProcess second({"sh", "-c", "echo again"}, output);
  EXPECT_EQ(wait_for(second), 0);
  EXPECT_EQ(text_of(output), "said\ncomplained\nagain\n");
}

TEST(ChildProcess, ASignalIsNotSuccess) {
  const ScratchFolder scratch;
  ChildProcess process({"sh", "-c", "kill -9 $$"}, scratch / "output.txt");
  EXPECT_EQ(wait_for(process), 128 + 9);
}

TEST(ChildProcess, IsAskedToEndAndWaitedFor) {
  const ScratchFolder scratch;
  const std::string output = scratch / "output.txt";
  ChildProcess process({"sh", "-c",
                        "trap 'echo ending; exit 130' TERM; echo ready; "
                        "while :; do sleep 0.01; done"},
                       output);
  while (!std::filesystem::exists(output) || text_of(output).empty())
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_FALSE(process.exit_code());
  EXPECT_EQ(process.end(), 130);
  EXPECT_EQ(text_of(output), "ready\nending\n");
}

TEST(ChildProcess, AProgramThatIsNotThereIsAnError) {
  const ScratchFolder scratch;
  EXPECT_THROW(ChildProcess({"/no/such/program"}, scratch / "output.txt"), Error);
}

}  // namespace
}  // namespace vsmax
