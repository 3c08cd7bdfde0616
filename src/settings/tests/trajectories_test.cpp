// Trajectories in tables.
#include <gmock/gmock.h>

#include "settings/testing/parsing.hpp"

namespace tailrace::settings {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::fields;
using ::testing::HasSubstr;

// The trajectories are on line 3.
std::string yaml(const std::string& trajectories, const std::string& more = "") {
  return "tailrace: 1\n" + fields + "output: {a.nc: {trajectories: " + trajectories +
         ", variables: [{field: u, every: 1 s}]}}\n" + more;
}

Configuration parse(const std::string& text, const std::string& table) {
  const std::map<std::string, std::string> options;
  return parse_configuration({{"in/run.yaml", text}, {"in/ship.csv", table, true}}, &options);
}

const std::string dated = "model_time: {calendar: 360_day, start: 2026-01-01}\n";

points::Trajectories table_of(const std::string& table, const std::string& options = "",
                              const std::string& more = "") {
  return *parse(yaml("{file: ship.csv" + options + "}", more), table).files.at(0).trajectories;
}

std::string about(const std::string& text, const std::string& table = "") {
  try {
    parse(text, table);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::configuration);
    return error.what();
  }
  return "none";
}

std::string about_table(const std::string& table, const std::string& more = "") {
  return about(yaml("{file: ship.csv}", more), table);
}

TEST(Trajectories, ComeFromATable) {
  const points::Trajectories all = table_of(
      "# way\nTIME, lon ,LAT,remark,trajectory_id\n0,10,53.5,x,A\n5,1,2,,B\n1.5e1, -12 ,54,\"a, b\",A\n",
      ", method: bilinear");
  EXPECT_EQ(all.method, points::Sampling::bilinear);
  EXPECT_THAT(all.coordinates, ElementsAre("longitude", "latitude"));
  ASSERT_EQ(all.all.size(), 2u);
  EXPECT_EQ(all.all[0].name, "A");
  ASSERT_EQ(all.all[0].points.size(), 2u);
  EXPECT_EQ(all.all[0].points[1].time, 15.0);
  EXPECT_THAT(all.all[0].points[1].at, ElementsAre(-12.0, 54.0));
  EXPECT_EQ(all.all[0].points[1].location.text(), "in/ship.csv:5:1");
  EXPECT_EQ(all.all[1].name, "B");
}

TEST(Trajectories, OfOneShipAreCalledAsTheTable) {
  const points::Trajectories all = table_of("height,y,x,time\n7,1,2,3\n", ", vertical: height");
  EXPECT_THAT(all.coordinates, ElementsAre("y", "x"));
  ASSERT_EQ(all.all.size(), 1u);
  EXPECT_EQ(all.all[0].name, "ship");
  EXPECT_THAT(all.all[0].points[0].at, ElementsAre(1.0, 2.0, 7.0));
}

TEST(Trajectories, HaveDatesOfTheCalendar) {
  const points::Trajectories all =
      table_of("time,lat,lon\n2026-01-01T06:00,1,2\n2026-02-30,1,3\n", "", dated);
  EXPECT_EQ(all.all[0].points[0].time, 21600.0);
  EXPECT_EQ(all.all[0].points[1].time, 59 * 86400.0);
  EXPECT_THAT(about_table("time,lat,lon\n2026-01-31,1,2\n", dated),
              AllOf(HasSubstr("in/ship.csv:2:1  output.a.nc.trajectories: expected a date such as"),
                    HasSubstr("31")));
  EXPECT_THAT(about_table("time,lat,lon\n2026-01-01,1,2\n"), HasSubstr("expected seconds of model time"));
  EXPECT_THAT(about_table("time,lat,lon\nnoon,1,2\n"), HasSubstr("expected a date such as"));
}

TEST(Trajectories, WaitForACalendarOfTheModel) {
  const Configuration early = parse_configuration(
      {{"in/run.yaml", yaml("{file: ship.csv}", "model_time: {calendar: noleap, start: \"{start}\"}\n")},
       {"in/ship.csv", "time,lat,lon\n2026-01-01,1,2\n", true}},
      nullptr);
  EXPECT_TRUE(early.needs_options);
  EXPECT_TRUE(early.files.at(0).trajectories->all.empty());
}

TEST(Trajectories, RefuseTablesWithMistakes) {
  EXPECT_THAT(about_table("time,lat,lon\n0,53.5,1O\n"),
              HasSubstr("in/ship.csv:2:8  output.a.nc.trajectories: expected a number, but got \"1O\""));
  EXPECT_THAT(about_table("time,lat,lon\n0,1\n"),
              HasSubstr("in/ship.csv:2:1  output.a.nc.trajectories: expected 3"));
  EXPECT_THAT(about_table("time,latitud,lon\n0,1,2\n"),
              AllOf(HasSubstr("in/ship.csv:1:6"), HasSubstr("Did you mean \"latitude\"?")));
  EXPECT_THAT(about_table("lat,lon\n1,2\n"), HasSubstr("expected a column `time`"));
  EXPECT_THAT(about_table("time,lat\n1,2\n"), HasSubstr("expected latitude and longitude, or two"));
  EXPECT_THAT(about_table("time,x,y,z\n1,2,3,4\n"), HasSubstr("but got 3"));
  EXPECT_THAT(about_table("time,lat,lat,lon\n"), HasSubstr("\"latitude\" occurs twice"));
  EXPECT_THAT(about_table("time,lat,lon\n# none\n"),
              HasSubstr("expected at least one position in in/ship.csv"));
  EXPECT_THAT(about_table("time,lat,lon,trajectory\n0,1,2,\n"), HasSubstr("a trajectory has no name"));
  EXPECT_THAT(about_table("time,lat,lon\n0,1,2\n5,1,2\n5,2,3\n"),
              AllOf(HasSubstr("in/ship.csv:4:1  output.a.nc.trajectories: expected a time after that of "
                              "in/ship.csv:3:1"),
                    HasSubstr("of \"ship\", but got 5")));
}

TEST(Trajectories, RefuseWhatIsNone) {
  EXPECT_THAT(about(yaml("{method: nearest}")), HasSubstr("output.a.nc.trajectories: \"file\" is missing"));
  EXPECT_THAT(about(yaml("{file: ship.csv, methd: bilinear}")), HasSubstr("Did you mean \"method\"?"));
  EXPECT_THAT(about(yaml("{file: ship.csv, method: bilinaer}")), HasSubstr("Did you mean \"bilinear\"?"));
  EXPECT_THAT(about(yaml("{file: ship.csv, vertical: hight}"), "time,lat,lon,height\n0,1,2,3\n"),
              AllOf(HasSubstr("run.yaml:3:"), HasSubstr("trajectories.vertical: in/ship.csv has no column "
                                                        "\"hight\". Did you mean \"height\"?")));
  EXPECT_THAT(
      about(yaml("{file: ship.csv}, stations: {points: {H: {lat: 1, lon: 2}}}"), "time,lat,lon\n0,1,2\n"),
      HasSubstr("output.a.nc.trajectories: the file has `stations` already"));
  EXPECT_THAT(about(yaml("ship.csv")), HasSubstr("output.a.nc.trajectories"));
}

}  // namespace
}  // namespace tailrace::settings
