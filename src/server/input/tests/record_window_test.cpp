#include "server/input/record_window.hpp"

#include <gmock/gmock.h>

#include "server/input/tests/fake_entry.hpp"

namespace tailrace::server {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Why = WantedRecord::Why;

// A field with records at 0, 10, 20, ... seconds.
input::PreparedField field_of(int number, std::int64_t records, input::TimeSelector::Options time = {}) {
  input::TimeAxis axis;
  for (std::int64_t i = 0; i < records; ++i) axis.values.push_back(10.0 * static_cast<double>(i));
  axis.units = "seconds since 2001-01-01";
  axis.calendar = "noleap";
  input::Timeline timeline(testing::test_calendar());
  timeline.add(0, axis);
  timeline.finish();
  input::PreparedField field{.entry = {}, .request = {}, .timeline = timeline, .files = {}, .vertical = {}};
  field.field = number;
  field.request.time = time;
  return field;
}

// "needed 1:0" for record 0 of field 1.
std::vector<std::string> wanted_at(RecordWindow& window, double last, double first, std::size_t held = 0,
                                   std::size_t most = SIZE_MAX) {
  WantedMessage wanted;
  window.move(last, first, held, most, wanted);
  std::vector<std::string> list;
  for (const WantedRecord& one : wanted.records) {
    const char* why = one.why == Why::ahead ? "ahead" : one.why == Why::needed ? "needed" : "hurry";
    list.push_back(std::string(why) + " " + std::to_string(one.field) + ":" + std::to_string(one.place));
  }
  return list;
}

TEST(RecordWindow, requests_what_is_needed_and_then_a_record_of_each_field_in_turn) {
  const auto first = field_of(1, 9), second = field_of(2, 9);
  RecordWindow window({{&first, {}, 2, 100}, {&second, {}, 1, 100}}, testing::test_calendar());
  EXPECT_THAT(wanted_at(window, 12.0, 12.0),
              ElementsAre("needed 1:1", "needed 1:2", "needed 2:1", "needed 2:2", "ahead 1:3", "ahead 2:3",
                          "ahead 1:4"));
  EXPECT_EQ(window.bytes_requested(), 700U);
  EXPECT_TRUE(window.awaits_needed());
  EXPECT_THAT(wanted_at(window, 12.0, 12.0), IsEmpty());
  EXPECT_THAT(wanted_at(window, 12.0, 22.0), ElementsAre("hurry 1:3", "hurry 2:3", "ahead 1:5", "ahead 2:4"))
      << "one client is ahead of another";
  EXPECT_EQ(window.lowest(1), 1);
  EXPECT_EQ(window.ahead(1, 3), 0);
  EXPECT_EQ(window.ahead(1, 5), 2);
}

TEST(RecordWindow, requests_ahead_only_what_has_room) {
  const auto field = field_of(1, 9);
  RecordWindow window({{&field, {}, 4, 100}}, testing::test_calendar());
  EXPECT_THAT(wanted_at(window, 12.0, 12.0, 50, 380), ElementsAre("needed 1:1", "needed 1:2", "ahead 1:3"));
  EXPECT_TRUE(window.has_deferred());
  for (const std::int64_t place : {1, 2, 3}) EXPECT_TRUE(window.arrive(1, place).has_value());
  EXPECT_FALSE(window.awaits_needed());
  EXPECT_THAT(wanted_at(window, 12.0, 12.0, 150, 380), ElementsAre("ahead 1:4", "ahead 1:5"));
  EXPECT_THAT(wanted_at(window, 82.0, 82.0, 380, 380), ElementsAre("needed 1:8"))
      << "whatever memory it takes";
}

// "ahead 9" if further records are asked for behind 9 known ones.
std::vector<std::string> further_at(RecordWindow& window, double time) {
  WantedMessage wanted;
  window.move(time, time, 0, SIZE_MAX, wanted);
  std::vector<std::string> list;
  for (const WantedFurther& one : wanted.further)
    list.push_back((one.is_needed != 0 ? "needed " : "ahead ") + std::to_string(one.known));
  return list;
}

TEST(RecordWindow, asks_for_further_records_when_the_lead_comes_to_the_last_one) {
  auto field = field_of(1, 9);  // the last one is at 80 s
  field.may_grow = true;
  RecordWindow window({{&field, {}, 2, 100}}, testing::test_calendar());
  EXPECT_THAT(further_at(window, 45.0), IsEmpty());
  EXPECT_THAT(further_at(window, 55.0), ElementsAre("ahead 9"));
  EXPECT_THAT(further_at(window, 75.0), IsEmpty()) << "once";
  EXPECT_THAT(further_at(window, 85.0), ElementsAre("needed 9"));
  EXPECT_THAT(further_at(window, 86.0), IsEmpty()) << "once";
  EXPECT_TRUE(window.awaits_needed());
  window.lengthen(1, std::vector<input::Record>{{1, 0, 90.0, 90.0, 90.0}});
  EXPECT_THAT(wanted_at(window, 86.0, 86.0), ElementsAre("needed 1:9"));
  EXPECT_THAT(further_at(window, 95.0), ElementsAre("needed 10"));
  EXPECT_EQ(window.end_growth(1), 10);
  EXPECT_THAT(further_at(window, 105.0), IsEmpty());
}

TEST(RecordWindow, forgets_records_that_no_client_needs_any_more) {
  const auto field = field_of(1, 9);
  RecordWindow window({{&field, 20.0, 0, 100}}, testing::test_calendar());
  EXPECT_THAT(wanted_at(window, 0.0, 0.0), ElementsAre("needed 1:0", "ahead 1:1", "ahead 1:2"));
  EXPECT_THAT(wanted_at(window, 55.0, 55.0),
              ElementsAre("needed 1:5", "needed 1:6", "ahead 1:7", "ahead 1:8"));
  EXPECT_EQ(window.bytes_requested(), 400U);
  EXPECT_FALSE(window.arrive(1, 1).has_value());
  EXPECT_EQ(window.arrive(1, 7), 0.0) << "nobody has needed it";
  EXPECT_GT(*window.arrive(1, 6), 0.0);
  EXPECT_FALSE(window.arrive(1, 6).has_value());
  EXPECT_EQ(window.bytes_requested(), 200U);
}

TEST(RecordWindow, requests_a_record_that_stays_once_by_its_index) {
  auto field = field_of(1, 3, {input::TimeRule::linear, {input::CycleKind::period, 30.0}, {}, {}});
  field.stays = true;
  RecordWindow window({{&field, {}, 0, 100}}, testing::test_calendar());
  EXPECT_THAT(wanted_at(window, 62.0, 62.0), ElementsAre("needed 1:0", "needed 1:1"));
  EXPECT_THAT(wanted_at(window, 85.0, 85.0), ElementsAre("needed 1:2"));
  EXPECT_THAT(wanted_at(window, 95.0, 95.0), IsEmpty());
}

}  // namespace
}  // namespace tailrace::server
