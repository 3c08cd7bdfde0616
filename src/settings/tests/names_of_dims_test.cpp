// Options that name dimensions of the model, and those for readers that expect a file in a certain form.
#include <gmock/gmock.h>

#include "settings/testing/parsing.hpp"

namespace tailrace::settings::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string with_file(const std::string& options) {
  return "tailrace: 1\n" + fields + "output: {a.nc: {variables: [{field: u, every: 1 step}], " + options +
         "}}\n";
}

TEST(NamesOfDims, AreReadInTheOrderOfTheFile) {
  const Configuration parsed = parse(
      "tailrace: 1\nfields: {state: {names: [u], dims: [x, zn]}}\n"
      "diagnostics: {d: {is: u * 2, dims: [x, zn]}}\n"
      "output: {a.nc: {variables: [{field: d, every: 1 step}], also_coordinates: [z, zn], date_attribute: "
      "created, "
      "option_tables: {o: {prefix: \"\", width: 150}}}}\n");
  EXPECT_THAT(parsed.field_groups.at(0).dims, ElementsAre("x", "zn"));
  EXPECT_THAT(parsed.diagnostics.at(0).dims, ElementsAre("x", "zn"));
  EXPECT_THAT(parsed.files.at(0).also_coordinates, ElementsAre("z", "zn"));
  EXPECT_EQ(parsed.files.at(0).date_attribute, "created");
  EXPECT_EQ(parsed.files.at(0).option_tables.at(0).width, 150);
}

TEST(NamesOfDims, MistakesAreTold) {
  EXPECT_THAT(complaint("tailrace: 1\nfields: {state: {names: [u], dims: []}}\n"),
              HasSubstr("run.yaml:2:36  fields.state.dims: "));
  EXPECT_THAT(complaint("tailrace: 1\nfields: {state: {names: [u], dim: [x]}}\n"),
              HasSubstr("fields.state.dim: this key is unknown. Did you mean \"dims\"?"));
  EXPECT_THAT(complaint("tailrace: 1\n" + fields + "diagnostics: {d: {is: u * 2, dims: {x: 1}}}\n"),
              HasSubstr("run.yaml:3:36  diagnostics.d.dims: expected a list"));
  EXPECT_THAT(complaint(with_file("also_coordinate: [z]")), HasSubstr("Did you mean \"also_coordinates\"?"));
  EXPECT_THAT(complaint(with_file("date_atribute: created")), HasSubstr("Did you mean \"date_attribute\"?"));
  EXPECT_THAT(complaint(with_file("option_tables: {o: {width: 0}}")),
              HasSubstr("option_tables.o.width: expected a whole number from 1 to 32768, but got \"0\""));
}

}  // namespace
}  // namespace tailrace::settings::testing
