#include <gmock/gmock.h>

#include "cf/conventions.hpp"
#include "cf/testing/layout_case.hpp"

namespace tailrace::cf {
namespace {

using namespace layout_case;
using testing::ElementsAre;

struct WrfCase : Case {
  WrfCase() {
    file.entry.layout = settings::Layout::wrf;
    file.axes.resize(1);
    file.axes[0].dim = "Time";
    file.variables.resize(1);
    declarations.fields[0].units = "";
    declarations.fields[0].standard_name = "";
    declarations.fields[0].attributes = {{"MemoryOrder", "XY "},
                                         {"coordinates", "XLONG XLAT"},
                                         {"units", ""},
                                         {"FieldType", 104},
                                         {"more", 1.5F}};
  }
};

std::vector<std::string> names_of(const output::Attributes& attributes) {
  std::vector<std::string> names;
  for (const auto& [name, value] : attributes) names.push_back(name);
  return names;
}

std::string text_of(const output::PlainValues& values) {
  return {reinterpret_cast<const char*>(values.bytes.data()), values.bytes.size()};
}

TEST(WrfConventions, have_time_without_a_coordinate_and_dates_as_texts) {
  const DatasetLayout layout = WrfCase().layout();
  EXPECT_THAT(dims(layout, "Times"), ElementsAre("Time", "DateStrLen"));
  EXPECT_TRUE(variable(layout, "Times").is_text);
  EXPECT_THAT(dims(layout, "w"), ElementsAre("Time", "z", "y", "x"));
  EXPECT_EQ(layout.dataset.variables.size(), 2u);  // not the coordinate z
  EXPECT_TRUE(layout.dataset.attributes.empty());
}

TEST(WrfConventions, attributes_are_as_given_in_the_order_of_wrf) {
  const DatasetLayout layout = WrfCase().layout();
  const output::VariableSpec& w = variable(layout, "w");
  EXPECT_THAT(names_of(w.attributes),
              ElementsAre("FieldType", "MemoryOrder", "units", "coordinates", "more"));
  EXPECT_EQ(attribute(layout, "w", "MemoryOrder"), "XY ");
  EXPECT_EQ(attribute(layout, "w", "units"), std::string(1, '\0'));
  EXPECT_EQ(w.fill_value, std::nullopt);
}

TEST(WrfConventions, a_fill_value_is_written_where_values_may_be_missing) {
  WrfCase converted;
  converted.file.variables[0].type = DataType::float32;
  EXPECT_TRUE(variable(converted.layout(), "w").fill_value.has_value());
  WrfCase own;
  own.declarations.fields[0].fill_value = -999.0;
  EXPECT_EQ(variable(own.layout(), "w").fill_value->number, -999.0);
}

TEST(WrfConventions, dates_have_whole_seconds_and_are_rounded) {
  const DatasetLayout layout = WrfCase().layout();
  const auto record_at = [](double time) { return time::TimeRecord{.begin = time, .end = time}; };
  const std::vector<time::TimeRecord> records{record_at(0.0), record_at(86399.6), record_at(59.4)};
  const auto values = layout.conventions->times_of(
      {.axis = layout.axes[0], .first = 7, .records = records, .stamp = settings::TimeStamp::end},
      layout.calendar);
  ASSERT_EQ(values.size(), 1u);
  EXPECT_EQ(values[0].first, 7);
  EXPECT_EQ(text_of(values[0]), "2026-01-01_00:00:002026-01-02_00:00:002026-01-01_00:00:59");
}

TEST(WrfConventions, dates_of_a_run_that_starts_within_a_second_have_no_second_60) {
  const DatasetLayout layout = WrfCase().layout();
  const std::vector<time::TimeRecord> records{{.begin = 59.0, .end = 59.0}, {.begin = 58.7, .end = 58.7}};
  const calendar::Calendar calendar("standard", calendar::parse_date("2026-01-01T00:00:00.7"));
  const auto values = layout.conventions->times_of(
      {.axis = layout.axes[0], .first = 0, .records = records, .stamp = settings::TimeStamp::end}, calendar);
  ASSERT_EQ(values.size(), 1u);
  EXPECT_EQ(text_of(values[0]), "2026-01-01_00:01:002026-01-01_00:00:59");
}

TEST(CfConventions, list_fields_as_coordinates_where_the_file_has_them) {
  Case given;
  given.declarations.fields.push_back(make_field("lat", 0));
  given.declarations.fields[0].attributes = {{"coordinates", "lat lon energy"}};
  given.add_variable("lat", 2, 0, time::ReductionKind::snapshot);
  const DatasetLayout layout = given.layout();
  EXPECT_EQ(attribute(layout, "w", "coordinates"), "lat");
  EXPECT_EQ(attribute(layout, "w_mean", "coordinates"), "-");  // it has another axis of time
}

}  // namespace
}  // namespace tailrace::cf
