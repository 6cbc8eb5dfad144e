#include "foresight/base/atomic_file.h"

#include <csignal>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
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
    ASSERT_EQ(num_files(), 2);  // in the same folder, or the rename might cross file systems
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
  std::string name;  // of a temporary file; the two that come next are taken below
  {
    const AtomicFile probe(target_);
    name = fs::directory_iterator(folder_)->path().filename();
  }
  const std::size_t dash = name.rfind('-');
  const int number = std::stoi(name.substr(dash + 1));
  for (const int n : {number + 1, number + 2}) {
    std::ofstream(folder_ / (name.substr(0, dash + 1) + std::to_string(n) + ".tmp")) << "stale";
  }
  write_file_atomically(target_, "text");
  EXPECT_EQ(read(target_), "text");
  EXPECT_EQ(num_files(), 3);
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
