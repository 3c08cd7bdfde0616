#include "regrid/section.hpp"

#include <gmock/gmock.h>

#include "config/testing/section_conformance.hpp"

namespace tailrace::regrid {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

config::Section<std::optional<Options>> own() { return regrid_section("The target."); }

Options options_of(const std::string& text) {
  config::testing::Attempt attempt;
  const auto read = config::testing::read(own(), "regrid: " + text + "\n", attempt);
  EXPECT_EQ(attempt.problems.text(), "") << text;
  return read.value();
}

std::string about(const std::string& text) {
  return config::testing::problems_of(own(), "regrid: " + text + "\n");
}

TEST(RegridSection, IsWellDeclared) {
  config::testing::check_section(own());
  config::testing::check_section(cache_section());
}

TEST(RegridSection, ReadsTargets) {
  EXPECT_EQ(std::get<Healpix>(options_of("{to: {healpix: {level: 8, order: ring}}}").target),
            (Healpix{8, HealpixOrder::ring}));
  EXPECT_EQ(std::get<Healpix>(options_of("{to: {healpix: {level: 0}}}").target),
            (Healpix{0, HealpixOrder::nested}));
  EXPECT_EQ(std::get<Gaussian>(options_of("{to: {gaussian: F128}}").target).number, 128);
  const auto listed =
      std::get<LatLon>(options_of("{to: {latlon: {lat: [60, -20], lon: [-90, 0, 90]}}}").target);
  EXPECT_THAT(listed.lat, ElementsAre(60.0, -20.0));
  EXPECT_THAT(listed.lon, ElementsAre(-90.0, 0.0, 90.0));
  const auto even = std::get<LatLon>(options_of("{to: {latlon: 45 deg}}").target);
  EXPECT_THAT(even.lat, ElementsAre(-67.5, -22.5, 22.5, 67.5));
  EXPECT_THAT(even.lon, ElementsAre(22.5, 67.5, 112.5, 157.5, 202.5, 247.5, 292.5, 337.5));
  EXPECT_EQ(std::get<LatLon>(options_of("{to: {latlon: 0.25deg}}").target).lon.size(), 1440u);
  EXPECT_EQ(std::get<GridFile>(options_of("{to: {file: grids/r2b4.nc}}").target).path, "grids/r2b4.nc");
}

TEST(RegridSection, ReadsHow) {
  const Options usual = options_of("{to: {gaussian: F4}}");
  EXPECT_EQ(usual.method, Method::conservative);
  EXPECT_EQ(usual.coverage, 0.5);
  EXPECT_EQ(usual.normalisation, Normalisation::fracarea);
  EXPECT_FALSE(usual.with_fraction);
  const Options all = options_of(
      "{to: {gaussian: F4}, method: largest_area, coverage: 1, normalisation: destarea, with_fraction: true, "
      "vectors: [[u, v], [uas, vas]]}");
  EXPECT_EQ(all.method, Method::largest_area);
  EXPECT_EQ(all.coverage, 1.0);
  EXPECT_EQ(all.normalisation, Normalisation::destarea);
  EXPECT_TRUE(all.with_fraction);
  ASSERT_EQ(all.vectors.size(), 2u);
  EXPECT_EQ(all.vectors[1].east, "uas");
  EXPECT_EQ(all.vectors[1].north, "vas");
  EXPECT_EQ(all.config_path, "regrid");
  EXPECT_EQ(all.location.line, 1);
}

TEST(RegridSection, ReadsWeightsOfOthersByEitherName) {
  for (const char* text :
       {"{to: {gaussian: F4}, method: w/scrip.nc}", "{to: {gaussian: F4}, weights: w/scrip.nc}"}) {
    const Options options = options_of(text);
    EXPECT_EQ(options.method, Method::file);
    EXPECT_EQ(options.weights, "w/scrip.nc");
    EXPECT_EQ(options.weights_location.line, 1);
  }
}

TEST(RegridSection, ReadsFieldsOfChildren) {
  const Options options =
      options_of("{to: {gaussian: F4}, merge: [[t, t_nest], [q, q_nest, q_inner]], coverage: 0.9}");
  ASSERT_EQ(options.merges.size(), 2u);
  EXPECT_EQ(options.merges[0].parent().field, "t");
  ASSERT_EQ(options.merges[1].names.size(), 3u);
  EXPECT_EQ(options.merges[1].names[2].field, "q_inner");
  EXPECT_EQ(options.merges[1].names[2].location.column, 63);
  EXPECT_FALSE(options == options_of("{to: {gaussian: F4}, merge: [[t, t_nest]], coverage: 0.9}"));
}

TEST(RegridSection, NamesMistakesOfFieldsOfChildren) {
  const auto of = [](const std::string& merge) {
    return about("{to: {gaussian: F4}, merge: " + merge + "}");
  };
  EXPECT_THAT(of("[[t]]"), HasSubstr("run.yaml:1:38  regrid.merge[0]: expected a field and those of its "
                                     "children, such as [t, t_nest], but got 1"));
  EXPECT_THAT(of("[[]]"), HasSubstr("but got 0"));
  EXPECT_THAT(of("[[t, t]]"), HasSubstr("run.yaml:1:42  regrid.merge[0][1]: expected different fields, but "
                                        "\"t\" occurs twice"));
  EXPECT_THAT(of("[[t, a], [t, b]]"), HasSubstr("regrid.merge[1][0]: \"t\" has children already, at "
                                                "run.yaml:1:39; expected one list for each parent"));
  EXPECT_THAT(of("[[t, a]], method: nearest"),
              HasSubstr("run.yaml:1:37  regrid.merge: with `method: nearest`"));
  EXPECT_THAT(of("[[t, a]], weights: w/a.nc"),
              HasSubstr("weights of a file come from the cells of one grid"));
  EXPECT_THAT(of("[[t, a]], normalisation: destarea"), HasSubstr("expected fracarea"));
}

TEST(RegridSection, NoneIsNoTarget) {
  config::testing::Attempt attempt;
  EXPECT_FALSE(config::testing::read(own(), "regrid: none\n", attempt));
  EXPECT_TRUE(attempt.problems.empty());
}

TEST(RegridSection, NamesMistakes) {
  EXPECT_THAT(about("{to: {}}"),
              HasSubstr("run.yaml:1:14  regrid.to: expected one of latlon, gaussian, healpix"));
  EXPECT_THAT(about("{to: {gaussian: F4, latlon: 1 deg}}"), HasSubstr("expected one target, but got"));
  EXPECT_THAT(about("{to: {healpx: {level: 3}}}"), HasSubstr("Did you mean \"healpix\"?"));
  EXPECT_THAT(about("{to: {healpix: {}}}"), HasSubstr("\"level\" is missing"));
  EXPECT_THAT(about("{to: {healpix: {level: 15}}}"), HasSubstr("regrid.to.healpix.level: expected"));
  EXPECT_THAT(about("{to: {gaussian: 128}}"), HasSubstr("such as F128, but got \"128\""));
  EXPECT_THAT(about("{to: {gaussian: F0}}"), HasSubstr("but got \"F0\""));
  EXPECT_THAT(about("{to: {latlon: 7 deg}}"),
              HasSubstr("that divides 180, such as `1 deg`, but got \"7 deg\""));
  EXPECT_THAT(about("{to: {latlon: 1 m}}"), HasSubstr("but got \"1 m\""));
  EXPECT_THAT(about("{to: {latlon: {lat: [0, 91], lon: [0]}}}"),
              HasSubstr("regrid.to.latlon.lat: expected latitudes "
                        "from -90 to 90, but got 91"));
  EXPECT_THAT(about("{to: {latlon: {lat: [0, 10, 5], lon: [0]}}}"), HasSubstr("but 5 follows 10"));
  EXPECT_THAT(about("{to: {latlon: {lat: [0], lon: [10, 0]}}}"),
              HasSubstr("expected longitudes that ascend"));
  EXPECT_THAT(about("{to: {latlon: {lat: [0], lon: [0, 360]}}}"), HasSubstr("the last is 360 degrees from"));
  EXPECT_THAT(about("{to: {latlon: 1 deg}, method: conservativ}"),
              HasSubstr("or the path of a file with weights, but got \"conservativ\". Did you mean "
                        "\"conservative\"?"));
  EXPECT_THAT(about("{to: {latlon: 1 deg}, method: nearest, weights: a.nc}"),
              HasSubstr("cannot be given beside `method`"));
  EXPECT_THAT(about("{to: {latlon: 1 deg}, coverage: 1.5}"), HasSubstr("regrid.coverage: expected"));
  EXPECT_THAT(about("{to: {latlon: 1 deg}, vectors: [[u, v, w]]}"),
              HasSubstr("regrid.vectors[0]: expected two fields, such as [u, v], but got 3"));
  EXPECT_THAT(about("{method: nearest}"), HasSubstr("\"to\" is missing"));
}

}  // namespace
}  // namespace tailrace::regrid
