#include "model/name.hpp"

#include <gtest/gtest.h>

namespace tailrace::model {
namespace {

std::string name(std::string_view text) { return name_complaint(text).value_or("fine"); }
std::string attribute(std::string_view text) { return attribute_name_complaint(text).value_or("fine"); }

TEST(Name, what_netcdf_can_hold) {
  for (const char* good :
       {"w", "_w", "2m_temperature", "h\xC3\xB6he", "air pressure", "scalar.vwp", "a-b+c@d"})
    EXPECT_EQ(name(good), "fine") << good;
  EXPECT_EQ(name(std::string(256, 'n')), "fine");
}

TEST(Name, what_it_cannot_hold_is_told) {
  EXPECT_EQ(name(""), "is empty");
  EXPECT_EQ(name(std::string(257, 'n')), "has 257 bytes; at most 256 are possible");
  EXPECT_EQ(name("u/v"), "has a \"/\", which separates groups in netCDF");
  EXPECT_EQ(name("w\n"), "has a control character at byte 2");
  EXPECT_EQ(name(std::string_view("\0w", 2)), "has a control character at byte 1");
  EXPECT_EQ(name("w "), "ends in a space");
  EXPECT_EQ(name(" w"), "begins with \" \"; expected a letter, a digit or an underscore");
  EXPECT_EQ(name("-w"), "begins with \"-\"; expected a letter, a digit or an underscore");
  EXPECT_EQ(name("caf\xE9"), "is not UTF-8 from byte 4 on");
}

TEST(Name, attributes_of_the_format_are_not_the_users) {
  const std::string taken = "is reserved: netCDF or HDF5 uses it internally; give the attribute another name";
  for (const char* reserved : {"DIMENSION_LIST", "REFERENCE_LIST", "CLASS", "NAME", "_NCProperties",
                               "_Netcdf4Dimid", "_Netcdf4Coordinates", "_nc3_strict"})
    EXPECT_EQ(attribute(reserved), taken) << reserved;
  EXPECT_EQ(attribute("_FillValue"), "is written automatically, from the `fill_value` of the field");
  EXPECT_EQ(attribute("class"), "fine");
  EXPECT_EQ(attribute("missing_value"), "fine");
  EXPECT_EQ(attribute("a/b"), name("a/b"));
}

}  // namespace
}  // namespace tailrace::model
