#include <gtest/gtest.h>

#include <numbers>

#include "tailrace/error.hpp"
#include "units/unit_factors.hpp"
#include "units/unit_system.hpp"

namespace tailrace::units {
namespace {

const UnitSystem& units() { return unit_system(); }

TEST(Units, KnowsThoseOfUdunits) {
  for (const char* text : {"kg m-2", "m/s", "kg/kg/s", "%", "degC", "1", "", " m ", "hPa", "degrees_north"})
    EXPECT_TRUE(units().knows(text)) << text;
  for (const char* text : {"SI", "fraction", "psu", "m//s", "("}) EXPECT_FALSE(units().knows(text)) << text;
}

TEST(Units, ConvertsByScaleAndOffset) {
  const auto pressure = units().conversion("hPa", "Pa");
  ASSERT_TRUE(pressure);
  EXPECT_DOUBLE_EQ(pressure->scale, 100.0);
  EXPECT_EQ(pressure->offset, 0.0);
  const auto temperature = units().conversion("degC", "K");
  ASSERT_TRUE(temperature);
  EXPECT_EQ(temperature->scale, 1.0);
  EXPECT_DOUBLE_EQ(temperature->offset, 273.15);
  EXPECT_DOUBLE_EQ(units().conversion("degrees_north", "1")->scale, std::numbers::pi / 180);
  EXPECT_FALSE(units().conversion("K", "Pa"));
  EXPECT_FALSE(units().conversion("SI", "Pa"));
  EXPECT_FALSE(units().conversion("dBZ", "m3"));  // logarithmic
}

TEST(Units, SameMeansTheSameUnitHoweverWritten) {
  EXPECT_TRUE(units().same("m/s", "m s-1"));
  EXPECT_TRUE(units().same("J kg-1", "m2 s-2"));
  EXPECT_TRUE(units().same("SI", "SI"));
  EXPECT_FALSE(units().same("hPa", "Pa"));
  EXPECT_FALSE(units().same("degC", "K"));
  EXPECT_FALSE(units().same("SI", "m"));
}

TEST(Units, OriginsAreSeen) {
  EXPECT_TRUE(units().has_origin("degC"));
  EXPECT_TRUE(units().has_origin("seconds since 2000-01-01"));
  EXPECT_FALSE(units().has_origin("K"));
  EXPECT_FALSE(units().has_origin("SI"));
  EXPECT_EQ(units().difference("degC"), "K");
  EXPECT_EQ(units().difference("m/s"), "m/s");
  EXPECT_TRUE(units().same(units().difference("days since 2000-01-01"), "day"));
  EXPECT_DOUBLE_EQ(units().conversion(units().difference("degF"), "K")->scale, 5.0 / 9);
}

TEST(Units, DimensionlessOnes) {
  for (const char* text : {"1", "", "%", "g kg-1", "degree", "kg/kg"})
    EXPECT_TRUE(units().is_dimensionless(text)) << text;
  for (const char* text : {"m", "SI", "degC"}) EXPECT_FALSE(units().is_dimensionless(text)) << text;
}

TEST(Units, ProductsKeepTheSymbolsOfTheirFactors) {
  EXPECT_EQ(units().product("W m-2", "s"), "W m-2 s");
  EXPECT_EQ(units().product("kg kg-1", "kg m-3"), "kg m-3");
  EXPECT_EQ(units().product("K", "m/s"), "K m s-1");
  EXPECT_EQ(units().quotient("m", "m"), "1");
  EXPECT_EQ(units().quotient("1", "s"), "s-1");
  EXPECT_EQ(units().quotient("m^2/s^2", "m"), "m s-2");
  EXPECT_FALSE(units().product("SI", "m"));
}

TEST(Units, ProductsOfOddlyWrittenUnitsAreRight) {
  const auto product = units().product("0.01 m", "(s)-1");
  ASSERT_TRUE(product);
  EXPECT_TRUE(units().same(*product, "cm s-1")) << *product;
}

TEST(Units, PowersAndRoots) {
  EXPECT_EQ(units().power("m s-1", 2), "m2 s-2");
  EXPECT_EQ(units().power("m2 s-2", 0.5), "m s-1");
  EXPECT_EQ(units().power("m3", 1.0 / 3), "m");
  EXPECT_EQ(units().power("m", 0), "1");
  EXPECT_TRUE(units().same(units().power("degC", 2).value_or("none"), "K2"));
  EXPECT_TRUE(units().same(units().power("J kg-1", 0.5).value_or("none"), "m s-1"));
  EXPECT_FALSE(units().power("m", 0.5));
  EXPECT_FALSE(units().power("m", 0.286));
  EXPECT_FALSE(units().power("m", 1e9));
}

TEST(Units, FactorsReadOnlyThePlainWay) {
  EXPECT_EQ(text_of(parse_factors("kg.m-2 s^-1").value()), "kg m-2 s-1");
  EXPECT_EQ(text_of(parse_factors("kg m**2 / s").value()), "kg m2 s-1");
  EXPECT_EQ(text_of(parse_factors("").value()), "1");
  for (const char* text : {"2 m", "m s-", "m /", "days since 2000", "(m)", "m^", "m1000", "m-"})
    EXPECT_FALSE(parse_factors(text)) << text;
}

TEST(Units, MissingDatabaseIsAnError) {
  try {
    const UnitSystem none("/nowhere/udunits2.xml");
    FAIL() << "read a database that does not exist";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::resource);
    EXPECT_NE(std::string(error.what()).find("/nowhere/udunits2.xml"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("UDUNITS2_XML_PATH"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace tailrace::units
