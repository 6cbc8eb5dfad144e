#include "foresight/base/atomic_file.h"

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "foresight/base/error.h"

namespace foresight {
namespace {

namespace fs = std::filesystem;

class AtomicFileTest : public testing::Test {
 protected:
  AtomicFileTest() {
    std::string name = fs::temp_directory_path() / "foresight-test-XXXXXX";
    folder_ = ::mkdtemp(name.data());
    target_ = folder_ / "result.json";
  }
  ~AtomicFileTest() override { fs::remove_all(folder_); }

  static std::string read(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    EXPECT_TRUE(file) << path;
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::ptrdiff_t num_files() const {
    return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
  }

  /// The message of the kIo error that opening `target` for writing must give.
  static std::string error(const fs::path& target) {
    try {
      const AtomicFile file(target);
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::kIo);
      return e.what();
    }
    return "no error";
  }

  fs::path folder_;
  fs::path target_;
};

TEST_F(AtomicFileTest, CommitPutsAllWritesInPlaceAndLeavesNothingElse) {
  AtomicFile file(target_);
  file.write("one ");
  file.write("");
  file.write(std::string_view("two\0", 4));
  EXPECT_FALSE(fs::exists(target_));
  file.commit();
  EXPECT_EQ(read(target_), std::string("one two\0", 8));
  EXPECT_EQ(num_files(), 1);
}

TEST_F(AtomicFileTest, TheOldContentStaysUntilCommit) {
  std::ofstream(target_) << "old";
  AtomicFile file(target_);
  file.write("new");
  EXPECT_EQ(read(target_), "old");
  file.commit();
  EXPECT_EQ(read(target_), "new");
}

TEST_F(AtomicFileTest, AnAbandonedFileLeavesTheTargetAndNoTrace) {
  std::ofstream(target_) << "old";
  const auto write_and_throw = [&] {
    AtomicFile file(target_);
    file.write("new");
    throw std::runtime_error("stop");
  };
  EXPECT_THROW(write_and_throw(), std::runtime_error);
  EXPECT_EQ(read(target_), "old");
  EXPECT_EQ(num_files(), 1);
}

TEST_F(AtomicFileTest, AFailedWriteIsAnErrorAndLeavesTheTargetAndNoTrace) {
  std::ofstream(target_) << "old";
  rlimit unlimited;
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &unlimited), 0);
  rlimit limited = unlimited;
  limited.rlim_cur = 1000;
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limited), 0);
  std::string message;
  try {
    write_file_atomically(target_, std::string(5000, 'x'));
  } catch (const Error& e) {
    message = e.what();
  }
  ::setrlimit(RLIMIT_FSIZE, &unlimited);
  std::signal(SIGXFSZ, old_handler);
  EXPECT_EQ(message, "cannot write " + target_.string() + ": File too large");
  EXPECT_EQ(read(target_), "old");
  EXPECT_EQ(num_files(), 1);
}

TEST_F(AtomicFileTest, AFailedCommitIsAnErrorAndLeavesNoTrace) {
  const auto commit_over_a_folder = [&] {
    AtomicFile file(target_);
    fs::create_directory(target_);
    file.commit();
  };
  EXPECT_THROW(commit_over_a_folder(), Error);
  EXPECT_TRUE(fs::is_directory(target_));
  EXPECT_EQ(num_files(), 1);
}

TEST_F(AtomicFileTest, TwoWritersOfOneTargetDoNotMix) {
  AtomicFile first(target_);
  AtomicFile second(target_);
  first.write("first");
  second.write("second");
  second.commit();
  EXPECT_EQ(read(target_), "second");
  first.commit();
  EXPECT_EQ(read(target_), "first");
}

TEST_F(AtomicFileTest, ALeftoverOfAKilledProcessIsPassedOver) {
  for (const int n : {0, 1}) {  // the names that this process would take first
    std::ofstream(folder_ / fmt::format(".foresight-{}-{}.tmp", ::getpid(), n)) << "stale";
  }
  write_file_atomically(target_, "text");
  EXPECT_EQ(read(target_), "text");
  EXPECT_EQ(num_files(), 3);
}

TEST_F(AtomicFileTest, AProcessKilledBeforeItCommitsLeavesNothing) {
  const int probe = ::open(folder_.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0600);
  if (probe < 0) GTEST_SKIP() << folder_ << ": this file system has no files without a name";
  ::close(probe);
  std::ofstream(target_) << "old";
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    try {
      AtomicFile file(target_);
      file.write(std::string(100'000, 'x'));
      if (::write(ready[1], "1", 1) == 1) ::pause();
    } catch (...) {  // the parent sees the end of the pipe
    }
    ::_exit(1);
  }
  ::close(ready[1]);
  char byte;
  EXPECT_EQ(::read(ready[0], &byte, 1), 1);
  ::close(ready[0]);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(num_files(), 1);
  EXPECT_EQ(read(target_), "old");
}

/// From now on this process opens no file without a name, as on a file system that has none.
bool forbid_unnamed_files() {
  constexpr std::uint32_t kUnnamed = O_TMPFILE & ~O_DIRECTORY;
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[2])),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, kUnnamed, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EOPNOTSUPP),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{std::size(filter), filter};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0 &&
         ::open("/", O_WRONLY | O_TMPFILE, 0600) == -1 && errno == EOPNOTSUPP;
}

TEST_F(AtomicFileTest, WhereNoFileCanBeWithoutANameANamedOneServes) {
  std::ofstream(folder_ / "abandoned") << "old";
  std::ofstream(target_) << "old";
  fs::permissions(target_, fs::perms{0606});
  enum Outcome { kGood, kBad, kNoFilter };
  const pid_t child = ::fork();
  if (child == 0) {
    if (!forbid_unnamed_files()) ::_exit(kNoFilter);
    try {
      { AtomicFile(folder_ / "abandoned").write("new"); }
      AtomicFile file(target_);
      file.write("new");
      const bool named = num_files() == 3;
      file.commit();
      ::_exit(named ? kGood : kBad);
    } catch (...) {
      ::_exit(kBad);
    }
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == kNoFilter) GTEST_SKIP() << "system calls cannot be filtered here";
  EXPECT_EQ(WEXITSTATUS(status), kGood);
  EXPECT_EQ(num_files(), 2);
  EXPECT_EQ(read(target_), "new");
  EXPECT_EQ(read(folder_ / "abandoned"), "old");
  EXPECT_EQ(static_cast<int>(fs::status(target_).permissions()), 0606);
}

TEST_F(AtomicFileTest, ManyThreadsCanCommitIntoOneFolder) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([this, i] {
      for (int round = 0; round < 20; ++round) {
        write_file_atomically(folder_ / std::to_string(i), std::to_string(i));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(num_files(), 8);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(read(folder_ / std::to_string(i)), std::to_string(i));
}

TEST_F(AtomicFileTest, ANewFileFollowsTheUmaskAndAnOldOneKeepsItsPermissions) {
  const auto permissions = [&] { return static_cast<int>(fs::status(target_).permissions()); };
  const auto old_mask = ::umask(027);
  write_file_atomically(target_, "text");
  EXPECT_EQ(permissions(), 0640);
  fs::permissions(target_, fs::perms{0606});
  write_file_atomically(target_, "text");
  ::umask(old_mask);
  EXPECT_EQ(permissions(), 0606);
}

TEST_F(AtomicFileTest, ASymbolicLinkIsFollowed) {
  fs::create_directory(folder_ / "real");
  std::ofstream(folder_ / "real/file") << "old";
  fs::create_symlink("real/file", target_);
  write_file_atomically(target_, "new");
  EXPECT_TRUE(fs::is_symlink(target_));
  EXPECT_EQ(read(folder_ / "real/file"), "new");
}

TEST_F(AtomicFileTest, ARelativeTargetSurvivesAChangeOfDirectory) {
  const fs::path old = fs::current_path();
  fs::current_path(folder_);
  AtomicFile file("result.json");
  fs::current_path(old);
  file.write("text");
  file.commit();
  EXPECT_EQ(read(target_), "text");
}

TEST_F(AtomicFileTest, ErrorsNameTheTargetAndTheReason) {
  const fs::path missing = folder_ / "missing" / "file";
  EXPECT_EQ(error(missing), "cannot write " + missing.string() + ": there is no folder " +
                                missing.parent_path().string());
  const fs::path longest = folder_ / std::string(300, 'x');
  EXPECT_EQ(error(longest), "cannot write " + longest.string() + ": File name too long");
  EXPECT_EQ(error(""), "cannot write a file whose name is empty");
}

TEST_F(AtomicFileTest, FoldersAndDevicesAreRefusedAndSurvive) {
  EXPECT_EQ(error(folder_), "cannot write " + folder_.string() + ": it is a folder");
  EXPECT_NE(error(folder_ / "").find("it is a folder"), std::string::npos);
  ASSERT_EQ(::mkfifo(target_.c_str(), 0600), 0);
  EXPECT_EQ(error(target_), "cannot write " + target_.string() + ": it is not a regular file");
  EXPECT_TRUE(fs::is_fifo(target_));
  EXPECT_EQ(num_files(), 1);
}

TEST_F(AtomicFileTest, DoesNotLeakFileDescriptors) {
  const auto next_descriptor = [] {
    const int fd = ::dup(0);
    ::close(fd);
    return fd;
  };
  const int before = next_descriptor();
  write_file_atomically(target_, "text");
  { const AtomicFile abandoned(target_); }
  EXPECT_NE(error(folder_), "no error");
  EXPECT_EQ(next_descriptor(), before);
}

TEST_F(AtomicFileTest, AFolderWithoutWritePermissionIsAnError) {
  fs::permissions(folder_, fs::perms{0555});
  const bool is_root = ::geteuid() == 0;  // root may write anywhere
  if (is_root && ::seteuid(65534) != 0) GTEST_SKIP() << "root that cannot change its user";
  const std::string message = error(target_);
  ASSERT_TRUE(!is_root || ::seteuid(0) == 0);
  fs::permissions(folder_, fs::perms{0755});
  EXPECT_EQ(message, "cannot write " + target_.string() + ": Permission denied");
}

}  // namespace
}  // namespace foresight
