#include "foresight/base/mapped_file.h"

#include <cstdint>
#include <fstream>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "foresight/base/error.h"

namespace foresight {
namespace {

namespace fs = std::filesystem;

class MappedFileTest : public testing::Test {
 protected:
  MappedFileTest() {
    std::string name = fs::temp_directory_path() / "foresight-test-XXXXXX";
    folder_ = ::mkdtemp(name.data());
    path_ = folder_ / "file";
  }
  ~MappedFileTest() override { fs::remove_all(folder_); }

  /// The message of the kIo error that mapping `path` must give.
  static std::string error(const fs::path& path) {
    try {
      const MappedFile file(path);
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::kIo);
      return e.what();
    }
    return "no error";
  }

  fs::path folder_;
  fs::path path_;
};

TEST_F(MappedFileTest, ShowsTheBytesOfTheFileFromAPageBoundary) {
  const std::string content("one\0two\xFF\n", 9);
  std::ofstream(path_, std::ios::binary) << content;
  const MappedFile file(path_);
  EXPECT_EQ(file.text(), content);
  EXPECT_EQ(file.path(), path_);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(file.text().data()) % 4096, 0U);
}

TEST_F(MappedFileTest, AnEmptyFileIsEmptyText) {
  std::ofstream{path_};
  EXPECT_EQ(MappedFile(path_).text(), "");
}

TEST_F(MappedFileTest, StaysReadableWhenTheFileIsReplacedOrRemoved) {
  std::ofstream(path_) << "old";
  const MappedFile file(path_);
  std::ofstream(folder_ / "new") << "new";
  fs::rename(folder_ / "new", path_);
  EXPECT_EQ(file.text(), "old");
  fs::remove(path_);
  EXPECT_EQ(file.text(), "old");
}

TEST_F(MappedFileTest, ErrorsNameThePathAndTheReason) {
  EXPECT_EQ(error(path_), "cannot read " + path_.string() + ": No such file or directory");
  EXPECT_EQ(error(""), "cannot read : No such file or directory");
  EXPECT_EQ(error(folder_), "cannot read " + folder_.string() + ": it is a folder");
  fs::create_symlink("file", path_);
  EXPECT_EQ(error(path_), "cannot read " + path_.string() + ": Too many levels of symbolic links");
}

TEST_F(MappedFileTest, ANamedPipeIsAnErrorAndDoesNotWaitForAWriter) {
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  EXPECT_EQ(error(path_), "cannot read " + path_.string() + ": it is not a regular file");
}

TEST_F(MappedFileTest, AFileWithoutReadPermissionIsAnError) {
  std::ofstream(path_) << "secret";
  fs::permissions(path_, fs::perms::none);
  fs::permissions(folder_, fs::perms::all);
  // Root may read everything, so the test becomes somebody else for a moment.
  const bool is_root = ::geteuid() == 0;
  if (is_root && ::seteuid(65534) != 0) GTEST_SKIP() << "root that cannot change its user";
  const std::string message = error(path_);
  ASSERT_TRUE(!is_root || ::seteuid(0) == 0);
  EXPECT_EQ(message, "cannot read " + path_.string() + ": Permission denied");
}

TEST_F(MappedFileTest, DoesNotLeakFileDescriptors) {
  std::ofstream(path_) << "text";
  const int before = ::dup(0);
  ::close(before);
  for (int i = 0; i < 3; ++i) {
    const MappedFile file(path_);
    EXPECT_EQ(error(folder_), "cannot read " + folder_.string() + ": it is a folder");
  }
  const int after = ::dup(0);
  ::close(after);
  EXPECT_EQ(before, after);
}

TEST(Excerpt, QuotesEscapesAndCuts) {
  EXPECT_EQ(excerpt("a b"), R"("a b")");
  EXPECT_EQ(excerpt("a\n\"\x1B\xE9"), R"("a\n\"\x1b\xe9")");
  EXPECT_EQ(excerpt(std::string(80, 'x')), '"' + std::string(80, 'x') + '"');
  EXPECT_EQ(excerpt(std::string(1000, 'x')), '"' + std::string(80, 'x') + "\"...");
}

}  // namespace
}  // namespace foresight
