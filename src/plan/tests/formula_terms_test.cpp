#include "plan/naming/formula_terms.hpp"

#include <gmock/gmock.h>

#include "tailrace/error.hpp"

namespace tailrace::plan {
namespace {

using testing::HasSubstr;

std::string told(const std::string& terms, const std::string& variables) {
  model::Declarations declarations;
  model::Grid& grid = declarations.grids.emplace_back();
  grid.name = "atm";
  grid.kind = model::GridKind::block;
  grid.dims = {"lev"};
  grid.shape = {3};
  for (const char* name : {"lev", "ap", "b"}) {
    model::Coordinate& coordinate = grid.coordinates.emplace_back();
    coordinate.name = name;
    coordinate.dims = {"lev"};
    coordinate.values = {1, 2, 3};
  }
  grid.coordinates[0].attributes = {{"formula_terms", terms}};
  for (const char* name : {"t", "surface.ps"}) {
    model::Field& field = declarations.fields.emplace_back();
    field.name = name;
    field.grid = 0;
  }
  const std::string text =
      "tailrace: 1\nfields: {state: {names: [t, surface.ps]}}\noutput: {a.nc: {variables: [" + variables +
      "]}}\n";
  const std::map<std::string, std::string> options;
  try {
    make_plan(settings::parse_configuration({{"run.yaml", text}}, &options), declarations);
  } catch (const Error& error) {
    return error.what();
  }
  return "fine";
}

TEST(FormulaTerms, are_pairs) {
  const auto terms = formula_terms_of(" ap: a_half  b: b_half ps: ps");
  ASSERT_TRUE(terms);
  ASSERT_EQ(terms->size(), 3u);
  EXPECT_EQ((*terms)[0].term, "ap");
  EXPECT_EQ((*terms)[0].name, "a_half");
  for (const char* wrong : {"", "ap", "ap:", "ap a", "ap: b: c", ": a"})
    EXPECT_FALSE(formula_terms_of(wrong)) << wrong;
}

TEST(FormulaTerms, must_be_in_the_file) {
  const std::string t = "{field: t, every: 1 s}", both = t + ", {field: surface.ps, every: 1 s}";
  EXPECT_EQ(told("ap: ap b: b ps: ps", both), "fine");
  EXPECT_THAT(
      told("ap: ap b: b ps: ps", t),
      HasSubstr("run.yaml:3:10  output.a.nc: formula_terms of coordinate \"lev\" of grid \"atm\": readers "
                "compute the levels from the field \"ps\" (ps), which is not in this file; add it to the "
                "variables: {field: ps, ...}"));
  EXPECT_THAT(
      told("ap: app b: b", t),
      HasSubstr("the term ap is \"app\", which is neither a coordinate of the grid nor a field. Did you "
                "mean \"ap\"?"));
  EXPECT_THAT(told("ap ap", t),
              HasSubstr("expected pairs such as \"ap: ap b: b ps: ps\", but got \"ap ap\""));
}

TEST(ScalarCoordinates, have_names_of_their_own) {
  EXPECT_THAT(
      told("", "{field: t, every: 1 s, coordinates: {lev: {value: 1}}}"),
      HasSubstr("run.yaml:3:29  output.a.nc.variables[0].coordinates: \"lev\" is a coordinate or dimension "
                "of the grid of \"t\" already; give it another name"));
  EXPECT_EQ(told("", "{field: t, every: 1 s, coordinates: {height: {value: 1}}}"), "fine");
}

TEST(VariableAttributes, fit_the_type_in_the_file) {
  EXPECT_THAT(told("", "{field: t, every: 1 s, type: int32, attributes: {valid_max: 0.5}}"),
              HasSubstr("output.a.nc.variables[0].attributes: t: attribute \"valid_max\" must have the type "
                        "of the variable; expected a number of type int32, but got 0.5"));
}

}  // namespace
}  // namespace tailrace::plan
