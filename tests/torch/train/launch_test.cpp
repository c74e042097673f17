// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/train/launch.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "scratch_folder.h"

namespace vsmax {
namespace {

using testing::error_of;

// Exactly these of the variables that torchrun sets, until the end of a test.
class Environment {
 public:
  explicit Environment(const std::map<std::string, std::string>& variables) {
    clear();
    for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
  }
  ~Environment() { clear(); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  static void clear() {
    for (const char* name :
         {"WORLD_SIZE", "RANK", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT",
          "TORCHELASTIC_USE_AGENT_STORE", "TORCHELASTIC_RESTART_COUNT"})
      unsetenv(name);
  }
};

const std::map<std::string, std::string> kSecondOfThree{
    {"WORLD_SIZE", "3"},       {"RANK", "2"},           {"LOCAL_RANK", "1"},
    {"LOCAL_WORLD_SIZE", "2"}, {"MASTER_ADDR", "host"}, {"MASTER_PORT", "29500"}};

std::map<std::string, std::string> with(const std::string& name, const std::string& value) {
  auto variables = kSecondOfThree;
  variables[name] = value;
  return variables;
}

TEST(Launch, WithoutTorchrunThereIsOneProcess) {
  for (const char* size : {"", "1"}) {
    const Environment environment({{"WORLD_SIZE", size}, {"RANK", "7"}});
    EXPECT_EQ(read_launch().size, 1);
    EXPECT_EQ(read_launch().rank, 0);
  }
}

TEST(Launch, ReadsWhatTorchrunSets) {
  const Environment environment(with("TORCHELASTIC_USE_AGENT_STORE", "True"));
  const Launch launch = read_launch();
  EXPECT_EQ(launch.size, 3);
  EXPECT_EQ(launch.rank, 2);
  EXPECT_EQ(launch.local_rank, 1);
  EXPECT_EQ(launch.local_size, 2);
  EXPECT_EQ(launch.address, "host");
  EXPECT_EQ(launch.port, 29500);
  EXPECT_TRUE(launch.has_store);
}

TEST(Launch, NamesTheVariableThatIsWrong) {
  for (const auto& [name, value] : std::map<std::string, std::string>{{"WORLD_SIZE", "0"},
                                                                      {"RANK", "3"},
                                                                      {"LOCAL_RANK", "-1"},
                                                                      {"LOCAL_WORLD_SIZE", "1"},
                                                                      {"MASTER_PORT", "70000"},
                                                                      {"WORLD_SIZE ", "two"}}) {
    const std::string variable = name.substr(0, name.find(' '));
    const Environment environment(with(variable, value));
    const std::string message = error_of([] { read_launch(); });
    EXPECT_NE(message.find(variable + " must be a number"), std::string::npos) << message;
    EXPECT_NE(message.find("'" + value + "'"), std::string::npos) << message;
  }
  for (const char* name : {"RANK", "LOCAL_RANK", "MASTER_ADDR", "MASTER_PORT"}) {
    const Environment environment(with(name, ""));
    const std::string message = error_of([] { read_launch(); });
    EXPECT_NE(message.find(std::string("WORLD_SIZE is 3, but ") + name + " is not set"),
              std::string::npos)
        << message;
  }
}

}  // namespace
}  // namespace vsmax
