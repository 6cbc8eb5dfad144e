#include "foresight/base/files.h"

#include <fstream>
#include <iterator>

#include "tests/expect_error.h"
#include "tests/temp_folder.h"
#include <gtest/gtest.h>

namespace foresight {
namespace {

namespace fs = std::filesystem;

std::ptrdiff_t num_files(const fs::path& folder) {
  return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

TEST(PathExists, TellsFilesAndFoldersFromEverythingElse) {
  const TempFolder folder;
  EXPECT_TRUE(path_exists(folder.path().string()));
  EXPECT_TRUE(path_exists(folder.write_file("a", "").string()));
  EXPECT_FALSE(path_exists((folder.path() / "b").string()));
  EXPECT_FALSE(path_exists((folder.path() / "a" / "below a file").string()));
  EXPECT_FALSE(path_exists(""));
}

TEST(PathExists, ANameTooLongForAFileIsNoFileAndNoError) {
  EXPECT_FALSE(path_exists(std::string(300, 'x')));
  EXPECT_FALSE(path_exists(std::string(100'000, 'x')));
}

TEST(IsFolder, TellsFoldersFromEverythingElseAndNeverThrows) {
  const TempFolder folder;
  EXPECT_TRUE(is_folder(folder.path()));
  EXPECT_FALSE(is_folder(folder.write_file("file", "")));
  EXPECT_FALSE(is_folder(folder.path() / "missing"));
  EXPECT_FALSE(is_folder(std::string(300, 'a')));
}

TEST(MakeFolders, MakesAllThatAreMissingAndKeepsThoseThatAreThere) {
  const TempFolder folder;
  make_folders(folder.path() / "a/b/c");
  EXPECT_TRUE(fs::is_directory(folder.path() / "a/b/c"));
  folder.write_file("a/kept", "text");
  make_folders(folder.path() / "a/b/");
  make_folders(folder.path() / "a/d");
  EXPECT_TRUE(fs::exists(folder.path() / "a/kept"));
  EXPECT_TRUE(fs::is_directory(folder.path() / "a/d"));
  make_folders("");  // the current folder is there already
}

TEST(MakeFolders, AFailureIsASentenceThatNamesThePathAndTheReason) {
  const TempFolder folder;
  const auto file = folder.write_file("file", "text");
  for (const fs::path& path : {file, file / "a/b"}) {
    expect_error(ErrorCode::kIo, {"cannot make the folder " + path.string() + ": Not a directory"},
                 [&] { make_folders(path); });
  }
  const fs::path longest = folder.path() / std::string(300, 'x');
  expect_error(ErrorCode::kIo, {"cannot make the folder " + longest.string() + ": File name too"},
               [&] { make_folders(longest); });
}

TEST(CheckOutput, AcceptsNewAndExistingFilesAndLeavesNoTrace) {
  const TempFolder folder;
  check_output(folder.path() / "new");
  EXPECT_EQ(num_files(folder.path()), 0);
  const auto old = folder.write_file("old", "text");
  check_output(old);
  EXPECT_EQ(num_files(folder.path()), 1);
  EXPECT_EQ(fs::file_size(old), 4U);
}

TEST(CheckOutput, RefusesPlacesWhereNoFileCanBe) {
  const TempFolder folder;
  const auto file = folder.write_file("file", "text");
  const auto refuses = [](const fs::path& path, const std::string& why) {
    expect_error(ErrorCode::kIo, {"cannot write " + path.string() + ": " + why},
                 [&] { check_output(path); });
  };
  refuses(folder.path() / "a/b", "there is no folder " + (folder.path() / "a").string());
  refuses(file / "b", "there is no folder " + file.string());
  refuses(folder.path(), "it is a folder");
  refuses(folder.path() / "", "it is a folder");
  refuses(folder.path() / std::string(300, 'x'), "File name too long");
}

}  // namespace
}  // namespace foresight
