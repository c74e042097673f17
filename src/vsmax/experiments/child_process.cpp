// SPDX-License-Identifier: Apache-2.0
#include "vsmax/experiments/child_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <system_error>
#include <utility>

#include "vsmax/base/error.h"

namespace vsmax {

ChildProcess::ChildProcess(const std::vector<std::string>& arguments, const std::string& output) {
  std::vector<char*> words;
  words.reserve(arguments.size() + 1);
  for (const auto& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);

  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, output.c_str(),
                                   O_WRONLY | O_CREAT | O_APPEND, 0666);
  posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  const int failure = posix_spawnp(&id_, words[0], &files, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (failure != 0)
    throw Error(arguments[0] + ": cannot be started (" + std::generic_category().message(failure) +
                ")");
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : id_(std::exchange(other.id_, -1)), code_(other.code_) {}

ChildProcess::~ChildProcess() {
  if (id_ >= 0 && !code_) end();
}

int ChildProcess::wait(int options) {
  int status = 0;
  pid_t done = 0;
  do {
    done = ::waitpid(id_, &status, options);
  } while (done < 0 && errno == EINTR);
  if (done == 0) return -1;
  constexpr int kSignalled = 128;
  code_ = WIFEXITED(status) ? WEXITSTATUS(status) : kSignalled + WTERMSIG(status);
  return *code_;
}

std::optional<int> ChildProcess::exit_code() {
  if (!code_) wait(WNOHANG);
  return code_;
}

int ChildProcess::end() {
  if (code_) return *code_;
  ::kill(id_, SIGTERM);
  return wait(0);
}

}  // namespace vsmax
