#include "regrid/maker/maker_files.hpp"

#include <gtest/gtest.h>

#include <filesystem>

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

}  // namespace
}  // namespace tailrace::regrid
