#include "foresight/base/folder_lock.h"

#include <atomic>
#include <csignal>
#include <optional>
#include <thread>

#include "tests/expect_error.h"
#include "tests/temp_folder.h"
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace foresight {
namespace {

namespace fs = std::filesystem;

/// Another process that holds the lock from construction until it is killed.
class Holder {
 public:
  explicit Holder(const fs::path& folder) {
    int ready[2];
    if (::pipe(ready) != 0) throw std::runtime_error("no pipe");
    pid_ = ::fork();
    if (pid_ == 0) {
      try {
        const FolderLock lock(folder);
        if (::write(ready[1], "1", 1) == 1) ::pause();
      } catch (...) {  // the parent sees the end of the pipe
      }
      ::_exit(1);
    }
    ::close(ready[1]);
    char byte;
    locked_ = ::read(ready[0], &byte, 1) == 1;
    ::close(ready[0]);
  }
  ~Holder() { kill(); }
  void kill() {
    if (pid_ > 0 && ::kill(pid_, SIGKILL) == 0) ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  pid_t pid() const { return pid_; }
  bool locked() const { return locked_; }

 private:
  pid_t pid_;
  bool locked_;
};

TEST(FolderLock, MakesTheFolderAndEndsWithItsScope) {
  const TempFolder temp;
  const fs::path folder = temp.path() / "runs/a";
  { const FolderLock lock(folder); }
  EXPECT_TRUE(fs::is_directory(folder));
  const FolderLock again(folder);
  const FolderLock elsewhere(temp.path() / "runs/b");
}

TEST(FolderLock, AnotherProcessIsNamedAndItsDeathFreesTheFolder) {
  const TempFolder temp;
  const fs::path folder = temp.path() / "a";
  Holder holder(folder);
  ASSERT_TRUE(holder.locked());
  expect_error(ErrorCode::kUsage,
               {folder.string() + ": another process (" + std::to_string(holder.pid()) + " on ",
                ") is writing this folder; wait for it, or choose another folder"},
               [&] { const FolderLock refused(folder); });
  holder.kill();
  const FolderLock lock(folder);
}

TEST(FolderLock, ARefusalDoesNotFreeTheFolder) {
  const TempFolder temp;
  Holder first(temp.path());
  ASSERT_TRUE(first.locked());
  const std::string pid = std::to_string(first.pid());
  for (int i = 0; i < 2; ++i) {
    expect_error(ErrorCode::kUsage, {"another process (" + pid + " on "},
                 [&] { const FolderLock refused(temp.path()); });
  }
  EXPECT_FALSE(Holder(temp.path()).locked());
}

TEST(FolderLock, OneProcessCannotLockAFolderTwice) {
  const TempFolder temp;
  std::optional<FolderLock> lock(temp.path());
  expect_error(ErrorCode::kUsage, {": this process is writing this folder"},
               [&] { const FolderLock refused(temp.path()); });
  lock.reset();
  const FolderLock again(temp.path());
}

TEST(FolderLock, OfManyThreadsOneGetsIt) {
  const TempFolder temp;
  std::atomic<int> tried = 0, locked = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      std::optional<FolderLock> lock;
      try {
        lock.emplace(temp.path() / "new");
        ++locked;
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::kUsage) << error.what();
      }
      ++tried;
      tried.notify_all();
      for (int now = tried; now < 8; now = tried) tried.wait(now);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(locked, 1);
}

TEST(FolderLock, RemovesWhatAKilledWriterLeftAndNothingElse) {
  const TempFolder temp;
  fs::create_directory(temp.path() / "below");
  for (const char* name : {".foresight-12-0.tmp", ".foresight-note", "a.tmp", "result.json",
                           "below/.foresight-12-1.tmp"}) {
    temp.write_file(name, "text");
  }
  const FolderLock lock(temp.path());
  EXPECT_FALSE(fs::exists(temp.path() / ".foresight-12-0.tmp"));
  for (const char* name :
       {".foresight-note", "a.tmp", "result.json", "below/.foresight-12-1.tmp"}) {
    EXPECT_TRUE(fs::exists(temp.path() / name)) << name;
  }
}

TEST(FolderLock, ARefusedProcessRemovesNothing) {
  const TempFolder temp;
  const FolderLock lock(temp.path());
  const fs::path in_use = temp.write_file(".foresight-12-0.tmp", "text");
  EXPECT_FALSE(Holder(temp.path()).locked());
  EXPECT_TRUE(fs::exists(in_use));
}

TEST(FolderLock, APlaceThatCannotBeAFolderIsAnError) {
  const TempFolder temp;
  const auto file = temp.write_file("file", "");
  expect_error(ErrorCode::kIo, {"cannot make the folder " + (file / "a").string()},
               [&] { const FolderLock lock(file / "a"); });
  fs::create_directories(temp.path() / "a/.lock");
  expect_error(ErrorCode::kIo, {(temp.path() / "a/.lock").string(), "Is a directory"},
               [&] { const FolderLock lock(temp.path() / "a"); });
}

}  // namespace
}  // namespace foresight
