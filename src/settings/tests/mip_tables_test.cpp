// Variables that name one of a MIP's table.
#include <gmock/gmock.h>

#include <map>
#include <string>

#include "settings/configuration.hpp"
#include "tailrace/error.hpp"

namespace tailrace::settings {
namespace {

using ::testing::HasSubstr;
using time::ReductionKind;

// In the format of github.com/PCMDI/cmip6-cmor-tables.
const std::string amon = R"({
"Header": {"table_id": "Table Amon", "missing_value": "1e20", "type": "real"},
"variable_entry": {
  "tas": {"frequency": "mon", "units": "K", "cell_methods": "area: time: mean", "out_name": "tas",
          "dimensions": "longitude latitude time height2m", "standard_name": "air_temperature"},
  "pr": {"frequency": "mon", "units": "kg m-2 s-1", "cell_methods": "area: time: mean", "type": "double",
         "dimensions": ["longitude", "latitude", "time"]}
}})";

Configuration parse(const std::string& variable, const std::string& defaults = "") {
  const std::map<std::string, std::string> options;
  const std::string yaml =
      "tailrace: 1\nmodel_time: {calendar: noleap, start: 2001-01-01}\ncmip: {tables: T}\nfields: {a: "
      "{names: [t2m, pr]}}\n"
      "groups: {both: [pr, t2m]}\noutput: {a.nc: {" +
      defaults + "variables: [{" + variable + "}]}}\n";
  return parse_configuration({{"run.yaml", yaml}, {"T/CMIP6_Amon.json", amon, true}}, &options);
}

std::string complaint(const std::string& variable) {
  try {
    parse(variable);
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(Cmip, GivesAVariableWhatItsTableSays) {
  const Configuration configuration =
      parse("field: t2m, cmip: Amon/tas", "defaults: {every: 1 h, operation: max, type: int16}, ");
  const VariableEntry& tas = configuration.files.at(0).variables.at(0);
  EXPECT_EQ(tas.name, "tas");
  EXPECT_EQ(tas.every, time::Period::of_months(1));
  EXPECT_EQ(tas.reduction, ReductionKind::mean);
  EXPECT_EQ(tas.type, model::DataType::float32);
  EXPECT_EQ(tas.fill_value, static_cast<double>(1e20F));
  EXPECT_EQ(tas.cmip->cells, 2u) << "height2m has one value";
  EXPECT_EQ(configuration.text.find("variable_entry"), std::string::npos)
      << "tables are not repeated in files";
}

TEST(Cmip, OfAGroupTakesEachByItsName) {
  EXPECT_THAT(complaint("group: both, cmip: Amon"),
              HasSubstr("output.a.nc.variables[0].cmip: table \"Amon\" (T/CMIP6_Amon.json) has no variable "
                        "\"t2m\". Did you mean \"tas\"? (known: pr, tas)"));
  const auto variables = parse("fields: \"p*\", cmip: Amon").files.at(0).variables;
  ASSERT_EQ(variables.size(), 1u);
  EXPECT_EQ(variables[0].field, "pr");
  EXPECT_EQ(variables[0].type, model::DataType::float64);
}

TEST(Cmip, RefusesWhatSaysOtherwise) {
  EXPECT_THAT(complaint("field: t2m, cmip: Amon/tas, every: 1 d"),
              HasSubstr("run.yaml:6:65  output.a.nc.variables[0].every: Amon/tas (T/CMIP6_Amon.json:4:3) has "
                        "the frequency \"mon\": expected `every: 1 month`, but got `every: 1 d`"));
  EXPECT_THAT(complaint("field: t2m, cmip: Amon/tas, attributes: {missing_value: 3}"),
              HasSubstr("has 1e+20, but got another one"));
  EXPECT_THAT(complaint("field: t2m, cmip: Bmon/tas"), HasSubstr("expected the tables, with \"Bmon\""));
  EXPECT_THAT(complaint("field: t2m, cmip: a b/tas"), HasSubstr("such as `Amon/tas`, but got \"a b/tas\""));
}

}  // namespace
}  // namespace tailrace::settings
