#include "plan/declared.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"

namespace tailrace::plan {
namespace {

using testing::HasSubstr;

Declared example() {
  Declared declared;
  model::Declarations& declarations = declared.declarations;
  declarations.component = "bubble";
  declarations.options = {{"x_size", "12"}, {"case", "a \"quoted\" one"}};
  model::Coordinate z{.name = "z",
                      .dims = {"z"},
                      .units = "m",
                      .standard_name = "height",
                      .long_name = "",
                      .attributes = {{"axis", "Z"}},
                      .values = {0.1, 1e300, -3.0},
                      .bounds = {},
                      .field = {}};
  model::Coordinate x{.name = "x",
                      .dims = {"x"},
                      .units = "m",
                      .standard_name = "",
                      .long_name = "eastward",
                      .attributes = {},
                      .values = {},
                      .bounds = {},
                      .field = 3,
                      .bounds_field = 4};
  declarations.grids = {{.name = "les",
                         .kind = model::GridKind::block,
                         .dims = {"z", "x"},
                         .shape = {3, 12},
                         .indexed_dim = "",
                         .coordinates = {z, x},
                         .mesh = {}},
                        {.name = "ico",
                         .kind = model::GridKind::indexed,
                         .dims = {"cell"},
                         .shape = {7},
                         .indexed_dim = "cell",
                         .coordinates = {},
                         .mesh = model::Mesh{.name = "mesh",
                                             .nodes = 9,
                                             .node_x_field = 2,
                                             .node_y_field = 3,
                                             .node_units = "m",
                                             .in_parts = true,
                                             .nodes_digest = ~std::uint64_t{0},
                                             .nodes_per_face = 5,
                                             .connectivity_field = 1}},
                        {.name = "sums",
                         .kind = model::GridKind::partial,
                         .dims = {"k"},
                         .shape = {2},
                         .indexed_dim = "",
                         .coordinates = {},
                         .mesh = {},
                         .place = model::MeshPlace{1, model::MeshElement::edge, 2},
                         .mapping = model::GridMapping{"crs", {{"earth_radius", 6371.0}}}},
                        {.name = "",
                         .kind = model::GridKind::replicated,
                         .dims = {},
                         .shape = {},
                         .indexed_dim = "",
                         .coordinates = {},
                         .mesh = {}}};
  const auto add = [&](const char* name, int grid, model::DataType type, bool is_static) {
    declarations.fields.push_back({.name = name,
                                   .grid = grid,
                                   .type = type,
                                   .units = "K",
                                   .standard_name = "",
                                   .long_name = "",
                                   .attributes = {{"a", "b"},
                                                  {"seed", std::int64_t{1} << 40},
                                                  {"valid_range", std::vector<float>{0.1F, 1.0F}}},
                                   .fill_value = is_static ? std::nullopt : std::optional(-999.0),
                                   .is_static = is_static});
  };
  add("w", 0, model::DataType::float64, false);
  add("t", 1, model::DataType::float32, false);
  add("n", 3, model::DataType::int32, false);
  add("x", 0, model::DataType::int64, true);
  add("sst", 0, model::DataType::float32, false);
  declarations.fields.back().is_input = true;
  declarations.fields.back().is_optional = true;
  const auto box = [](std::vector<std::int64_t> offset, std::vector<std::int64_t> count) {
    return model::Region::of_box({std::move(offset), std::move(count)});
  };
  declared.decomposition.regions = {{box({0, 0}, {3, 5}), box({0, 5}, {3, 7})},
                                    {box({0}, {3}), box({3}, {4})},
                                    {box({0}, {2}), box({0}, {2})},
                                    {box({}, {}), box({}, {})}};
  return declared;
}

TEST(Declared, ComesBackFromItsText) {
  Declared was = example();
  was.text = "output: {}\n";
  was.declarations.attributes = {{"DX", 3000.0F}, {"TITLE", " a model "}};
  const Declared is = declared_from_json(to_json(was), "declared.json");
  EXPECT_EQ(is.declarations, was.declarations);
  EXPECT_EQ(is.decomposition.regions, was.decomposition.regions);
  EXPECT_EQ(is.text, was.text);
}

std::string message_of(const std::string& text) {
  try {
    declared_from_json(text, "declared.json");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::configuration);
    return error.what();
  }
  return "";
}

TEST(Declared, SaysWhatIsWrongWithAText) {
  EXPECT_THAT(message_of("{"), HasSubstr("declared.json: "));
  EXPECT_THAT(message_of("[1]"), HasSubstr("declared.json: "));
  EXPECT_THAT(message_of("{}"), HasSubstr("it does not contain the declarations of a model"));
  std::string text = to_json(example());
  text.replace(text.find("float32"), 7, "complex");
  EXPECT_THAT(message_of(text), HasSubstr("\"complex\" is not a type of fields"));
  text = to_json(example());
  text.replace(text.find("\"grid\": \"ico\""), 13, "\"grid\": \"icy\"");
  EXPECT_THAT(message_of(text), HasSubstr("field \"t\" is on the grid \"icy\", which does not exist"));
  text = to_json(example());
  text.replace(text.find("\"edge\""), 6, "\"age\"");
  EXPECT_THAT(message_of(text), HasSubstr("\"age\" is not a kind of mesh element"));
}

}  // namespace
}  // namespace tailrace::plan
