// SPDX-License-Identifier: Apache-2.0
#include "vsmax/io/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <set>
#include <thread>

#include "image/image_fixtures.h"
#include "support/error_message.h"
#include "vsmax/base/error.h"

namespace vsmax {
namespace {

using testing::Bytes;
using testing::message_of;
using testing::TemporaryFolder;

std::string text_of(const std::string& path) {
  const Bytes bytes = read_file(path);
  return {bytes.begin(), bytes.end()};
}

TEST(File, RoundTripsEverySizeAroundTheChunk) {
  const TemporaryFolder folder;
  for (const std::size_t size : {0UL, 1UL, 65535UL, 65536UL, 65537UL, 300000UL}) {
    Bytes bytes(size);
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(i * 7);
    write_file_atomically(folder.file("data"), bytes);
    EXPECT_EQ(read_file(folder.file("data")), bytes);
  }
  EXPECT_EQ(folder.count(), 1U);
}

TEST(File, WritesPartsOneAfterTheOther) {
  const TemporaryFolder folder;
  const Bytes first(70000, 1);
  const Bytes last = {2, 3};
  const std::vector<std::span<const std::uint8_t>> parts = {first, {}, last};
  write_parts_atomically(folder.file("data"), parts);
  Bytes whole(first.size() + last.size(), 1);
  std::copy(last.begin(), last.end(), whole.end() - 2);
  EXPECT_EQ(read_file(folder.file("data")), whole);
  EXPECT_EQ(folder.count(), 1U);
}

TEST(File, ReadErrorsNameThePathAndTheReason) {
  const TemporaryFolder folder;
  const std::string missing = folder.file("missing");
  EXPECT_EQ(message_of<Error>([&] { read_file(missing); }),
            missing + ": cannot be read (No such file or directory)");
  EXPECT_EQ(message_of<Error>([&] { read_file(folder.path()); }),
            folder.path() + ": is a directory, not a file");
}

TEST(File, UnreadableFileIsAnError) {
  if (::geteuid() == 0) GTEST_SKIP() << "root reads everything";
  const TemporaryFolder folder;
  const std::string path = folder.file("secret");
  write_file_atomically(path, std::string("x"));
  ASSERT_EQ(::chmod(path.c_str(), 0), 0);
  EXPECT_EQ(message_of<Error>([&] { read_file(path); }),
            path + ": cannot be read (Permission denied)");
}

TEST(File, ReadsStandardInputFromAPipe) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const int saved = ::dup(STDIN_FILENO);
  ASSERT_GE(::dup2(ends[0], STDIN_FILENO), 0);
  ::close(ends[0]);
  const std::string sent(200000, 'q');  // more than a pipe or the first chunk holds
  std::thread writer([&] {
    std::size_t done = 0;
    while (done < sent.size()) {
      const ssize_t n = ::write(ends[1], sent.data() + done, sent.size() - done);
      if (n <= 0) break;
      done += static_cast<std::size_t>(n);
    }
    ::close(ends[1]);
  });
  const std::string received = text_of("-");
  writer.join();
  if (saved >= 0) {
    ::dup2(saved, STDIN_FILENO);
    ::close(saved);
  }
  EXPECT_EQ(received, sent);
}

TEST(File, ModeFollowsTheUmask) {
  const TemporaryFolder folder;
  for (const mode_t mask : {mode_t{022}, mode_t{077}, mode_t{002}}) {
    const mode_t old_mask = ::umask(mask);
    write_file_atomically(folder.file("f"), std::string("x"));
    ::umask(old_mask);
    struct stat status {};
    ASSERT_EQ(::stat(folder.file("f").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0666U & ~mask);
  }
}

TEST(File, FailedWriteKeepsTheOldFileAndLeavesNoTemporary) {
  const TemporaryFolder folder;
  const std::string path = folder.file("kept");
  write_file_atomically(path, std::string("old"));

  // A limit on the size of files makes write() fail half-way, as a full disk does.
  rlimit old_limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old_limit), 0);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = old_limit;
  small.rlim_cur = 1000;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string message =
      message_of<Error>([&] { write_file_atomically(path, std::string(5000, 'n')); });
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &old_limit), 0);
  std::signal(SIGXFSZ, old_handler);

  EXPECT_EQ(message, path + ": cannot be written (File too large)");
  EXPECT_EQ(text_of(path), "old");
  EXPECT_EQ(folder.count(), 1U);
}

TEST(File, WriteErrorsNameThePathAndTheReason) {
  const TemporaryFolder folder;
  const std::string nowhere = folder.file("no/such/folder");
  EXPECT_EQ(message_of<Error>([&] { write_file_atomically(nowhere, std::string("x")); }),
            nowhere + ": cannot be written (No such file or directory)");
  EXPECT_EQ(message_of<Error>([&] { write_file_atomically(folder.path(), std::string("x")); }),
            folder.path() + ": is a directory, not a file");
  EXPECT_NE(message_of<Error>([&] { write_file_atomically("", std::string("x")); }), "");
  EXPECT_EQ(folder.count(), 0U);
}

TEST(File, UnwritableFolderIsAnError) {
  if (::geteuid() == 0) GTEST_SKIP() << "root writes everywhere";
  const TemporaryFolder folder;
  ASSERT_EQ(::chmod(folder.path().c_str(), 0555), 0);
  const std::string path = folder.file("f");
  EXPECT_EQ(message_of<Error>([&] { write_file_atomically(path, std::string("x")); }),
            path + ": cannot be written (Permission denied)");
  ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);
}

TEST(File, DevicesAreNotReplaced) {
  const TemporaryFolder folder;
  const std::string fifo = folder.file("fifo");
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_EQ(message_of<Error>([&] { write_file_atomically(fifo, std::string("x")); }),
            fifo + ": cannot be written (not a regular file)");
  struct stat status {};
  ASSERT_EQ(::stat(fifo.c_str(), &status), 0);
  EXPECT_TRUE(S_ISFIFO(status.st_mode));
}

TEST(File, WritesThroughASymbolicLink) {
  const TemporaryFolder folder;
  write_file_atomically(folder.file("target"), std::string("old"));
  std::filesystem::create_symlink("target", folder.file("link"));
  write_file_atomically(folder.file("link"), std::string("new"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("link")));
  EXPECT_EQ(text_of(folder.file("target")), "new");
}

TEST(File, WritesThroughALinkToAFileThatDoesNotExistYet) {
  const TemporaryFolder folder;
  std::filesystem::create_symlink("second", folder.file("first"));
  std::filesystem::create_symlink(folder.file("target"), folder.file("second"));
  write_file_atomically(folder.file("first"), std::string("new"));
  for (const char* link : {"first", "second"})
    EXPECT_TRUE(std::filesystem::is_symlink(folder.file(link))) << link;
  EXPECT_EQ(text_of(folder.file("target")), "new");
}

TEST(File, InputsAreNotReplaced) {
  const TemporaryFolder folder;
  const std::string data = folder.file("data");
  std::filesystem::create_directories(data + "/images");
  write_file_atomically(data + "/labels.csv", std::string("image"));
  write_file_atomically(folder.file("model"), std::string("weights"));
  std::filesystem::create_symlink(data, folder.file("link"));
  const std::vector<std::string> inputs{"", data + "/", folder.file("model"), "auto"};
  for (const char* place : {"data/labels.csv", "data/new.csv", "data/images/a.png", "link/new.csv",
                            "data/../data/new.csv"})
    EXPECT_TRUE(test::throws_error_with({place, "lies in"},
                                        [&] { require_writable(folder.file(place), inputs); }));
  EXPECT_TRUE(test::throws_error_with({"model", "is an input"},
                                      [&] { require_writable(folder.file("model"), inputs); }));
  for (const char* place : {"scores.csv", "data.csv", "model.json"})
    EXPECT_NO_THROW(require_writable(folder.file(place), inputs)) << place;
}

TEST(File, ALinkThatLeadsNowhereIsReplaced) {
  const TemporaryFolder folder;
  std::filesystem::create_symlink("second", folder.file("first"));
  std::filesystem::create_symlink("first", folder.file("second"));
  EXPECT_NO_THROW(write_file_atomically(folder.file("first"), std::string("new")));
  EXPECT_EQ(text_of(folder.file("first")), "new") << "the link is replaced";
}

TEST(File, StaleTemporariesAreSteppedOver) {
  const TemporaryFolder folder;
  // Whatever the counter stands at, the next few names of this process are taken already.
  const std::string prefix = folder.file(".vsmax-" + std::to_string(::getpid()) + "-");
  for (int i = 0; i < 200; ++i) std::ofstream(prefix + std::to_string(i) + ".tmp") << "stale";
  write_file_atomically(folder.file("f"), std::string("fresh"));
  EXPECT_EQ(text_of(folder.file("f")), "fresh");
  EXPECT_EQ(folder.count(), 201U);
}

TEST(File, ConcurrentWritersLeaveOneWholeFile) {
  const TemporaryFolder folder;
  const std::string path = folder.file("shared");
  std::vector<std::thread> writers;
  std::set<std::string> possible;
  for (char c = 'a'; c < 'e'; ++c) {
    const std::string text(10000, c);
    possible.insert(text);
    writers.emplace_back([path, text] {
      for (int i = 0; i < 5; ++i) write_file_atomically(path, text);
    });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(possible.count(text_of(path)), 1U);
  EXPECT_EQ(folder.count(), 1U);
}

}  // namespace
}  // namespace vsmax
