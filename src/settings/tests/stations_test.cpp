// Stations in YAML and in tables.
#include <gmock/gmock.h>

#include "settings/testing/parsing.hpp"

namespace tailrace::settings {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::fields;
using ::testing::HasSubstr;

// The stations are on line 3.
std::string yaml(const std::string& stations) {
  return "tailrace: 1\n" + fields + "output: {a.nc: {stations: {" + stations +
         "}, variables: [{field: u, every: 1 s}]}}\n";
}

Configuration parse(const std::string& stations, const std::string& table) {
  const std::map<std::string, std::string> options;
  return parse_configuration({{"in/run.yaml", yaml(stations)}, {"in/st.csv", table, true}}, &options);
}

points::Stations table_of(const std::string& text) {
  return *parse("file: st.csv", text).files.at(0).stations;
}

std::string about(const std::string& stations, const std::string& table = "") {
  try {
    parse(stations, table);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::configuration);
    return error.what();
  }
  return "none";
}

std::string about_table(const std::string& text) { return about("file: st.csv", text); }

TEST(Stations, ComeFromYaml) {
  const points::Stations stations =
      *testing::parse(yaml("method: bilinear, points: {H: {longitude: 10, lat: 53.5, altitude: 8}, "
                           "B: {alt: -2, latitude: 52, lon: 13.4}}"))
           .files.at(0)
           .stations;
  EXPECT_EQ(stations.method, points::Sampling::bilinear);
  EXPECT_THAT(stations.coordinates, ElementsAre("latitude", "longitude"));
  ASSERT_EQ(stations.points.size(), 2u);
  EXPECT_EQ(stations.points[0].name, "H");
  EXPECT_THAT(stations.points[0].at, ElementsAre(53.5, 10.0));
  EXPECT_EQ(stations.points[1].altitude, -2.0);
  EXPECT_EQ(stations.points[1].location.line, 3);
}

TEST(Stations, ComeFromATable) {
  const points::Stations stations = table_of(
      "\xEF\xBB\xBF# a comment\r\n\r\nstation_name, wmo, lon ,LAT,elevation\r\n\"Ham, "
      "\"\"burg\"\"\",10147,10,53.5,8\r\n  B ,,13.4, "
      "-52 , 1e1");
  EXPECT_EQ(stations.method, points::Sampling::nearest);
  EXPECT_THAT(stations.coordinates, ElementsAre("longitude", "latitude"));
  ASSERT_EQ(stations.points.size(), 2u);
  EXPECT_EQ(stations.points[0].name, "Ham, \"burg\"");
  EXPECT_THAT(stations.points[0].at, ElementsAre(10.0, 53.5));
  EXPECT_EQ(stations.points[1].name, "B");
  EXPECT_THAT(stations.points[1].at, ElementsAre(13.4, -52.0));
  EXPECT_EQ(stations.points[1].altitude, 10.0);
  EXPECT_EQ(stations.points[1].location.text(), "in/st.csv:5:3");
  EXPECT_THAT(table_of("y,name,x\n1,a,2\n").coordinates, ElementsAre("y", "x"));
}

TEST(Stations, AreNoPartOfTheText) {
  EXPECT_EQ(parse("file: st.csv", "name,x,y\na,1,2\n").text, yaml("file: st.csv"));
}

TEST(Stations, RefuseWhatIsNone) {
  EXPECT_THAT(
      about("method: nearest"),
      AllOf(HasSubstr("run.yaml:3:"), HasSubstr("output.a.nc.stations: expected either `file` or `points`")));
  EXPECT_THAT(about("points: {}"), HasSubstr("expected at least one station"));
  EXPECT_THAT(about("file: st.csv, methd: bilinear"), HasSubstr("Did you mean \"method\"?"));
  EXPECT_THAT(about("file: st.csv, method: bilinaer"), HasSubstr("Did you mean \"bilinear\"?"));
  EXPECT_THAT(about("points: {H: {lat: 1}}"),
              AllOf(HasSubstr("stations.points.H: expected latitude and longitude, or two coordinates"),
                    HasSubstr("but got 1")));
  EXPECT_THAT(about("points: {H: {}}"), HasSubstr("but got 1"));
  EXPECT_THAT(about("points: {H: {lat: 1, lon: 2}, B: {x: 1, y: 2}}"),
              HasSubstr("the same coordinates as of"));
  EXPECT_THAT(about("points: {H: {lat: 1, lon: 2, alt: 1}, B: {lat: 1, lon: 2}}"),
              HasSubstr("an altitude of all or none"));
  EXPECT_THAT(about("points: {H: {lat: 1, lon: here}}"), HasSubstr("expected a number"));
  EXPECT_THAT(about("points: {H: {latitude: 1, longitud: 2}}"), HasSubstr("Did you mean \"longitude\"?"));
}

TEST(Stations, RefuseTablesWithMistakes) {
  EXPECT_THAT(about_table("name,lat,lon\na,53.5,1O\n"),
              HasSubstr("in/st.csv:2:8  output.a.nc.stations: expected a number, but got \"1O\""));
  EXPECT_THAT(about_table("name,lat,lon\na,1\n"),
              HasSubstr("in/st.csv:2:1  output.a.nc.stations: expected 3 values"));
  EXPECT_THAT(
      about_table("name,latitud,lon\na,1,2\n"),
      AllOf(HasSubstr("in/st.csv:1:6"), HasSubstr("\"latitud\" is unknown. Did you mean \"latitude\"?")));
  EXPECT_THAT(about_table("lat,lon\n1,2\n"), HasSubstr("expected a column `station_name`"));
  EXPECT_THAT(about_table("name,lat,lat,lon\n"),
              HasSubstr("in/st.csv:1:10  output.a.nc.stations: \"latitude\" occurs"));
  EXPECT_THAT(about_table("name,lat,lon\n# none\n"), HasSubstr("expected at least one station"));
  EXPECT_THAT(about_table(""), HasSubstr("expected at least one station"));
  EXPECT_THAT(about_table("name,lat,lon\na,1,2\nb,2,3\na,1,3\n"),
              HasSubstr("in/st.csv:4:1  output.a.nc.stations: there are two stations \"a\"; the other is at "
                        "in/st.csv:2:1"));
  EXPECT_THAT(about_table("name,lat,lon\n ,1,2\n"), HasSubstr("a station has no name"));
  EXPECT_THAT(about_table("name,lat,lon\n\xE9,1,2\n"),
              HasSubstr("in/st.csv:2:1  output.a.nc.stations: expected text in UTF-8"));
  EXPECT_THAT(about_table("name,x,y,z\na,1,2,3\n"), HasSubstr("but got 3"));
}

TEST(Stations, RefuseATableOfAnOption) {
  try {
    parse_configuration({{"run.yaml", yaml("file: \"{case}.csv\"")}}, nullptr);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("before the model gives its options"));
  }
}

}  // namespace
}  // namespace tailrace::settings
