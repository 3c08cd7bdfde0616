#include "analytics/engine/work/value.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <cstring>

namespace tailrace::analytics::engine::work {
namespace {

using ::testing::ElementsAre;

Value floats(const std::vector<float>& numbers) {
  Value value;
  value.bytes.resize(numbers.size() * sizeof(float));
  std::memcpy(value.bytes.data(), numbers.data(), value.bytes.size());
  value.type = model::DataType::float32;
  value.present = true;
  return value;
}

std::vector<int> members(const Absences& absences) {
  std::vector<int> found;
  for (const Absence& absence : absences) found.push_back(absence.member);
  return found;
}

TEST(Absences, StayInOrderAndTheFirstReasonStays) {
  Absences all{{.member = 4, .why = "four"}};
  add(all, {{.member = 1, .why = "one"}, {.member = 4, .why = "again"}, {.member = 9, .why = "nine"}});
  EXPECT_THAT(members(all), ElementsAre(1, 4, 9));
  EXPECT_EQ(find(all, 4)->why, "four");
  EXPECT_EQ(find(all, 2), nullptr);
}

TEST(Value, OfAnotherTypeIsReadAsDoubles) {
  const Value value = floats({1.5F, -2.0F, 0.25F});
  EXPECT_EQ(value.size(), 3U);
  EXPECT_THAT(value.as_doubles(), ElementsAre(1.5, -2.0, 0.25));
  std::vector<double> room;
  const std::span<const double> read = value.doubles_in(room);
  EXPECT_THAT(read, ElementsAre(1.5, -2.0, 0.25));
  EXPECT_EQ(read.data(), room.data());
  std::vector<double> more{7.0};
  value.append_to(more, 1, 2);
  EXPECT_THAT(more, ElementsAre(7.0, -2.0, 0.25));
}

TEST(Value, OfDoublesIsReadWithoutACopy) {
  Value value;
  value.make(2)[1] = 3.0;
  std::vector<double> room;
  EXPECT_EQ(value.doubles_in(room).data(), value.doubles().data());
  EXPECT_TRUE(room.empty());
}

TEST(Value, TheFillValueBecomesNan) {
  const std::vector<float> small{1e20F, 2.5F};
  Value value;
  value.put(model::DataType::float32, std::as_bytes(std::span(small)), 1e20);  // not representable as float32
  EXPECT_EQ(value.type, model::DataType::float64);
  EXPECT_THAT(value.as_doubles(), ElementsAre(::testing::IsNan(), 2.5));
  const std::vector<std::int64_t> large{(std::int64_t{1} << 60) + 1, std::int64_t{1} << 60};
  value.put(model::DataType::int64, std::as_bytes(std::span(large)), 0x1p60);
  EXPECT_THAT(value.as_doubles(), ElementsAre(0x1p60, ::testing::IsNan()));
  value.put(model::DataType::float32, std::as_bytes(std::span(small)), std::nan(""));
  EXPECT_EQ(value.type, model::DataType::float32) << "any NaN is missing: no conversion is needed";
}

TEST(Value, IsWholeOnlyWithoutAbsences) {
  Value value = floats({1.0F});
  EXPECT_TRUE(value.whole());
  add(value.absences, {{.member = 0, .why = "not put"}});
  EXPECT_TRUE(value.present);
  EXPECT_FALSE(value.whole());
  value.clear();
  EXPECT_FALSE(value.present);
  EXPECT_TRUE(value.absences.empty());
  value.make(1);
  EXPECT_TRUE(value.whole());
}

}  // namespace
}  // namespace tailrace::analytics::engine::work
