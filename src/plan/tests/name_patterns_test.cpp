// Names under `fields` with `*` or `?`, and what a file makes of them.
#include "plan/naming/name_patterns.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "plan/plan.hpp"

namespace tailrace::plan {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

model::Declarations declared() {
  model::Declarations declarations;
  model::Grid& grid = declarations.grids.emplace_back();
  grid.name = "g";
  grid.dims = {"x"};
  grid.shape = {3};
  for (const char* name : {"u", "v", "scalar.q", "t2m", "x"}) {
    model::Field& field = declarations.fields.emplace_back();
    field.name = name;
    field.grid = 0;
  }
  declarations.fields.back().is_static = true;
  return declarations;
}

settings::Configuration configuration(const std::string& text) {
  const std::map<std::string, std::string> options;
  return with_patterns(settings::parse_configuration({{"run.yaml", "tailrace: 1\n" + text}}, &options),
                       declared());
}

std::string complaint(const std::string& text) {
  try {
    make_plan(configuration(text), declared());
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

std::vector<std::string> names(const std::string& text, std::size_t group = 0) {
  const settings::Configuration expanded = configuration(text);
  std::vector<std::string> found;
  for (const auto& field : expanded.field_groups.at(group).fields) found.push_back(field.name);
  return found;
}

TEST(NamePatterns, stand_for_all_fields_that_the_model_puts_and_no_group_lists) {
  const std::string fields = "fields: {a: {every: 10 s, names: [\"*\"]}, b: {every: 20 s, names: [v]}}\n";
  EXPECT_THAT(names(fields), ElementsAre("u", "scalar.q", "t2m"));
  EXPECT_THAT(names(fields, 1), ElementsAre("v"));
}

TEST(NamePatterns, of_several_groups_the_first_takes_a_field) {
  const std::string fields = "fields: {a: {names: [\"?\"]}, b: {names: [\"*\"]}}\n";
  EXPECT_THAT(names(fields), ElementsAre("u", "v", "scalar.q"));
  EXPECT_THAT(names(fields, 1), ElementsAre("t2m"));
}

TEST(NamePatterns, an_entry_of_its_own_takes_precedence_in_a_file) {
  const Plan plan = make_plan(
      configuration(
          "fields: {a: {every: 1 s, names: [\"*\"]}}\n"
          "output: {o.nc: {variables: [{fields: \"*\", every: 1 s}, {field: v, operation: mean, every: 5 s},"
          " {field: u, name: u_max, operation: max, every: 5 s}]}}\n"),
      declared());
  std::vector<std::string> made;
  for (const VariablePlan& variable : plan.files.at(0).variables)
    made.push_back(fmt::format("{} {}", variable.name, time::name_of(variable.reduction)));
  EXPECT_THAT(made, ElementsAre("u snapshot", "q snapshot", "t2m snapshot", "v mean", "u_max max"));
}

TEST(NamePatterns, a_pattern_that_no_field_is_like_is_told) {
  EXPECT_THAT(complaint("fields: {a: {names: [\"t3*\"]}}\n"),
              HasSubstr("run.yaml:2:22  fields.a.names: the model declares no field like \"t3*\""));
  EXPECT_EQ(complaint("fields: {a: {optional: true, names: [\"t3*\"]}}\n"), "none");
}

TEST(NamePatterns, a_misspelt_name_elsewhere_is_told) {
  EXPECT_THAT(
      complaint("fields: {a: {names: [\"*\"]}}\noutput: {o.nc: {variables: [{field: t3m, every: 1 s}]}}\n"),
      HasSubstr("\"t3m\" is neither listed under `fields`"));
}

TEST(NamePatterns, have_no_dims) {
  EXPECT_THAT(complaint("fields: {a: {names: [\"*\"], dims: [x]}}\n"), HasSubstr("the group has `dims`"));
}

}  // namespace
}  // namespace tailrace::plan
