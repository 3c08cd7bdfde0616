#include "regrid/maker/maker_files.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "env/file_system.hpp"

namespace tailrace::regrid {
namespace {

TEST(MakerFiles, NeverTouchWhatOthersMade) {
  const std::string outer = make_scratch_folder(std::filesystem::temp_directory_path().string());
  const std::string one = make_scratch_folder(outer), other = make_scratch_folder(outer);
  EXPECT_NE(one, other) << "input and output may make weights at once";
  env::FileSystem& files = env::system_files();
  files.write(one + "/made.nc", "mine");
  files.write(other + "/made.nc", "theirs");
  keep_in_cache(other + "/made.nc", outer + "/digest.nc");
  keep_in_cache(one + "/made.nc", outer + "/digest.nc");
  EXPECT_EQ(files.read(outer + "/digest.nc"), "theirs");
  remove_scratch_folder(one);
  EXPECT_FALSE(files.exists(one));
  EXPECT_TRUE(files.exists(other));
  remove_scratch_folder(outer);
  EXPECT_FALSE(files.exists(outer));
}

// The next name of a scratch folder may be taken by a link of another to a folder that is not ours.
TEST(MakerFiles, AreNotPutBehindALink) {
  const std::string outer = make_scratch_folder(std::filesystem::temp_directory_path().string());
  const std::string elsewhere = outer + "/elsewhere";
  env::FileSystem& files = env::system_files();
  files.make_directories(elsewhere);
  files.write(elsewhere + "/theirs", "theirs");
  const auto digits = outer.find_last_not_of("0123456789") + 1;
  const int number = std::stoi(outer.substr(digits));
  const std::string base = outer + '/' + std::filesystem::path(outer).filename().string();
  const std::string taken =
      base.substr(0, base.find_last_not_of("0123456789") + 1) + std::to_string(number + 1);
  std::filesystem::create_directory_symlink(elsewhere, taken);
  const std::string made = make_scratch_folder(outer);
  EXPECT_NE(made, taken);
  files.write(made + "/made.nc", "mine");
  EXPECT_EQ(files.list(elsewhere).size(), 1u);
  std::filesystem::create_directory_symlink(elsewhere, made + "/link");
  remove_scratch_folder(made);
  EXPECT_TRUE(std::filesystem::is_symlink(taken));
  EXPECT_EQ(files.read(elsewhere + "/theirs"), "theirs") << "links in the folder are not followed";
  remove_scratch_folder(outer);
}

}  // namespace
}  // namespace tailrace::regrid
