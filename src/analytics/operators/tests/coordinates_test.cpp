// The coordinates of dimensions that operators make or change.
#include <gmock/gmock.h>

#include "analytics/testing/use.hpp"

namespace tailrace::analytics {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using List = std::vector<double>;

const Dims zx = {{"z", 5, false}, {"x", 4, true}};

DimCoordinate heights() {
  return {"z", {10, 20, 40, 80, 160}, "m", "height", "height above ground", {{"positive", "up"}}};
}

Described argument(const std::vector<std::optional<DimCoordinate>>& coordinates) {
  Described described;
  for (const auto& coordinate : coordinates)
    described.coordinates.push_back(coordinate ? std::make_shared<DimCoordinate>(*coordinate) : nullptr);
  return described;
}

// The coordinate made from arguments (z, x) in K, with heights along z and the given coordinate along x.
std::optional<DimCoordinate> made(const std::string& name, const Call& call, const std::string& dim,
                                  const std::optional<DimCoordinate>& x = std::nullopt) {
  EXPECT_TRUE(shape_of(name, call).find(dim)) << name << " makes no " << dim;
  return find_operator(name)->coordinate_made(
      call, dim, std::vector<Described>(call.arguments.size(), argument({heights(), x})));
}

void expect_like_heights(const std::optional<DimCoordinate>& coordinate) {
  ASSERT_TRUE(coordinate);
  EXPECT_EQ(coordinate->units, "m");
  EXPECT_EQ(coordinate->standard_name, "height");
  EXPECT_EQ(coordinate->long_name, "height above ground");
  EXPECT_EQ(coordinate->attributes.at("positive"), "up");
}

TEST(Axes, of_a_slice_are_the_part) {
  const auto coordinate = made("slice", call_of({zx}, {}, {{"z", List{1, 5, 2}}, {"x", 0.0}}), "z_2");
  expect_like_heights(coordinate);
  EXPECT_EQ(coordinate->dim, "z_2");
  EXPECT_THAT(coordinate->values, ElementsAre(20, 80));
  const Call of_both = call_of({zx}, {}, {{"z", List{0, 5}}, {"x", List{1, 3}}});
  EXPECT_FALSE(made("slice", of_both, "z")) << "all cells are selected";
  EXPECT_FALSE(made("slice", of_both, "x_2")) << "x has no coordinate";
}

TEST(Axes, of_selected_cells_are_theirs_and_of_points_between_are_the_points) {
  std::map<std::string, ParameterValue> parameters{{"z", List{81, 12}}, {"z.coordinates", heights().values}};
  auto coordinate = made("select", call_of({zx}, {}, parameters), "z_2");
  expect_like_heights(coordinate);
  EXPECT_THAT(coordinate->values, ElementsAre(80, 10));
  parameters["method"] = "linear";
  EXPECT_THAT(made("select", call_of({zx}, {}, parameters), "z_2")->values, ElementsAre(81, 12));
  parameters["z"] = List{160, 80, 40, 20, 10};
  EXPECT_THAT(made("select", call_of({zx}, {}, parameters), "z")->values, ElementsAre(160, 80, 40, 20, 10))
      << "all cells, but in another order";
  EXPECT_FALSE(made("select", call_of({zx}, {}, parameters), "x"));
}

TEST(Axes, of_coarse_cells_are_means_or_the_samples) {
  auto coordinate = made("coarsen", call_of({zx}, {}, {{"z", 2.0}}), "z_3");
  expect_like_heights(coordinate);
  EXPECT_THAT(coordinate->values, ElementsAre(15, 60, 160));
  coordinate = made("coarsen", call_of({zx}, {}, {{"z", 2.0}, {"method", "sample"}}), "z_3");
  EXPECT_THAT(coordinate->values, ElementsAre(10, 40, 160));
  EXPECT_FALSE(made("coarsen", call_of({zx}, {}, {{"x", 4.0}}), "x_1"));
  EXPECT_FALSE(made("coarsen", call_of({zx}, {}, {{"x", 4.0}}), "z"));
}

TEST(Axes, of_differences_are_middles) {
  const auto coordinate = made("diff", call_of({zx}, {"z"}), "z_4");
  expect_like_heights(coordinate);
  EXPECT_THAT(coordinate->values, ElementsAre(15, 30, 60, 120));
  EXPECT_FALSE(made("diff", call_of({zx}, {"z"}), "x"));
}

TEST(Axes, keep_the_bounds_of_cells_that_stay_cells) {
  const Dims bins = {{"bin", 4, false}};
  const std::vector<Described> arguments{
      argument({DimCoordinate{"bin", {1, 3, 5, 7}, "K", "", "", {}, {0, 2, 2, 4, 4, 6, 6, 8}}})};
  const auto bounds = [&](const std::string& name, const Call& call, const std::string& dim) {
    const auto coordinate = find_operator(name)->coordinate_made(call, dim, arguments);
    EXPECT_EQ(coordinate->long_name, "bin") << "its name";
    return coordinate->bounds;
  };
  EXPECT_THAT(bounds("slice", call_of({bins}, {}, {{"bin", List{1, 3}}}), "bin_2"), ElementsAre(2, 4, 4, 6));
  EXPECT_THAT(bounds("coarsen", call_of({bins}, {}, {{"bin", 3.0}}), "bin_2"), ElementsAre(0, 6, 6, 8));
  EXPECT_THAT(bounds("diff", call_of({bins}, {"bin"}), "bin_3"), IsEmpty());
}

TEST(Axes, of_levels_are_the_levels_of_the_coordinate) {
  Call call = call_of({zx, zx}, {"z"}, {{"levels", List{900, 500}}, {"method", "log"}});
  call.arguments[1].units = "hPa";
  std::vector<Described> arguments(2, argument({heights(), std::nullopt}));
  arguments[1].standard_name = "air_pressure";
  arguments[1].long_name = "pressure";
  const auto coordinate = find_operator("interpolate")->coordinate_made(call, "z_level", arguments);
  ASSERT_TRUE(coordinate);
  EXPECT_THAT(coordinate->values, ElementsAre(900, 500));
  EXPECT_EQ(coordinate->units, "hPa");
  EXPECT_EQ(coordinate->standard_name, "air_pressure");
  EXPECT_EQ(coordinate->long_name, "pressure");
  call.parameters["dim"] = "p";
  EXPECT_EQ(find_operator("interpolate")->coordinate_made(call, "p", arguments)->dim, "p");
  EXPECT_FALSE(find_operator("interpolate")->coordinate_made(call, "x", arguments));
}

TEST(Axes, of_bins_are_centres_with_edges) {
  const auto coordinate =
      made("histogram", call_of({zx}, {"x"}, {{"edges", List{0, 1, 4}}, {"dim", "t"}}), "t");
  EXPECT_THAT(coordinate->values, ElementsAre(0.5, 2.5));
  EXPECT_THAT(coordinate->bounds, ElementsAre(0, 1, 1, 4));
  EXPECT_EQ(coordinate->units, "K");
  EXPECT_FALSE(made("histogram", call_of({zx}, {"x"}, {{"edges", List{0, 1}}}), "z"));
}

TEST(Axes, of_quantiles_are_fractions) {
  const auto coordinate = made("quantile", call_of({zx}, {"x"}, {{"q", List{0.1, 0.9}}}), "quantile");
  EXPECT_THAT(coordinate->values, ElementsAre(0.1, 0.9));
  EXPECT_EQ(coordinate->units, "1");
}

TEST(Axes, of_regions_are_numbers) {
  const auto coordinate = made("region_size", call_of({zx}, {"x"}, {{"max", 3.0}}), "region");
  EXPECT_THAT(coordinate->values, ElementsAre(1, 2, 3));
  EXPECT_EQ(coordinate->units, "1");
}

TEST(Axes, of_spectra_are_wave_numbers_where_cells_are_even) {
  const Call call = call_of({zx}, {"x"});
  auto coordinate = made("spectrum", call, "wavenumber", DimCoordinate{"x", {50, 150, 250, 350}, "m"});
  EXPECT_THAT(coordinate->values, ElementsAre(0, 1 / 400., 2 / 400.));
  EXPECT_EQ(coordinate->units, "m-1");
  for (const std::optional<DimCoordinate>& unlike :
       {std::optional<DimCoordinate>(), std::optional(DimCoordinate{"x", {50, 150, 250, 400}, "m"}),
        std::optional(DimCoordinate{"x", {50, 150, 250, 350}, ""})}) {
    coordinate = made("spectrum", call, "wavenumber", unlike);
    EXPECT_THAT(coordinate->values, ElementsAre(0, 1, 2));
    EXPECT_EQ(coordinate->units, "1");
  }
}

TEST(Axes, of_rings_are_wave_numbers_where_the_rings_fit_the_cells) {
  const Dims yx = {{"y", 4, false}, {"x", 4, true}};
  const auto waves = [&](std::map<std::string, ParameterValue> parameters, const DimCoordinate& y,
                         const DimCoordinate& x) {
    return find_operator("spectrum")
        ->coordinate_made(call_of({yx}, {"y", "x"}, std::move(parameters)), "wavenumber", {argument({y, x})});
  };
  const DimCoordinate narrow{"y", {0, 1, 2, 3}, "km"};
  const DimCoordinate wide{"x", {0, -2, -4, -6}, "km"};
  EXPECT_THAT(waves({}, narrow, {"x", {5, 6, 7, 8}, "km"})->values, ElementsAre(0, 0.25, 0.5, 0.75));
  EXPECT_EQ(waves({}, narrow, wide)->units, "1") << "rings need square cells";
  const auto fits = waves({{"spacing", List{5, 10}}}, narrow, wide);
  EXPECT_EQ(fits->units, "km-1");
  EXPECT_EQ(fits->values.at(1), 1 / 8.);
  EXPECT_EQ(waves({}, narrow, {"x", {0, 1, 2, 3}, "m"})->units, "1");
}

}  // namespace
}  // namespace tailrace::analytics
