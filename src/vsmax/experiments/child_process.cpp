// SPDX-License-Identifier: Apache-2.0
#include "vsmax/experiments/child_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <system_error>

#include "vsmax/base/error.h"

namespace vsmax {
namespace {

// Between fork() and exec(): async-signal-safe calls only.
[[noreturn]] void become(char* const* words, const char* output, pid_t parent, int failure_pipe) {
  // If the parent is killed, so is the child; Ctrl-C reaches only the parent, which passes it on.
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  ::setpgid(0, 0);
  const int input = ::open("/dev/null", O_RDONLY);
  const int log = ::open(output, O_WRONLY | O_CREAT | O_APPEND, 0666);
  const bool ready = ::getppid() == parent && input >= 0 && log >= 0 &&
                     ::dup2(input, STDIN_FILENO) >= 0 && ::dup2(log, STDOUT_FILENO) >= 0 &&
                     ::dup2(log, STDERR_FILENO) >= 0;
  if (ready) ::execvp(words[0], words);
  const int reason = errno;
  static_cast<void>(::write(failure_pipe, &reason, sizeof reason) == sizeof reason);
  ::_exit(1);
}

std::string text_of(int reason) { return std::generic_category().message(reason); }

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& arguments, const std::string& output) {
  std::vector<char*> words;
  words.reserve(arguments.size() + 1);
  for (const auto& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);

  // Carries the reason if the program cannot be started; exec() closes it.
  std::array<int, 2> failure_pipe{};
  if (::pipe2(failure_pipe.data(), O_CLOEXEC) != 0)
    throw Error(arguments[0] + ": cannot be started (" + text_of(errno) + ")");
  const pid_t parent = ::getpid();
  id_ = ::fork();
  if (id_ == 0) become(words.data(), output.c_str(), parent, failure_pipe[1]);
  int reason = id_ < 0 ? errno : 0;
  ::close(failure_pipe[1]);
  if (id_ > 0) {
    ssize_t got = 0;
    do {
      got = ::read(failure_pipe[0], &reason, sizeof reason);
    } while (got < 0 && errno == EINTR);
    if (got == sizeof reason) wait(0);
  }
  ::close(failure_pipe[0]);
  if (reason != 0) throw Error(arguments[0] + ": cannot be started (" + text_of(reason) + ")");
}

ChildProcess::~ChildProcess() { end(); }

void ChildProcess::wait(int options) {
  int status = 0;
  pid_t done = 0;
  do {
    done = ::waitpid(id_, &status, options);
  } while (done < 0 && errno == EINTR);
  constexpr int kSignalled = 128;
  constexpr int kLost = 255;  // the status was collected elsewhere
  if (done < 0) code_ = kLost;
  if (done > 0) code_ = WIFEXITED(status) ? WEXITSTATUS(status) : kSignalled + WTERMSIG(status);
}

std::optional<int> ChildProcess::exit_code() {
  if (!code_) wait(WNOHANG);
  return code_;
}

int ChildProcess::end() {
  if (!code_) {
    ::kill(id_, SIGTERM);
    wait(0);
  }
  return *code_;
}

std::string last_line(const std::string& output) {
  std::ifstream lines(output);
  std::string last = "no output";
  for (std::string line; std::getline(lines, line);)
    if (!line.empty()) last = line;
  return last;
}

}  // namespace vsmax
