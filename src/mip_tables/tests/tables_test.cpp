// Tables of MIPs: their contents, their files, and the terms of their entries.
#include <gmock/gmock.h>

#include <string>

#include "env/file_system.hpp"
#include "mip_tables/request.hpp"
#include "mip_tables/table.hpp"
#include "mip_tables/table_files.hpp"
#include "mip_tables/time_method.hpp"
#include "tailrace/error.hpp"

namespace tailrace::mip_tables {
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
  const Table table = table_from_json("Amon", "T/CMIP6_Amon.json", amon);
  ASSERT_EQ(table.variables.size(), 2u);
  const TableVariable& tas = table.variables.at("tas");
  EXPECT_EQ(tas.title(), "Amon/tas");
  EXPECT_EQ(place_of_key("T/CMIP6_Amon.json", amon, "tas").text(), "T/CMIP6_Amon.json:4:3");
  EXPECT_EQ(tas.type, "real") << "of the header";
  EXPECT_EQ(tas.missing_value, 1e20);
  EXPECT_THAT(tas.dimensions, ElementsAre("longitude", "latitude", "time", "height2m"));
  const TableVariable& pr = table.variables.at("pr");
  EXPECT_EQ(pr.out_name, "pr");
  EXPECT_EQ(pr.type, "double");
  EXPECT_THAT(pr.dimensions, ElementsAre("longitude", "latitude", "time"));
  EXPECT_TRUE(pr.has_time());
}

TEST(MipTable, TellsWhereAFileIsNone) {
  const auto said = [](const std::string& text) {
    try {
      table_from_json("Amon", "a.json", text);
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
  const ScalarCoordinates scalars = scalars_from_json("c.json", R"({"axis_entry": {
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
  EXPECT_EQ(time_method_of("area: mean time: maximum within days time: mean over days").unsupported,
            "time: maximum within days time: mean over days");
  EXPECT_EQ(time_method_of("time: median").unsupported, "time: median");
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

TEST(TableFiles, AreThoseThatVariablesAskFor) {
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
    for (const auto& file : table_files({tree}, *files, problems)) said.push_back(file.path);
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
}  // namespace tailrace::mip_tables
