#include "base/file_name.hpp"

#include <gmock/gmock.h>

namespace tailrace::base {
namespace {

TEST(FileName, names_no_folder) {
  EXPECT_EQ(file_name_of("atmo_output"), "atmo_output");
  EXPECT_EQ(file_name_of("earth/air 2"), "earth%2Fair 2");
  EXPECT_EQ(file_name_of("earth%2Fair"), "earth%252Fair");
  EXPECT_EQ(file_name_of(""), "");
}

}  // namespace
}  // namespace tailrace::base
