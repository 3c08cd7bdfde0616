#include <gmock/gmock.h>

#include <map>
#include <string>

#include "env/file_system.hpp"
#include "settings/configuration.hpp"
#include "settings/tables/cmip.hpp"
#include "settings/tables/data_files.hpp"
#include "settings/tables/mip_table.hpp"
#include "settings/tables/table_place.hpp"
#include "settings/tables/time_method.hpp"
#include "tailrace/error.hpp"

namespace tailrace::settings {
namespace {

using ::testing::ElementsAre;
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

TEST(MipTable, HasWhatItsFileSays) {
  const MipTable table = mip_table_from_json("Amon", "T/CMIP6_Amon.json", amon);
  ASSERT_EQ(table.variables.size(), 2u);
  const MipVariable& tas = table.variables.at("tas");
  EXPECT_EQ(tas.title(), "Amon/tas");
  EXPECT_EQ(place_of_key("T/CMIP6_Amon.json", amon, "tas").text(), "T/CMIP6_Amon.json:4:3");
  EXPECT_EQ(tas.type, "real") << "of the header";
  EXPECT_EQ(tas.missing_value, 1e20);
  EXPECT_THAT(tas.dimensions, ElementsAre("longitude", "latitude", "time", "height2m"));
  const MipVariable& pr = table.variables.at("pr");
  EXPECT_EQ(pr.out_name, "pr");
  EXPECT_EQ(pr.type, "double");
  EXPECT_THAT(pr.dimensions, ElementsAre("longitude", "latitude", "time"));
  EXPECT_TRUE(pr.has_time());
}

TEST(MipTable, TellsWhereAFileIsNone) {
  const auto said = [](const std::string& text) {
    try {
      mip_table_from_json("Amon", "a.json", text);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::configuration);
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  EXPECT_EQ(said("{\n \"Header\": ]}"), "a.json:2:12  this is not JSON, as tables are");
  EXPECT_EQ(said(""), "a.json:1:1  this is not JSON, as tables are");
  EXPECT_EQ(said("[1]"), "a.json  expected a table for CMOR, with \"Header\"");
  EXPECT_EQ(said(R"({"Header": {}, "variable_entry": []})"),
            "a.json  expected a table for CMOR, with \"variable_entry\"");
}

TEST(MipTable, KnowsDimensionsOfOneValue) {
  const MipScalars scalars = mip_scalars_from_json("c.json", R"({"axis_entry": {
    "height2m": {"value": "2.", "out_name": "height", "units": "m", "bounds_values": ""},
    "depth300m": {"value": "150.", "out_name": "depth", "units": "m", "bounds_values": "0.0 300.0"},
    "typesi": {"value": "sea_ice", "out_name": "type"},
    "plev19": {"value": "", "out_name": "plev"}}})");
  ASSERT_EQ(scalars.size(), 3u);
  EXPECT_EQ(scalars.at("height2m")->values, std::vector{2.0});
  EXPECT_EQ(scalars.at("height2m")->name, "height");
  EXPECT_EQ(scalars.at("depth300m")->bounds, (std::vector{0.0, 300.0}));
  EXPECT_FALSE(scalars.at("typesi").has_value());
}

TEST(TimeMethod, IsReadFromCellMethods) {
  const auto operation = [](const char* text) { return time_method_of(text).operation; };
  EXPECT_EQ(operation("area: mean time: maximum"), ReductionKind::max);
  EXPECT_EQ(operation("area: time: mean where sea_ice (comment: mask=siconc)"), ReductionKind::mean);
  EXPECT_EQ(operation("area: mean time: point"), ReductionKind::snapshot);
  EXPECT_EQ(operation("time: sum (interval: 1 h time: mean)"), ReductionKind::sum);
  EXPECT_EQ(operation("longitude: mean time: minimum grid_latitude: mean"), ReductionKind::min);
  EXPECT_EQ(operation("area: mean"), std::nullopt);
  EXPECT_EQ(operation(""), std::nullopt);
  EXPECT_EQ(time_method_of("time: mean within years time: mean over years").cycle, time::Cycle::year);
  EXPECT_EQ(time_method_of("time: mean within days time: mean over days").cycle, time::Cycle::day);
  EXPECT_EQ(time_method_of("area: mean time: maximum within days time: mean over days").beyond,
            "time: maximum within days time: mean over days");
  EXPECT_EQ(time_method_of("time: median").beyond, "time: median");
}

TEST(TableFrequency, IsAPeriod) {
  EXPECT_EQ(frequency_of("mon").every, time::Period::of_months(1));
  EXPECT_EQ(frequency_of("6hrPt").every, time::Period::of_seconds(21600));
  EXPECT_EQ(frequency_of("day").every, time::Period::parse("24 h"));
  EXPECT_EQ(frequency_of("dec").every, time::Period::parse("10 years"));
  EXPECT_EQ(frequency_of("monC").cycle, time::Cycle::year);
  EXPECT_EQ(frequency_of("1hrCM").cycle, time::Cycle::day);
  EXPECT_EQ(frequency_of("subhrPt").every, std::nullopt);
  EXPECT_EQ(frequency_of("").every, std::nullopt);
}

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

TEST(DataFiles, AreThoseThatVariablesAskFor) {
  const auto files = env::make_memory_files();
  files->make_directories("run/T");
  for (const char* name : {"CMIP6_Amon", "CMIP6_day", "CMIP6_coordinate", "X_day"})
    files->write(std::string("run/T/") + name + ".json", "{}");
  const auto found = [&](const std::string& table) {
    config::Problems problems;
    const auto tree = config::parse_yaml(
        "run/run.yaml", "cmip: {tables: T}\noutput: {a.nc: {variables: [{cmip: " + table + "/x}]}}",
        problems);
    std::vector<std::string> said;
    for (const auto& file : data_files({tree}, *files, problems)) said.push_back(file.path);
    if (!problems.empty()) said.push_back(problems.text());
    return said;
  };
  EXPECT_THAT(found("Amon"), ElementsAre("run/T/CMIP6_Amon.json", "run/T/CMIP6_coordinate.json"));
  EXPECT_THAT(found("X_day"), ElementsAre("run/T/X_day.json"));
  EXPECT_THAT(found("day"), ElementsAre(HasSubstr("expected one of CMIP6_day, X_day")));
  EXPECT_THAT(found("Amn"),
              ElementsAre(HasSubstr("run/run.yaml:2:36  output.a.nc.variables[0].cmip: there is "
                                    "no table \"Amn\". Did you mean \"Amon\"?")));
}

}  // namespace
}  // namespace tailrace::settings
