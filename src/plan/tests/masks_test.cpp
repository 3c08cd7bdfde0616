#include "plan/masks.hpp"

#include <gmock/gmock.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "config/testing/section_conformance.hpp"
#include "model/agenda.hpp"

namespace tailrace::plan {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

model::Grid grid(const std::string& name, const std::vector<std::string>& dims,
                 const std::vector<std::int64_t>& shape) {
  model::Grid made;
  made.name = name;
  made.kind = model::GridKind::block;
  made.dims = dims;
  made.shape = shape;
  return made;
}

model::Field field(const std::string& name, int on, model::DataType type) {
  model::Field made;
  made.name = name;
  made.grid = on;
  made.type = type;
  return made;
}

model::Declarations ocean() {
  model::Declarations declarations;
  declarations.grids = {grid("ocean", {"z", "y", "x"}, {3, 5, 7}), grid("surface", {"y", "x"}, {5, 7}),
                        grid("sections", {"x", "y"}, {7, 5})};
  declarations.fields = {field("temp", 0, model::DataType::float32), field("sea", 1, model::DataType::int32),
                         field("ice", 1, model::DataType::int64), field("cut", 2, model::DataType::float64)};
  declarations.fields[2].fill_value = -5.0;
  return declarations;
}

settings::Configuration configuration(const std::string& grids) {
  const std::map<std::string, std::string> options;
  return settings::parse_configuration(
      {{"run.yaml",
        "tailrace: 1\n"
        "fields:\n"
        "  state: {names: [temp, ice, cut]}\n"
        "  fixed: {every: once, names: [sea, reefs], optional: true}\n"
        "diagnostics: {warm: {is: temp + 1}}\n"
        "grids: " +
            grids + "\noutput: {a.nc: {variables: [{field: cut, every: 1 step}]}}\n"}},
      &options);
}

Plan plan_of(const std::string& grids) {
  const settings::Configuration parsed = configuration(grids);
  return make_plan(parsed, with_fill_values(parsed, ocean()));
}

std::string complaint(const std::string& grids) {
  try {
    plan_of(grids);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::configuration);
    return error.what();
  }
  return "none";
}

TEST(Masks, AreASection) { config::testing::check_section(grids_section()); }

TEST(Masks, BelongToGrids) {
  EXPECT_THAT(plan_of("{surface: {mask: sea}}").masks, ElementsAre(-1, 1, -1));
  EXPECT_THAT(plan_of("{ocean: {mask: sea}}").masks, ElementsAre(1, -1, -1));
}

TEST(Masks, AreWantedOnceThoughNoFileHasThem) {
  const Plan plan = plan_of("{ocean: {mask: sea}}");
  const auto agenda = make_agenda(plan, ocean(), {});
  std::vector<unsigned char> wanted(4);
  agenda->begin(wanted);
  EXPECT_THAT(wanted, ElementsAre(0, 1, 0, 0));
  agenda->advance({1, 10.0}, wanted);
  EXPECT_THAT(wanted, ElementsAre(0, 1, 0, 1));
  agenda->advance({2, 20.0}, wanted);
  EXPECT_THAT(wanted, ElementsAre(0, 0, 0, 1));
}

TEST(Masks, GiveFieldsAFillValue) {
  const settings::Configuration parsed = configuration("{ocean: {mask: sea}, surface: {mask: sea}}");
  const model::Declarations masked = with_fill_values(parsed, ocean());
  EXPECT_EQ(masked.fields[0].fill_value, model::default_fill(model::DataType::float32));
  EXPECT_EQ(masked.fields[1].fill_value, std::nullopt);  // the mask
  EXPECT_EQ(masked.fields[2].fill_value, -5.0);
  EXPECT_EQ(masked.fields[3].fill_value, std::nullopt);
  EXPECT_EQ(with_fill_values(configuration("{}"), ocean()), ocean());
}

// A grid with holes, the grid of its coordinates given in parts, and another whose name begins like it.
model::Declarations with_coordinates() {
  model::Declarations declarations = ocean();
  declarations.grids.push_back(grid("surface[y]", {"y"}, {5}));
  declarations.grids.push_back(grid("surfaces", {"y", "x"}, {5, 7}));
  declarations.fields.push_back(field("surface:lat", 3, model::DataType::float64));
  declarations.fields.back().is_static = true;
  declarations.fields.push_back(field("wind", 4, model::DataType::float64));
  return declarations;
}

TEST(Holes, GiveFieldsAndCoordinatesAFillValue) {
  const settings::Configuration parsed = configuration("{surface: {holes: missing}, ocean: {holes: refuse}}");
  const model::Declarations found = with_fill_values(parsed, with_coordinates());
  std::vector<bool> marked;
  for (const model::Grid& one : found.grids) marked.push_back(one.holes_are_missing);
  EXPECT_THAT(marked, ElementsAre(false, true, false, true, false));
  EXPECT_EQ(found.fields[0].fill_value, std::nullopt);
  EXPECT_EQ(found.fields[1].fill_value, model::default_fill(model::DataType::int32));
  EXPECT_EQ(found.fields[2].fill_value, -5.0);
  EXPECT_EQ(found.fields[4].fill_value, model::default_fill(model::DataType::float64));
  EXPECT_EQ(found.fields[5].fill_value, std::nullopt);
  EXPECT_EQ(with_fill_values(parsed, found), found);
}

TEST(Holes, AreOfGridsThatAreDivided) {
  const settings::Configuration parsed = configuration("{surface: {holes: missing}}");
  const auto told = [&](const auto& change) {
    model::Declarations declarations = ocean();
    change(declarations.grids[1]);
    try {
      make_plan(parsed, with_fill_values(parsed, declarations));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_EQ(told([](model::Grid&) {}), "none");
  EXPECT_THAT(
      told([](model::Grid& one) { one.kind = model::GridKind::replicated; }),
      HasSubstr("run.yaml:6:26  grids.surface.holes: grid \"surface\" is whole on every rank, so it has no "
                "holes"));
  EXPECT_THAT(told([](model::Grid& one) { one.mesh.emplace(); }),
              HasSubstr("grid \"surface\" belongs to a mesh, of which some rank holds each cell"));
  EXPECT_THAT(complaint("{ocean: {holes: mising}}"), HasSubstr("Did you mean \"missing\"?"));
}

TEST(Masks, MayBeOptional) {
  const Plan plan = plan_of("{ocean: {mask: reefs}}");
  EXPECT_THAT(plan.masks, testing::Each(-1));
  EXPECT_THAT(plan.warnings,
              testing::Contains(HasSubstr("run.yaml:6:23  grids.ocean.mask: the model declares no field "
                                          "\"reefs\"; being optional, it masks nothing")));
}

TEST(Masks, HaveToFit) {
  EXPECT_THAT(
      complaint("{ocaen: {mask: sea}}"),
      HasSubstr("run.yaml:6:9  grids.ocaen: the model declares no grid \"ocaen\". Did you mean \"ocean\"?"));
  EXPECT_THAT(
      complaint("{sections: {mask: sea}}"),
      HasSubstr("run.yaml:6:26  grids.sections.mask: \"sea\" lies on grid \"surface\" (y, x); expected a "
                "field of grid \"sections\" (x, y)"));
  EXPECT_THAT(complaint("{ocean: {mask: see}}"), HasSubstr("Did you mean \"sea\"?"));
  EXPECT_THAT(complaint("{surface: {mask: ice}}"),
              HasSubstr("grids.surface.mask: \"ice\" is sent every step; expected a fixed field"));
  EXPECT_THAT(complaint("{surface: {mask: warm}}"), HasSubstr("\"warm\" is computed by the servers"));
}

}  // namespace
}  // namespace tailrace::plan
